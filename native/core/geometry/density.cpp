#include "core/geometry/density.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "core/execution/threads.hpp"
#include "core/geometry/reach_tree.hpp"
#include "core/numeric/order_free_sum.hpp"

namespace clustermark {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr std::size_t width = TiledPoints::width;

double power(double x, std::size_t exponent) {
    double result = 1.0;
    for (; exponent != 0; exponent >>= 1, x *= x) {
        if (exponent & 1) result *= x;
    }
    return result;
}

// For each point, the mean over the others of distance^-features, to the power of -1/features. Ratios to the least distance
// are used, whose powers cannot overflow, and added up so that the order of points does not change a bit. A point with a
// duplicate has the core 0, the limit; other tools leave out the duplicates, but not the number of them.
std::vector<double> find_cores(const TiledPoints& tiled, std::size_t features, bool leave_out_duplicates, StepCounter& counter) {
    const std::size_t n = tiled.size();
    std::vector<double> cores(n, 0.0);
    if (n < 2) return cores;
    std::vector<double> rows(TiledPoints::height * tiled.tiles() * width);
    const OrderFreeAdder adder(n, 1.0);
    for (std::size_t first = 0; first < n; first += TiledPoints::height) {
        const std::size_t count = std::min(TiledPoints::height, n - first);
        measure_rows(tiled, first, count, rows.data(), counter);
        for (std::size_t r = 0; r < count; ++r) {
            double* row = rows.data() + r * tiled.tiles() * width;
            row[first + r] = infinity;
            if (leave_out_duplicates) std::replace(row, row + n, 0.0, infinity);
            const double least = *std::min_element(row, row + n);
            if (least == 0.0 || least == infinity) continue;
            OrderFreeAdder::Sum sum;
            for (std::size_t j = 0; j < n; ++j) adder.add(sum, power(least / row[j], features));
            const double mean = sum.value() / static_cast<double>(n - 1);
            cores[first + r] = least * std::pow(mean, -1.0 / static_cast<double>(features));
            counter.step(n);
        }
    }
    return cores;
}

// The inner points of a cluster, from which its distance to others is measured.
struct Core {
    std::vector<std::int64_t> points;
    std::vector<double> cores;
    std::unique_ptr<TiledPoints> tiled;
    double sparseness = 0.0;
};

Core find_core(const SortedClusters& input, std::size_t cluster, DensityVariant variant, StepCounter& counter) {
    const std::int64_t* order = input.order + input.starts[cluster];
    const auto n = static_cast<std::size_t>(input.starts[cluster + 1] - input.starts[cluster]);
    const TiledPoints tiled(input.matrix, input.measure, order, n);
    const bool exact = variant == DensityVariant::exact;
    const std::vector<double> cores = find_cores(tiled, input.matrix.columns, !exact, counter);
    const TreeRule rule = exact                                ? TreeRule::nearest
                          : variant == DensityVariant::matlab ? TreeRule::earliest
                                                              : TreeRule::lowest;
    LeastTree tree = span(tiled, cores, rule, counter);
    if (!exact) tree.only = true;
    std::vector<std::size_t> degrees(n, 0);
    for_each_least_edge(tiled, cores, tree, counter, [&](std::size_t a, std::size_t b, double) { ++degrees[a], ++degrees[b]; });
    double longest = 0.0, longest_inner = -1.0;
    for_each_least_edge(tiled, cores, tree, counter, [&](std::size_t a, std::size_t b, double weight) {
        longest = std::max(longest, weight);
        if (degrees[a] > 1 && degrees[b] > 1) longest_inner = std::max(longest_inner, weight);
    });
    Core core;
    core.sparseness = longest_inner < 0.0 ? longest : longest_inner;
    const bool none = std::none_of(degrees.begin(), degrees.end(), [](std::size_t degree) { return degree > 1; });
    for (std::size_t i = 0; i < n; ++i) {
        if (!none && degrees[i] < 2) continue;
        core.points.push_back(order[i]);
        core.cores.push_back(cores[i]);
        if (none && variant == DensityVariant::hdbscan) break;  // the first of two points counts as the inner one
    }
    core.tiled = std::make_unique<TiledPoints>(input.matrix, input.measure, core.points.data(), core.points.size());
    return core;
}

double least_reach(const Core& one, const Core& two, StepCounter& counter) {
    double least = infinity;
    alignas(64) double block[TiledPoints::height * width];
    for (std::size_t first = 0; first < one.points.size(); first += TiledPoints::height) {
        const std::size_t count = std::min(TiledPoints::height, one.points.size() - first);
        for (std::size_t tile = 0; tile < two.tiled->tiles(); ++tile) {
            one.tiled->measure(first, count, *two.tiled, tile, block);
            const double* cores = two.cores.data() + tile * width;
            const std::size_t points = two.tiled->tile_size(tile);
            for (std::size_t r = 0; r < count; ++r) {
                double nearest = infinity;
                for (std::size_t c = 0; c < points; ++c) {
                    nearest = std::min(nearest, std::max(block[r * width + c], cores[c]));
                }
                least = std::min(least, std::max(nearest, one.cores[first + r]));
            }
            counter.step(count * width * two.tiled->steps());
        }
    }
    return least;
}

}  // namespace

