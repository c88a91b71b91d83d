// Density and separation of clusters, by minimum spanning trees of mutual reachability (Moulavi et al. 2014).
#pragma once

#include <cstdint>

#include "core/geometry/distance_sums.hpp"

namespace clustermark {

// Tools differ in which of several minimum trees they use, and in how they treat duplicates.
enum class DensityVariant {
    exact,    // the edges of all minimum trees, ties ordered by distance; independent of the order of points
    matlab,   // the tree of the authors, which begins at the first point
    hdbscan,  // the tree of hdbscan; of two points the first counts as inner
};

// For each cluster.
struct Density {
    Buffer<double> sparseness;  // the longest edge between inner points
    Buffer<double> separation;  // the least reachability between its inner points and those of another; inf if alone
};

Density find_density(const SortedClusters& input, DensityVariant variant, int threads);

// The edges of the minimum spanning tree of all points. If there are several such trees: for every two clusters, and within
// every cluster, the shortest and the longest edge that is in any of them.
struct ReachTree {
    Buffer<std::int64_t> from;
    Buffer<std::int64_t> to;
    Buffer<double> lengths;
};

// The minimum spanning tree of mutual reachability, where the core of a point is its distance to its k-th nearest neighbour
// (k = `neighbour`, from 1, below the number of points). Edges with the same reachability are ordered by distance.
ReachTree span_reachability(const SortedClusters& input, std::size_t neighbour, int threads);

}  // namespace clustermark
