// Makes the problem of matching rows and columns one to one smaller, by fixing cells that a best matching may contain.
#pragma once

#include <cstdint>

#include "core/table/cells.hpp"

namespace clustermark {

// What a match of clusters of a and b points, n of them in both, is worth.
enum class Worth {
    points,     // n
    f,          // 2 n / (a + b)
    of_larger,  // n / max(a, b)
    jaccard,    // n / (a + b - n)
    of_true,    // n / a
    product,    // n^2 / (a b)
    rank,       // n, where one larger match is worth more than any number of smaller ones
};

struct Shrunk {
    Buffer<std::int64_t> fixed;  // entries, ascending
    Buffer<std::int64_t> rest;   // likewise
    Buffer<double> rest_weights;
};

Shrunk shrink(const Cells& cells, Worth worth);

}  // namespace clustermark
