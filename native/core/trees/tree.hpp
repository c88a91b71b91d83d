// Rooted trees over numbered leaves.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/memory/buffer.hpp"
#include "core/memory/matrix_view.hpp"

namespace clustermark {

// Leaves are 0 to n - 1; then come the branches, each after its children, the root last.
struct TreeView {
    std::size_t leaves;
    std::size_t branches;
    const std::int64_t* starts;  // where the children of each branch begin; one more than there are branches
    const std::int64_t* children;

    std::size_t nodes() const { return leaves + branches; }
};

// Whether each node but the root is the child of exactly one branch, which comes after it.
bool is_tree(const TreeView& tree);

// Of each node: its parent (-1 for the root), its number of leaves, and the place of its first leaf where leaves are
// drawn in the order of children.
struct TreeLayout {
    Buffer<std::int64_t> parents;
    Buffer<std::int64_t> sizes;
    Buffer<std::int64_t> places;
};
TreeLayout lay_out(const TreeView& tree);

// The children of the merges of a linkage of SciPy, two for each row. Empty if it is not a linkage: nodes that are no
// integers, unknown or merged twice, negative or infinite heights, wrong numbers of leaves.
Buffer<std::int64_t> read_merges(const MatrixView& linkage);

}  // namespace clustermark
