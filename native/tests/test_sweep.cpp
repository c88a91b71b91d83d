#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <stdexcept>

#include "check.hpp"
#include "core/execution/interruption.hpp"
#include "core/information/mutual_information.hpp"
#include "core/sweep/connected_components.hpp"
#include "core/sweep/label_counts.hpp"
#include "core/sweep/pair_sweep.hpp"
#include "core/sweep/scored_pairs.hpp"

using namespace clustermark;
using check::Numbers;
using check::view_of;

namespace {

struct Pairs {
    std::vector<std::int32_t> labels, left, right;
    std::vector<double> scores;
    std::vector<std::int64_t> counts;

    SweepInput input(double limit = 1e9) const {
        return {view_of(labels), view_of(left), view_of(right), view_of(scores), counts.empty() ? StridedView<std::int64_t>{} : view_of(counts), limit};
    }
};

Pairs draw_pairs(std::uint64_t seed, std::int64_t records, std::int64_t size) {
    Numbers numbers(seed);
    Pairs pairs;
    for (std::int64_t i = 0; i < records; ++i) {
        const std::int64_t kind = numbers.below(12);
        pairs.labels.push_back(static_cast<std::int32_t>(kind == 0 ? no_point : kind == 1 ? predicted_only : numbers.below(std::max<std::int64_t>(records / 4, 1))));
        if (seed % 2 == 1) pairs.counts.push_back(1 + numbers.below(3));
    }
    for (std::int64_t i = 0; i < size; ++i) {
        pairs.left.push_back(static_cast<std::int32_t>(numbers.below(records)));
        pairs.right.push_back(static_cast<std::int32_t>(numbers.below(records)));
        pairs.scores.push_back(static_cast<double>(numbers.below(std::max<std::int64_t>(size / 3, 1))));
    }
    return pairs;
}

// A simple union-find.
struct Union {
    std::vector<std::size_t> above;
    explicit Union(std::size_t size) : above(size) { std::iota(above.begin(), above.end(), std::size_t{0}); }
    std::size_t root(std::size_t node) const {
        while (above[node] != node) node = above[node];
        return node;
    }
};

// Checks a state against the clusters of all pairs of at least its threshold, computed from scratch.
void check_state(const Pairs& pairs, const SweepStates& states, std::size_t state) {
    Union clusters(pairs.labels.size());
    for (std::size_t i = 0; i < pairs.scores.size(); ++i) {
        if (pairs.scores[i] < states.thresholds[state]) continue;
        clusters.above[clusters.root(static_cast<std::size_t>(pairs.left[i]))] = clusters.root(static_cast<std::size_t>(pairs.right[i]));
    }
    std::map<std::size_t, std::int64_t> pred, largest_pred;
    std::map<std::int32_t, std::int64_t> truth, largest_true;
    std::map<std::pair<std::int32_t, std::size_t>, std::int64_t> cells;
    std::int64_t points = 0;
    for (std::size_t i = 0; i < pairs.labels.size(); ++i) {
        if (pairs.labels[i] == no_point) continue;
        const std::int64_t n = pairs.counts.empty() ? 1 : pairs.counts[i];
        pred[clusters.root(i)] += n;
        if (pairs.labels[i] == predicted_only) continue;
        truth[pairs.labels[i]] += n;
        cells[{pairs.labels[i], clusters.root(i)}] += n;
        points += n;
    }
    const auto spread = [](std::int64_t n) { return n == 0 ? 0.0L : n * std::log(static_cast<long double>(n)); };
    std::int64_t exact = 0, together = 0, both = 0, best_pred = 0, best_true = 0;
    long double precision = 0, recall = 0, spread_pred = 0, spread_true = 0, spread_cells = 0, expected = 0;
    for (const auto& [cell, n] : cells) {
        const std::int64_t a = truth[cell.first], b = pred[cell.second];
        exact += n == a && n == b;
        both += n * (n - 1) / 2;
        precision += static_cast<long double>(n) * n / b;
        recall += static_cast<long double>(n) * n / a;
        spread_cells += spread(n);
        largest_pred[cell.second] = std::max(largest_pred[cell.second], n);
        largest_true[cell.first] = std::max(largest_true[cell.first], n);
    }
    for (const auto& [cluster, n] : pred) together += n * (n - 1) / 2, best_pred += largest_pred[cluster], spread_pred += spread(n);
    for (const auto& [label, n] : truth) {
        best_true += largest_true[label], spread_true += spread(n);
        for (const auto& [cluster, b] : pred) expected += expected_excess(std::max<std::int64_t>(points, 1), n, std::min(b, points));
    }
    CHECK_EQUAL(states.clusters[state], static_cast<std::int64_t>(pred.size()));
    CHECK_EQUAL(states.cells[state], static_cast<std::int64_t>(cells.size()));
    CHECK_EQUAL(states.exact[state], exact);
    CHECK_EQUAL(states.together[state], together);
    CHECK_EQUAL(states.together_both[state], both);
    CHECK_EQUAL(states.best_pred[state], best_pred);
    CHECK_EQUAL(states.best_true[state], best_true);
    CHECK_NEAR(states.precision[state], precision, 1e-13);
    CHECK_NEAR(states.recall[state], recall, 1e-13);
    CHECK(std::fabs(states.spread_pred[state] - spread_pred) < 1e-10L);
    CHECK(std::fabs(states.left_true[state] - (spread_pred - spread_cells)) < 1e-10L);
    CHECK(std::fabs(states.left_pred[state] - (spread_true - spread_cells)) < 1e-10L);
    const bool all_labelled = std::count(pairs.labels.begin(), pairs.labels.end(), predicted_only) == 0;
    CHECK_EQUAL(std::isnan(states.expected[state]), !all_labelled);
    if (all_labelled) CHECK(std::fabs(states.expected[state] - expected) < 1e-9L);
}

}  // namespace

