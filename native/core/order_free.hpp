// Sums of doubles that are the same bits in whatever order the terms come.
#pragma once

#include <cmath>
#include <cstddef>

namespace clustermark {

// Cuts terms into two pieces, each so coarse that no sum of such pieces is rounded ("extraction" of Rump, Ogita and
// Oishi 2008). What is finer than both pieces is left out: of n terms, all beyond 104 - 2 log2(n) bits of the largest.
class OrderFree {
public:
    // largest: no term is larger, whatever its sign. Where it is infinite, NaN or nearly so, terms are added as they are.
    OrderFree(std::size_t terms, double largest) {
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
    double coarse_ = 0.0;  // what is added to it and has it taken away again is a multiple of its last bit
    double fine_ = 0.0;
};

// Of values[i] for all i, by groups[i], into sums of so many groups.
template <class Values, class Groups>
void add_by(const Values& values, const Groups& groups, OrderFree::Sum* sums) {
    double largest = 0.0;
    for (std::size_t i = 0; i < values.size; ++i) {
        const double size = std::fabs(values[i]);
        if (!(size <= largest)) largest = size;
    }
    const OrderFree cut(values.size, largest);
    for (std::size_t i = 0; i < values.size; ++i) cut.add(sums[groups[i]], values[i]);
}

}  // namespace clustermark
