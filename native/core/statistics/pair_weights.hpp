// Sums over pairs of weighted points, by whether the two clusterings put them together.
#pragma once

#include "core/table/cells.hpp"

namespace clustermark {

struct PairWeights {
    double yy = 0.0;  // together on both sides
    double yn = 0.0;  // together in the truth only
    double ny = 0.0;  // together in the prediction only
    double nn = 0.0;
};

// Throws std::invalid_argument for cells without weights or with ABSENT entries.
PairWeights compute_pair_weights(const Cells& cells);

}  // namespace clustermark
