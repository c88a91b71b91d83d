// Sizes of the clusters of each side. ABSENT partners are included; LONE clusters have no number and are not.
#pragma once

#include <cstdint>

#include "core/memory/buffer.hpp"
#include "core/table/cells.hpp"

namespace clustermark {

Buffer<std::int64_t> count_cluster_sizes(const Buffer<std::int32_t>& numbers, const Buffer<std::int64_t>& counts,
                                std::size_t clusters);

Buffer<double> weigh_cluster_sizes(const Buffer<std::int32_t>& numbers, const Buffer<double>& weights, std::size_t clusters);

}  // namespace clustermark
