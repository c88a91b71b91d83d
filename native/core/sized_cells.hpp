// Cells together with the sizes of their two clusters, for plain points and for weighted ones.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "cells.hpp"
#include "compensated.hpp"
#include "fixed_sum.hpp"
#include "margins.hpp"
#include "threads.hpp"

namespace clustermark {

struct PlainPoints {
    using Number = std::int64_t;
    using Sum = FixedSum;

    static Number amount(const Cells& cells, std::size_t i) { return cells.counts[i]; }
    static Number lone_amount(const Cells&, std::size_t) { return 1; }
    static Buffer<Number> sizes(const Cells& cells, const Buffer<std::int32_t>& numbers, std::size_t clusters) {
        return count_side(numbers, cells.counts, clusters);
    }
};

struct WeightedPoints {
    using Number = double;
    struct Sum {
        DoubleDouble sum;
        void add(std::int64_t times, double x) { sum += DoubleDouble::of(times) * x; }
        void add(double weight, double x) { sum += DoubleDouble::product(weight, x); }
    };

    static Number amount(const Cells& cells, std::size_t i) { return cells.weights[i]; }
    static Number lone_amount(const Cells& cells, std::size_t i) {
        return cells.weights[i] / static_cast<double>(cells.counts[i]);
    }
    static Buffer<Number> sizes(const Cells& cells, const Buffer<std::int32_t>& numbers, std::size_t clusters) {
        return weigh_side(numbers, cells.weights, clusters);
    }
};

inline bool is_cell(const Cells& cells, std::size_t i) { return cells.rows[i] != absent && cells.columns[i] != absent; }

// A cell of n points of clusters of a and b points, as many times as its entry stands for.
template <class Number>
struct SizedCell {
    Number n, a, b;
    std::int64_t times;
};

template <class Kind>
class SizedCells {
public:
    using Number = typename Kind::Number;

    explicit SizedCells(const Cells& cells) : cells_(cells) {
        const unsigned threads = std::min(choose_threads(0, cells.size()), 2U);
        run_parallel(threads, [&](unsigned thread) {
            if (thread == 0) rows_ = Kind::sizes(cells, cells.rows, cells.n_rows);
            if (thread == threads - 1) columns_ = Kind::sizes(cells, cells.columns, cells.n_columns);
        });
    }

    // Of an entry that is a cell.
    SizedCell<Number> operator[](std::size_t i) const {
        const std::int32_t row = cells_.rows[i];
        const std::int32_t column = cells_.columns[i];
        if (row >= 0 && column >= 0) {
            return {Kind::amount(cells_, i), rows_[static_cast<std::size_t>(row)],
                    columns_[static_cast<std::size_t>(column)], 1};
        }
        const Number each = Kind::lone_amount(cells_, i);
        return {each, row == lone ? each : rows_[static_cast<std::size_t>(row)],
                column == lone ? each : columns_[static_cast<std::size_t>(column)], cells_.counts[i]};
    }

    const Cells& cells() const { return cells_; }
    const Buffer<Number>& rows() const { return rows_; }
    const Buffer<Number>& columns() const { return columns_; }

private:
    const Cells& cells_;
    Buffer<Number> rows_;
    Buffer<Number> columns_;
};

}  // namespace clustermark
