// Sums of the jackknife: the differences between the scores without one unit and the score of all units.
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

// The bits do not depend on the order of the values. `values` and `times` have the same length.
Deviations add_deviations(const StridedView<double>& values, const StridedView<std::int64_t>& times, double score);

}  // namespace clustermark
