// Sums over points of values that depend on the class of a point, and of the products of two such values.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/memory/buffer.hpp"
#include "core/memory/strided_view.hpp"
#include "core/table/label_view.hpp"

namespace clustermark {

// One value for each class.
struct ClassValues {
    IntView classes;
    Buffer<double> values;
};

// Sums over all points of x_i, and of x_i x_j as an n * n matrix, where x_i is the value of the point's class in the i-th of
// n lists; `counts` is the number of times that each point counts. The bits do not depend on the number of threads or on the
// order of the points: values are rounded to 52 bits of the largest, and to fewer beyond 2^22 points.
struct ClassProducts {
    Buffer<double> products;
    Buffer<double> sums;
};
ClassProducts add_products(const std::vector<ClassValues>& lists, const std::optional<StridedView<std::int64_t>>& counts,
                      int threads);

}  // namespace clustermark
