// Mutual information of random tables with given cluster sizes, in nats.
//
// With n0 = a b / N for a cell of clusters of a and b points, N times the mutual information of a table is the sum over
// all its cells, including empty ones, of the excess g(n) = n ln(n / n0) - n + n0. The terms -n + n0 add up to 0, and make
// every excess at least 0, so that nothing cancels where the mutual information is small.
#pragma once

#include <cstdint>
#include <optional>

#include "core/information/size_groups.hpp"
#include "core/memory/buffer.hpp"

namespace clustermark {

// The excess of the cells of two clusters.
class CellExcess {
public:
    CellExcess(std::int64_t points, std::int64_t a, std::int64_t b);

    double operator()(std::int64_t n) const;

private:
    std::int64_t points_, a_, b_;
    double expected_;
};

// The mean excess over all tables.
double expected_excess(std::int64_t points, std::int64_t a, std::int64_t b);

// The same for cells with an expected count of at least `series_from`, by the first 16 orders of the series
// n0 (d^2/2 - d^3/6 + d^4/12 - ...), d = n / n0 - 1. The count is distributed as a sum of independent events, so its
// central moments of order 2k and 2k + 1 are at most of the size of n0^k: the truncation error is below 1e-18 of the sum, and
// |d| > 1/2, where the series is not valid, has a probability below exp(-n0 / 10), by Bernstein's inequality.
constexpr double series_from = 0x1p10;
double excess_by_series(std::int64_t points, std::int64_t a, std::int64_t b, double expected);

// The mean for every row of one side with every column of the other, row by row; 0 for a size of 0. Computed in
// plain doubles, which is much faster; the last digits differ from those of `expected_excess`.
Buffer<double> expected_excesses(const std::vector<std::int64_t>& rows, const std::vector<std::int64_t>& columns,
                                 std::int64_t points, int threads);

// The mean mutual information; its bits do not depend on the number of threads nor on the order of the sides.
double expected_information(const TablePlan& plan, int threads);

// Its variance, or nothing if that would take more than about `limit` steps.
std::optional<double> information_variance(const TablePlan& plan, double limit);

// Mutual information of the random tables number first, first + 1, ...; the same on every machine, except for the last bits
// of logarithms.
Buffer<double> sample_information(const TablePlan& plan, std::size_t samples, std::uint64_t seed,
                                  std::uint64_t first = 0);

}  // namespace clustermark
