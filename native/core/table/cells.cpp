#include "core/table/cells.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

#include "core/execution/threads.hpp"
#include "core/numeric/double_double.hpp"
#include "core/table/cell_index.hpp"
#include "core/table/cluster_sizes.hpp"

namespace clustermark {

bool Cells::has_absent() const {
    for (std::size_t i = 0; i < size(); ++i) {
        if (rows[i] == absent || columns[i] == absent) return true;
    }
    return false;
}

namespace {

[[noreturn]] void reject(const std::string& what, std::size_t position) {
    throw std::invalid_argument(what + " at position " + std::to_string(position));
}

void check_lengths(const EntryViews& entries) {
    const std::size_t size = entries.rows.size;
    if (entries.columns.size != size || entries.counts.size != size) {
        throw std::invalid_argument("rows, columns and counts must have the same length");
    }
    if (entries.weights.has_value() != entries.pairs.has_value()) {
        throw std::invalid_argument("weights and pairs must be given together");
    }
    if (entries.weights && (entries.weights->size != size || entries.pairs->size != size)) {
        throw std::invalid_argument("weights and pairs must have the same length as rows");
    }
}

void check_number(std::int32_t number, std::size_t clusters, const char* name, std::size_t position) {
    if (number < absent) reject(std::string(name) + " below ABSENT", position);
    if (number >= 0 && static_cast<std::size_t>(number) >= clusters) {
        reject(std::string(name) + " not below n_" + name + "s", position);
    }
}

void check_entries(const EntryViews& entries, std::size_t n_rows, std::size_t n_columns) {
    u128 points = 0;
    DoubleDouble weight;
    for (std::size_t i = 0; i < entries.rows.size; ++i) {
        check_number(entries.rows[i], n_rows, "row", i);
        check_number(entries.columns[i], n_columns, "column", i);
        if (entries.rows[i] == absent && entries.columns[i] == absent) reject("ABSENT on both sides", i);
        if (entries.counts[i] < 0) reject("negative count", i);
        points += static_cast<u128>(entries.counts[i]);
        if (!entries.weights) continue;
        const double w = (*entries.weights)[i];
        const double p = (*entries.pairs)[i];
        if (!std::isfinite(w) || w < 0) reject("weight that is not finite and at least 0", i);
        if (!std::isfinite(p) || p < 0) reject("pairs that are not finite and at least 0", i);
        weight += w;
    }
    if (points > static_cast<u128>(INT64_MAX)) throw std::overflow_error("the counts add up to 2^63 or more");
    if (!std::isfinite(weight.value())) throw std::overflow_error("the weights add up to more than a double holds");
}

// Collects entries, merging as it goes; arrays are cut to size at the end.
class Merger {
public:
    Merger(const EntryViews& entries, Cells& cells) : entries_(entries), cells_(cells) {
        const std::size_t size = entries.rows.size;
        cells.rows = Buffer<std::int32_t>(size);
        cells.columns = Buffer<std::int32_t>(size);
        cells.counts = Buffer<std::int64_t>(size);
        if (!cells.weighted) return;
        weights_ = Buffer<DoubleDouble>(size);
        pairs_ = Buffer<DoubleDouble>(size);
    }

    void run() {
        const std::size_t size = entries_.rows.size;
        index_.reserve(size);
        StepCounter counter;
        for (std::size_t i = 0; i < size; ++i, counter.step()) {
            if (i + ahead < size) index_.prefetch(given_key(i + ahead));
            if (entries_.counts[i] == 0 || (cells_.weighted && (*entries_.weights)[i] == 0.0)) continue;
            add(i);
        }
        finish();
    }

private:
    static constexpr std::size_t ahead = 16;

    std::uint64_t key_of(std::size_t entry) const {
        return cell_key(static_cast<std::uint32_t>(cells_.rows[entry]),
                        static_cast<std::uint32_t>(cells_.columns[entry]));
    }

    std::uint64_t given_key(std::size_t i) const {
        return cell_key(static_cast<std::uint32_t>(entries_.rows[i]), static_cast<std::uint32_t>(entries_.columns[i]));
    }

