#include "core/trees/cuts.hpp"

#include <algorithm>
#include <cmath>
#include <unordered_map>
#include <utility>

#include "core/execution/interruption.hpp"

namespace clustermark {

namespace {

// The clusters of one tree, which grow with each step.
class GrowingClusters {
public:
    explicit GrowingClusters(std::size_t leaves) : clusters(leaves), next_(leaves), sizes_(leaves) {
        for (std::size_t leaf = 0; leaf < leaves; ++leaf) clusters[leaf] = next_[leaf] = static_cast<std::int64_t>(leaf);
        std::fill(sizes_.begin(), sizes_.end(), 1);
    }

    // Joins the clusters of two leaves. Calls move(leaf, from, to) for each leaf whose cluster changes.
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
        std::swap(next_[left], next_[right]);  // joins the two rings of leaves
        sizes_[to] += sizes_[from];
    }

    Buffer<std::int64_t> clusters;

private:
    Buffer<std::int64_t> next_;
    Buffer<std::int64_t> sizes_;
};

// The steps of a tree in order, and the counts after each.
class StepsOf {
public:
    StepsOf(const TreeView& tree, CutTree& counts) : tree_(tree), counts_(counts), first_(tree.nodes()), sizes_(tree.nodes()) {
        for (std::size_t leaf = 0; leaf < tree.leaves; ++leaf) first_[leaf] = static_cast<std::int64_t>(leaf);
        std::fill(sizes_.begin(), sizes_.begin() + tree.leaves, 1);
    }

    // Returns one leaf of each of the two clusters that the next step joins.
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
    Buffer<std::int64_t> first_, sizes_;  // first leaf and number of leaves so far of each node
    std::size_t branch_ = 0, step_ = 0;
    std::int64_t child_ = 0;
    std::int64_t pairs_ = 0;
    i128 triples_ = 0;
};

// The double nearest to a ratio of integers; the second is positive and below 2^126.
double divide(i128 a, i128 b) {
    if (a == 0) return 0.0;
    const auto divisor = static_cast<u128>(b);
    u128 rest = a < 0 ? -static_cast<u128>(a) : static_cast<u128>(a);
    u128 quotient = rest / divisor;
    rest %= divisor;
    int exponent = 0;
    while (quotient >> 54 == 0) {  // 55 bits, two more than a double has; the last bit is set if any later bit is set
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
    StepCounter counter;
    const auto move = [&](std::uint64_t from, std::uint64_t to) {
        const auto cell = cells.find(from);
        together -= --cell->second;
        if (cell->second == 0) cells.erase(cell);
        together += cells[to]++;
        counter.step(64);
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

}  // namespace clustermark
