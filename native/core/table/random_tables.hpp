// Random tables: with given cluster sizes, or of half the points of a table.
//
// Every table has random numbers of its own, from its seed and its number, so that neither the thread that draws it nor
// how many are drawn at once makes a difference.
#pragma once

#include <cstdint>
#include <vector>

#include "core/memory/buffer.hpp"

namespace clustermark {

// The non-empty cells of a table, by rows.
struct DrawnTable {
    Buffer<std::int32_t> rows, columns;
    Buffer<std::int64_t> counts;
};

// A table of these cluster sizes, each with the probability that a random permutation of one labeling gives it.
// Throws std::invalid_argument for sizes below 1, sides of different numbers of points, and too many of them.
DrawnTable draw_table(const std::vector<std::int64_t>& rows, const std::vector<std::int64_t>& columns,
                      std::uint64_t seed, std::uint64_t number);

// The pairs together in both labelings, in the tables of the numbers first, first + 1, ... of these sizes.
Buffer<std::int64_t> sample_pairs(const std::vector<std::int64_t>& rows, const std::vector<std::int64_t>& columns,
                                  std::size_t samples, std::uint64_t seed, std::uint64_t first);

// How many points of each cell are among half of all points, the smaller half if they are odd, each half alike likely.
// Throws std::invalid_argument for counts below 0 and for more than 2^42 points.
Buffer<std::int64_t> draw_half(const std::vector<std::int64_t>& counts, std::uint64_t seed, std::uint64_t number);

}  // namespace clustermark
