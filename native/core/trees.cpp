#include "trees.hpp"

#include <algorithm>
#include <cmath>
#include <unordered_map>
#include <utility>
#include <vector>

#include "compensated.hpp"
#include "interruption.hpp"

namespace clustermark {

namespace {

using i128 = __int128;

void put(WideIntegers& numbers, std::size_t place, i128 value) {
    numbers.high[place] = static_cast<std::int64_t>(value >> 64);
    numbers.low[place] = static_cast<std::uint64_t>(value);
}

// Visits the branches of a tree along its heavy paths, from the bottom up. On a path each leaf is added once and taken
// away once, so that all paths together take n log n steps, however deep the tree is.
template <class Work>
void follow_paths(const TreeView& tree, Work& work) {
    const Arrangement drawn = arrange(tree);
    Buffer<std::int64_t> order(tree.leaves);
    for (std::size_t leaf = 0; leaf < tree.leaves; ++leaf) order[drawn.places[leaf]] = static_cast<std::int64_t>(leaf);
    const auto leaves_of = [&](std::int64_t node) {
        const std::int64_t* first = order.data() + drawn.places[node];
        return std::pair(first, first + drawn.sizes[node]);
    };
    const auto is_branch = [&](std::int64_t node) { return node >= static_cast<std::int64_t>(tree.leaves); };
    std::vector<std::int64_t> tops{static_cast<std::int64_t>(tree.nodes()) - 1};
    std::vector<std::int64_t> path;
    while (!tops.empty()) {
        const std::int64_t top = tops.back();
        tops.pop_back();
        path.clear();
        for (std::int64_t node = top;;) {
            path.push_back(node);
            if (!is_branch(node)) break;
            const std::size_t branch = node - tree.leaves;
            const std::int64_t* first = tree.children + tree.starts[branch];
            const std::int64_t* last = tree.children + tree.starts[branch + 1];
            const std::int64_t* heavy =
                std::max_element(first, last, [&](auto a, auto b) { return drawn.sizes[a] < drawn.sizes[b]; });
            for (const std::int64_t* child = first; child != last; ++child) {
                if (child != heavy && is_branch(*child)) tops.push_back(*child);
            }
            node = *heavy;
        }
        if (path.size() == 1) continue;
        work.begin(path.back());
        for (std::size_t i = path.size() - 1; i-- > 0;) {
            const std::size_t branch = path[i] - tree.leaves;
            for (std::int64_t c = tree.starts[branch]; c < tree.starts[branch + 1]; ++c) {
                if (tree.children[c] == path[i + 1]) continue;
                const auto [first, last] = leaves_of(tree.children[c]);
                work.join(first, last);
            }
            work.finish(branch, drawn.sizes[path[i]]);
        }
        const auto [first, last] = leaves_of(top);
        work.end(first, last);
    }
}

// Leaves that are held, under a tree cut into chains: how the branches that join a leaf with each of them add up.
class HeldLeaves {
public:
    HeldLeaves(const TreeView& tree, const std::int64_t* values)
        : leaves_(tree.leaves), values_(values), drawn_(arrange(tree)), heads_(tree.branches), places_(tree.branches),
          held_(Buffer<std::int64_t>::zeros(tree.branches)), counts_(Buffer<std::int64_t>::zeros(tree.branches)),
          lengths_(tree.branches), starts_(tree.branches), sums_(tree.branches) {
        std::fill(sums_.begin(), sums_.end(), i128{0});
        cut(tree);
    }

    void add(std::int64_t leaf, std::int64_t times) {
        for (std::int64_t node = drawn_.parents[leaf]; node >= 0;) {
            const std::size_t branch = node - leaves_, head = heads_[branch];
            const i128 value = i128{values_[branch]} * times;
            for (std::int64_t i = places_[branch] + 1; i <= lengths_[head]; i += i & -i) {
                counts_[starts_[head] + i - 1] += times;
                sums_[starts_[head] + i - 1] += value;
            }
            held_[head] += times;
            node = drawn_.parents[head + leaves_];
            pace_.step();
        }
    }

