#include "core/table/cluster_sizes.hpp"

#include "core/numeric/double_double.hpp"
#include "core/table/entry_scan.hpp"

namespace clustermark {

Buffer<std::int64_t> count_cluster_sizes(const Buffer<std::int32_t>& numbers, const Buffer<std::int64_t>& counts,
                                std::size_t clusters) {
    auto sizes = Buffer<std::int64_t>::zeros(clusters);
    const auto add = [&](std::size_t i) {
        if (numbers[i] >= 0) sizes[static_cast<std::size_t>(numbers[i])] += counts[i];
    };
    scan_entries(0, numbers.size(), add, ClusterLookup<std::int64_t>{sizes, numbers});
    return sizes;
}

Buffer<double> weigh_cluster_sizes(const Buffer<std::int32_t>& numbers, const Buffer<double>& weights, std::size_t clusters) {
    auto sums = Buffer<DoubleDouble>::zeros(clusters);
    const auto add = [&](std::size_t i) {
        if (numbers[i] >= 0) sums[static_cast<std::size_t>(numbers[i])] += weights[i];
    };
    scan_entries(0, numbers.size(), add, ClusterLookup<DoubleDouble>{sums, numbers});
    Buffer<double> sizes(clusters);
    for (std::size_t i = 0; i < clusters; ++i) sizes[i] = sums[i].value();
    return sizes;
}

}  // namespace clustermark
