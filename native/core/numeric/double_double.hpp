// Sums and products of doubles with twice the precision (an unevaluated sum hi + lo).
#pragma once

#include <cmath>
#include <cstdint>

namespace clustermark {

struct DoubleDouble {
    double hi = 0.0;
    double lo = 0.0;

    double value() const { return hi + lo; }

    static DoubleDouble sum(double a, double b) {
        const double s = a + b;
        const double t = s - a;
        return {s, (a - (s - t)) + (b - t)};
    }

    static DoubleDouble product(double a, double b) {
        const double p = a * b;
        return {p, std::fma(a, b, -p)};
    }

    static DoubleDouble of(std::int64_t n) {
        const auto high = static_cast<double>(n);
        // 2^63 itself cannot be converted back; a count is below it, so only its rounding may reach it.
        if (high >= 9223372036854775808.0) return {high, static_cast<double>(n - INT64_MAX) - 1.0};
        return {high, static_cast<double>(n - static_cast<std::int64_t>(high))};
    }

    DoubleDouble normalised() const {
        const double s = hi + lo;
        return {s, lo - (s - hi)};
    }

    DoubleDouble& operator+=(const DoubleDouble& other) {
        const DoubleDouble high = sum(hi, other.hi);
        const DoubleDouble low = sum(lo, other.lo);
        const DoubleDouble mid = DoubleDouble{high.hi, high.lo + low.hi}.normalised();
        *this = DoubleDouble{mid.hi, mid.lo + low.lo}.normalised();
        return *this;
    }

    DoubleDouble& operator+=(double x) {
        const DoubleDouble high = sum(hi, x);
        *this = DoubleDouble{high.hi, high.lo + lo}.normalised();
        return *this;
    }

    DoubleDouble operator-() const { return {-hi, -lo}; }

    friend DoubleDouble operator+(DoubleDouble a, const DoubleDouble& b) { return a += b; }
    friend DoubleDouble operator-(DoubleDouble a, const DoubleDouble& b) { return a += -b; }

    friend DoubleDouble operator*(const DoubleDouble& a, const DoubleDouble& b) {
        DoubleDouble p = product(a.hi, b.hi);
        p.lo += a.hi * b.lo + a.lo * b.hi;
        return p.normalised();
    }

    friend DoubleDouble operator*(const DoubleDouble& a, double b) { return a * DoubleDouble{b, 0.0}; }
};

// The number of pairs of n points, n * (n - 1) / 2.
inline DoubleDouble pairs_of(std::int64_t n) {
    return DoubleDouble::of(n) * DoubleDouble::of(n - 1) * 0.5;
}

}  // namespace clustermark
