// Random tables with given cluster sizes, or of half the points of a table.
//
// The random numbers of a table depend on the seed and the number of the table only, neither on the thread that draws it
// nor on how many tables are drawn at once.
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

// A table of these cluster sizes; its distribution is that under random permutations of one labeling.
// Throws std::invalid_argument for sizes below 1, sides of different numbers of points, and too many of them.
DrawnTable draw_table(const std::vector<std::int64_t>& rows, const std::vector<std::int64_t>& columns,
                      std::uint64_t seed, std::uint64_t number);

// The numbers of pairs together in both labelings, in the tables number first, first + 1, ... of these sizes.
Buffer<std::int64_t> sample_pairs(const std::vector<std::int64_t>& rows, const std::vector<std::int64_t>& columns,
                                  std::size_t samples, std::uint64_t seed, std::uint64_t first);

// The number of points of each cell in a random half of all points, rounded down; all halves have the same probability.
// Throws std::invalid_argument for counts below 0 and for more than 2^42 points.
Buffer<std::int64_t> draw_half(const std::vector<std::int64_t>& counts, std::uint64_t seed, std::uint64_t number);

}  // namespace clustermark
