#include "core/numeric/deviations.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/execution/interruption.hpp"
#include "core/numeric/order_free_sum.hpp"

namespace clustermark {

Deviations add_deviations(const StridedView<double>& values, const StridedView<std::int64_t>& times, double score) {
    Deviations all;
    std::int64_t often = 0;
    all.least = std::numeric_limits<double>::infinity();
    all.most = -all.least;
    bool finite = true;
    for_each_step(0, values.size, [&](std::size_t i) {
        const double deviation = values[i] - score;
        finite = finite && std::isfinite(deviation);
        all.least = std::min(all.least, deviation);
        all.most = std::max(all.most, deviation);
        often = std::max(often, times[i]);
    });
    if (!finite) {
        all.least = all.most = std::numeric_limits<double>::quiet_NaN();
        return all;
    }
    const double largest = std::max(std::fabs(all.least), std::fabs(all.most));
    const OrderFreeAdder sum_adder(values.size, largest * static_cast<double>(often));
    const OrderFreeAdder square_adder(values.size, largest * largest * static_cast<double>(often));
    OrderFreeAdder::Sum sum, squares;
    for_each_step(0, values.size, [&](std::size_t i) {
        const double deviation = values[i] - score;
        const double weighted = deviation * static_cast<double>(times[i]);
        sum_adder.add(sum, weighted);
        square_adder.add(squares, weighted * deviation);
    });
    all.sum = sum.value();
    all.squares = squares.value();
    if (!std::isfinite(all.squares)) all.least = all.most = std::numeric_limits<double>::quiet_NaN();
    return all;
}

}  // namespace clustermark
