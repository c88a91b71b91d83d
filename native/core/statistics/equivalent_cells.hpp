// Equivalent cells: cells of the same size, in clusters of the same sizes and sums of squares. A table without one point of
// a cell has the same pairs, entropies and B-cubed sums as without a point of an equivalent one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "core/memory/buffer.hpp"
#include "core/table/cells.hpp"

namespace clustermark {

struct EquivalentCells {
    Buffer<std::int32_t> classes;  // of each entry
    // of each class: size of its cells, of their true and predicted clusters, the sums of n^2 of these, how many cells
    Buffer<std::int64_t> n, a, b, true_squares, pred_squares, times;
};

// Requires cells of plain points that all occur on both sides. Returns nothing if a cluster has 2^31 points or more, or if too
// few cells are equivalent for grouping to save time.
std::optional<EquivalentCells> group_alike(const Cells& cells);

}  // namespace clustermark