TEST(every_partition_of_a_sweep) {
    for (std::uint64_t seed = 0; seed < 60; ++seed) {
        Pairs pairs = draw_pairs(seed, 2 + static_cast<std::int64_t>(seed % 20), static_cast<std::int64_t>(seed * 3 % 40));
        if (seed % 3 == 0) std::replace(pairs.labels.begin(), pairs.labels.end(), predicted_only, 0);
        const SweepResult result = sweep_pairs(pairs.input());
        CHECK(result.states.thresholds[0] == std::numeric_limits<double>::infinity());
        std::set<double> told;
        for (std::size_t state = 0; state < result.states.thresholds.size(); ++state) {
            CHECK(told.insert(result.states.thresholds[state]).second);
            check_state(pairs, result.states, state);
        }
    }
}

// A list with many more pairs than records is closed in two parts.
TEST(a_long_list_of_pairs) {
    for (std::uint64_t seed = 0; seed < 6; ++seed) {
        Pairs pairs = draw_pairs(seed, 40, 3000);
        if (seed == 5) std::fill(pairs.scores.begin(), pairs.scores.end(), 1.0);  // all pairs are on the border of the two parts
        const SweepResult result = sweep_pairs(pairs.input());
        CHECK(result.merges.left.size() > 20);
        for (std::size_t state = 0; state < result.states.thresholds.size(); ++state) check_state(pairs, result.states, state);
        std::int64_t both = result.states.together_both[0];
        for (std::size_t merge = 0; merge < result.merges.left.size(); ++merge) {
            both += result.merges.true_pairs[merge];
            if (merge > 0) CHECK(result.merges.scores[merge] <= result.merges.scores[merge - 1]);
        }
        CHECK_EQUAL(both, result.states.together_both[result.states.together_both.size() - 1]);
    }
}

TEST(pairs_that_change_meanwhile_are_checked_again) {
    for (const double share_of_change : {0.0, 0.2}) {  // during the first pass over the list, and after it
        Pairs pairs = draw_pairs(2, 40, 300000);
        CallMonitor monitor([&](double share) {
            if (share >= share_of_change) std::fill(pairs.left.begin(), pairs.left.end(), 1000);
            return false;
        }, std::chrono::milliseconds{0});
        const MonitorScope scope(&monitor);
        CHECK_THROWS(std::invalid_argument, sweep_pairs(pairs.input()));
    }
}

TEST(progress_of_a_sweep_ends_at_its_end) {
    for (const std::int64_t records : {std::int64_t{50}, std::int64_t{200000}}) {
        const Pairs pairs = draw_pairs(2, records, 300000);
        std::vector<double> shares;
        CallMonitor monitor([&](double share) { return shares.push_back(share), false; }, std::chrono::milliseconds{0});
        const MonitorScope scope(&monitor);
        sweep_pairs(pairs.input(0.0));
        CHECK(std::is_sorted(shares.begin(), shares.end()));
        CHECK(!shares.empty() && shares.front() < 0.5 && shares.back() > 0.7 && shares.back() <= 1.0);
    }
}

TEST(an_interrupted_sweep_ends) {
    const Pairs pairs = draw_pairs(2, 100000, 300000);
    CallMonitor monitor([](double) { return true; }, std::chrono::milliseconds{0});
    const MonitorScope scope(&monitor);
    CHECK_THROWS(Interrupted, sweep_pairs(pairs.input()));
}

TEST(wrong_pairs_are_refused) {
    Pairs pairs = draw_pairs(2, 10, 20);
    pairs.scores[7] = NAN;
    CHECK_THROWS(std::invalid_argument, sweep_pairs(pairs.input()));
    pairs = draw_pairs(2, 10, 20);
    pairs.right[3] = 10;
    CHECK_THROWS(std::invalid_argument, sweep_pairs(pairs.input()));
    pairs = draw_pairs(2, 10, 20);
    pairs.labels[0] = -3;
    CHECK_THROWS(std::invalid_argument, sweep_pairs(pairs.input()));
}

