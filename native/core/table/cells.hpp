// The non-empty cells of a table, which every other part of the kernel makes or reads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "core/memory/buffer.hpp"
#include "core/memory/strided_view.hpp"
#include "core/numeric/integers.hpp"
#include "core/table/label_view.hpp"

namespace clustermark {

constexpr std::int32_t lone = -1;    // each point is a singleton on that side
constexpr std::int32_t absent = -2;  // the points do not occur on that side

// The labels of the clusters of one side: base, base + 1, ... unless `words` lists them.
struct SideValues {
    IntKind kind = IntKind::i64;
    std::uint64_t base = 0;
    Buffer<std::uint64_t> words;

    std::uint64_t word(std::size_t i) const { return words.empty() ? base + i : words[i]; }
};

struct Squares {
    u128 points = 0;
    u128 cells = 0;
    u128 rows = 0;
    u128 columns = 0;
};

struct Cells {
    Buffer<std::int32_t> rows;
    Buffer<std::int32_t> columns;
    Buffer<std::int64_t> counts;
    Buffer<double> weights;  // empty for plain points
    Buffer<double> pairs;
    bool weighted = false;
    std::size_t n_rows = 0;
    std::size_t n_columns = 0;
    SideValues row_values;
    SideValues column_values;
    std::optional<Squares> squares;  // set only if the table was dense

    std::size_t size() const { return rows.size(); }
    bool has_absent() const;
};

struct EntryViews {
    StridedView<std::int32_t> rows;
    StridedView<std::int32_t> columns;
    StridedView<std::int64_t> counts;
    std::optional<StridedView<double>> weights;
    std::optional<StridedView<double>> pairs;
};

// Checks entries and merges entries of the same cell.
// Throws std::invalid_argument for bad entries and std::overflow_error for too many points.
Cells build_cells(const EntryViews& entries, std::size_t n_rows, std::size_t n_columns);

Squares compute_squares(const Cells& cells);

}  // namespace clustermark
