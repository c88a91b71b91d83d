#include <algorithm>
#include <iterator>
#include <limits>
#include <map>
#include <numeric>
#include <tuple>
#include <utility>

#include "check.hpp"
#include "core/geometry/centers.hpp"
#include "core/geometry/density.hpp"
#include "core/geometry/distance_ranks.hpp"
#include "core/geometry/distance_sums.hpp"

using namespace clustermark;
using check::list_of;
using check::Numbers;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

// Points, sorted by cluster in `order`; the last cluster may be a single point.
struct Points {
    std::size_t n, p, clusters;
    std::vector<double> values;
    std::vector<std::int32_t> codes;
    std::vector<std::int64_t> order, starts{0};

    Points(std::uint64_t seed, std::size_t size, std::size_t features, std::size_t k) : n(size), p(features), clusters(k) {
        Numbers numbers(seed);
        for (std::size_t i = 0; i < n * p; ++i) values.push_back(std::floor(numbers.fraction() * 64) / 8);
        for (std::size_t i = 0; i < n; ++i) codes.push_back(static_cast<std::int32_t>(i < k ? i : static_cast<std::size_t>(numbers.below(static_cast<std::int64_t>(std::max<std::size_t>(k - 1, 1))))));
        for (std::size_t cluster = 0; cluster < k; ++cluster) {
            for (std::size_t i = 0; i < n; ++i) {
                if (codes[i] == static_cast<std::int32_t>(cluster)) order.push_back(static_cast<std::int64_t>(i));
            }
            starts.push_back(static_cast<std::int64_t>(order.size()));
        }
    }

    MatrixView matrix() const { return {reinterpret_cast<const char*>(values.data()), n, p, static_cast<std::ptrdiff_t>(p * 8), 8, false}; }
    SortedClusters sorted(Measure measure) const { return {matrix(), measure, order.data(), starts.data(), clusters}; }
    std::size_t size(std::size_t cluster) const { return static_cast<std::size_t>(starts[cluster + 1] - starts[cluster]); }

    long double distance(std::size_t i, std::size_t j, Measure measure) const {
        long double sum = 0;
        for (std::size_t f = 0; f < p; ++f) {
            const long double away = static_cast<long double>(values[i * p + f]) - values[j * p + f];
            sum += measure == Measure::manhattan ? std::fabs(away) : away * away;
        }
        return measure == Measure::euclidean ? std::sqrt(sum) : sum;
    }
};

constexpr Measure measures[] = {Measure::euclidean, Measure::squared, Measure::manhattan};

}  // namespace

TEST(sums_of_points_and_spread_about_centers) {
    for (const bool weighted : {false, true}) {
        const Points points(1, 9001, 3, 5);
        Numbers numbers(2);
        std::vector<double> weights(points.n);
        for (double& weight : weights) weight = weighted ? numbers.fraction() : 1.0;
        const ClusteredPoints input{points.matrix(), points.codes.data(), weighted ? weights.data() : nullptr, points.clusters};
        std::vector<long double> wanted(15);
        for (std::size_t i = 0; i < points.n; ++i) {
            for (std::size_t f = 0; f < 3; ++f) wanted[static_cast<std::size_t>(points.codes[i]) * 3 + f] += static_cast<long double>(weights[i]) * points.values[i * 3 + f];
        }
        const PreciseTable sums = sum_points(input, 3);
        CHECK(list_of(sums.high) == list_of(sum_points(input, 1).high));
        for (std::size_t i = 0; i < 15; ++i) CHECK_NEAR(sums.high[i] + sums.low[i], wanted[i], 1e-15);
        std::vector<double> high(18), low(18, 0x1p-60);  // the last center is that of all points
        for (double& center : high) center = 8 * numbers.fraction();
        std::vector<long double> squares(15), distances(5);
        long double total = 0;
        for (std::size_t i = 0; i < points.n; ++i) {
            const auto k = static_cast<std::size_t>(points.codes[i]);
            long double own = 0, middle = 0;
            for (std::size_t f = 0; f < 3; ++f) {
                const long double x = points.values[i * 3 + f], away = x - high[k * 3 + f], far = x - high[15 + f];
                squares[k * 3 + f] += weights[i] * away * away;
                own += away * away;
                middle += far * far;
            }
            distances[k] += weights[i] * std::sqrt(own);
            total += weights[i] * std::sqrt(middle);
        }
        const Spread spread = spread_about(input, {high.data(), low.data()}, 2);
        for (std::size_t i = 0; i < 15; ++i) CHECK_NEAR(spread.squares[i], squares[i], 1e-13);
        for (std::size_t k = 0; k < 5; ++k) CHECK_NEAR(spread.distances[k], distances[k], 1e-13);
        CHECK_NEAR(spread.total_distance, total, 1e-13);
    }
}

