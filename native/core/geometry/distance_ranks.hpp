// Sorted distances: those within clusters against those between them.
#pragma once

#include <cstdint>

#include "core/geometry/distance_sums.hpp"

namespace clustermark {

struct DistanceRanks {
    std::int64_t within = 0;        // pairs of points of one cluster
    std::int64_t between = 0;       // pairs of points of two
    std::int64_t concordant = 0;    // pairs of them with the distance within less than the one between
    std::int64_t discordant = 0;    // ... greater
    double within_sum = 0.0;
    double least_sum = 0.0;         // sum of the smallest distances, one for each pair within clusters
    double largest_sum = 0.0;       // ... of the largest distances
};

DistanceRanks rank_distances(const SortedClusters& input);

}  // namespace clustermark
