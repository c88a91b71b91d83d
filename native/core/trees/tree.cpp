#include "core/trees/tree.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/execution/interruption.hpp"

namespace clustermark {

bool is_tree(const TreeView& tree) {
    const std::size_t nodes = tree.nodes();
    if (tree.leaves == 0 || tree.branches == 0 || tree.starts[0] != 0) return false;
    for (std::size_t branch = 0; branch < tree.branches; ++branch) {
        if (tree.starts[branch] >= tree.starts[branch + 1]) return false;
    }
    if (tree.starts[tree.branches] != static_cast<std::int64_t>(nodes) - 1) return false;
    Buffer<std::uint8_t> used = Buffer<std::uint8_t>::zeros(nodes);
    StepCounter counter;
    for (std::size_t branch = 0; branch < tree.branches; ++branch) {
        for (std::int64_t c = tree.starts[branch]; c < tree.starts[branch + 1]; ++c, counter.step()) {
            const std::int64_t child = tree.children[c];
            if (child < 0 || child >= static_cast<std::int64_t>(tree.leaves + branch) || used[child]++) return false;
        }
    }
    return true;
}

TreeLayout lay_out(const TreeView& tree) {
    const std::size_t nodes = tree.nodes();
    TreeLayout drawn{Buffer<std::int64_t>(nodes), Buffer<std::int64_t>::zeros(nodes), Buffer<std::int64_t>(nodes)};
    drawn.parents[nodes - 1] = -1;
    std::fill(drawn.sizes.begin(), drawn.sizes.begin() + tree.leaves, 1);
    StepCounter counter;
    for (std::size_t branch = 0; branch < tree.branches; ++branch) {
        for (std::int64_t c = tree.starts[branch]; c < tree.starts[branch + 1]; ++c, counter.step()) {
            drawn.parents[tree.children[c]] = static_cast<std::int64_t>(tree.leaves + branch);
            drawn.sizes[tree.leaves + branch] += drawn.sizes[tree.children[c]];
        }
    }
    drawn.places[nodes - 1] = 0;
    for (std::size_t branch = tree.branches; branch-- > 0;) {
        std::int64_t place = drawn.places[tree.leaves + branch];
        for (std::int64_t c = tree.starts[branch]; c < tree.starts[branch + 1]; ++c, counter.step()) {
            drawn.places[tree.children[c]] = place;
            place += drawn.sizes[tree.children[c]];
        }
    }
    return drawn;
}

Buffer<std::int64_t> read_merges(const MatrixView& linkage) {
    const std::size_t merges = linkage.rows, leaves = merges + 1;
    Buffer<std::int64_t> children(2 * merges);
    auto sizes = Buffer<std::int64_t>::zeros(leaves + merges);  // 0 once a node is merged
    std::fill(sizes.begin(), sizes.begin() + leaves, 1);
    StepCounter counter;
    for (std::size_t row = 0; row < merges; ++row, counter.step()) {
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

}  // namespace clustermark
