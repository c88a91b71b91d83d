// Cross-tabulation into a table with an element for every pair of codes, for few clusters.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "core/execution/threads.hpp"
#include "core/table/point_payloads.hpp"

namespace clustermark {

// Whether a table of this width takes no more memory than a list of cells. This does not depend on counts and weights of
// points, so that tables of plain, counted and weighted points list their cells in the same order.
inline bool is_dense(std::uint64_t row_width, std::uint64_t column_width, std::uint64_t points) {
    const std::uint64_t few = std::min<std::uint64_t>(16 * points, 1U << 14);
    const std::uint64_t limit = std::max<std::uint64_t>({few, points / 2, 1024});
    return row_width <= limit / column_width;
}

// The table of one thread. Small tables have several copies, so that the increments of neighbouring points of one cell do
// not depend on each other.
template <class Points>
class DenseTable {
public:
    using Sum = typename Points::Sum;

    DenseTable(std::size_t size, std::size_t points)
        : size_(size),
          copies_(Points::plain && size <= 4096 && points >= 16 * size ? 4 : 1),
          sums_(Buffer<Sum>::zeros(size * copies_)) {}

    void add(const Block<Points>& block, std::size_t stride) {
        std::size_t i = 0;
        if (copies_ == 4) {
            Sum* first = sums_.data();
            for (; i + 4 <= block.size; i += 4) {
                for (std::size_t copy = 0; copy < 4; ++copy) {
                    first[copy * size_ + place(block, i + copy, stride)].add(typename Points::Payload{});
                }
            }
        }
        for (; i < block.size; ++i) sums_[place(block, i, stride)].add(block.payload(i));
    }

    // Adds up all tables into the first of `tables`.
    static void merge(std::vector<DenseTable>& tables) {
        if constexpr (Points::weighted) return;  // always one table: the order of additions matters
        else {
            Sum* total = tables.front().sums_.data();
            const std::size_t size = tables.front().size_;
            for (std::size_t t = 0; t < tables.size(); ++t) {
                for (std::size_t copy = t == 0 ? 1 : 0; copy < tables[t].copies_; ++copy) {
                    const Sum* other = tables[t].sums_.data() + copy * size;
                    for (std::size_t i = 0; i < size; ++i) total[i].add(other[i]);
                }
            }
        }
    }

    const Sum* sums() const { return sums_.data(); }

private:
    static std::size_t place(const Block<Points>& block, std::size_t i, std::size_t stride) {
        return block.rows[i] * stride + block.columns[i];
    }

    std::size_t size_;
    std::size_t copies_;
    Buffer<Sum> sums_;
};

// Turns a full table into cells, row by row.
template <class Points>
class DenseCells {
public:
    using Sum = typename Points::Sum;

    DenseCells(const Side& rows, const Side& columns, const Sum* sums)
        : rows_(rows), columns_(columns), sums_(sums), row_starts_(rows.width), row_used_(rows.width),
          column_used_(columns.width) {}