TEST(the_nearest_centers) {
    for (const std::size_t clusters : {std::size_t{1}, std::size_t{3}, std::size_t{9}}) {
        const Points points(3, 201, 4, clusters);
        Numbers numbers(4);
        std::vector<double> high(clusters * 4), low(clusters * 4, 0.0), offsets(clusters);
        for (double& center : high) center = std::floor(numbers.fraction() * 16) / 2;
        for (double& offset : offsets) offset = static_cast<double>(numbers.below(3));
        const ClusteredPoints input{points.matrix(), points.codes.data(), nullptr, clusters};
        const Nearest nearest = nearest_centers(input, {high.data(), low.data()}, offsets.data(), 1);
        for (std::size_t i = 0; i < points.n; ++i) {
            double own = 0, other = infinity;
            std::int32_t neighbour = -1;
            for (std::size_t k = 0; k < clusters; ++k) {
                double square = 0;
                for (std::size_t f = 0; f < 4; ++f) square += (points.values[i * 4 + f] - high[k * 4 + f]) * (points.values[i * 4 + f] - high[k * 4 + f]);
                if (static_cast<std::int32_t>(k) == points.codes[i]) {
                    own = square;
                } else if (square + offsets[k] < other) {
                    other = square + offsets[k];
                    neighbour = static_cast<std::int32_t>(k);
                }
            }
            CHECK_EQUAL(nearest.own[i], own);
            CHECK_EQUAL(nearest.other[i], other);
            CHECK_EQUAL(nearest.neighbours[i], neighbour);
        }
    }
}

TEST(tiles_of_distances) {
    const Points points(5, 150, 7, 3);
    for (const Measure measure : measures) {
        const TiledPoints tiled(points.matrix(), measure, points.order.data(), points.n);
        CHECK_EQUAL(tiled.tiles(), std::size_t{3});
        alignas(64) double block[TiledPoints::height * TiledPoints::width];
        for (std::size_t tile = 0; tile < tiled.tiles(); ++tile) {
            tiled.measure(64, 16, tiled, tile, block);
            for (std::size_t r = 0; r < 16; ++r) {
                for (std::size_t c = 0; c < tiled.tile_size(tile); ++c) {
                    const auto i = static_cast<std::size_t>(points.order[64 + r]), j = static_cast<std::size_t>(points.order[tile * 64 + c]);
                    CHECK_NEAR(block[r * TiledPoints::width + c], points.distance(i, j, measure), 1e-15);
                }
            }
        }
    }
}

