// The assignment problem on few cells of a large table.
#pragma once

#include <cstdint>

#include "core/memory/buffer.hpp"
#include "core/memory/strided_view.hpp"

namespace clustermark {

// The column of each row, or -1, so that no column is taken twice and the worths add up to most. The cells of row r are
// those from starts[r] on and before starts[r + 1]. Worths are whole numbers up to 2^50: sums of them are exact.
Buffer<std::int32_t> assign(const StridedView<std::int64_t>& starts, const StridedView<std::int32_t>& columns,
                            const StridedView<double>& worths, std::size_t n_columns);

}  // namespace clustermark
