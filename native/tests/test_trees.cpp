#include <algorithm>
#include <functional>
#include <numeric>

#include "check.hpp"
#include "core/trees/cuts.hpp"
#include "core/trees/heavy_paths.hpp"
#include "core/trees/joined_leaves.hpp"
#include "core/trees/tree.hpp"

using namespace clustermark;
using check::Numbers;

namespace {

struct Tree {
    std::size_t leaves = 0;
    std::vector<std::int64_t> starts{0}, children;

    TreeView view() const { return {leaves, starts.size() - 1, starts.data(), children.data()}; }
    std::size_t branches() const { return starts.size() - 1; }

    // The leaves below each node, in the order of children.
    std::vector<std::vector<std::int64_t>> below() const {
        std::vector<std::vector<std::int64_t>> all;
        for (std::size_t leaf = 0; leaf < leaves; ++leaf) all.push_back({static_cast<std::int64_t>(leaf)});
        for (std::size_t branch = 0; branch < branches(); ++branch) {
            std::vector<std::int64_t> own;
            for (std::int64_t c = starts[branch]; c < starts[branch + 1]; ++c) {
                const auto& child = all[static_cast<std::size_t>(children[static_cast<std::size_t>(c)])];
                own.insert(own.end(), child.begin(), child.end());
            }
            all.push_back(own);
        }
        return all;
    }

    // The branch that joins each pair of leaves.
    std::vector<std::vector<std::size_t>> joins() const {
        std::vector<std::vector<std::size_t>> where(leaves, std::vector<std::size_t>(leaves, SIZE_MAX));
        const auto all = below();
        for (std::size_t branch = 0; branch < branches(); ++branch) {
            for (const std::int64_t a : all[leaves + branch]) {
                for (const std::int64_t b : all[leaves + branch]) {
                    auto& place = where[static_cast<std::size_t>(a)][static_cast<std::size_t>(b)];
                    if (a != b && place == SIZE_MAX) place = branch;
                }
            }
        }
        return where;
    }
};

Tree draw_tree(Numbers& numbers, std::size_t leaves, std::int64_t most_children) {
    Tree tree;
    tree.leaves = leaves;
    std::vector<std::int64_t> free(leaves);
    std::iota(free.begin(), free.end(), std::int64_t{0});
    for (auto next = static_cast<std::int64_t>(leaves); free.size() > 1; ++next) {
        const auto wanted = std::min<std::int64_t>(2 + numbers.below(most_children - 1), static_cast<std::int64_t>(free.size()));
        for (std::int64_t k = 0; k < wanted; ++k) {
            const auto at = static_cast<std::size_t>(numbers.below(static_cast<std::int64_t>(free.size())));
            tree.children.push_back(free[at]);
            free.erase(free.begin() + static_cast<std::ptrdiff_t>(at));
        }
        tree.starts.push_back(static_cast<std::int64_t>(tree.children.size()));
        free.push_back(next);
    }
    return tree;
}

i128 whole(const WideIntegers& numbers, std::size_t i) {
    return (static_cast<i128>(numbers.high[i]) << 64) + static_cast<i128>(u128{numbers.low[i]});
}

// The clusters after each of the n - 1 steps of a tree.
std::vector<std::vector<std::int64_t>> steps_of(const Tree& tree) {
    std::vector<std::int64_t> cluster(tree.leaves);
    std::iota(cluster.begin(), cluster.end(), std::int64_t{0});
    const auto below = tree.below();
    std::vector<std::vector<std::int64_t>> steps;
    for (std::size_t branch = 0; branch < tree.branches(); ++branch) {
        const auto& first = below[static_cast<std::size_t>(tree.children[static_cast<std::size_t>(tree.starts[branch])])];
        for (std::int64_t c = tree.starts[branch] + 1; c < tree.starts[branch + 1]; ++c) {
            for (const std::int64_t leaf : below[static_cast<std::size_t>(tree.children[static_cast<std::size_t>(c)])]) {
                cluster[static_cast<std::size_t>(leaf)] = cluster[static_cast<std::size_t>(first[0])];
            }
            steps.push_back(cluster);
        }
    }
    return steps;
}

std::int64_t pairs_together(const std::vector<std::int64_t>& one, const std::vector<std::int64_t>& other) {
    std::int64_t pairs = 0;
    for (std::size_t i = 0; i < one.size(); ++i) {
        for (std::size_t j = 0; j < i; ++j) pairs += one[i] == one[j] && other[i] == other[j];
    }
    return pairs;
}

}  // namespace

