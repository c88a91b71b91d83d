#include "centers.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <vector>

#include "compensated.hpp"
#include "lanes.hpp"
#include "threads.hpp"

namespace clustermark {

namespace {

// The points are added up in parts whose number depends on the input alone, so that threads do not change the bits.
std::size_t count_parts(const ClusteredPoints& input) {
    constexpr std::size_t most_parts = 16;
    constexpr std::size_t most_numbers = std::size_t{1} << 22;
    constexpr std::size_t least_points = 4096;
    const std::size_t table = std::max<std::size_t>(input.clusters * input.points.columns, 1);
    return std::clamp<std::size_t>(std::min(most_numbers / table, input.points.rows / least_points), 1, most_parts);
}

template <class Job>
void for_each_part(std::size_t parts, std::size_t points, std::size_t columns, int threads, Job&& job) {
    std::atomic<std::size_t> next{0};
    const unsigned workers = choose_threads(threads, points * std::max<std::size_t>(columns / 4, 1));
    run_parallel(std::min<unsigned>(workers, static_cast<unsigned>(parts)), [&](unsigned) {
        for (std::size_t part = next++; part < parts; part = next++) job(part);
    });
}

constexpr std::size_t lanes = 8;

// Squared distances of a point to eight centers, which lie side by side.
CLUSTERMARK_LANES void square_distances(const double* row, std::size_t p, const double* high, const double* low,
                                        double* squares) {
    Lanes sums[2] = {};
    for (std::size_t j = 0; j < p; ++j) {
        const Lanes mine = {row[j], row[j], row[j], row[j]};
        for (std::size_t half = 0; half < 2; ++half) {
            const auto at = j * lanes + half * 4;
            const Lanes away = (mine - *reinterpret_cast<const LanesAnywhere*>(high + at)) -
                               *reinterpret_cast<const LanesAnywhere*>(low + at);
            sums[half] += away * away;
        }
    }
    for (std::size_t half = 0; half < 2; ++half) *reinterpret_cast<LanesAnywhere*>(squares + half * 4) = sums[half];
}

void add(double& high, double& low, double x) {
    const DoubleDouble sum = DoubleDouble::sum(high, x);
    high = sum.hi;
    low += sum.lo;
}

}  // namespace

PreciseTable sum_points(const ClusteredPoints& input, int threads) {
    const std::size_t p = input.points.columns;
    const std::size_t size = input.clusters * p;
    const std::size_t parts = count_parts(input);
    std::vector<PreciseTable> tables(parts);
    for_each_part(parts, input.points.rows, p, threads, [&](std::size_t part) {
        PreciseTable& table = tables[part];
        table.high = Buffer<double>::zeros(size);
        table.low = Buffer<double>::zeros(size);
        std::vector<double> row(p);
        Pace pace;
        const auto [begin, end] = share(input.points.rows, static_cast<unsigned>(part), static_cast<unsigned>(parts));
        for (std::size_t i = begin; i < end; ++i) {
            input.points.read_row(i, row.data());
            const std::size_t at = static_cast<std::size_t>(input.codes[i]) * p;
            double* __restrict high = table.high.data() + at;
            double* __restrict low = table.low.data() + at;
            if (input.weights == nullptr) {
                for (std::size_t j = 0; j < p; ++j) add(high[j], low[j], row[j]);
            } else {
                for (std::size_t j = 0; j < p; ++j) {
                    const DoubleDouble product = DoubleDouble::product(input.weights[i], row[j]);
                    add(high[j], low[j], product.hi);
                    low[j] += product.lo;
                }
            }
            pace.step(p);
        }
    });
    for (std::size_t part = 1; part < parts; ++part) {
        for (std::size_t at = 0; at < size; ++at) {
            DoubleDouble sum{tables[0].high[at], tables[0].low[at]};
            sum += DoubleDouble{tables[part].high[at], tables[part].low[at]};
            tables[0].high[at] = sum.hi;
            tables[0].low[at] = sum.lo;
        }
    }
    return std::move(tables[0]);
}

Spread spread_about(const ClusteredPoints& input, const Centers& centers, int threads) {
    const std::size_t p = input.points.columns;
    const std::size_t clusters = input.clusters;
    const std::size_t parts = count_parts(input);
    struct Part {
        PreciseTable squares;
        PreciseTable distances;  // one for each cluster, then that to the center of all
    };
    std::vector<Part> sums(parts);
    for_each_part(parts, input.points.rows, p, threads, [&](std::size_t part) {
        Part& own = sums[part];
        own.squares = {Buffer<double>::zeros(clusters * p), Buffer<double>::zeros(clusters * p)};
        own.distances = {Buffer<double>::zeros(clusters + 1), Buffer<double>::zeros(clusters + 1)};
        std::vector<double> row(p), squares(p);
        Pace pace;
        const auto [begin, end] = share(input.points.rows, static_cast<unsigned>(part), static_cast<unsigned>(parts));
        for (std::size_t i = begin; i < end; ++i) {
            input.points.read_row(i, row.data());
            const auto cluster = static_cast<std::size_t>(input.codes[i]);
            const double weight = input.weights == nullptr ? 1.0 : input.weights[i];
            const double* center = centers.high + cluster * p;
            const double* rest = centers.low + cluster * p;
            const double* middle = centers.high + clusters * p;
            const double* middle_rest = centers.low + clusters * p;
            double* __restrict high = own.squares.high.data() + cluster * p;
            double* __restrict low = own.squares.low.data() + cluster * p;
            double square = 0.0;
            double from_middle = 0.0;
            for (std::size_t j = 0; j < p; ++j) {
                const double away = (row[j] - center[j]) - rest[j];
                squares[j] = away * away;
                add(high[j], low[j], weight * squares[j]);
            }
            for (std::size_t j = 0; j < p; ++j) {
                const double away = (row[j] - middle[j]) - middle_rest[j];
                square += squares[j];
                from_middle += away * away;
            }
            add(own.distances.high[cluster], own.distances.low[cluster], weight * std::sqrt(square));
            add(own.distances.high[clusters], own.distances.low[clusters], weight * std::sqrt(from_middle));
            pace.step(2 * p);
        }
    });
    auto merge = [&](std::size_t size, PreciseTable Part::*member) {
        Buffer<double> merged(size);
        for (std::size_t at = 0; at < size; ++at) {
            DoubleDouble sum;
            for (const Part& part : sums) sum += DoubleDouble{(part.*member).high[at], (part.*member).low[at]};
            merged[at] = sum.value();
        }
        return merged;
    };
    Spread spread{merge(clusters * p, &Part::squares), merge(clusters + 1, &Part::distances), 0.0};
    spread.total_distance = spread.distances[clusters];
    spread.distances.shrink(clusters);
    return spread;
}

Nearest nearest_centers(const ClusteredPoints& input, const Centers& centers, const double* offsets, int threads) {
    const std::size_t n = input.points.rows;
    const std::size_t p = input.points.columns;
    const std::size_t clusters = input.clusters;
    const std::size_t blocks = (clusters + lanes - 1) / lanes;
    // centers side by side, so that a few of them are worked on at once
    auto high = Buffer<double>::zeros(blocks * p * lanes);
    auto low = Buffer<double>::zeros(blocks * p * lanes);
    for (std::size_t k = 0; k < clusters; ++k) {
        for (std::size_t j = 0; j < p; ++j) {
            high[(k / lanes * p + j) * lanes + k % lanes] = centers.high[k * p + j];
            low[(k / lanes * p + j) * lanes + k % lanes] = centers.low[k * p + j];
        }
    }
    Nearest nearest{Buffer<double>(n), Buffer<double>(n), Buffer<std::int32_t>(n)};
    const std::size_t parts = std::clamp<std::size_t>(n / 1024, 1, 64);
    for_each_part(parts, n, p * clusters, threads, [&](std::size_t part) {
        std::vector<double> row(p);
        Pace pace;
        const auto [begin, end] = share(n, static_cast<unsigned>(part), static_cast<unsigned>(parts));
        for (std::size_t i = begin; i < end; ++i) {
            input.points.read_row(i, row.data());
            const auto cluster = static_cast<std::size_t>(input.codes[i]);
            double least = std::numeric_limits<double>::infinity();
            std::int32_t neighbour = -1;
            for (std::size_t block = 0; block < blocks; ++block) {
                double squares[lanes];
                const std::size_t at = block * p * lanes;
                square_distances(row.data(), p, high.data() + at, low.data() + at, squares);
                const std::size_t first = block * lanes;
                for (std::size_t k = first; k < std::min(first + lanes, clusters); ++k) {
                    if (k == cluster) {
                        nearest.own[i] = squares[k - first];
                    } else if (const double away = squares[k - first] + offsets[k]; away < least) {
                        least = away;
                        neighbour = static_cast<std::int32_t>(k);
                    }
                }
            }
            nearest.other[i] = least;
            nearest.neighbours[i] = neighbour;
            pace.step(blocks * p);
        }
    });
    return nearest;
}

}  // namespace clustermark
