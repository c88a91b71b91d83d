// How dense clusters are and how far apart, by the trees of least mutual reachability (Moulavi et al. 2014).
#pragma once

#include "pair_sums.hpp"

namespace clustermark {

// For each cluster.
struct Density {
    Buffer<double> sparseness;  // the longest edge between inner points of its tree
    Buffer<double> separation;  // the least reachability between its inner points and those of another; inf if alone
};

Density find_density(const SortedClusters& input, int threads);

}  // namespace clustermark