TEST(only_trees_are_trees) {
    Numbers numbers(1);
    const Tree tree = draw_tree(numbers, 12, 4);
    CHECK(is_tree(tree.view()));
    Tree twice = tree, cycle = tree, empty = tree;
    twice.children[0] = twice.children[1];
    CHECK(!is_tree(twice.view()));
    cycle.children[0] = static_cast<std::int64_t>(tree.leaves + tree.branches() - 1);
    CHECK(!is_tree(cycle.view()));
    empty.starts[1] = 0;
    CHECK(!is_tree(empty.view()));
}

TEST(the_layout_of_a_tree) {
    Numbers numbers(2);
    for (int run = 0; run < 30; ++run) {
        const Tree tree = draw_tree(numbers, static_cast<std::size_t>(2 + numbers.below(30)), 2 + run % 4);
        const TreeLayout layout = lay_out(tree.view());
        const auto below = tree.below();
        const auto& order = below.back();
        for (std::size_t node = 0; node < below.size(); ++node) {
            CHECK_EQUAL(layout.sizes[node], static_cast<std::int64_t>(below[node].size()));
            CHECK_EQUAL(order[static_cast<std::size_t>(layout.places[node])], below[node][0]);
            const std::int64_t parent = layout.parents[node];
            if (node + 1 == below.size()) {
                CHECK_EQUAL(parent, std::int64_t{-1});
                continue;
            }
            const auto branch = static_cast<std::size_t>(parent) - tree.leaves;
            const auto first = tree.children.begin() + tree.starts[branch], last = tree.children.begin() + tree.starts[branch + 1];
            CHECK(std::find(first, last, static_cast<std::int64_t>(node)) != last);
        }
    }
}

TEST(a_walk_along_heavy_paths_finishes_every_branch_once) {
    Numbers numbers(3);
    const Tree tree = draw_tree(numbers, 200, 3);
    struct Work {
        std::vector<int> finished;
        std::int64_t held = 0;
        void begin(std::int64_t) { held = 1; }
        void join(const std::int64_t* first, const std::int64_t* last) { held += last - first; }
        void finish(std::size_t branch, std::int64_t size) {
            ++finished[branch];
            CHECK_EQUAL(held, size);
        }
        void end(const std::int64_t* first, const std::int64_t* last) { CHECK_EQUAL(held, static_cast<std::int64_t>(last - first)); }
    } work{std::vector<int>(tree.branches())};
    follow_paths(tree.view(), work);
    for (const int times : work.finished) CHECK_EQUAL(times, 1);
}

TEST(sums_over_the_pairs_that_a_branch_joins) {
    Numbers numbers(4);
    for (int run = 0; run < 40; ++run) {
        const auto leaves = static_cast<std::size_t>(2 + numbers.below(30));
        const Tree one = draw_tree(numbers, leaves, 2 + run % 3), other = draw_tree(numbers, leaves, 2 + run % 5);
        std::vector<std::int64_t> values(other.branches());
        for (auto& value : values) value = static_cast<std::int64_t>(numbers.word()) >> 2;
        const auto joins = one.joins(), other_joins = other.joins();
        std::vector<i128> wanted(one.branches());
        for (std::size_t a = 0; a < leaves; ++a) {
            for (std::size_t b = 0; b < a; ++b) wanted[joins[a][b]] += values[other_joins[a][b]];
        }
        const WideIntegers sums = sum_joined(one.view(), other.view(), values.data());
        for (std::size_t branch = 0; branch < wanted.size(); ++branch) CHECK(whole(sums, branch) == wanted[branch]);
    }
}

TEST(classes_of_leaves) {
    Numbers numbers(5);
    for (int run = 0; run < 40; ++run) {
        const auto leaves = static_cast<std::size_t>(2 + numbers.below(30));
        const Tree tree = draw_tree(numbers, leaves, 2 + run % 4);
        std::vector<std::int32_t> codes(leaves);
        for (auto& code : codes) code = static_cast<std::int32_t>(numbers.below(4));
        const auto below = tree.below();
        const auto joins = tree.joins();
        const ClassTables tables = tabulate_classes(tree.view(), codes.data(), 4);
        for (std::size_t branch = 0; branch < tree.branches(); ++branch) {
            i128 wanted = 0;
            for (std::int32_t code = 0; code < 4; ++code) {
                std::int64_t pairs = 0, own = 0;
                for (const std::int64_t a : below[leaves + branch]) {
                    if (codes[static_cast<std::size_t>(a)] != code) continue;
                    ++own;
                    for (const std::int64_t b : below[leaves + branch]) {
                        pairs += b < a && codes[static_cast<std::size_t>(b)] == code && joins[static_cast<std::size_t>(a)][static_cast<std::size_t>(b)] == branch;
                    }
                }
                wanted += pairs * own;
            }
            CHECK(whole(tables.joined, branch) == wanted);
        }
        for (std::int32_t code = 0; code < 4; ++code) {
            const auto size = std::count(codes.begin(), codes.end(), code);
            if (size == 0) continue;
            double best = 0.0;
            for (const auto& node : below) {
                const auto own = std::count_if(node.begin(), node.end(), [&](std::int64_t leaf) { return codes[static_cast<std::size_t>(leaf)] == code; });
                best = std::max(best, 2.0 * static_cast<double>(own) / static_cast<double>(size + static_cast<std::int64_t>(node.size())));
            }
            CHECK_EQUAL(tables.best[static_cast<std::size_t>(code)], best);
        }
    }
}

