// Sums of doubles whose bits do not depend on the order of the terms.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>

#include "core/memory/buffer.hpp"
#include "core/memory/strided_view.hpp"

namespace clustermark {

// Cuts each term into two pieces that are coarse enough for sums without rounding ("extraction" of Rump, Ogita and Oishi
// 2008). Finer bits are dropped: of n terms, all beyond 104 - 2 log2(n) bits of the largest.
class OrderFreeAdder {
public:
    // largest: an upper bound of the absolute values of the terms. Where it is infinite, NaN or close to the largest
    // double, terms are added as they are.
    OrderFreeAdder(std::size_t terms, double largest) {
        int exponent = 0;
        std::frexp(largest, &exponent);
        int room = 1;  // terms <= 2^room
        while (terms >> room) ++room;
        if (!std::isfinite(largest) || exponent + room > 1000) return;
        coarse_ = std::ldexp(1.5, exponent + room);
        fine_ = std::ldexp(1.5, exponent + room - 53 + room);
    }

    struct Sum {
        double coarse = 0.0;
        double fine = 0.0;

        double value() const { return coarse + fine; }
    };

    void add(Sum& sum, double term) const {
        const double piece = coarse_ == 0.0 ? term : (term + coarse_) - coarse_;
        sum.coarse += piece;
        if (coarse_ == 0.0) return;
        sum.fine += ((term - piece) + fine_) - fine_;
    }

private:
    double coarse_ = 0.0;  // adding it and subtracting it again leaves a multiple of its last bit
    double fine_ = 0.0;
};

double add_all(const StridedView<double>& values);

// The sum of the values of each group. Throws std::invalid_argument for groups outside [0, n_groups).
Buffer<double> add_by(const StridedView<double>& values, const StridedView<std::int64_t>& groups, std::size_t n_groups);

}  // namespace clustermark
