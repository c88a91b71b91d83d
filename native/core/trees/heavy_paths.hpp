// Walks over the branches of a tree that visit each leaf a logarithmic number of times.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "core/trees/tree.hpp"

namespace clustermark {

// Visits the branches of a tree along its heavy paths, from the bottom up. On a path each leaf is added once and removed
// once, so all paths together take n log n steps, however deep the tree is.
template <class Work>
void follow_paths(const TreeView& tree, Work& work) {
    const TreeLayout drawn = lay_out(tree);
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

}  // namespace clustermark
