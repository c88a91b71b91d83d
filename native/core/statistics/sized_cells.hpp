// Cells together with the sizes of their two clusters: whole numbers of plain points, or weights.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "core/execution/threads.hpp"
#include "core/numeric/exact_sums.hpp"
#include "core/table/cells.hpp"
#include "core/table/cluster_sizes.hpp"
#include "core/table/entry_scan.hpp"

namespace clustermark {

// The amount of a cell, a number of points or a weight, and the type of sums over cells.
struct WholeAmounts {
    using Number = std::int64_t;
    using Sum = FixedSum;

    static Number amount(const Cells& cells, std::size_t i) { return cells.counts[i]; }
    static Number lone_amount(const Cells&, std::size_t) { return 1; }
    static Buffer<Number> sizes(const Cells& cells, const Buffer<std::int32_t>& numbers, std::size_t clusters) {
        return count_cluster_sizes(numbers, cells.counts, clusters);
    }
};

struct RealAmounts {
    using Number = double;
    using Sum = RealSum;

    static Number amount(const Cells& cells, std::size_t i) { return cells.weights[i]; }
    static Number lone_amount(const Cells& cells, std::size_t i) {
        return cells.weights[i] / static_cast<double>(cells.counts[i]);
    }
    static Buffer<Number> sizes(const Cells& cells, const Buffer<std::int32_t>& numbers, std::size_t clusters) {
        return weigh_cluster_sizes(numbers, cells.weights, clusters);
    }
};

inline bool is_cell(const Cells& cells, std::size_t i) { return cells.rows[i] != absent && cells.columns[i] != absent; }

// A cell of n points in clusters of a and b points. times: the number of cells that the entry stands for.
template <class Number>
struct SizedCell {
    Number n, a, b;
    std::int64_t times;
};

template <class Amounts>
class SizedCells {
public:
    using Number = typename Amounts::Number;

    explicit SizedCells(const Cells& cells) : cells_(cells) {
        const unsigned threads = std::min(choose_threads(0, cells.size()), 2U);
        run_parallel(threads, [&](unsigned thread) {
            if (thread == 0) rows_ = Amounts::sizes(cells, cells.rows, cells.n_rows);
            if (thread == threads - 1) columns_ = Amounts::sizes(cells, cells.columns, cells.n_columns);
        });
    }

    // Calls body(i) for the entries from begin to end, in order; `lookups` are the arrays that it reads besides the sizes.
    template <class Body, class... T>
    void pass(std::size_t begin, std::size_t end, Body&& body, const ClusterLookup<T>&... lookups) const {
        const ClusterLookup<Number> rows{rows_, cells_.rows};
        const ClusterLookup<Number> columns{columns_, cells_.columns};
        scan_entries(begin, end, body, rows, columns, lookups...);
    }

    // The cell of an entry, for which `is_cell` holds.
    SizedCell<Number> operator[](std::size_t i) const {
        const std::int32_t row = cells_.rows[i];
        const std::int32_t column = cells_.columns[i];
        if (row >= 0 && column >= 0) {
            return {Amounts::amount(cells_, i), rows_[static_cast<std::size_t>(row)],
                    columns_[static_cast<std::size_t>(column)], 1};
        }
        const Number each = Amounts::lone_amount(cells_, i);
        return {each, row == lone ? each : rows_[static_cast<std::size_t>(row)],
                column == lone ? each : columns_[static_cast<std::size_t>(column)], cells_.counts[i]};
    }

    const Cells& cells() const { return cells_; }
    const Buffer<Number>& rows() const { return rows_; }
    const Buffer<Number>& columns() const { return columns_; }
    Buffer<Number> take_columns() { return std::move(columns_); }

private:
    const Cells& cells_;
    Buffer<Number> rows_;
    Buffer<Number> columns_;
};

}  // namespace clustermark
