// Transitive closure of scored pairs from the highest score down, and the sums of each partition against the truth.
#pragma once

#include <cstdint>

#include "core/memory/bounded_list.hpp"
#include "core/memory/strided_view.hpp"

namespace clustermark {

// Labels of records without a true label (labels are numbered from 0). Pairs can join clusters through them.
constexpr std::int32_t no_point = -1;        // the record adds to no count
constexpr std::int32_t predicted_only = -2;  // the record adds to the size of its predicted cluster only

struct SweepInput {
    StridedView<std::int32_t> labels;  // of each record
    StridedView<std::int32_t> left, right;
    StridedView<double> scores;
    StridedView<std::int64_t> counts;  // number of points that each record stands for, at least 1; empty if each is one point
    double expected_limit;  // the most steps for expected mutual information; after them, it is NaN
};

// One entry per partition: the first has no pair, each other one has all pairs of at least its threshold.
struct SweepStates {
    BoundedList<double> thresholds;
    BoundedList<std::int64_t> merges;    // number of merges up to this partition
    BoundedList<std::int64_t> clusters;  // predicted clusters with points
    BoundedList<std::int64_t> cells, exact;
    BoundedList<std::int64_t> together, together_both;  // pairs of points: in the prediction, and in both
    BoundedList<std::int64_t> best_pred, best_true;     // sums of the largest cell of each cluster
    BoundedList<double> precision, recall;              // sums of n^2 / b and of n^2 / a over cells
    BoundedList<double> spread_pred;                    // sum of b ln b
    BoundedList<double> left_true, left_pred;           // sums of b ln b and of a ln a, minus the sum of n ln n
    BoundedList<double> expected;                       // expected mutual information times the number of points
};

// The pairs that joined two clusters, in this order, and the number of pairs of points that each put together.
struct SweepMerges {
    BoundedList<std::int32_t> left, right;
    BoundedList<double> scores;
    BoundedList<std::int64_t> true_pairs, false_pairs;
};

struct SweepResult {
    SweepStates states;
    SweepMerges merges;
    std::int64_t points = 0, predicted_points = 0, true_clusters = 0;
    std::int64_t together_true = 0;  // pairs of points of one true cluster
    double spread_true = 0.0;        // sum of a ln a
};

// Throws std::invalid_argument for invalid numbers of records or labels, and for scores that are NaN.
SweepResult sweep_pairs(const SweepInput& input);

}  // namespace clustermark