TEST(sums_of_distances_to_clusters) {
    for (const std::size_t n : {std::size_t{9}, std::size_t{300}}) {
        const Points points(6, n, 3, 4);
        for (const Measure measure : measures) {
            const SortedClusters input = points.sorted(measure);
            const PointSums sums = sum_distances(input, 1);
            CHECK(list_of(sum_distances(input, 3).other) == list_of(sums.other));
            std::vector<std::int64_t> all(n);
            std::iota(all.begin(), all.end(), std::int64_t{0});
            const PointSums chosen = sum_distances_of(input, all.data(), n, 2);
            const auto from = sum_distances_from(input, points.matrix(), 2);
            for (std::size_t i = 0; i < n; ++i) {
                std::vector<long double> wanted(4);
                for (std::size_t j = 0; j < n; ++j) wanted[static_cast<std::size_t>(points.codes[j])] += points.distance(i, j, measure);
                const auto own = static_cast<std::size_t>(points.codes[i]);
                long double other = infinity;
                for (std::size_t k = 0; k < 4; ++k) {
                    CHECK_NEAR(from[i * 4 + k], wanted[k], 1e-13);
                    if (k != own) other = std::min(other, wanted[k] / static_cast<long double>(points.size(k)));
                }
                CHECK_NEAR(sums.own[i], wanted[own], 1e-13);
                CHECK_NEAR(sums.other[i], other, 1e-13);
                const auto neighbour = static_cast<std::size_t>(sums.neighbours[i]);
                CHECK(neighbour != own);
                CHECK_NEAR(sums.other[i], wanted[neighbour] / static_cast<long double>(points.size(neighbour)), 1e-13);
                const auto place = static_cast<std::size_t>(std::find(points.order.begin(), points.order.end(), static_cast<std::int64_t>(i)) - points.order.begin());
                CHECK_NEAR(chosen.own[place], wanted[own], 1e-13);
            }
        }
    }
}

TEST(tables_of_pairs_of_clusters) {
    const Points points(7, 220, 3, 4);
    for (const Measure measure : measures) {
        const PairTables tables = tabulate_pairs(points.sorted(measure), 3);
        for (std::size_t k = 0; k < 4; ++k) {
            long double squares = 0;
            for (std::size_t l = 0; l < 4; ++l) {
                long double sum = 0, least = infinity, largest = 0, farthest = 0;
                for (std::size_t i = 0; i < points.n; ++i) {
                    long double nearest = infinity;
                    for (std::size_t j = 0; points.codes[i] == static_cast<std::int32_t>(k) && j < points.n; ++j) {
                        if (points.codes[j] != static_cast<std::int32_t>(l)) continue;
                        const long double distance = points.distance(i, j, measure);
                        sum += distance;
                        squares += distance * distance;
                        nearest = std::min(nearest, distance);
                        largest = std::max(largest, distance);
                    }
                    if (points.codes[i] != static_cast<std::int32_t>(k)) continue;
                    least = std::min(least, nearest);
                    farthest = std::max(farthest, nearest);
                }
                CHECK_NEAR(tables.sums[k * 4 + l], sum, 1e-13);
                CHECK_NEAR(tables.largest[k * 4 + l], largest, 1e-14);
                CHECK_NEAR(tables.least[k * 4 + l], k == l ? infinity : least, 1e-14);
                CHECK_NEAR(tables.farthest[k * 4 + l], k == l ? 0 : farthest, 1e-14);
            }
            CHECK_NEAR(tables.squares[k], squares, 1e-13);
        }
    }
}

TEST(distances_that_are_given) {
    const Points points(8, 100, 2, 3);
    std::vector<double> matrix(points.n * points.n);
    for (std::size_t i = 0; i < points.n; ++i) {
        for (std::size_t j = 0; j < points.n; ++j) matrix[i * points.n + j] = static_cast<double>(points.distance(i, j, Measure::manhattan));
    }
    SortedClusters given = points.sorted(Measure::given);
    given.matrix = {reinterpret_cast<const char*>(matrix.data()), points.n, points.n, static_cast<std::ptrdiff_t>(points.n * 8), 8, false};
    CHECK(list_of(sum_distances(given, 1).own) == list_of(sum_distances(points.sorted(Measure::manhattan), 1).own));
}

