#include "core/information/size_groups.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>

#include "core/numeric/integers.hpp"

namespace clustermark {

namespace {

std::int64_t count_points(const std::vector<SizeGroup>& groups, const std::string& name) {
    u128 points = 0;
    for (const SizeGroup& group : groups) {
        if (group.size < 1 || group.clusters < 1) {
            throw std::invalid_argument(name + ": sizes and numbers of clusters must be at least 1");
        }
        points += static_cast<u128>(group.size) * static_cast<u128>(group.clusters);
        if (points > static_cast<u128>(INT64_MAX)) throw std::invalid_argument(name + " add up to 2^63 points or more");
    }
    if (points == 0) throw std::invalid_argument(name + " must not be empty");
    return static_cast<std::int64_t>(points);
}

void merge_equal_sizes(std::vector<SizeGroup>& groups) {
    std::sort(groups.begin(), groups.end());
    std::vector<SizeGroup> merged;
    for (const SizeGroup& group : groups) {
        if (!merged.empty() && merged.back().size == group.size) {
            merged.back().clusters += group.clusters;
        } else {
            merged.push_back(group);
        }
    }
    groups = std::move(merged);
}

bool is_one_cluster(const std::vector<SizeGroup>& groups) { return groups.size() == 1 && groups[0].clusters == 1; }
bool is_all_singletons(const std::vector<SizeGroup>& groups) { return groups.back().size == 1; }

}  // namespace

bool TablePlan::has_single_cluster() const { return is_one_cluster(rows) || is_one_cluster(columns); }
bool TablePlan::has_only_singletons() const { return is_all_singletons(rows) || is_all_singletons(columns); }

TablePlan plan_tables(std::vector<SizeGroup> true_sizes, std::vector<SizeGroup> pred_sizes) {
    const std::int64_t points = count_points(true_sizes, "true_sizes");
    const std::int64_t pred_points = count_points(pred_sizes, "pred_sizes");
    if (points != pred_points) {
        throw std::invalid_argument("true_sizes and pred_sizes must add up to the same number of points, not " +
                                    std::to_string(points) + " and " + std::to_string(pred_points));
    }
    merge_equal_sizes(true_sizes);
    merge_equal_sizes(pred_sizes);
    const bool in_order = true_sizes.size() != pred_sizes.size() ? true_sizes.size() > pred_sizes.size()
                                                                 : true_sizes >= pred_sizes;
    if (!in_order) true_sizes.swap(pred_sizes);
    return {std::move(true_sizes), std::move(pred_sizes), points};
}

}  // namespace clustermark
