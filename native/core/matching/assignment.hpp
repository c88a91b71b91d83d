// The assignment problem on few cells of a large table.
#pragma once

#include <cstdint>

#include "core/memory/buffer.hpp"
#include "core/memory/strided_view.hpp"

namespace clustermark {

// The column of each row, or -1, such that no column is taken twice and the sum of worths is the largest. The cells of row r
// are those from starts[r] on and before starts[r + 1]. Worths are whole numbers up to 2^50, so their sums are exact.
Buffer<std::int32_t> assign(const StridedView<std::int64_t>& starts, const StridedView<std::int32_t>& columns,
                            const StridedView<double>& worths, std::size_t n_columns);

}  // namespace clustermark
