// Each predicted cluster's best true cluster, and sums over all predicted clusters.
#pragma once

#include <optional>

#include "cells.hpp"
#include "fixed_sum.hpp"

namespace clustermark {

struct Overlaps {
    bool weighted = false;
    // Whole numbers for plain points, doubles for weighted cells; the other ones are empty.
    Buffer<std::int64_t> sizes, intersections, unions;
    Buffer<double> size_weights, intersection_weights, union_weights;
    Buffer<std::int64_t> cells;
    Buffer<std::int32_t> best_rows;
    Buffer<double> max_jaccard, concentration, score;
    std::int64_t n_scored = 0;
    double weight_scored = 0.0;
    FixedSum totals[3];
    double weight_totals[3] = {0.0, 0.0, 0.0};
};

// Throws std::invalid_argument for ABSENT entries and for arrays of the wrong length.
Overlaps compute_overlaps(const Cells& cells, const std::optional<StridedView<std::int32_t>>& row_ranks,
                          const std::optional<StridedView<std::uint8_t>>& unscored);

}  // namespace clustermark
