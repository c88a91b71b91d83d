// Sums over plain points are integers, so they do not depend on the order of the terms. Sums over weighted points are
// compensated.
#pragma once

#include <cstdint>

#include "core/numeric/double_double.hpp"
#include "core/numeric/integers.hpp"

namespace clustermark {

// Sum of times * floor(x * 2^84) for x in [0, 1], where all `times` add up to less than 2^63.
// x is cut into two pieces of 42 bits, so that each product and each sum fits 128 bits.
struct FixedSum {
    u128 high = 0;  // in units of 2^42
    u128 low = 0;

    void add(std::int64_t times, double x) {
        const double scaled = x * 0x1p42;
        const auto first = static_cast<std::int64_t>(scaled);
        const auto second = static_cast<std::int64_t>((scaled - static_cast<double>(first)) * 0x1p42);
        high += static_cast<u128>(times) * static_cast<std::uint64_t>(first);
        low += static_cast<u128>(times) * static_cast<std::uint64_t>(second);
    }

    FixedSum& operator+=(const FixedSum& other) {
        high += other.high;
        low += other.low;
        return *this;
    }
};

// Sum of products of three whole numbers below 2^63, where the first factors add up to less than 2^63: below 2^192.
struct ProductSum {
    u128 high = 0;  // in units of 2^64
    std::uint64_t low = 0;

    void add(std::int64_t n, std::int64_t a, std::int64_t b) {
        const u128 area = static_cast<u128>(a) * static_cast<u128>(b);
        const u128 lower = static_cast<u128>(static_cast<std::uint64_t>(area)) * static_cast<std::uint64_t>(n);
        high += static_cast<u128>(static_cast<std::uint64_t>(area >> 64)) * static_cast<std::uint64_t>(n);
        add_parts(lower >> 64, static_cast<std::uint64_t>(lower));
    }

    ProductSum& operator+=(const ProductSum& other) {
        add_parts(other.high, other.low);
        return *this;
    }

private:
    void add_parts(u128 upper, std::uint64_t lower) {
        low += lower;
        high += upper + (low < lower ? 1 : 0);
    }
};

// Sum of times * x, or of weight * x.
struct RealSum {
    DoubleDouble sum;

    void add(std::int64_t times, double x) { sum += DoubleDouble::of(times) * x; }
    void add(double weight, double x) { sum += DoubleDouble::product(weight, x); }
};

// A finished sum of fractions: exact for plain points, a double for weighted ones.
struct FractionSum {
    FixedSum fixed;
    double real = 0.0;

    FractionSum& operator+=(const FixedSum& other) {
        fixed += other;
        return *this;
    }
    FractionSum& operator+=(const RealSum& other) {
        real += other.sum.value();
        return *this;
    }
};

}  // namespace clustermark
