#include "margins.hpp"

#include "compensated.hpp"
#include "interruption.hpp"

namespace clustermark {

Buffer<std::int64_t> count_side(const Buffer<std::int32_t>& numbers, const Buffer<std::int64_t>& counts,
                                std::size_t clusters) {
    auto sizes = Buffer<std::int64_t>::zeros(clusters);
    Pace pace;
    for (std::size_t i = 0; i < numbers.size(); ++i, pace.step()) {
        prefetch_cluster(sizes, numbers, i);
        if (numbers[i] >= 0) sizes[static_cast<std::size_t>(numbers[i])] += counts[i];
    }
    return sizes;
}

Buffer<double> weigh_side(const Buffer<std::int32_t>& numbers, const Buffer<double>& weights, std::size_t clusters) {
    auto sums = Buffer<DoubleDouble>::zeros(clusters);
    Pace pace;
    for (std::size_t i = 0; i < numbers.size(); ++i, pace.step()) {
        if (numbers[i] >= 0) sums[static_cast<std::size_t>(numbers[i])] += weights[i];
    }
    Buffer<double> sizes(clusters);
    for (std::size_t i = 0; i < clusters; ++i) sizes[i] = sums[i].value();
    return sizes;
}

}  // namespace clustermark