    i128 meet(std::int64_t leaf) {
        i128 sum = 0;
        std::int64_t below = 0;  // these it has met already, further down
        for (std::int64_t node = drawn_.parents[leaf]; node >= 0;) {
            const std::size_t branch = node - leaves_, head = heads_[branch];
            std::int64_t above = 0;  // these leave the chain before this branch
            for (std::int64_t i = places_[branch]; i > 0; i -= i & -i) {
                above += counts_[starts_[head] + i - 1];
                sum += sums_[starts_[head] + i - 1];
            }
            sum += i128{values_[branch]} * (held_[head] - above - below);
            below = held_[head];
            node = drawn_.parents[head + leaves_];
            pace_.step();
        }
        return sum;
    }

private:
    // Each branch goes on in its largest child, from the root down.
    void cut(const TreeView& tree) {
        std::int64_t used = 0;
        Buffer<std::uint8_t> seen = Buffer<std::uint8_t>::zeros(tree.branches);
        for (std::size_t head = tree.branches; head-- > 0;) {
            if (seen[head]) continue;
            starts_[head] = used;
            std::int64_t length = 0;
            for (std::int64_t branch = static_cast<std::int64_t>(head); branch >= 0;) {
                seen[branch] = 1;
                heads_[branch] = static_cast<std::int64_t>(head);
                places_[branch] = length++;
                std::int64_t next = -1;
                for (std::int64_t c = tree.starts[branch]; c < tree.starts[branch + 1]; ++c) {
                    const std::int64_t child = tree.children[c] - static_cast<std::int64_t>(tree.leaves);
                    if (child >= 0 && (next < 0 || size(child) > size(next))) next = child;
                }
                branch = next;
            }
            lengths_[head] = length;
            used += length;
        }
    }

    std::int64_t size(std::int64_t branch) const { return drawn_.sizes[branch + leaves_]; }

    std::size_t leaves_;
    const std::int64_t* values_;
    Arrangement drawn_;
    Buffer<std::int64_t> heads_, places_;  // of each branch: the top of its chain, and how far below it lies
    Buffer<std::int64_t> held_;            // of each top: how many leaves are held under its chain
    Buffer<std::int64_t> counts_;          // Fenwick trees, one a chain
    Buffer<std::int64_t> lengths_, starts_;
    Buffer<i128> sums_;
    Pace pace_;
};

struct JoinedSums {
    HeldLeaves held;
    WideIntegers sums;
    i128 sum = 0;

    void begin(std::int64_t leaf) { held.add(leaf, 1); }
    void join(const std::int64_t* first, const std::int64_t* last) {
        for (const std::int64_t* leaf = first; leaf != last; ++leaf) sum += held.meet(*leaf);
        for (const std::int64_t* leaf = first; leaf != last; ++leaf) held.add(*leaf, 1);
    }
    void finish(std::size_t branch, std::int64_t) { put(sums, branch, std::exchange(sum, 0)); }
    void end(const std::int64_t* first, const std::int64_t* last) {
        for (const std::int64_t* leaf = first; leaf != last; ++leaf) held.add(*leaf, -1);
    }
};

// The leaves of a growing cluster, by class.
struct ClassCounts {
    const std::int32_t* codes;
    Buffer<std::int64_t> sizes;  // of the classes
    Buffer<std::int64_t> counts;
    Buffer<std::int64_t> joining;
    Buffer<std::int64_t> pairs;
    std::vector<std::int32_t> touched;
    ClassTables tables;
    Pace pace{};

