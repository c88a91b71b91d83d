// The mean absolute difference between the values of two samples.
#pragma once

#include <cstddef>

namespace clustermark {

// The mean of |a - b| over all a and b of two sorted arrays.
double mean_difference(const double* a, std::size_t a_size, const double* b, std::size_t b_size);

}  // namespace clustermark
