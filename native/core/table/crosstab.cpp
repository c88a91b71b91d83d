#include "core/table/crosstab.hpp"

#include <stdexcept>
#include <string>

#include "core/table/dense_crosstab.hpp"
#include "core/table/sparse_crosstab.hpp"

namespace clustermark {

namespace {

void check_payloads(const Payloads& payloads, std::size_t size) {
    u128 points = 0;
    DoubleDouble total;
    StepCounter counter;
    for (std::size_t i = 0; i < size; ++i, counter.step()) {
        const std::int64_t count = payloads.counts ? (*payloads.counts)[i] : 1;
        if (count < 0) throw std::invalid_argument("negative count at position " + std::to_string(i));
        const double weight = payloads.weights ? (*payloads.weights)[i] : 1.0;
        if (!std::isfinite(weight) || weight < 0.0) {
            throw std::invalid_argument("weight that is not finite and at least 0 at position " + std::to_string(i));
        }
        if (weight == 0.0) continue;
        points += static_cast<u128>(count);
        if (payloads.weights) total += DoubleDouble::product(static_cast<double>(count), weight);
    }
    if (points > static_cast<u128>(INT64_MAX)) throw std::overflow_error("the counts add up to 2^63 or more");
    if (!std::isfinite(total.value())) throw std::overflow_error("the weights add up to more than a double holds");
}

Side guessed_side(const IntView& labels, const RangeGuess& guess) {
    Side side;
    side.view = labels;
    side.kind = labels.kind;
    side.base = guess.range.base;
    side.width = guess.range.span + 1;
    return side;
}

// Guesses the ranges of the labels from a sample, which saves a pass over both arrays. The result is the same as with known
// ranges; where it might differ, no guess is made.
template <class Points>
std::optional<Cells> try_guess(const IntView& y_true, const IntView& y_pred, const Payloads& payloads,
                               unsigned threads) {
    const std::size_t points = y_true.size;
    const auto seen_rows = guess_range(y_true);
    const auto seen_columns = guess_range(y_pred);
    if (!seen_rows || !seen_columns) return std::nullopt;
    Side rows = guessed_side(y_true, *seen_rows);
    Side columns = guessed_side(y_pred, *seen_columns);
    if (is_dense(rows.width, columns.width, points)) return count_dense<Points>(rows, columns, payloads, threads, true);
    const bool maybe_dense = is_dense(seen_rows->least, seen_columns->least, points);
    if (maybe_dense || !is_by_range(rows.width, points) || !is_by_range(columns.width, points)) return std::nullopt;
    return count_sparse<Points>(rows, columns, payloads, threads, true);
}

template <class Points>
Cells crosstab_as(const IntView& y_true, const IntView& y_pred, const Payloads& payloads, unsigned threads) {
    if (std::optional<Cells> cells = try_guess<Points>(y_true, y_pred, payloads, threads)) return std::move(*cells);
    auto [rows, columns] = code_sides(y_true, y_pred, threads);
    if (is_dense(rows.width, columns.width, y_true.size)) {
        return *count_dense<Points>(rows, columns, payloads, threads, false);
    }
    return *count_sparse<Points>(rows, columns, payloads, threads, false);
}

// Counts were checked in an earlier pass, and may have changed since.
Cells with_checked_counts(Cells&& cells) {
    u128 points = 0;
    for (const std::int64_t count : cells.counts) {
        if (count <= 0) reject_change();
        points += static_cast<u128>(count);
    }
    if (points > static_cast<u128>(INT64_MAX)) reject_change();
    return std::move(cells);
}

Cells no_cells(const IntView& y_true, const IntView& y_pred, bool weighted) {
    Cells cells;
    cells.weighted = weighted;
    cells.row_values.kind = y_true.kind;
    cells.column_values.kind = y_pred.kind;
    return cells;
}

}  // namespace

Cells crosstab(const IntView& y_true, const IntView& y_pred, const Payloads& payloads, int threads) {
    if (y_true.size == 0) return no_cells(y_true, y_pred, payloads.weights.has_value());
    const unsigned chosen = choose_threads(threads, y_true.size);
    if (payloads.counts || payloads.weights) check_payloads(payloads, y_true.size);
    if (payloads.weights) return with_checked_counts(crosstab_as<WeightedPoints>(y_true, y_pred, payloads, chosen));
    if (payloads.counts) return with_checked_counts(crosstab_as<CountedPoints>(y_true, y_pred, payloads, chosen));
    if (y_true.size < (std::uint64_t{1} << 32)) {
        return crosstab_as<PlainPoints<std::uint32_t>>(y_true, y_pred, payloads, chosen);
    }
    return crosstab_as<PlainPoints<std::uint64_t>>(y_true, y_pred, payloads, chosen);
}

}  // namespace clustermark
