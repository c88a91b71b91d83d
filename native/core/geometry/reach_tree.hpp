// Minimum spanning trees of mutual reachability: of two points, the largest of their cores and their distance.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "core/execution/interruption.hpp"
#include "core/geometry/tiled_points.hpp"

namespace clustermark {

// Which of several least trees is taken. Reachabilities are often equal, because that of a point to all points near it is
// its own core.
enum class TreeRule {
    nearest,   // the edge between the nearest points; independent of the order of points
    earliest,  // the point that joined the tree first, as the authors of DBCV do in MATLAB
    lowest,    // the first point of those in the tree that are about as near, as hdbscan does
};

struct Reach {
    double weight;
    double tie;  // the distance, if the rule is `nearest`

    bool operator<(const Reach& other) const {
        return weight < other.weight || (weight == other.weight && tie < other.tie);
    }
};

// A tree by its points in the order in which they joined it; the first is its root.
struct LeastTree {
    std::vector<std::size_t> order;
    std::vector<std::size_t> parents;  // by point
    std::vector<Reach> reach;          // to the parent, by point
    bool only = true;                  // whether no other tree is as small; computed for `nearest` only
};

// Distances of `count` tiled points from `first` on to all points, row after row; the rows are padded to whole tiles.
void measure_rows(const TiledPoints& tiled, std::size_t first, std::size_t count, double* rows, StepCounter& counter);

LeastTree span(const TiledPoints& tiled, const std::vector<double>& cores, TreeRule rule, StepCounter& counter);

// The least edge of the largest one on the way from a point to every other point through a tree, by point.
void find_largest_on_way(const LeastTree& tree, std::size_t from, std::vector<Reach>& largest);

// Calls visit(i, j, weight) once for each edge of a tree by the rule `nearest`, and for each edge that another tree of the
// same size has: one that is no longer than the largest edge on the way between its points.
template <class Visit>
void for_each_least_edge(const TiledPoints& tiled, const std::vector<double>& cores, const LeastTree& tree,
                         StepCounter& counter, Visit&& visit) {
    if (tree.only) {
        for (std::size_t at = 1; at < tree.order.size(); ++at) {
            const std::size_t j = tree.order[at];
            visit(tree.parents[j], j, tree.reach[j].weight);
        }
        return;
    }
    constexpr std::size_t height = TiledPoints::height;
    const std::size_t n = tiled.size(), length = tiled.tiles() * TiledPoints::width;
    std::vector<double> rows(height * length);
    std::vector<Reach> largest(n);
    for (std::size_t first = 0; first < n; first += height) {
        const std::size_t count = std::min(height, n - first);
        measure_rows(tiled, first, count, rows.data(), counter);
        for (std::size_t i = first; i < first + count; ++i) {
            const double* row = rows.data() + (i - first) * length;
            find_largest_on_way(tree, i, largest);
            for (std::size_t j = i + 1; j < n; ++j) {
                const Reach reach{std::max({cores[i], cores[j], row[j]}), row[j]};
                if (!(largest[j] < reach)) visit(i, j, reach.weight);
            }
            counter.step(3 * n);
        }
    }
}

}  // namespace clustermark