TEST(ranks_of_distances) {
    const Points points(9, 130, 2, 4);
    for (const Measure measure : measures) {
        std::vector<double> within, between, all;
        for (std::size_t i = 0; i < points.n; ++i) {
            for (std::size_t j = 0; j < i; ++j) {
                const auto distance = static_cast<double>(points.distance(i, j, measure));
                (points.codes[i] == points.codes[j] ? within : between).push_back(distance);
                all.push_back(distance);
            }
        }
        std::int64_t concordant = 0, discordant = 0;
        for (const double one : within) {
            for (const double other : between) concordant += one < other, discordant += one > other;
        }
        std::sort(all.begin(), all.end());
        const auto sum = [](auto begin, auto end) { return std::accumulate(begin, end, 0.0L); };
        const auto size = static_cast<std::ptrdiff_t>(within.size());
        const DistanceRanks ranks = rank_distances(points.sorted(measure));
        CHECK_EQUAL(ranks.within, static_cast<std::int64_t>(within.size()));
        CHECK_EQUAL(ranks.between, static_cast<std::int64_t>(between.size()));
        CHECK_EQUAL(ranks.concordant, concordant);
        CHECK_EQUAL(ranks.discordant, discordant);
        CHECK_NEAR(ranks.within_sum, sum(within.begin(), within.end()), 1e-14);
        CHECK_NEAR(ranks.least_sum, sum(all.begin(), all.begin() + size), 1e-14);
        CHECK_NEAR(ranks.largest_sum, sum(all.end() - size, all.end()), 1e-14);
    }
}

namespace {

struct Edge {
    long double weight, tie;
    std::size_t a, b;

    bool operator<(const Edge& other) const { return std::tie(weight, tie) < std::tie(other.weight, other.tie); }
};

// The edges of all least trees: those that join two parts which smaller edges leave apart.
std::vector<Edge> least_edges(std::size_t n, std::vector<Edge> edges) {
    std::sort(edges.begin(), edges.end());
    std::vector<std::size_t> part(n);
    std::iota(part.begin(), part.end(), std::size_t{0});
    std::vector<Edge> found;
    for (auto first = edges.begin(); first != edges.end();) {
        const auto last = std::upper_bound(first, edges.end(), *first);
        std::copy_if(first, last, std::back_inserter(found), [&](const Edge& edge) { return part[edge.a] != part[edge.b]; });
        for (; first != last; ++first) std::replace(part.begin(), part.end(), std::size_t{part[first->a]}, part[first->b]);
    }
    return found;
}

// The shortest and the longest edge of each pair of clusters.
using Extremes = std::map<std::pair<std::int32_t, std::int32_t>, std::pair<long double, long double>>;

void include(Extremes& extremes, std::int32_t one, std::int32_t other, long double length) {
    const auto [found, is_new] = extremes.try_emplace(std::minmax({one, other}), length, length);
    found->second = {std::min(found->second.first, length), std::max(found->second.second, length)};
}

}  // namespace