    void begin(std::int64_t leaf) { ++counts[codes[leaf]]; }
    void join(const std::int64_t* first, const std::int64_t* last) {
        const std::size_t before = touched.size();
        for (const std::int64_t* leaf = first; leaf != last; ++leaf, pace.step()) {
            if (joining[codes[*leaf]]++ == 0) touched.push_back(codes[*leaf]);
        }
        for (std::size_t i = before; i < touched.size(); ++i) {
            const std::int32_t code = touched[i];
            pairs[code] += joining[code] * counts[code];
            counts[code] += std::exchange(joining[code], 0);
        }
    }
    void finish(std::size_t branch, std::int64_t size) {
        i128 sum = 0;
        for (const std::int32_t code : touched) {
            // a class that came by several children is met several times, and its pairs count once
            sum += i128{std::exchange(pairs[code], 0)} * counts[code];
            const double f = 2.0 * static_cast<double>(counts[code]) / static_cast<double>(sizes[code] + size);
            tables.best[code] = std::max(tables.best[code], f);
        }
        touched.clear();
        put(tables.joined, branch, sum);
    }
    void end(const std::int64_t* first, const std::int64_t* last) {
        for (const std::int64_t* leaf = first; leaf != last; ++leaf, pace.step()) counts[codes[*leaf]] = 0;
    }
};

// One side of two partitions that grow coarser.
class GrowingClusters {
public:
    explicit GrowingClusters(std::size_t leaves) : clusters(leaves), next_(leaves), sizes_(leaves) {
        for (std::size_t leaf = 0; leaf < leaves; ++leaf) clusters[leaf] = next_[leaf] = static_cast<std::int64_t>(leaf);
        std::fill(sizes_.begin(), sizes_.end(), 1);
    }

    // Joins the clusters of two leaves; `move` is told of each leaf whose cluster changes, and of both clusters.
    template <class Move>
    void join(std::int64_t left, std::int64_t right, Move&& move) {
        if (sizes_[clusters[left]] > sizes_[clusters[right]]) std::swap(left, right);
        const std::int64_t from = clusters[left], to = clusters[right];
        if (from == to) return;
        std::int64_t leaf = left;
        do {
            move(leaf, from, to);
            clusters[leaf] = to;
            leaf = next_[leaf];
        } while (leaf != left);
        std::swap(next_[left], next_[right]);  // two rings become one
        sizes_[to] += sizes_[from];
    }

    Buffer<std::int64_t> clusters;

private:
    Buffer<std::int64_t> next_;
    Buffer<std::int64_t> sizes_;
};

// The steps of a tree, one after the other, and what they count.
class StepsOf {
public:
    StepsOf(const TreeView& tree, CutTree& counts) : tree_(tree), counts_(counts), first_(tree.nodes()), sizes_(tree.nodes()) {
        for (std::size_t leaf = 0; leaf < tree.leaves; ++leaf) first_[leaf] = static_cast<std::int64_t>(leaf);
        std::fill(sizes_.begin(), sizes_.begin() + tree.leaves, 1);
    }

