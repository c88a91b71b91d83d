// The hypergeometric distribution: the number of marked points among b points drawn out of N, of which a are marked.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "core/numeric/integers.hpp"
#include "core/numeric/random.hpp"

namespace clustermark {

// Walks away from the mode with weights relative to it. The rounding error of a step is a fraction of the change in that
// step, so weights a million steps away are still precise enough.
class Hypergeometric {
public:
    Hypergeometric(std::int64_t points, std::int64_t a, std::int64_t b)
        : points_(points), a_(std::min(a, b)), b_(std::max(a, b)),
          mode_(static_cast<std::int64_t>(static_cast<u128>(a + u128{1}) * static_cast<u128>(b + u128{1}) /
                                          (static_cast<u128>(points) + 2))) {}

    std::int64_t mode() const { return mode_; }
    std::int64_t least() const { return std::max<std::int64_t>(0, a_ - (points_ - b_)); }
    std::int64_t most() const { return a_; }

    // The standard deviation; the approximate ratio of the third central moment to the variance; the mean minus the mode.
    double deviation() const {
        const auto points = static_cast<double>(points_);
        if (points_ < 2) return 0.0;
        return std::sqrt(static_cast<double>(a_) / points * static_cast<double>(b_) *
                         (static_cast<double>(points_ - a_) / points) *
                         (static_cast<double>(points_ - b_) / (points - 1.0)));
    }
    double asymmetry() const {
        const auto points = static_cast<double>(points_);
        return (1.0 - 2.0 * (static_cast<double>(a_) / points)) * (1.0 - 2.0 * (static_cast<double>(b_) / points));
    }
    double mean_from_mode() const {
        const i128 beyond = static_cast<i128>(a_) * b_ - static_cast<i128>(mode_) * points_;
        return static_cast<double>(beyond) / static_cast<double>(points_);
    }

    // visit(n, weight) for n = mode + 1, mode + 2, ... until it returns false; the mode itself has weight 1.
    template <class Visit>
    void walk_up(Visit&& visit) const {
        const Factors marked{static_cast<double>(a_ - mode_), static_cast<double>(b_ - mode_)};
        const Factors rest{static_cast<double>(mode_) + 1.0, static_cast<double>(points_ - a_ - (b_ - mode_)) + 1.0};
        const i128 excess = surplus(mode_);
        walk(marked, rest, static_cast<double>(excess), most() - mode_,
             [&](std::int64_t k, double weight) { return visit(mode_ + k, weight); });
    }

    // The same for n = mode - 1, mode - 2, ...
    template <class Visit>
    void walk_down(Visit&& visit) const {
        const Factors inside{static_cast<double>(mode_), static_cast<double>(points_ - a_ - (b_ - mode_))};
        const Factors outside{static_cast<double>(a_ - mode_) + 1.0, static_cast<double>(b_ - mode_) + 1.0};
        const i128 excess = -surplus(mode_ - 1);
        walk(inside, outside, static_cast<double>(excess), mode_ - least(),
             [&](std::int64_t k, double weight) { return visit(mode_ - k, weight); });
    }

private:
    struct Factors {
        double first, second;
    };

    // (n + 1)(N - a - b + n + 1) - (a - n)(b - n): 1 minus the ratio of the weights of n + 1 and n, times its
    // denominator. It is linear in n, and exact.
    i128 surplus(std::int64_t n) const {
        const i128 slope = static_cast<i128>(points_) + 2;
        return slope * n + (static_cast<i128>(points_) + 1 - a_ - b_) - static_cast<i128>(a_) * b_;
    }

    // The ratio of step k is the product of (falling - k) over that of (rising + k).
    template <class Visit>
    void walk(const Factors& falling, const Factors& rising, double excess, std::int64_t steps, Visit&& visit) const {
        const double slope = static_cast<double>(points_) + 2.0;
        double weight = 1.0;
        double lost = 0.0;  // rounding error of the weight
        std::int64_t step = 0;
        for (; step < steps; ++step) {
            const auto k = static_cast<double>(step);
            const double divisor = (rising.first + k) * (rising.second + k);
            const double lack = (excess + k * slope) / divisor;
            if (lack > 0.5) break;
            const double change = lost - weight * lack;
            const double next = weight + change;
            lost = change - (next - weight);
            weight = next;
            if (!visit(step + 1, weight)) return;
        }
        for (; step < steps; ++step) {
            const auto k = static_cast<double>(step);
            weight *= (falling.first - k) * (falling.second - k) / ((rising.first + k) * (rising.second + k));
            if (!visit(step + 1, weight)) return;
        }
    }

    std::int64_t points_, a_, b_;
    std::int64_t mode_;
};

// From this deviation on a count may be drawn by `draw_widely_spread`.
constexpr double wide_deviation = 128.0;

// A random count, from a normal number and the first term of Cornish and Fisher's expansion. A count is distributed as a
// sum of independent events, so the error is below 1 / deviation^2, which no mean over samples can detect. A walk over
// all counts would take some twenty deviations.
inline std::int64_t draw_widely_spread(Random& random, const Hypergeometric& counts, double deviation) {
    const double z = normal_number(random);
    const double steps = counts.mean_from_mode() + deviation * z + counts.asymmetry() * (z * z - 1.0) / 6.0;
    return std::clamp(counts.mode() + static_cast<std::int64_t>(std::llround(steps)), counts.least(), counts.most());
}

}  // namespace clustermark
