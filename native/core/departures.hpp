// What the jackknife adds up: by how much the scores without one unit depart from the score of all.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include "int_view.hpp"
#include "order_free.hpp"

namespace clustermark {

struct Departures {
    double sum = 0.0;      // of times * (value - score)
    double squares = 0.0;  // of times * (value - score)^2
    double least = 0.0;    // of value - score; NaN where some value is not finite
    double most = 0.0;
};

inline Departures add_departures(const StridedView<double>& values, const StridedView<std::int64_t>& times,
                                 double score) {
    Departures all;
    std::int64_t often = 0;
    all.least = std::numeric_limits<double>::infinity();
    all.most = -all.least;
    bool finite = true;
    for (std::size_t i = 0; i < values.size; ++i) {
        const double departure = values[i] - score;
        finite = finite && std::isfinite(departure);
        all.least = std::min(all.least, departure);
        all.most = std::max(all.most, departure);
        often = std::max(often, times[i]);
    }
    if (!finite) {
        all.least = all.most = std::numeric_limits<double>::quiet_NaN();
        return all;
    }
    const double largest = std::max(std::fabs(all.least), std::fabs(all.most));
    const OrderFree of_sum(values.size, largest * static_cast<double>(often));
    const OrderFree of_squares(values.size, largest * largest * static_cast<double>(often));
    OrderFree::Sum sum, squares;
    for (std::size_t i = 0; i < values.size; ++i) {
        const double departure = values[i] - score;
        const double weighted = departure * static_cast<double>(times[i]);
        of_sum.add(sum, weighted);
        of_squares.add(squares, weighted * departure);
    }
    all.sum = sum.value();
    all.squares = squares.value();
    if (!std::isfinite(all.squares)) all.least = all.most = std::numeric_limits<double>::quiet_NaN();
    return all;
}

}  // namespace clustermark