    // A leaf of each of the two clusters that are joined.
    std::pair<std::int64_t, std::int64_t> next() {
        while (child_ == tree_.starts[branch_] || child_ == tree_.starts[branch_ + 1]) {
            if (child_ == tree_.starts[branch_ + 1]) ++branch_;
            const std::int64_t child = tree_.children[child_++];
            first_[tree_.leaves + branch_] = first_[child];
            sizes_[tree_.leaves + branch_] = sizes_[child];
        }
        const std::int64_t child = tree_.children[child_++], left = sizes_[tree_.leaves + branch_], right = sizes_[child];
        pairs_ += left * right;
        triples_ += 3 * i128{left} * right * (left + right - 2);
        counts_.pairs[step_] = pairs_;
        put(counts_.triples, step_++, triples_);
        sizes_[tree_.leaves + branch_] += right;
        return {first_[tree_.leaves + branch_], first_[child]};
    }

private:
    const TreeView& tree_;
    CutTree& counts_;
    Buffer<std::int64_t> first_, sizes_;  // of each node: its first leaf, and how many it has up to now
    std::size_t branch_ = 0, step_ = 0;
    std::int64_t child_ = 0;
    std::int64_t pairs_ = 0;
    i128 triples_ = 0;
};

// The double that is nearest to a ratio of integers, of which the second is positive and below 2^126.
double divide(i128 a, i128 b) {
    using u128 = unsigned __int128;
    if (a == 0) return 0.0;
    const auto divisor = static_cast<u128>(b);
    u128 rest = a < 0 ? -static_cast<u128>(a) : static_cast<u128>(a);
    u128 quotient = rest / divisor;
    rest %= divisor;
    int exponent = 0;
    while (quotient >> 54 == 0) {  // 55 bits: two more than a double has, the last of which stands for all that follow
        rest <<= 1;
        quotient = quotient << 1 | (rest >= divisor);
        if (rest >= divisor) rest -= divisor;
        --exponent;
    }
    for (; quotient >> 55 != 0; ++exponent) quotient = quotient >> 1 | (quotient & 1);
    const double size = std::ldexp(static_cast<double>(static_cast<std::uint64_t>(quotient | (rest != 0))), exponent);
    return a < 0 ? -size : size;
}

}  // namespace

bool is_tree(const TreeView& tree) {
    const std::size_t nodes = tree.nodes();
    if (tree.leaves == 0 || tree.branches == 0 || tree.starts[0] != 0) return false;
    for (std::size_t branch = 0; branch < tree.branches; ++branch) {
        if (tree.starts[branch] >= tree.starts[branch + 1]) return false;
    }
    if (tree.starts[tree.branches] != static_cast<std::int64_t>(nodes) - 1) return false;
    Buffer<std::uint8_t> used = Buffer<std::uint8_t>::zeros(nodes);
    for (std::size_t branch = 0; branch < tree.branches; ++branch) {
        for (std::int64_t c = tree.starts[branch]; c < tree.starts[branch + 1]; ++c) {
            const std::int64_t child = tree.children[c];
            if (child < 0 || child >= static_cast<std::int64_t>(tree.leaves + branch) || used[child]++) return false;
        }
    }
    return true;
}

Arrangement arrange(const TreeView& tree) {
    const std::size_t nodes = tree.nodes();
    Arrangement drawn{Buffer<std::int64_t>(nodes), Buffer<std::int64_t>::zeros(nodes), Buffer<std::int64_t>(nodes)};
    drawn.parents[nodes - 1] = -1;
    std::fill(drawn.sizes.begin(), drawn.sizes.begin() + tree.leaves, 1);
    for (std::size_t branch = 0; branch < tree.branches; ++branch) {
        for (std::int64_t c = tree.starts[branch]; c < tree.starts[branch + 1]; ++c) {
            drawn.parents[tree.children[c]] = static_cast<std::int64_t>(tree.leaves + branch);
            drawn.sizes[tree.leaves + branch] += drawn.sizes[tree.children[c]];
        }
    }
    drawn.places[nodes - 1] = 0;
    for (std::size_t branch = tree.branches; branch-- > 0;) {
        std::int64_t place = drawn.places[tree.leaves + branch];
        for (std::int64_t c = tree.starts[branch]; c < tree.starts[branch + 1]; ++c) {
            drawn.places[tree.children[c]] = place;
            place += drawn.sizes[tree.children[c]];
        }
    }
    return drawn;
}

WideIntegers sum_joined(const TreeView& one, const TreeView& other, const std::int64_t* values) {
    JoinedSums work{HeldLeaves(other, values), WideIntegers(one.branches)};
    follow_paths(one, work);
    return std::move(work.sums);
}

Cuts count_cuts(const TreeView& one, const TreeView& other) {
    const std::size_t leaves = one.leaves;
    GrowingClusters rows(leaves), columns(leaves);
    std::unordered_map<std::uint64_t, std::int64_t> cells;
    cells.reserve(leaves);
    const auto key = [leaves](std::int64_t row, std::int64_t column) {
        return static_cast<std::uint64_t>(row) * leaves + static_cast<std::uint64_t>(column);
    };
    for (std::size_t leaf = 0; leaf < leaves; ++leaf) cells.emplace(key(leaf, leaf), 1);
    std::int64_t together = 0;
    Pace pace;
    const auto move = [&](std::uint64_t from, std::uint64_t to) {
        const auto cell = cells.find(from);
        together -= --cell->second;
        if (cell->second == 0) cells.erase(cell);
        together += cells[to]++;
        pace.step(64);
    };
    const std::size_t steps = leaves - 1;
    Cuts cuts{Buffer<std::int64_t>(steps), CutTree(steps), CutTree(steps)};
    StepsOf mine(one, cuts.one), theirs(other, cuts.other);
    for (std::size_t step = 0; step < steps; ++step) {
        const auto [left, right] = mine.next();
        rows.join(left, right, [&](auto leaf, auto from, auto to) {
            move(key(from, columns.clusters[leaf]), key(to, columns.clusters[leaf]));
        });
        const auto [other_left, other_right] = theirs.next();
        columns.join(other_left, other_right, [&](auto leaf, auto from, auto to) {
            move(key(rows.clusters[leaf], from), key(rows.clusters[leaf], to));
        });
        cuts.together[step] = together;
    }
    return cuts;
}

Buffer<double> find_variances(std::size_t leaves, std::size_t steps, const CutCounts& one, const CutCounts& other) {
    const auto n = static_cast<i128>(leaves);
    const i128 pairs = n * (n - 1), last = std::max<i128>(n - 3, 1), rest = (n - 2) * last;
    Buffer<double> variances(steps);
    for (std::size_t step = 0; step < steps; ++step) {
        const i128 p = 2 * i128{one.pairs[step]}, q = 2 * i128{other.pairs[step]};
        const i128 a = 4 * i128{one.triples[step]}, b = 4 * i128{other.triples[step]};
        const i128 apart = (p * p - 2 * p - a) * (q * q - 2 * q - b);
        const i128 over = 2 * p * q * pairs * rest + a * b / 4 * pairs * last;
        variances[step] = divide(over + apart * pairs - p * p * q * q * rest, p * q * pairs * pairs * rest);
    }
    return variances;
}

Buffer<std::int64_t> read_merges(const MatrixView& linkage) {
    const std::size_t merges = linkage.rows, leaves = merges + 1;
    Buffer<std::int64_t> children(2 * merges);
    auto sizes = Buffer<std::int64_t>::zeros(leaves + merges);  // 0 once a node is merged
    std::fill(sizes.begin(), sizes.begin() + leaves, 1);
    for (std::size_t row = 0; row < merges; ++row) {
        double numbers[4];
        linkage.read_row(row, numbers);
        for (std::size_t side = 0; side < 2; ++side) {
            if (!(numbers[side] >= 0.0 && numbers[side] < static_cast<double>(leaves + row))) return {};
            const auto node = static_cast<std::size_t>(numbers[side]);
            if (static_cast<double>(node) != numbers[side] || sizes[node] == 0) return {};
            children[2 * row + side] = static_cast<std::int64_t>(node);
            sizes[leaves + row] += std::exchange(sizes[node], 0);
        }
        const bool is_sound = std::isfinite(numbers[2]) && numbers[2] >= 0.0;
        if (!is_sound || static_cast<double>(sizes[leaves + row]) != numbers[3]) return {};
    }
    return children;
}

ClassTables tabulate_classes(const TreeView& tree, const std::int32_t* codes, std::size_t classes) {
    using Counts = Buffer<std::int64_t>;
    ClassCounts work{codes, Counts::zeros(classes), Counts::zeros(classes), Counts::zeros(classes),
                     Counts::zeros(classes), {}, {WideIntegers(tree.branches), Buffer<double>(classes)}};
    for (std::size_t leaf = 0; leaf < tree.leaves; ++leaf) ++work.sizes[codes[leaf]];
    for (std::size_t code = 0; code < classes; ++code) {  // a leaf is a node, too
        work.tables.best[code] = 2.0 / static_cast<double>(work.sizes[code] + 1);
    }
    follow_paths(tree, work);
    return std::move(work.tables);
}

double mean_difference(const double* a, std::size_t a_size, const double* b, std::size_t b_size) {
    // between two neighbours of all values, the pairs that have one value on each side add the gap
    DoubleDouble sum;
    Pace pace;
    std::size_t i = 0, j = 0;
    double before = std::min(a[0], b[0]);
    while (i < a_size || j < b_size) {
        const bool takes_a = j == b_size || (i < a_size && a[i] <= b[j]);
        const double value = takes_a ? a[i] : b[j];
        const double below_a = static_cast<double>(i) / static_cast<double>(a_size);
        const double below_b = static_cast<double>(j) / static_cast<double>(b_size);
        sum += (value - before) * (below_a * (1 - below_b) + below_b * (1 - below_a));
        before = value;
        ++(takes_a ? i : j);
        pace.step();
    }
    return sum.value();
}

}  // namespace clustermark
