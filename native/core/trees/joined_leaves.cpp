#include "core/trees/joined_leaves.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "core/execution/interruption.hpp"
#include "core/trees/heavy_paths.hpp"

namespace clustermark {

namespace {

// A set of leaves of a tree that is cut into chains. `meet` returns the sum, over the leaves of the set, of the values of
// the branches that join them with another leaf.
class HeldLeaves {
public:
    HeldLeaves(const TreeView& tree, const std::int64_t* values)
        : leaves_(tree.leaves), values_(values), drawn_(lay_out(tree)), heads_(tree.branches), places_(tree.branches),
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
            counter_.step();
        }
    }

    i128 meet(std::int64_t leaf) {
        i128 sum = 0;
        std::int64_t below = 0;  // these were counted already at a lower branch
        for (std::int64_t node = drawn_.parents[leaf]; node >= 0;) {
            const std::size_t branch = node - leaves_, head = heads_[branch];
            std::int64_t above = 0;  // these are attached to the chain above this branch
            for (std::int64_t i = places_[branch]; i > 0; i -= i & -i) {
                above += counts_[starts_[head] + i - 1];
                sum += sums_[starts_[head] + i - 1];
            }
            sum += i128{values_[branch]} * (held_[head] - above - below);
            below = held_[head];
            node = drawn_.parents[head + leaves_];
            counter_.step();
        }
        return sum;
    }

private:
    // Each branch continues the chain in its largest child, from the root down.
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
    TreeLayout drawn_;
    Buffer<std::int64_t> heads_, places_;  // for each branch, the top of its chain, and its depth below the top
    Buffer<std::int64_t> held_;            // for each top, the number of leaves of the set under its chain
    Buffer<std::int64_t> counts_;          // Fenwick trees, one per chain
    Buffer<std::int64_t> lengths_, starts_;
    Buffer<i128> sums_;
    StepCounter counter_;
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
    StepCounter counter{};

    void begin(std::int64_t leaf) { ++counts[codes[leaf]]; }
    void join(const std::int64_t* first, const std::int64_t* last) {
        const std::size_t before = touched.size();
        for (const std::int64_t* leaf = first; leaf != last; ++leaf, counter.step()) {
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
            // a class with leaves in several children is listed several times; its pairs are added once
            sum += i128{std::exchange(pairs[code], 0)} * counts[code];
            const double f = 2.0 * static_cast<double>(counts[code]) / static_cast<double>(sizes[code] + size);
            tables.best[code] = std::max(tables.best[code], f);
        }
        touched.clear();
        put(tables.joined, branch, sum);
    }
    void end(const std::int64_t* first, const std::int64_t* last) {
        for (const std::int64_t* leaf = first; leaf != last; ++leaf, counter.step()) counts[codes[*leaf]] = 0;
    }
};

}  // namespace

WideIntegers sum_joined(const TreeView& one, const TreeView& other, const std::int64_t* values) {
    JoinedSums work{HeldLeaves(other, values), WideIntegers(one.branches)};
    follow_paths(one, work);
    return std::move(work.sums);
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

}  // namespace clustermark
