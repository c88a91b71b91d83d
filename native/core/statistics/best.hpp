// Sums of the best cell of each cluster over the clusters of one side.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>

#include "core/numeric/exact_sums.hpp"
#include "core/table/cells.hpp"

namespace clustermark {

struct Best {
    bool weighted = false;
    std::int64_t clusters = 0;
    FractionSum jaccard, sized_jaccard, f, sized_f, of_larger;
    std::optional<double> weakest_pairs;
};

// The sums of the rows and of the columns.
std::pair<Best, Best> compute_best(const Cells& cells);

}  // namespace clustermark
