#include "core/numeric/mean_difference.hpp"

#include <algorithm>

#include "core/execution/interruption.hpp"
#include "core/numeric/double_double.hpp"

namespace clustermark {

double mean_difference(const double* a, std::size_t a_size, const double* b, std::size_t b_size) {
    // between two neighbours of all values, the pairs that have one value on each side add the gap
    DoubleDouble sum;
    StepCounter counter;
    std::size_t i = 0, j = 0;
    double before = std::min(a[0], b[0]);
    while (i < a_size || j < b_size) {
        const bool takes_a = j == b_size || (i < a_size && a[i] <= b[j]);
        const double value = takes_a ? a[i] : b[j];
        const double below_a = static_cast<double>(i) / static_cast<double>(a_size);
        const double below_b = static_cast<double>(j) / static_cast<double>(b_size);
        sum += (value - before) * (below_a * (1 - below_b) + below_b * (1 - below_a));
        before = value;
        ++(takes_a ? i : j);
        counter.step();
    }
    return sum.value();
}

}  // namespace clustermark