TEST(two_trees_cut_at_every_step) {
    Numbers numbers(6);
    for (int run = 0; run < 40; ++run) {
        const auto leaves = static_cast<std::size_t>(2 + numbers.below(20));
        const Tree one = draw_tree(numbers, leaves, 2 + run % 3), other = draw_tree(numbers, leaves, 2);
        const auto steps = steps_of(one), other_steps = steps_of(other);
        const Cuts cuts = count_cuts(one.view(), other.view());
        for (std::size_t step = 0; step < steps.size(); ++step) {
            CHECK_EQUAL(cuts.together[step], pairs_together(steps[step], other_steps[step]));
            CHECK_EQUAL(cuts.one.pairs[step], pairs_together(steps[step], steps[step]));
            CHECK_EQUAL(cuts.other.pairs[step], pairs_together(other_steps[step], other_steps[step]));
            i128 triples = 0;
            for (std::size_t leaf = 0; leaf < leaves; ++leaf) {
                const auto m = std::count(steps[step].begin(), steps[step].end(), steps[step][leaf]);
                triples += (m - 1) * (m - 2);
            }
            CHECK(whole(cuts.one.triples, step) == triples);
        }
    }
}

TEST(variances_over_all_permutations_of_the_leaves) {
    Numbers numbers(7);
    for (const std::size_t leaves : {3, 4, 6}) {
        const Tree one = draw_tree(numbers, leaves, 2), other = draw_tree(numbers, leaves, 3);
        const auto steps = steps_of(one), other_steps = steps_of(other);
        const Cuts cuts = count_cuts(one.view(), other.view());
        std::vector<std::int64_t> triples, other_triples;
        for (std::size_t step = 0; step < steps.size(); ++step) {
            triples.push_back(static_cast<std::int64_t>(whole(cuts.one.triples, step)));
            other_triples.push_back(static_cast<std::int64_t>(whole(cuts.other.triples, step)));
        }
        const auto found = find_variances(leaves, steps.size(), {cuts.one.pairs.data(), triples.data()}, {cuts.other.pairs.data(), other_triples.data()});
        for (std::size_t step = 0; step < steps.size(); ++step) {
            std::vector<std::size_t> order(leaves);
            std::iota(order.begin(), order.end(), std::size_t{0});
            long double sum = 0, squares = 0, times = 0;
            do {
                std::vector<std::int64_t> moved(leaves);
                for (std::size_t leaf = 0; leaf < leaves; ++leaf) moved[leaf] = other_steps[step][order[leaf]];
                const long double index = pairs_together(steps[step], moved) /
                                          std::sqrt(static_cast<long double>(cuts.one.pairs[step]) * static_cast<long double>(cuts.other.pairs[step]));
                sum += index;
                squares += index * index;
                ++times;
            } while (std::next_permutation(order.begin(), order.end()));
            CHECK(std::fabs(found[step] - (squares / times - sum / times * (sum / times))) < 1e-15L);
        }
    }
}

TEST(linkages_are_read_and_wrong_ones_refused) {
    const double good[2][4] = {{0, 2, 0.5, 2}, {1, 3, 0.7, 3}};
    const auto read = [](const double (&rows)[2][4]) { return read_merges({reinterpret_cast<const char*>(rows), 2, 4, 32, 8, false}); };
    CHECK(check::list_of(read(good)) == (std::vector<std::int64_t>{0, 2, 1, 3}));
    for (const auto& [row, column, value] : {std::tuple<int, int, double>{0, 0, 0.5}, {0, 0, 3.0}, {1, 1, 2.0}, {0, 2, -1.0}, {0, 2, INFINITY}, {1, 3, 4.0}, {0, 0, -1.0}}) {
        double bad[2][4];
        std::copy(&good[0][0], &good[0][0] + 8, &bad[0][0]);
        bad[row][column] = value;
        CHECK(read(bad).empty());
    }
}
