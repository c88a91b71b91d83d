// Reduces a one-to-one matching problem of rows and columns, by fixing cells that some best matching contains.
#pragma once

#include <cstdint>

#include "core/table/cells.hpp"

namespace clustermark {

// The worth of matching two clusters of a and b points, n of which are in both.
enum class Worth {
    points,     // n
    f,          // 2 n / (a + b)
    of_larger,  // n / max(a, b)
    jaccard,    // n / (a + b - n)
    of_true,    // n / a
    product,    // n^2 / (a b)
    rank,       // n, compared lexicographically: one larger match is worth more than any number of smaller ones
};

struct Shrunk {
    Buffer<std::int64_t> fixed;  // entries, ascending
    Buffer<std::int64_t> rest;   // likewise
    Buffer<double> rest_weights;
};

Shrunk shrink(const Cells& cells, Worth worth);

}  // namespace clustermark
