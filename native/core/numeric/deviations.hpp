// Sums of the jackknife: by how much the scores without one unit differ from the score of all units.
#pragma once

#include <cstdint>

#include "core/memory/strided_view.hpp"

namespace clustermark {

struct Deviations {
    double sum = 0.0;      // of times * (value - score)
    double squares = 0.0;  // of times * (value - score)^2
    double least = 0.0;    // of value - score; NaN where a value is not finite
    double most = 0.0;
};

// The same bits in whatever order the values come. `values` and `times` have the same length.
Deviations add_deviations(const StridedView<double>& values, const StridedView<std::int64_t>& times, double score);

}  // namespace clustermark