TEST(label_counts_are_those_of_a_map) {
    Numbers numbers(3);
    LabelCounts counts;
    std::vector<LabelBlock> blocks(30);
    std::vector<std::map<std::int32_t, std::int32_t>> wanted(30);
    for (int step = 0; step < 40000; ++step) {
        const auto k = static_cast<std::size_t>(numbers.below(30));
        if (numbers.below(2000) == 0) {
            std::map<std::int32_t, std::int32_t> emptied;
            for (const LabelCount& entry : counts.empty(blocks[k])) emptied[entry.label] = entry.count;
            CHECK(emptied == wanted[k]);
            wanted[k].clear();
            continue;
        }
        const auto label = static_cast<std::int32_t>(numbers.below(k < 3 ? 5000 : 3 * static_cast<std::int64_t>(k)));
        const auto count = static_cast<std::int32_t>(1 + numbers.below(5));
        CHECK_EQUAL(counts.add(blocks[k], label, count), wanted[k][label]);
        wanted[k][label] += count;
    }
    for (std::size_t k = 0; k < 30; ++k) {
        std::map<std::int32_t, std::int32_t> found;
        counts.visit(blocks[k], [&](const LabelCount& entry) { found[entry.label] = entry.count; });
        CHECK(found == wanted[k]);
        CHECK_EQUAL(blocks[k].labels, static_cast<std::int32_t>(wanted[k].size()));
    }
}

TEST(pairs_are_sorted_by_score_and_by_records) {
    for (const std::size_t size : {std::size_t{10}, std::size_t{5000}}) {
        for (const std::int64_t ranks : {std::int64_t{1}, std::int64_t{7}, std::int64_t{1000000}}) {
            Numbers numbers(4);
            std::vector<ScoredPair> pairs(size);
            for (ScoredPair& pair : pairs) {
                pair = {static_cast<double>(numbers.below(ranks)), static_cast<std::int32_t>(numbers.below(50)), static_cast<std::int32_t>(numbers.below(50))};
            }
            const auto key = [](const ScoredPair& pair) { return std::tuple(-pair.score, pair.left, pair.right); };
            std::vector<std::tuple<double, std::int32_t, std::int32_t>> wanted, found;
            for (const ScoredPair& pair : pairs) wanted.push_back(key(pair));
            std::sort(wanted.begin(), wanted.end());
            Sorter sorter;
            const auto [begin, end] = sorter.sort(pairs.data(), pairs.data() + size);
            for (const ScoredPair* pair = begin; pair != end; ++pair) found.push_back(key(*pair));
            CHECK(found == wanted);
        }
    }
}

TEST(buckets_hold_all_pairs_and_do_not_overlap) {
    Numbers numbers(5);
    BoundedList<ScoredPair> pairs;
    pairs.reserve(5002);
    for (int i = 0; i < 5000; ++i) pairs.push_back({std::ldexp(numbers.fraction(), static_cast<int>(numbers.below(30))), 0, 1});
    pairs.push_back({INFINITY, 0, 1});
    pairs.push_back({-INFINITY, 0, 1});
    StepCounter counter;
    Buckets buckets(pairs, counter);
    std::size_t seen = 0;
    double least = INFINITY;
    for (std::size_t b = 0; b < Buckets::number; ++b) {
        const auto [begin, end] = buckets[b];
        seen += static_cast<std::size_t>(end - begin);
        double lowest = least;
        for (const ScoredPair* pair = begin; pair != end; ++pair) {
            CHECK(pair->score <= least);
            lowest = std::min(lowest, pair->score);
        }
        least = lowest;
    }
    CHECK_EQUAL(seen, pairs.size());
}

TEST(connected_components_are_those_of_union_find) {
    Numbers numbers(6);
    for (int run = 0; run < 100; ++run) {
        const auto nodes = static_cast<std::size_t>(1 + numbers.below(40));
        std::vector<std::int64_t> lefts, rights;
        Union wanted(nodes);
        for (std::int64_t i = numbers.below(40); i > 0; --i) {
            lefts.push_back(numbers.below(static_cast<std::int64_t>(nodes)));
            rights.push_back(numbers.below(static_cast<std::int64_t>(nodes)));
            wanted.above[wanted.root(static_cast<std::size_t>(lefts.back()))] = wanted.root(static_cast<std::size_t>(rights.back()));
        }
        const auto found = find_components(view_of(lefts), view_of(rights), nodes);
        std::map<std::size_t, std::int64_t> numbered;
        for (std::size_t node = 0; node < nodes; ++node) {
            const auto place = numbered.emplace(wanted.root(node), static_cast<std::int64_t>(numbered.size())).first;
            CHECK_EQUAL(found[node], place->second);
        }
    }
    const std::vector<std::int64_t> zero{0}, two{2};
    CHECK_THROWS(std::invalid_argument, find_components(view_of(zero), view_of(two), 2));
    CHECK_THROWS(std::invalid_argument, find_components(view_of(zero), {}, 2));
}
