#include "core/geometry/centers.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "core/execution/threads.hpp"
#include "core/numeric/double_double.hpp"
#include "core/numeric/simd.hpp"

namespace clustermark {

namespace {

// The points are added in parts whose number depends on the input alone, so the number of threads does not change the bits.
std::size_t count_parts(const ClusteredPoints& input) {
    constexpr std::size_t most_parts = 16;                      // the largest number of threads
    constexpr std::size_t most_numbers = std::size_t{1} << 22;  // 64 MiB for the tables of all parts together
    constexpr std::size_t least_points = 4096;                  // of a part: adding them takes longer than merging its table
    const std::size_t table = std::max<std::size_t>(input.clusters * input.points.columns, 1);
    return std::clamp<std::size_t>(std::min(most_numbers / table, input.points.rows / least_points), 1, most_parts);
}

template <class Job>
void for_each_part(std::size_t parts, std::size_t points, std::size_t columns, int threads, Job&& job) {
    const unsigned workers = choose_threads(threads, points * std::max<std::size_t>(columns / 4, 1));
    for_each_job(workers, parts, [&](std::size_t part, StepCounter&) { job(part); });
}

constexpr std::size_t lanes = 4;
constexpr std::size_t rows_at_once = 4;
constexpr double infinity = std::numeric_limits<double>::infinity();

typedef std::int64_t Numbers __attribute__((vector_size(32)));

// Centers in blocks of four, side by side, and the offset of the squared distance to each; infinite for places without a
// center.
struct CenterBlocks {
    std::size_t blocks;
    std::size_t features;
    const double* high;
    const double* low;
    const double* offsets;
};

// For some points in consecutive rows: the squared distance to the own center, the least of the others with their offsets,
// and the cluster of this center, the first of equals. No branch depends on the numbers, because it could not be predicted.
template <std::size_t Rows>
__attribute__((always_inline)) inline void find_nearest(const double* rows, const CenterBlocks& centers,
                                                        const std::int32_t* codes, double* own, double* other,
                                                        std::int32_t* neighbours) {
    const std::size_t p = centers.features;
    FourDoubles mine[Rows] = {};
    FourDoubles best[Rows];
    Numbers which[Rows];
    for (std::size_t r = 0; r < Rows; ++r) {
        best[r] = FourDoubles{infinity, infinity, infinity, infinity};
        which[r] = Numbers{-1, -1, -1, -1};
    }
    for (std::size_t block = 0; block < centers.blocks; ++block) {
        FourDoubles sums[Rows] = {};
        for (std::size_t j = 0; j < p; ++j) {
            const std::size_t at = (block * p + j) * lanes;
            const FourDoubles center = *reinterpret_cast<const FourDoublesUnaligned*>(centers.high + at);
            const FourDoubles rest = *reinterpret_cast<const FourDoublesUnaligned*>(centers.low + at);
            for (std::size_t r = 0; r < Rows; ++r) {  // each loaded center is used for all rows
                const double x = rows[r * p + j];
                const FourDoubles away = (FourDoubles{x, x, x, x} - center) - rest;
                sums[r] += away * away;
            }
        }
        const auto first = static_cast<std::int64_t>(block * lanes);
        const Numbers numbers = {first, first + 1, first + 2, first + 3};
        const FourDoubles offsets = *reinterpret_cast<const FourDoublesUnaligned*>(centers.offsets + first);
        for (std::size_t r = 0; r < Rows; ++r) {
            const std::int64_t code = codes[r];
            const Numbers is_own = numbers == Numbers{code, code, code, code};
            mine[r] = is_own ? sums[r] : mine[r];
            const FourDoubles away = is_own ? FourDoubles{infinity, infinity, infinity, infinity} : sums[r] + offsets;
            const Numbers is_better = away < best[r];
            best[r] = is_better ? away : best[r];
            which[r] = is_better ? numbers : which[r];
        }
    }
    for (std::size_t r = 0; r < Rows; ++r) {
        const double least = std::min(std::min(best[r][0], best[r][1]), std::min(best[r][2], best[r][3]));
        std::int64_t neighbour = std::numeric_limits<std::int64_t>::max();
        for (std::size_t lane = 0; lane < lanes; ++lane) {
            neighbour = std::min(neighbour, best[r][lane] == least ? which[r][lane] : neighbour);
        }
        own[r] = (mine[r][0] + mine[r][1]) + (mine[r][2] + mine[r][3]);  // all but one are 0
        other[r] = least;
        neighbours[r] = static_cast<std::int32_t>(neighbour);
    }
}

CLUSTERMARK_VECTORISED void find_nearest_of(const double* rows, std::size_t count, const CenterBlocks& centers,
                                       const std::int32_t* codes, double* own, double* other,
                                       std::int32_t* neighbours) {
    if (count == rows_at_once) {
        find_nearest<rows_at_once>(rows, centers, codes, own, other, neighbours);
        return;
    }
    for (std::size_t r = 0; r < count; ++r) {
        find_nearest<1>(rows + r * centers.features, centers, codes + r, own + r, other + r, neighbours + r);
    }
}

void add(double& high, double& low, double x) {
    const DoubleDouble sum = DoubleDouble::sum(high, x);
    high = sum.hi;
    low += sum.lo;
}

// Adds the squares of a row's distances from a center to the sums of each feature, and stores the squares.
CLUSTERMARK_VECTORISED void add_squares(const double* __restrict row, const double* __restrict center,
                                   const double* __restrict rest, double weight, std::size_t p,
                                   double* __restrict squares, double* __restrict high, double* __restrict low) {
    for (std::size_t j = 0; j < p; ++j) {
        const double away = (row[j] - center[j]) - rest[j];
        squares[j] = away * away;
        const double before = high[j];
        const double x = weight * squares[j];
        const double sum = before + x;
        const double back = sum - before;
        high[j] = sum;
        low[j] += (before - (sum - back)) + (x - back);
    }
}

// Sums of squares of some rows, and of their distances from the mean, as independent chains of additions.
template <std::size_t Rows>
inline void sum_squares(const double* rows, const double* squares, std::size_t p, const double* middle,
                        const double* rest, double* own, double* from_middle) {
    double sums[Rows] = {}, others[Rows] = {};
    for (std::size_t j = 0; j < p; ++j) {
        for (std::size_t r = 0; r < Rows; ++r) {
            const double away = (rows[r * p + j] - middle[j]) - rest[j];
            sums[r] += squares[r * p + j];
            others[r] += away * away;
        }
    }
    std::copy_n(sums, Rows, own);
    std::copy_n(others, Rows, from_middle);
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
        StepCounter counter;
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
            counter.step(p);
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
        PreciseTable distances;  // one for each cluster, then one for the center of all points
    };
    std::vector<Part> sums(parts);
    for_each_part(parts, input.points.rows, p, threads, [&](std::size_t part) {
        Part& own = sums[part];
        own.squares = {Buffer<double>::zeros(clusters * p), Buffer<double>::zeros(clusters * p)};
        own.distances = {Buffer<double>::zeros(clusters + 1), Buffer<double>::zeros(clusters + 1)};
        std::vector<double> rows(rows_at_once * p), squares(rows_at_once * p);
        const double* middle = centers.high + clusters * p;
        const double* middle_rest = centers.low + clusters * p;
        StepCounter counter;
        const auto [begin, end] = share(input.points.rows, static_cast<unsigned>(part), static_cast<unsigned>(parts));
        for (std::size_t first = begin; first < end; first += rows_at_once) {
            const std::size_t count = std::min(rows_at_once, end - first);
            for (std::size_t r = 0; r < count; ++r) {
                const auto at = static_cast<std::size_t>(input.codes[first + r]) * p;
                input.points.read_row(first + r, rows.data() + r * p);
                add_squares(rows.data() + r * p, centers.high + at, centers.low + at,
                            input.weights == nullptr ? 1.0 : input.weights[first + r], p, squares.data() + r * p,
                            own.squares.high.data() + at, own.squares.low.data() + at);
            }
            double square[rows_at_once], from_middle[rows_at_once];
            if (count == rows_at_once) {
                sum_squares<rows_at_once>(rows.data(), squares.data(), p, middle, middle_rest, square, from_middle);
            } else {
                for (std::size_t r = 0; r < count; ++r) {
                    sum_squares<1>(rows.data() + r * p, squares.data() + r * p, p, middle, middle_rest, square + r,
                                   from_middle + r);
                }
            }
            for (std::size_t r = 0; r < count; ++r) {
                const auto cluster = static_cast<std::size_t>(input.codes[first + r]);
                const double weight = input.weights == nullptr ? 1.0 : input.weights[first + r];
                add(own.distances.high[cluster], own.distances.low[cluster], weight * std::sqrt(square[r]));
                add(own.distances.high[clusters], own.distances.low[clusters], weight * std::sqrt(from_middle[r]));
            }
            counter.step(2 * p * count);
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
    // blocks of centers side by side, so that several are processed at once
    auto high = Buffer<double>::zeros(blocks * p * lanes);
    auto low = Buffer<double>::zeros(blocks * p * lanes);
    for (std::size_t k = 0; k < clusters; ++k) {
        for (std::size_t j = 0; j < p; ++j) {
            high[(k / lanes * p + j) * lanes + k % lanes] = centers.high[k * p + j];
            low[(k / lanes * p + j) * lanes + k % lanes] = centers.low[k * p + j];
        }
    }
    auto extra = Buffer<double>::filled(blocks * lanes, infinity);
    std::copy_n(offsets, clusters, extra.data());
    const CenterBlocks laid{blocks, p, high.data(), low.data(), extra.data()};
    Nearest nearest{Buffer<double>(n), Buffer<double>(n), Buffer<std::int32_t>(n)};
    expect_steps(n * blocks * p);
    const std::size_t parts = std::clamp<std::size_t>(n / 1024, 1, 64);
    for_each_part(parts, n, p * clusters, threads, [&](std::size_t part) {
        std::vector<double> rows(rows_at_once * p);
        StepCounter counter;
        const auto [begin, end] = share(n, static_cast<unsigned>(part), static_cast<unsigned>(parts));
        for (std::size_t first = begin; first < end; first += rows_at_once) {
            const std::size_t count = std::min(rows_at_once, end - first);
            for (std::size_t r = 0; r < count; ++r) input.points.read_row(first + r, rows.data() + r * p);
            find_nearest_of(rows.data(), count, laid, input.codes + first, nearest.own.data() + first,
                            nearest.other.data() + first, nearest.neighbours.data() + first);
            counter.step(count * blocks * p);
        }
    });
    return nearest;
}

}  // namespace clustermark