TEST(trees_of_least_reachability) {
    bool several_trees = false;
    for (const bool ties : {false, true}) {
        Points points(10, 120, 3, 4);
        Numbers numbers(13);
        for (double& value : points.values) value = ties ? value : numbers.fraction();
        for (const std::size_t neighbour : {std::size_t{1}, std::size_t{5}}) {
            std::vector<long double> cores(points.n);
            for (std::size_t i = 0; i < points.n; ++i) {
                std::vector<long double> away;
                for (std::size_t j = 0; j < points.n; ++j) {
                    if (j != i) away.push_back(points.distance(i, j, Measure::euclidean));
                }
                std::sort(away.begin(), away.end());
                cores[i] = away[neighbour - 1];
            }
            std::vector<Edge> edges;
            for (std::size_t i = 0; i < points.n; ++i) {
                for (std::size_t j = 0; j < i; ++j) {
                    const long double away = points.distance(i, j, Measure::euclidean);
                    edges.push_back({std::max({cores[i], cores[j], away}), away, j, i});
                }
            }
            Extremes wanted, found;
            const std::vector<Edge> least = least_edges(points.n, edges);
            for (const Edge& edge : least) include(wanted, points.codes[edge.a], points.codes[edge.b], edge.weight);
            const ReachTree tree = span_reachability(points.sorted(Measure::euclidean), neighbour, 2);
            for (std::size_t i = 0; i < tree.lengths.size(); ++i) {
                const auto code = [&](std::int64_t point) { return points.codes[static_cast<std::size_t>(point)]; };
                include(found, code(tree.from[i]), code(tree.to[i]), tree.lengths[i]);
            }
            several_trees = several_trees || least.size() > points.n - 1;
            if (!ties) CHECK_EQUAL(tree.lengths.size(), points.n - 1);
            CHECK_EQUAL(found.size(), wanted.size());
            for (const auto& [clusters, lengths] : wanted) {
                CHECK_NEAR(found[clusters].first, lengths.first, 1e-14);
                CHECK_NEAR(found[clusters].second, lengths.second, 1e-14);
            }
        }
    }
    CHECK(several_trees);
}

TEST(density_of_clusters) {
    Points points(11, 60, 2, 3);
    Numbers numbers(12);
    for (double& value : points.values) value = numbers.fraction();  // no ties, so that there is one tree
    std::vector<std::vector<std::size_t>> inner(3);
    std::vector<long double> core_of(points.n);
    const Density density = find_density(points.sorted(Measure::euclidean), DensityVariant::exact, 2);
    for (std::size_t k = 0; k < 3; ++k) {
        std::vector<std::size_t> own;
        for (std::int64_t at = points.starts[k]; at < points.starts[k + 1]; ++at) own.push_back(static_cast<std::size_t>(points.order[static_cast<std::size_t>(at)]));
        const auto n = static_cast<long double>(own.size());
        for (const std::size_t i : own) {
            long double sum = 0;
            for (const std::size_t j : own) {
                if (j != i) sum += std::pow(1 / points.distance(i, j, Measure::euclidean), 2.0L);
            }
            core_of[i] = own.size() == 1 ? 0 : std::pow(sum / (n - 1), -0.5L);
        }
        std::vector<Edge> edges;
        for (std::size_t i = 0; i < own.size(); ++i) {
            for (std::size_t j = 0; j < i; ++j) {
                const long double away = points.distance(own[i], own[j], Measure::euclidean);
                edges.push_back({std::max({core_of[own[i]], core_of[own[j]], away}), away, i, j});
            }
        }
        const auto tree = least_edges(own.size(), edges);
        std::vector<int> degrees(own.size());
        for (const Edge& edge : tree) ++degrees[edge.a], ++degrees[edge.b];
        long double longest = 0, longest_inner = -1;
        for (const Edge& edge : tree) {
            longest = std::max(longest, edge.weight);
            if (degrees[edge.a] > 1 && degrees[edge.b] > 1) longest_inner = std::max(longest_inner, edge.weight);
        }
        CHECK_NEAR(density.sparseness[k], longest_inner < 0 ? longest : longest_inner, 1e-12);
        const bool none = std::none_of(degrees.begin(), degrees.end(), [](int degree) { return degree > 1; });
        for (std::size_t i = 0; i < own.size(); ++i) {
            if (none || degrees[i] > 1) inner[k].push_back(own[i]);
        }
    }
    for (std::size_t k = 0; k < 3; ++k) {
        long double least = infinity;
        for (std::size_t l = 0; l < 3; ++l) {
            for (const std::size_t i : inner[k]) {
                for (const std::size_t j : inner[l]) {
                    if (k != l) least = std::min(least, std::max({core_of[i], core_of[j], points.distance(i, j, Measure::euclidean)}));
                }
            }
        }
        CHECK_NEAR(density.separation[k], least, 1e-12);
    }
}
