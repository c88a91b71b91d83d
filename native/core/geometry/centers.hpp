// Sums over points that need the centers of clusters, in time linear in the points.
#pragma once

#include <cstdint>

#include "core/memory/buffer.hpp"
#include "core/memory/matrix_view.hpp"

namespace clustermark {

// Points, the cluster of each (0 ... clusters - 1) and, unless null, the weight of each.
struct ClusteredPoints {
    MatrixView points;
    const std::int32_t* codes;
    const double* weights;
    std::size_t clusters;
};

// One number for each cluster and feature, as unevaluated sums high + low: twice the precision of a double.
struct PreciseTable {
    Buffer<double> high;
    Buffer<double> low;
};

// Centers of all clusters, and of all points as one additional cluster.
struct Centers {
    const double* high;
    const double* low;
};

struct Spread {
    Buffer<double> squares;    // for each cluster and feature, the sum of squares about the center
    Buffer<double> distances;  // for each cluster, the sum of distances to the center
    double total_distance;     // of all points to the center of all
};

struct Nearest {
    Buffer<double> own;                // squared distance to the center of the own cluster
    Buffer<double> other;              // least of squared distance + offset over the other clusters; inf if there is none
    Buffer<std::int32_t> neighbours;   // the first cluster with this distance; -1 if there is none
};

PreciseTable sum_points(const ClusteredPoints& input, int threads);
Spread spread_about(const ClusteredPoints& input, const Centers& centers, int threads);
Nearest nearest_centers(const ClusteredPoints& input, const Centers& centers, const double* offsets, int threads);

}  // namespace clustermark
