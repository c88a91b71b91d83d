// Sums over all cells that need the sizes of both clusters of a cell.
#pragma once

#include <cstdint>

#include "core/numeric/exact_sums.hpp"
#include "core/table/cells.hpp"

namespace clustermark {

struct Joint {
    bool weighted = false;
    std::int64_t exact = 0;
    std::int64_t exact_singletons = 0;
    ProductSum size_products;
    double size_product_weights = 0.0;  // not finite if it exceeds the range of a double
    FractionSum shares, of_larger, of_smaller, f, jaccard;
};

Joint compute_joint(const Cells& cells);

}  // namespace clustermark
