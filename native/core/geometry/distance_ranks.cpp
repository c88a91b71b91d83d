#include "core/geometry/distance_ranks.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <numeric>
#include <utility>
#include <vector>

#include "core/execution/interruption.hpp"
#include "core/numeric/double_double.hpp"

namespace clustermark {

namespace {

// Distances are not negative, so their bits have the same order: they are sorted eleven bits at a time.
void sort(Buffer<double>& numbers, StepCounter& counter) {
    constexpr unsigned digit = 11;
    constexpr std::uint64_t mask = (std::uint64_t{1} << digit) - 1;
    constexpr unsigned passes = (64 + digit - 1) / digit;
    const std::size_t n = numbers.size();
    std::vector<std::array<std::size_t, mask + 1>> counts(passes);
    for (const double number : numbers) {
        const auto bits = std::bit_cast<std::uint64_t>(number);
        for (unsigned pass = 0; pass < passes; ++pass) ++counts[pass][bits >> (digit * pass) & mask];
        counter.step();
    }
    Buffer<double> scratch(n);
    for (unsigned pass = 0; pass < passes; ++pass) {
        auto& places = counts[pass];
        if (std::find(places.begin(), places.end(), n) != places.end()) continue;  // this digit is equal in all numbers
        std::exclusive_scan(places.begin(), places.end(), places.begin(), std::size_t{0});
        for (const double number : numbers) {
            scratch[places[std::bit_cast<std::uint64_t>(number) >> (digit * pass) & mask]++] = number;
            counter.step();
        }
        std::swap(numbers, scratch);
    }
}

std::int64_t pairs(std::int64_t n) { return n * (n - 1) / 2; }

}  // namespace

DistanceRanks rank_distances(const SortedClusters& input) {
    constexpr std::size_t width = TiledPoints::width;
    DistanceRanks ranks;
    for (std::size_t k = 0; k < input.clusters; ++k) ranks.within += pairs(input.starts[k + 1] - input.starts[k]);
    ranks.between = pairs(input.starts[input.clusters]) - ranks.within;
    Buffer<double> within(static_cast<std::size_t>(ranks.within));
    Buffer<double> between(static_cast<std::size_t>(ranks.between));
    const TiledPoints tiled(input.matrix, input.measure, input.order, input.points());
    // each distance is computed, takes part in six or seven passes of a sort, and is counted and added up
    expect_steps((within.size() + between.size()) * (tiled.steps() + 9));
    double* inside = within.begin();
    double* outside = between.begin();
    StepCounter counter;
    alignas(64) double block[TiledPoints::height * width];
    for (std::size_t cluster = 0, first = 0; first < tiled.size(); first += TiledPoints::height) {
        const std::size_t count = std::min(TiledPoints::height, tiled.size() - first);
        for (std::size_t tile = first / width; tile < tiled.tiles(); ++tile) {
            tiled.measure(first, count, tiled, tile, block);
            const std::size_t end = tile * width + tiled.tile_size(tile);
            std::size_t own = cluster;
            for (std::size_t r = 0; r < count; ++r) {
                const std::size_t point = first + r;
                while (static_cast<std::size_t>(input.starts[own + 1]) <= point) ++own;
                const auto edge = static_cast<std::size_t>(input.starts[own + 1]);
                const std::size_t from = std::max(point + 1, tile * width);
                const double* row = block + r * width;
                for (std::size_t j = from; j < std::min(edge, end); ++j) *inside++ = row[j - tile * width];
                for (std::size_t j = std::max(edge, from); j < end; ++j) *outside++ = row[j - tile * width];
            }
            counter.step(count * width * tiled.steps());
        }
        while (static_cast<std::size_t>(input.starts[cluster + 1]) < first + count) ++cluster;
    }
    sort(within, counter);
    sort(between, counter);
    DoubleDouble sum;
    for (const double distance : within) sum += distance;
    ranks.within_sum = sum.value();
    std::size_t below = 0, upto = 0;
    for (const double distance : within) {
        while (below < between.size() && between[below] < distance) ++below;
        upto = std::max(upto, below);
        while (upto < between.size() && between[upto] <= distance) ++upto;
        ranks.discordant += static_cast<std::int64_t>(below);
        ranks.concordant += static_cast<std::int64_t>(between.size() - upto);
        counter.step();
    }
    DoubleDouble least, largest;
    for (std::size_t i = 0, a = 0, b = 0; i < within.size(); ++i, counter.step()) {
        least += b == between.size() || (a < within.size() && within[a] <= between[b]) ? within[a++] : between[b++];
    }
    for (std::size_t i = 0, a = within.size(), b = between.size(); i < within.size(); ++i, counter.step()) {
        largest += b == 0 || (a > 0 && within[a - 1] >= between[b - 1]) ? within[--a] : between[--b];
    }
    ranks.least_sum = least.value();
    ranks.largest_sum = largest.value();
    return ranks;
}

}  // namespace clustermark
