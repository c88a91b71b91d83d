// Rooted trees over numbered leaves.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/memory/buffer.hpp"
#include "core/memory/matrix_view.hpp"

namespace clustermark {

// Leaves are numbered 0 to n - 1; branches follow, each after its children, the root last.
struct TreeView {
    std::size_t leaves;
    std::size_t branches;
    const std::int64_t* starts;  // where the children of each branch begin; one element more than branches
    const std::int64_t* children;

    std::size_t nodes() const { return leaves + branches; }
};

// Whether each node except the root is the child of exactly one branch, which comes after it.
bool is_tree(const TreeView& tree);

// For each node: its parent (-1 for the root), its number of leaves, and the position of its first leaf when leaves are
// drawn in the order of children.
struct TreeLayout {
    Buffer<std::int64_t> parents;
    Buffer<std::int64_t> sizes;
    Buffer<std::int64_t> places;
};
TreeLayout lay_out(const TreeView& tree);

// The children of the merges of a linkage of SciPy, two for each row. Empty if the linkage is invalid: nodes that are no
// integers, do not exist or are merged twice, negative or infinite heights, wrong numbers of leaves.
Buffer<std::int64_t> read_merges(const MatrixView& linkage);

}  // namespace clustermark
