// Sums over the pairs of leaves that each branch of a tree joins, without visiting every pair.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/numeric/wide_integers.hpp"
#include "core/trees/tree.hpp"

namespace clustermark {

// For each branch of `one`: the sum, over the pairs of leaves that it joins, of the value of the branch of `other` that
// joins the pair.
WideIntegers sum_joined(const TreeView& one, const TreeView& other, const std::int64_t* values);

// Leaves with classes. For each branch: the sum over classes of (pairs of the class that it joins) * (its leaves of the
// class). For each class: the best F measure of its leaves with the leaves of a node.
struct ClassTables {
    WideIntegers joined;
    Buffer<double> best;
};
ClassTables tabulate_classes(const TreeView& tree, const std::int32_t* codes, std::size_t classes);

}  // namespace clustermark
