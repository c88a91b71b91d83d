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

// Checks entries, collects and merges them; arrays are cut to size at the end. Each number is read once, so that the number
// that is used has been checked, even if the caller writes to its arrays meanwhile.
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
            if (i + ahead < size) index_.prefetch(cell_key(code(entries_.rows[i + ahead]), code(entries_.columns[i + ahead])));
            const Entry entry = read(i);
            if (entry.count != 0 && entry.weight != 0.0) add(entry);
        }
        if (points_ > static_cast<u128>(INT64_MAX)) throw std::overflow_error("the counts add up to 2^63 or more");
        if (!std::isfinite(weight_.value())) {
            throw std::overflow_error("the weights add up to more than a double holds");
        }
        finish();
    }

private:
    static constexpr std::size_t ahead = 16;

    struct Entry {
        std::int32_t row, column;
        std::int64_t count;
        double weight = 1.0;
        double pairs = 0.0;
    };

    static std::uint32_t code(std::int32_t number) { return static_cast<std::uint32_t>(number); }

    std::uint64_t key_of(std::size_t entry) const { return cell_key(code(cells_.rows[entry]), code(cells_.columns[entry])); }

    Entry read(std::size_t i) {
        Entry entry{entries_.rows[i], entries_.columns[i], entries_.counts[i]};
        check_number(entry.row, cells_.n_rows, "row", i);
        check_number(entry.column, cells_.n_columns, "column", i);
        if (entry.row == absent && entry.column == absent) reject("ABSENT on both sides", i);
        if (entry.count < 0) reject("negative count", i);
        points_ += static_cast<u128>(entry.count);
        if (!cells_.weighted) return entry;
        entry.weight = (*entries_.weights)[i];
        entry.pairs = (*entries_.pairs)[i];
        if (!std::isfinite(entry.weight) || entry.weight < 0) reject("weight that is not finite and at least 0", i);
        if (!std::isfinite(entry.pairs) || entry.pairs < 0) reject("pairs that are not finite and at least 0", i);
        weight_ += entry.weight;
        return entry;
    }

    void add(const Entry& given) {
        const bool is_lone = given.row == lone || given.column == lone;
        std::size_t entry = used_;
        if (!(cells_.weighted && is_lone)) {  // weighted lone points keep the weight of their own entry
            const std::uint64_t key = cell_key(code(given.row), code(given.column));
            entry = index_.find_or_add(key, used_, [this](std::size_t e) { return key_of(e); });
        }
        const bool fresh = entry == used_;
        if (fresh) {
            cells_.rows[used_] = given.row;
            cells_.columns[used_] = given.column;
            cells_.counts[used_++] = given.count;
        } else if (__builtin_add_overflow(cells_.counts[entry], given.count, &cells_.counts[entry])) {
            throw std::overflow_error("the counts add up to 2^63 or more");
        }
        if (cells_.weighted) add_weight(entry, fresh, given.weight, is_lone ? 0.0 : given.pairs);
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
    u128 points_ = 0;
    DoubleDouble weight_;
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
