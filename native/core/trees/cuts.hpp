// Two trees cut into the same number of clusters, for each number.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/numeric/wide_integers.hpp"
#include "core/trees/tree.hpp"

namespace clustermark {

// Both trees join two clusters in each of n - 1 steps; a branch of several children joins them in their order. After each
// step: the number of pairs of leaves that are together in both trees, and in each; and for each tree the sum over its
// clusters of m (m - 1) (m - 2), where m is the number of leaves.
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
// Mallows 1983). It is a ratio of integers that fit into 128 bits up to this number of leaves, and is rounded once.
constexpr std::size_t most_exact_leaves = 4096;
struct CutCounts {
    const std::int64_t* pairs;
    const std::int64_t* triples;
};
Buffer<double> find_variances(std::size_t leaves, std::size_t steps, const CutCounts& one, const CutCounts& other);

}  // namespace clustermark
