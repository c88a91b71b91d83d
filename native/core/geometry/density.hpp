// Density and separation of clusters, by the trees of least mutual reachability (Moulavi et al. 2014).
#pragma once

#include <cstdint>

#include "core/geometry/distance_sums.hpp"

namespace clustermark {

// For each cluster.
struct Density {
    Buffer<double> sparseness;  // the longest edge between inner points of its tree
    Buffer<double> separation;  // the least reachability between its inner points and those of another; inf if alone
};

Density find_density(const SortedClusters& input, int threads);

// The edges of a tree over all points of all clusters.
struct ReachTree {
    Buffer<std::int64_t> from;
    Buffer<std::int64_t> to;
    Buffer<double> lengths;
};

// The tree of least mutual reachability, where the core of a point is its distance to its k-th nearest neighbour
// (k = `neighbour`, from 1, below the number of points). Of edges with the same reachability the shortest are taken.
ReachTree span_reachability(const SortedClusters& input, std::size_t neighbour, int threads);

}  // namespace clustermark
