// Second differences of n ln n: (n + 1) ln(n + 1) - 2 n ln n + (n - 1) ln(n - 1), the sum over k of
// n^-(2k+1) / ((2k + 1)(k + 1)). They do not depend on the cell, so that a cell needs no logarithms.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>

namespace clustermark {

class SecondDifferences {
public:
    SecondDifferences() {
        table_[0] = 0.0;
        table_[1] = 2.0 * std::log(2.0);
        for (std::size_t n = 2; n < table_.size(); ++n) table_[n] = series(static_cast<double>(n), 30);
    }

    double operator()(std::int64_t n) const {
        if (n < static_cast<std::int64_t>(table_.size())) return table_[static_cast<std::size_t>(n)];
        const double x = 1.0 / static_cast<double>(n);
        return x * (1.0 + x * x * (1.0 / 6.0 + x * x / 15.0));
    }

private:
    static double series(double n, int terms) {
        const double q = 1.0 / (n * n);
        double sum = 0.0;
        for (int k = terms; k >= 0; --k) sum = sum * q + 1.0 / ((2.0 * k + 1.0) * (k + 1.0));
        return sum / n;
    }

    std::array<double, 1024> table_;
};

}  // namespace clustermark
