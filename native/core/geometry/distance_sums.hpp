// Sums and extremes of the distances between points and clusters; every pair of points is measured once.
#pragma once

#include <cstdint>

#include "core/geometry/tiled_points.hpp"
#include "core/memory/buffer.hpp"

namespace clustermark {

// Points sorted by cluster: order[starts[k]] ... order[starts[k + 1] - 1] are those of cluster k.
struct SortedClusters {
    MatrixView matrix;
    Measure measure;
    const std::int64_t* order;
    const std::int64_t* starts;
    std::size_t clusters;

    std::size_t points() const { return static_cast<std::size_t>(starts[clusters]); }
};

// For each point in the order of the input's rows, or for each chosen point.
struct PointSums {
    Buffer<double> own;               // sum of the distances to its own cluster
    Buffer<double> other;             // least mean distance to another cluster; inf if there is none
    Buffer<std::int32_t> neighbours;  // the first cluster with this distance; -1 if there is none
};

PointSums sum_distances(const SortedClusters& input, int threads);

// The same for some points only, given by their indices in the order.
PointSums sum_distances_of(const SortedClusters& input, const std::int64_t* chosen, std::size_t count, int threads);

// For other points with the same number of features: the sum of the distances of each to each cluster, at
// point * clusters + cluster.
Buffer<double> sum_distances_from(const SortedClusters& input, const MatrixView& points, int threads);

// For every two clusters k, l, at k * clusters + l.
struct PairTables {
    Buffer<double> sums;      // of distances; with k = l, each pair of points counts twice
    Buffer<double> least;     // with k = l: inf
    Buffer<double> largest;
    Buffer<double> farthest;  // the largest, over the points of k, of their least distances to l; with k = l: 0
    Buffer<double> squares;   // for each cluster k, the sum of squared distances of its points to all points
};

PairTables tabulate_pairs(const SortedClusters& input, int threads);

}  // namespace clustermark
