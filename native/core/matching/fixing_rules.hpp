// Rules that decide whether a cell may be fixed, given the best of the other free cells of its row and of its column (0 if
// there is none).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "core/numeric/double_double.hpp"

namespace clustermark {

// The cell is worth at least as much as any two other cells, one of its row and one of its column, together.
struct SafeRule {
    static bool may_fix(std::int64_t worth, std::int64_t row_rival, std::int64_t column_rival) {
        return static_cast<std::uint64_t>(worth) >=
               static_cast<std::uint64_t>(row_rival) + static_cast<std::uint64_t>(column_rival);
    }
    // The exact sum of the rivals is compared, not the rounded sum.
    static bool may_fix(double worth, double row_rival, double column_rival) {
        const DoubleDouble rivals = DoubleDouble::sum(row_rival, column_rival);
        return worth > rivals.hi || (worth == rivals.hi && rivals.lo <= 0.0);
    }
};

// Greedy matching takes the cell before any other cell of its row or column.
struct GreedyRule {
    template <class Number>
    static bool may_fix(Number worth, Number row_rival, Number column_rival) {
        return worth > row_rival && worth > column_rival;
    }
};

// A cell that can still be matched; a LONE side has no line (row or column) shared with other cells.
template <class Number>
struct Candidate {
    std::size_t entry;
    std::int32_t row;
    std::int32_t column;
    Number worth;
};

// The rows and columns that are matched already.
struct Taken {
    Buffer<std::uint8_t> rows;
    Buffer<std::uint8_t> columns;

    Taken(std::size_t n_rows, std::size_t n_columns)
        : rows(Buffer<std::uint8_t>::zeros(n_rows)), columns(Buffer<std::uint8_t>::zeros(n_columns)) {}

    bool is_free(std::int32_t row, std::int32_t column) const {
        return (row < 0 || rows[static_cast<std::size_t>(row)] == 0) &&
               (column < 0 || columns[static_cast<std::size_t>(column)] == 0);
    }

    bool are_all() const {
        const auto is_taken = [](std::uint8_t taken) { return taken != 0; };
        return std::all_of(rows.begin(), rows.end(), is_taken) && std::all_of(columns.begin(), columns.end(), is_taken);
    }

    void take(std::int32_t row, std::int32_t column) {
        if (row >= 0) rows[static_cast<std::size_t>(row)] = 1;
        if (column >= 0) columns[static_cast<std::size_t>(column)] = 1;
    }
};

}  // namespace clustermark