    void add(std::size_t i) {
        const std::int32_t row = entries_.rows[i];
        const std::int32_t column = entries_.columns[i];
        const bool is_lone = row == lone || column == lone;
        std::size_t entry = used_;
        if (!(cells_.weighted && is_lone)) {  // weighted lone points keep the weight of their own entry
            entry = index_.find_or_add(given_key(i), used_, [this](std::size_t e) { return key_of(e); });
        }
        const bool fresh = entry == used_;
        if (fresh) {
            cells_.rows[used_] = row;
            cells_.columns[used_] = column;
            cells_.counts[used_++] = entries_.counts[i];
        } else {
            cells_.counts[entry] += entries_.counts[i];
        }
        if (cells_.weighted) add_weight(entry, fresh, (*entries_.weights)[i], is_lone ? 0.0 : (*entries_.pairs)[i]);
    }

    void add_weight(std::size_t entry, bool fresh, double weight, double pairs) {
        if (fresh) {
            weights_[entry] = {weight, 0.0};
            pairs_[entry] = {pairs, 0.0};
        } else {
            pairs_[entry] += pairs;
            pairs_[entry] += weights_[entry] * weight;
            weights_[entry] += weight;
        }
    }

    void finish() {
        cells_.rows.shrink(used_);
        cells_.columns.shrink(used_);
        cells_.counts.shrink(used_);
        if (!cells_.weighted) return;
        cells_.weights = Buffer<double>(used_);
        cells_.pairs = Buffer<double>(used_);
        for (std::size_t i = 0; i < used_; ++i) {
            cells_.weights[i] = weights_[i].value();
            cells_.pairs[i] = pairs_[i].value();
            if (!std::isfinite(cells_.pairs[i])) {
                throw std::overflow_error("products of weights add up to more than a double holds");
            }
        }
    }

    const EntryViews& entries_;
    Cells& cells_;
    CellIndex index_;
    Buffer<DoubleDouble> weights_;
    Buffer<DoubleDouble> pairs_;
    std::size_t used_ = 0;
};

u128 square(std::int64_t n) {
    return static_cast<u128>(n) * static_cast<u128>(n);
}

u128 sum_of_squares(const Buffer<std::int64_t>& sizes) {
    u128 sum = 0;
    for (const std::int64_t size : sizes) sum += square(size);
    return sum;
}

void add_cells(const Cells& cells, Squares& squares) {
    for (std::size_t i = 0; i < cells.size(); ++i) {
        const std::int64_t n = cells.counts[i];
        const std::int32_t row = cells.rows[i];
        const std::int32_t column = cells.columns[i];
        squares.points += static_cast<u128>(n);
        if (row == lone) squares.rows += static_cast<u128>(n);
        if (column == lone) squares.columns += static_cast<u128>(n);
        if (row == absent || column == absent) continue;
        squares.cells += row == lone || column == lone ? static_cast<u128>(n) : square(n);
    }
}

}  // namespace

Cells build_cells(const EntryViews& entries, std::size_t n_rows, std::size_t n_columns) {
    check_lengths(entries);
    check_entries(entries, n_rows, n_columns);
    Cells cells;
    cells.weighted = entries.weights.has_value();
    cells.n_rows = n_rows;
    cells.n_columns = n_columns;
    Merger(entries, cells).run();
    return cells;
}

Squares compute_squares(const Cells& cells) {
    Squares squares;
    const unsigned threads = std::min(choose_threads(0, cells.size()), 2U);
    u128 rows = 0;
    u128 columns = 0;
    run_parallel(threads, [&](unsigned thread) {
        if (thread == 0) {
            add_cells(cells, squares);
            rows = sum_of_squares(count_cluster_sizes(cells.rows, cells.counts, cells.n_rows));
        }
        if (thread == threads - 1) columns = sum_of_squares(count_cluster_sizes(cells.columns, cells.counts, cells.n_columns));
    });
    squares.rows += rows;
    squares.columns += columns;
    return squares;
}

}  // namespace clustermark
