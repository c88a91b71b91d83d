// The best true cluster of each predicted cluster, and sums over all predicted clusters.
#pragma once

#include <cstdint>
#include <optional>

#include "core/numeric/exact_sums.hpp"
#include "core/table/cells.hpp"

namespace clustermark {

template <class Number>
struct OverlapAmounts {
    Buffer<Number> sizes, intersections, unions;
};

struct Overlaps {
    bool weighted = false;
    // Whole numbers for plain points, doubles for weighted cells; the other member is empty.
    OverlapAmounts<std::int64_t> points;
    OverlapAmounts<double> weights;
    Buffer<std::int64_t> cells;
    Buffer<std::int32_t> best_rows;
    Buffer<double> max_jaccard, concentration, score;
    std::int64_t n_scored = 0;
    double weight_scored = 0.0;
    FractionSum totals[3];
};

// Throws std::invalid_argument for ABSENT entries and for arrays of the wrong length.
Overlaps compute_overlaps(const Cells& cells, const std::optional<StridedView<std::int32_t>>& row_ranks,
                          const std::optional<StridedView<std::uint8_t>>& unscored);

}  // namespace clustermark
