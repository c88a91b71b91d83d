// Histograms of cell and cluster sizes.
#pragma once

#include <cstdint>
#include <vector>

#include "core/table/cells.hpp"

namespace clustermark {

struct CellSize {
    std::int64_t size;
    std::uint64_t cells;
};

// Sums over all clusters of one size.
struct ClusterSize {
    std::int64_t size;
    std::uint64_t clusters;
    u128 squares;   // sum of the squares of their cells
    u128 largest;   // sum of the largest cell of each
    std::uint64_t cells;
};

struct Profile {
    std::vector<CellSize> cells;
    std::vector<ClusterSize> rows;
    std::vector<ClusterSize> columns;
};

// By ascending size. Throws std::invalid_argument for weighted cells.
Profile compute_profile(const Cells& cells);

}  // namespace clustermark