namespace {

unsigned workers_for(const SortedClusters& input, int threads) {
    const std::size_t n = input.points();
    return choose_threads(threads, n * n / 64 * (1 + input.matrix.columns / 8));
}

// For each point, the distance to its k-th nearest neighbour, k = `neighbour` from 1.
std::vector<double> find_neighbour_distances(const TiledPoints& tiled, std::size_t neighbour, unsigned workers) {
    const std::size_t n = tiled.size();
    const std::size_t length = tiled.tiles() * width;
    std::vector<double> cores(n, 0.0);
    for_each_job(workers, (n + TiledPoints::height - 1) / TiledPoints::height, [&](std::size_t job, StepCounter& counter) {
        const std::size_t first = job * TiledPoints::height;
        const std::size_t count = std::min(TiledPoints::height, n - first);
        std::vector<double> rows(TiledPoints::height * length);
        measure_rows(tiled, first, count, rows.data(), counter);
        for (std::size_t r = 0; r < count; ++r) {
            double* row = rows.data() + r * length;
            row[first + r] = -1.0;  // the point itself comes before all neighbours, including duplicates
            std::nth_element(row, row + neighbour, row + n);
            cores[first + r] = row[neighbour];
            counter.step(2 * n);
        }
    });
    return cores;
}

}  // namespace

Density find_density(const SortedClusters& input, DensityVariant variant, int threads) {
    const std::size_t clusters = input.clusters;
    const unsigned workers = workers_for(input, threads);
    std::size_t within = 0;
    for (std::size_t k = 0; k < clusters; ++k) {
        const auto size = static_cast<std::size_t>(input.starts[k + 1] - input.starts[k]);
        within += size * size;
    }
    const std::size_t steps = 1 + input.matrix.columns / 8;
    // within clusters each pair is measured twice for cores and twice for the tree, between them once
    expect_steps(within * (2 * steps + 2) + (input.points() * input.points() - within) / 2 * steps);
    std::vector<Core> cores(clusters);
    for_each_job(workers, clusters, [&](std::size_t k, StepCounter& counter) { cores[k] = find_core(input, k, variant, counter); });
    Density density{Buffer<double>(clusters), Buffer<double>::filled(clusters, infinity)};
    std::mutex writing;
    for_each_job(workers, clusters, [&](std::size_t k, StepCounter& counter) {
        for (std::size_t l = k + 1; l < clusters; ++l) {
            const double reach = least_reach(cores[k], cores[l], counter);
            const std::lock_guard<std::mutex> held(writing);
            density.separation[k] = std::min(density.separation[k], reach);
            density.separation[l] = std::min(density.separation[l], reach);
        }
    });
    for (std::size_t k = 0; k < clusters; ++k) density.sparseness[k] = cores[k].sparseness;
    return density;
}

ReachTree span_reachability(const SortedClusters& input, std::size_t neighbour, int threads) {
    const std::size_t n = input.points();
    const TiledPoints tiled(input.matrix, input.measure, input.order, n);
    expect_steps(n * n * (2 * tiled.steps() + 3));
    const std::vector<double> cores = find_neighbour_distances(tiled, neighbour, workers_for(input, threads));
    StepCounter counter;
    const LeastTree tree = span(tiled, cores, TreeRule::nearest, counter);
    // of the edges that could take the place of others, the least and the largest of two clusters are enough
    std::vector<std::size_t> cluster_of(n);
    for (std::size_t k = 0; k < input.clusters; ++k) {
        std::fill(cluster_of.begin() + input.starts[k], cluster_of.begin() + input.starts[k + 1], k);
    }
    struct Edge {
        std::size_t a, b;
        double weight;
    };
    std::vector<Edge> edges;
    if (tree.only) edges.reserve(n - 1);
    std::map<std::pair<std::size_t, std::size_t>, std::pair<Edge, Edge>> extremes;
    for_each_least_edge(tiled, cores, tree, counter, [&](std::size_t a, std::size_t b, double weight) {
        const Edge edge{a, b, weight};
        if (tree.only) {
            edges.push_back(edge);
            return;
        }
        const auto pair = std::minmax(cluster_of[a], cluster_of[b]);
        const auto [found, is_new] = extremes.try_emplace({pair.first, pair.second}, edge, edge);
        if (weight < found->second.first.weight) found->second.first = edge;
        if (weight > found->second.second.weight) found->second.second = edge;
    });
    for (const auto& [clusters, pair] : extremes) {
        edges.push_back(pair.first);
        if (pair.second.weight > pair.first.weight) edges.push_back(pair.second);
    }
    ReachTree found{Buffer<std::int64_t>(edges.size()), Buffer<std::int64_t>(edges.size()), Buffer<double>(edges.size())};
    for (std::size_t i = 0; i < edges.size(); ++i) {
        found.from[i] = input.order[edges[i].a];
        found.to[i] = input.order[edges[i].b];
        found.lengths[i] = edges[i].weight;
    }
    return found;
}

}  // namespace clustermark
