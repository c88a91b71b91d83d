// The cluster sizes of two clusterings of the same points; the model of random tables depends on nothing else.
#pragma once

#include <cstdint>
#include <vector>

namespace clustermark {

struct SizeGroup {
    std::int64_t size;
    std::int64_t clusters;

    auto operator<=>(const SizeGroup&) const = default;
};

// Each side has one group per size, by ascending size. The side with more groups comes first; with equal numbers of groups,
// the side with larger sizes. Mutual information does not depend on which side is the truth.
struct TablePlan {
    std::vector<SizeGroup> rows;
    std::vector<SizeGroup> columns;
    std::int64_t points = 0;

    // Whether one side has a single cluster, so that mutual information is 0.
    bool has_single_cluster() const;
    // Whether all clusters of one side are single points, so that mutual information is the same for all tables.
    bool has_only_singletons() const;
};

// Throws std::invalid_argument for sizes and numbers below 1, for 2^63 points and more, for zero points, and for
// sides of different numbers of points.
TablePlan plan_tables(std::vector<SizeGroup> true_sizes, std::vector<SizeGroup> pred_sizes);

}  // namespace clustermark
