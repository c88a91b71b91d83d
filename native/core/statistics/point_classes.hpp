// The class of each point, from the classes of the cells.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/memory/buffer.hpp"
#include "core/memory/strided_view.hpp"
#include "core/table/cells.hpp"
#include "core/table/label_view.hpp"

namespace clustermark {

// The labels of all points on one side as codes, and the cluster of each code in a table, `lone` or `absent` included. The
// codes -1, -2, ... count from the end.
struct CodedSide {
    IntView codes;
    StridedView<std::int32_t> clusters;
};

// The class of each point, which is the class of its cell. `classes` has one class, at least 0, for each entry of the cells.
// Throws std::invalid_argument if a point is in no cell.
template <class Class>
Buffer<Class> classes_of_points(const Cells& cells, const CodedSide& rows, const CodedSide& columns,
                                const StridedView<std::int32_t>& classes, int threads);

}  // namespace clustermark
