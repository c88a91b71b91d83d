#include "core/geometry/reach_tree.hpp"

#include <cmath>
#include <limits>
#include <stdexcept>

namespace clustermark {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr std::size_t width = TiledPoints::width;

// Whether hdbscan takes two reachabilities for equal: numpy.isclose.
bool is_close(double reach, double expected) {
    return reach == expected || std::abs(reach - expected) <= 1e-8 + 1e-5 * expected;
}

}  // namespace

void measure_rows(const TiledPoints& tiled, std::size_t first, std::size_t count, double* rows, StepCounter& counter) {
    alignas(64) double block[TiledPoints::height * width];
    const std::size_t length = tiled.tiles() * width;
    for (std::size_t tile = 0; tile < tiled.tiles(); ++tile) {
        tiled.measure(first, count, tiled, tile, block);
        for (std::size_t r = 0; r < count; ++r) {
            std::copy_n(block + r * width, width, rows + r * length + tile * width);
        }
        counter.step(count * width * tiled.steps());
    }
}

// Prim's algorithm.
LeastTree span(const TiledPoints& tiled, const std::vector<double>& cores, TreeRule rule, StepCounter& counter) {
    const std::size_t n = tiled.size();
    LeastTree tree{{}, std::vector<std::size_t>(n, n), std::vector<Reach>(n, Reach{infinity, infinity})};
    tree.order.reserve(n);
    std::vector<double> row(tiled.tiles() * width);
    std::vector<std::size_t> left(n - 1);  // points that are not in the tree
    for (std::size_t j = 1; j < n; ++j) left[j - 1] = j;
    const bool nearest = rule == TreeRule::nearest;
    std::vector<bool> joined(rule == TreeRule::lowest ? n : 0);
    for (std::size_t latest = 0;;) {
        measure_rows(tiled, latest, 1, row.data(), counter);
        const auto weigh = [&](std::size_t j) { return std::max({cores[latest], cores[j], row[j]}); };
        if (rule == TreeRule::lowest && tree.order.size() > 1) {
            std::size_t parent = 0;
            while (parent < n && !(joined[parent] && is_close(weigh(parent), tree.reach[latest].weight))) ++parent;
            if (parent < n) tree.parents[latest] = parent;  // else the distances are not symmetric
        }
        tree.order.push_back(latest);
        if (rule == TreeRule::lowest) joined[latest] = true;
        if (left.empty()) return tree;
        std::size_t next = 0;
        bool tied = false;  // whether another point could join the tree now
        for (std::size_t at = 0; at < left.size(); ++at) {
            const std::size_t j = left[at];
            const Reach reach{weigh(j), nearest ? row[j] : 0.0};
            Reach& best = tree.reach[j];
            if (reach < best) {
                best = reach;
                tree.parents[j] = latest;
            } else if (!(best < reach)) {
                tree.only = false;
            }
            if (at == 0) continue;
            const Reach& least = tree.reach[left[next]];
            if (best < least || (!nearest && best.weight == least.weight && j < left[next])) {
                next = at;
                tied = false;
            } else if (!(least < best)) {
                tied = true;
            }
        }
        if (tied) tree.only = false;
        latest = left[next];
        if (tree.parents[latest] == n) throw std::invalid_argument(TiledPoints::no_number);
        left[next] = left.back();
        left.pop_back();
        counter.step(n);
    }
}

void find_largest_on_way(const LeastTree& tree, std::size_t from, std::vector<Reach>& largest) {
    const Reach unknown{-infinity, -infinity}, none{-infinity, 0.0};
    std::fill(largest.begin(), largest.end(), unknown);
    largest[from] = none;
    const std::size_t root = tree.order.front();
    for (std::size_t at = from; at != root; at = tree.parents[at]) {
        largest[tree.parents[at]] = std::max(largest[at], tree.reach[at]);
    }
    for (std::size_t step = 1; step < tree.order.size(); ++step) {
        const std::size_t j = tree.order[step];
        if (largest[j].weight == -infinity && j != from) {
            largest[j] = std::max(largest[tree.parents[j]], tree.reach[j]);
        }
    }
}

}  // namespace clustermark
