// Points by the classes of their cells, and how values of classes vary together over the points.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "buffer.hpp"
#include "cells.hpp"
#include "int_view.hpp"

namespace clustermark {

// The labels of all points on one side as codes, and the cluster of each code in a table (`lone` and `absent` as there);
// the codes -1, -2, ... are those at the end.
struct CodedSide {
    IntView codes;
    StridedView<std::int32_t> clusters;
};

// The class of each point: that of its entry among the cells, of which `classes` has one each, at least 0.
// Throws std::invalid_argument where a point lies in no cell.
template <class Class>
Buffer<Class> classes_of_points(const Cells& cells, const CodedSide& rows, const CodedSide& columns,
                                const StridedView<std::int32_t>& classes, int threads);

// One value for each class.
struct ValuedPoints {
    IntView classes;
    Buffer<double> values;
};

// Sums over all points of x_i, and of x_i x_j in n * n places, where x_i is the value of the point's class in the i-th
// of n such lists; each point counts as often as `counts` says. The same bits for any number of threads and any order of
// the points: values are rounded to 52 bits of the largest, fewer beyond 2^22 points.
struct Products {
    Buffer<double> products;
    Buffer<double> sums;
};
Products add_products(const std::vector<ValuedPoints>& lists, const std::optional<StridedView<std::int64_t>>& counts,
                      int threads);

}  // namespace clustermark