    Cells build(unsigned threads) {
        auto column_sizes = Buffer<std::int64_t>::zeros(columns_.width);
        Squares squares;
        const std::size_t size = scan(column_sizes, squares);
        row_used_.number();
        column_used_.number();
        Cells cells;
        allocate_entries<Points>(cells, size);
        fill(cells, size >= (1U << 16) ? threads : 1);
        for (const std::int64_t b : column_sizes) squares.columns += static_cast<u128>(b) * static_cast<u128>(b);
        cells.squares = squares;
        cells.n_rows = row_used_.used();
        cells.n_columns = column_used_.used();
        cells.row_values = row_used_.values(rows_);
        cells.column_values = column_used_.values(columns_);
        return cells;
    }

private:
    // Counts the cells and sums their squares.
    std::size_t scan(Buffer<std::int64_t>& column_sizes, Squares& squares) {
        std::size_t size = 0;
        const Sum* sum = sums_;
        StepCounter counter;
        for (std::uint64_t row = 0; row < rows_.width; ++row) {
            counter.step(columns_.width);
            row_starts_[row] = size;
            std::int64_t row_size = 0;
            u128 row_square = 0;
            for (std::uint64_t column = 0; column < columns_.width; ++column, ++sum) {
                const std::int64_t n = sum->points();
                if (n == 0) continue;
                ++size;
                row_size += n;
                column_sizes[column] += n;
                row_square += static_cast<u128>(n) * static_cast<u128>(n);
            }
            if (row_size == 0) continue;
            row_used_.mark(static_cast<std::uint32_t>(row));
            squares.points += static_cast<u128>(row_size);
            squares.rows += static_cast<u128>(row_size) * static_cast<u128>(row_size);
            squares.cells += row_square;
        }
        for (std::uint64_t column = 0; column < columns_.width; ++column) {
            if (column_sizes[column] != 0) column_used_.mark(static_cast<std::uint32_t>(column));
        }
        return size;
    }

    void fill(Cells& cells, unsigned threads) const {
        Buffer<std::int32_t> column_numbers(columns_.width);
        for (std::uint64_t column = 0; column < columns_.width; ++column) {
            column_numbers[column] = column_used_.number_of(static_cast<std::uint32_t>(column));
        }
        run_parallel(threads, [&](unsigned thread) {
            const auto [begin, end] = share(rows_.width, thread, threads);
            for (std::size_t row = begin; row < end; ++row) fill_row(cells, row, column_numbers);
        });
    }

    void fill_row(Cells& cells, std::size_t row, const Buffer<std::int32_t>& column_numbers) const {
        const std::int32_t number = row_used_.number_of(static_cast<std::uint32_t>(row));
        const Sum* sums = sums_ + row * columns_.width;
        std::size_t entry = row_starts_[row];
        for (std::uint64_t column = 0; column < columns_.width; ++column) {
            if (sums[column].points() == 0) continue;
            store_entry<Points>(cells, entry++, number, column_numbers[column], sums[column]);
        }
    }

    const Side& rows_;
    const Side& columns_;
    const Sum* sums_;
    Buffer<std::size_t> row_starts_;  // first entry of each row
    UsedCodes row_used_;
    UsedCodes column_used_;
};

// The table of two sides whose codes are below their widths. Every code is checked. If one does not fit, the result is {}
// where the widths are guesses (powers of two); otherwise the labels have changed, which is an error.
template <class Points>
std::optional<Cells> count_dense(const Side& rows, const Side& columns, const Payloads& payloads, unsigned threads,
                                 bool guessed) {
    const std::size_t points = rows.view.size;
    const std::size_t size = rows.width * columns.width;
    if constexpr (Points::weighted) threads = 1;
    // Each thread has a table; all tables together take less than eight bytes a point.
    threads = std::min(threads, static_cast<unsigned>(std::clamp<std::size_t>(2 * points / size, 1, 256)));
    std::vector<DenseTable<Points>> tables;
    tables.reserve(threads);
    for (unsigned t = 0; t < threads; ++t) tables.emplace_back(size, points / threads);
    std::atomic<bool> fits{true};
    run_parallel(threads, [&](unsigned index) {
        const auto [begin, end] = share(points, index, threads);
        Block<Points> block;
        StepCounter counter;
        for (std::size_t at = begin; at < end && fits.load(std::memory_order_relaxed); at += block_size) {
            block.read(rows, columns, payloads, at, std::min(block_size, end - at));
            if (!block.fits(rows, columns)) {
                fits.store(false, std::memory_order_relaxed);
                return;
            }
            tables[index].add(block, columns.width);
            counter.step(block_size);
        }
    });
    if (!fits && !guessed) reject_change();
    if (!fits) return std::nullopt;
    DenseTable<Points>::merge(tables);
    return DenseCells<Points>(rows, columns, tables.front().sums()).build(threads);
}

}  // namespace clustermark
