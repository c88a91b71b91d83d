#include "margins.hpp"

#include "compensated.hpp"
#include "passes.hpp"

namespace clustermark {

Buffer<std::int64_t> count_side(const Buffer<std::int32_t>& numbers, const Buffer<std::int64_t>& counts,
                                std::size_t clusters) {
    auto sizes = Buffer<std::int64_t>::zeros(clusters);
    const auto add = [&](std::size_t i) {
        if (numbers[i] >= 0) sizes[static_cast<std::size_t>(numbers[i])] += counts[i];
    };
    pass_over(0, numbers.size(), add, Lookups<std::int64_t>{sizes, numbers});
    return sizes;
}

Buffer<double> weigh_side(const Buffer<std::int32_t>& numbers, const Buffer<double>& weights, std::size_t clusters) {
    auto sums = Buffer<DoubleDouble>::zeros(clusters);
    const auto add = [&](std::size_t i) {
        if (numbers[i] >= 0) sums[static_cast<std::size_t>(numbers[i])] += weights[i];
    };
    pass_over(0, numbers.size(), add, Lookups<DoubleDouble>{sums, numbers});
    Buffer<double> sizes(clusters);
    for (std::size_t i = 0; i < clusters; ++i) sizes[i] = sums[i].value();
    return sizes;
}

}  // namespace clustermark
