// Cells that are alike: of the same size, in clusters of the same sizes and sums of squares. Without one of their points
// a table has the same pairs, entropies and B-cubed sums.
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

// Of plain points that all occur on both sides, no cluster of which has 2^31 points or more; nothing where so few cells
// are alike that it does not pay.
std::optional<EquivalentCells> group_alike(const Cells& cells);

}  // namespace clustermark
