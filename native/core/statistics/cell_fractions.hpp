// Fractions of a cell of n points in clusters of a and b points: doubles between 0 and 1.
// All fractions have the same bits when a and b are exchanged.
#pragma once

#include <algorithm>
#include <cstdint>

#include "core/numeric/double_double.hpp"

namespace clustermark {

// The sum of two sizes can need 64 bits, and is rounded once.
inline double size_ratio(std::uint64_t part, std::uint64_t whole) {
    return static_cast<double>(part) / static_cast<double>(whole);
}

// The share of one point of a very small weight may be rounded to 0; then the cluster is 0 too, and the ratio 1.
inline double size_ratio(double part, double whole) { return whole > 0.0 ? part / whole : 1.0; }
inline double size_ratio(std::int64_t part, std::int64_t whole) {
    return static_cast<double>(part) / static_cast<double>(whole);
}

// Near the largest double, sums of two weights are computed from their halves.
inline double range_guard(double a, double b) { return std::max(a, b) >= 0x1p1022 ? 0.5 : 1.0; }

template <class Number>
double share_of_larger(Number n, Number a, Number b) {
    return size_ratio(n, std::max(a, b));
}

template <class Number>
double share_of_smaller(Number n, Number a, Number b) {
    return size_ratio(n, std::min(a, b));
}

template <class Number>
double product_of_shares(Number n, Number a, Number b) {
    return size_ratio(n, a) * size_ratio(n, b);
}

inline double f_measure(std::int64_t n, std::int64_t a, std::int64_t b) {
    return size_ratio(2 * static_cast<std::uint64_t>(n), static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
}

inline double f_measure(double n, double a, double b) {
    const double guard = range_guard(a, b);
    return size_ratio(2.0 * (guard * n), guard * a + guard * b);
}

inline double jaccard_index(std::int64_t n, std::int64_t a, std::int64_t b) {
    return size_ratio(static_cast<std::uint64_t>(n),
                      static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b) - static_cast<std::uint64_t>(n));
}

inline double jaccard_index(double n, double a, double b) {
    const double guard = range_guard(a, b);
    DoubleDouble together = DoubleDouble::sum(guard * a, guard * b);
    together += -(guard * n);
    return size_ratio(guard * n, together.value());
}

}  // namespace clustermark
