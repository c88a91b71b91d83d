// Rooted trees over the same leaves, compared without a look at every pair of leaves.
#pragma once

#include <cstddef>
#include <cstdint>

#include "buffer.hpp"
#include "matrix_view.hpp"

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
struct Arrangement {
    Buffer<std::int64_t> parents;
    Buffer<std::int64_t> sizes;
    Buffer<std::int64_t> places;
};
Arrangement arrange(const TreeView& tree);

// Integers of 128 bits in two halves.
struct WideIntegers {
    explicit WideIntegers(std::size_t size) : high(size), low(size) {}

    Buffer<std::int64_t> high;
    Buffer<std::uint64_t> low;
};

// Of each branch of `one`: the sum, over the pairs of leaves that it joins, of the value of the branch of `other` that
// joins them there.
WideIntegers sum_joined(const TreeView& one, const TreeView& other, const std::int64_t* values);

// Both trees join two clusters in each of n - 1 steps; a branch of several children joins them in their order. After each
// step: how many pairs of leaves are together in both trees, and in each of them; and of each, the sum over its clusters
// of m (m - 1) (m - 2), m being their leaves.
struct CutTree {
    explicit CutTree(std::size_t steps) : pairs(steps), triples(steps) {}

    Buffer<std::int64_t> pairs;
    WideIntegers triples;
};
struct Cuts {
    Buffer<std::int64_t> together;
    CutTree one;
    CutTree other;
};
Cuts count_cuts(const TreeView& one, const TreeView& other);

// The variance of the Fowlkes-Mallows index over all permutations of the leaves of a tree, after each step (Fowlkes and
// Mallows 1983). It is a ratio of integers that fit into 128 bits with so many leaves at most, and is rounded once.
constexpr std::size_t most_exact_leaves = 4096;
struct CutCounts {
    const std::int64_t* pairs;
    const std::int64_t* triples;
};
Buffer<double> find_variances(std::size_t leaves, std::size_t steps, const CutCounts& one, const CutCounts& other);

// The children of the merges of a linkage as SciPy makes it, two for each row; empty where it is none: nodes that are no
// whole numbers, unknown or merged twice, heights that are negative or infinite, numbers of leaves that do not fit.
Buffer<std::int64_t> read_merges(const MatrixView& linkage);

// Leaves with classes. Of each branch: the sum over classes of (pairs of the class that it joins) * (its leaves of the
// class). Of each class: the best F of its leaves and those of a node.
struct ClassTables {
    WideIntegers joined;
    Buffer<double> best;
};
ClassTables tabulate_classes(const TreeView& tree, const std::int32_t* codes, std::size_t classes);

// The mean of |a - b| over all a and b of two sorted arrays.
double mean_difference(const double* a, std::size_t a_size, const double* b, std::size_t b_size);

}  // namespace clustermark
