#include "core/sweep/connected_components.hpp"

#include <stdexcept>

#include "core/execution/interruption.hpp"

namespace clustermark {

namespace {

std::size_t find_root(Buffer<std::int64_t>& above, std::size_t node) {
    for (auto next = static_cast<std::size_t>(above[node]); next != node; next = static_cast<std::size_t>(above[node])) {
        above[node] = above[next];
        node = next;
    }
    return node;
}

}  // namespace

Buffer<std::int64_t> find_components(const StridedView<std::int64_t>& lefts, const StridedView<std::int64_t>& rights,
                                     std::size_t nodes) {
    if (lefts.size != rights.size) throw std::invalid_argument("lefts and rights must have the same length");
    Buffer<std::int64_t> above(nodes);
    for (std::size_t i = 0; i < nodes; ++i) above[i] = static_cast<std::int64_t>(i);
    StepCounter counter;
    for (std::size_t i = 0; i < lefts.size; ++i) {
        counter.step();
        const auto left = static_cast<std::size_t>(lefts[i]), right = static_cast<std::size_t>(rights[i]);
        if (left >= nodes || right >= nodes) throw std::invalid_argument("lefts and rights must be below n_nodes");
        const std::size_t a = find_root(above, left), b = find_root(above, right);
        above[a < b ? b : a] = static_cast<std::int64_t>(a < b ? a : b);
    }
    // the root of a component is its first node, so the node above is numbered before this node
    std::int64_t count = 0;
    for (std::size_t i = 0; i < nodes; ++i) {
        const auto next = static_cast<std::size_t>(above[i]);
        above[i] = next == i ? count++ : above[next];
    }
    return above;
}

}  // namespace clustermark
