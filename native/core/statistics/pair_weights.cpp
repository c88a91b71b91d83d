#include "core/statistics/pair_weights.hpp"

#include <cmath>
#include <stdexcept>

#include "core/execution/interruption.hpp"
#include "core/numeric/double_double.hpp"

namespace clustermark {

namespace {

// Pairs among the points of a LONE entry: c points of weight w / c make c (c - 1) / 2 * (w / c)^2.
DoubleDouble pairs_of_lone_points(std::int64_t count, double weight) {
    if (count == 1) return {};
    const double each = weight / static_cast<double>(count);
    return pairs_of(count) * DoubleDouble::product(each, each);
}

// Pairs in the same cluster of one side but in different cells; leaves the clusters' weights in `sums`.
DoubleDouble cross_pairs(const Buffer<std::int32_t>& mine, const Buffer<std::int32_t>& others, const Cells& cells,
                         Buffer<DoubleDouble>& sums) {
    DoubleDouble cross;
    StepCounter counter;
    for (std::size_t i = 0; i < cells.size(); ++i, counter.step()) {
        if (mine[i] < 0) continue;
        DoubleDouble& sum = sums[static_cast<std::size_t>(mine[i])];
        if (others[i] == lone) cross += pairs_of_lone_points(cells.counts[i], cells.weights[i]);
        cross += sum * cells.weights[i];
        sum += cells.weights[i];
    }
    return cross;
}

// Pairs in different true clusters.
DoubleDouble pairs_between_rows(const Cells& cells, const Buffer<DoubleDouble>& row_sums) {
    DoubleDouble between;
    DoubleDouble before;
    for (const DoubleDouble& sum : row_sums) {
        between += before * sum;
        before += sum;
    }
    for (std::size_t i = 0; i < cells.size(); ++i) {
        if (cells.rows[i] != lone) continue;
        between += before * cells.weights[i];
        between += pairs_of_lone_points(cells.counts[i], cells.weights[i]);
        before += cells.weights[i];
    }
    return between;
}

// The difference of two sums, or 0 where it is within their rounding errors of about 2^-104.
double difference(const DoubleDouble& all, const DoubleDouble& part) {
    const double rest = (all - part).value();
    constexpr double noise = 0x1p-96;
    return rest <= all.value() * noise ? 0.0 : rest;
}

}  // namespace

PairWeights compute_pair_weights(const Cells& cells) {
    if (!cells.weighted) throw std::invalid_argument("pair_weights needs weighted cells");
    if (cells.has_absent()) throw std::invalid_argument("pair_weights needs points that occur on both sides");
    DoubleDouble yy;
    for (const double pairs : cells.pairs) yy += pairs;
    auto row_sums = Buffer<DoubleDouble>::zeros(cells.n_rows);
    const DoubleDouble yn = cross_pairs(cells.rows, cells.columns, cells, row_sums);
    auto column_sums = Buffer<DoubleDouble>::zeros(cells.n_columns);
    const DoubleDouble ny = cross_pairs(cells.columns, cells.rows, cells, column_sums);
    const DoubleDouble between = pairs_between_rows(cells, row_sums);
    const PairWeights result{yy.value(), yn.value(), ny.value(), difference(between, ny)};
    // NaN results from products beyond the range of doubles; `difference` returns NaN for it too.
    if (!std::isfinite(result.yy + result.yn + result.ny + between.value())) {
        throw std::overflow_error("products of weights add up to more than a double holds");
    }
    return result;
}

}  // namespace clustermark
