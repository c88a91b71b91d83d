// What the jackknife adds up: by how much the scores without one unit depart from the score of all.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include "int_view.hpp"

namespace clustermark {

struct Departures {
    double sum = 0.0;      // of times * (value - score)
    double squares = 0.0;  // of times * (value - score)^2
    double least = 0.0;    // of value - score; NaN where some value is not finite
    double most = 0.0;
};

// Blocks are added up by themselves, so that sums of many small terms keep their digits.
inline Departures add_departures(const StridedView<double>& values, const StridedView<std::int64_t>& times,
                                 double score) {
    constexpr std::size_t block = 1024;
    Departures all;
    all.least = std::numeric_limits<double>::infinity();
    all.most = -all.least;
    for (std::size_t begin = 0; begin < values.size; begin += block) {
        double sum = 0.0, squares = 0.0;
        for (std::size_t i = begin; i < std::min(begin + block, values.size); ++i) {
            const double departure = values[i] - score;
            const double weighted = departure * static_cast<double>(times[i]);
            sum += weighted;
            squares += weighted * departure;
            all.least = std::min(all.least, departure);
            all.most = std::max(all.most, departure);
        }
        all.sum += sum;
        all.squares += squares;
    }
    if (!std::isfinite(all.squares)) all.least = all.most = std::numeric_limits<double>::quiet_NaN();
    return all;
}

}  // namespace clustermark
