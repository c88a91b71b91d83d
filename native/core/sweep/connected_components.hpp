// Connected components of a graph.
#pragma once

#include <cstdint>

#include "core/memory/buffer.hpp"
#include "core/memory/strided_view.hpp"

namespace clustermark {

// The component of each node, numbered in the order of their first nodes. Edge i joins lefts[i] and rights[i].
Buffer<std::int64_t> find_components(const StridedView<std::int64_t>& lefts, const StridedView<std::int64_t>& rights,
                                     std::size_t nodes);

}  // namespace clustermark
