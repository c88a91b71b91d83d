// Random numbers that are the same on every machine: xoshiro256** of Blackman and Vigna, seeded by splitmix64.
#pragma once

#include <cmath>
#include <cstdint>

#include "core/numeric/integers.hpp"

namespace clustermark {

class SplitMix {
public:
    explicit SplitMix(std::uint64_t seed) : state_(seed) {}

    std::uint64_t next() {
        state_ += 0x9E3779B97F4A7C15ULL;
        std::uint64_t z = state_;
        z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
        z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
        return z ^ (z >> 31);
    }

private:
    std::uint64_t state_;
};

class Random {
public:
    // Streams are independent of each other, and of the streams of other seeds.
    Random(std::uint64_t seed, std::uint64_t stream) {
        SplitMix start(SplitMix(seed).next() + stream);
        SplitMix words(start.next());
        for (std::uint64_t& word : state_) word = words.next();
    }

    std::uint64_t next() {
        const std::uint64_t result = rotate(state_[1] * 5, 7) * 9;
        const std::uint64_t shifted = state_[1] << 17;
        state_[2] ^= state_[0];
        state_[3] ^= state_[1];
        state_[1] ^= state_[2];
        state_[0] ^= state_[3];
        state_[2] ^= shifted;
        state_[3] = rotate(state_[3], 45);
        return result;
    }

    // Each number below `bound` with the same probability (Lemire's method).
    std::uint64_t below(std::uint64_t bound) {
        u128 product = static_cast<u128>(next()) * bound;
        if (static_cast<std::uint64_t>(product) < bound) {
            const std::uint64_t surplus = (0 - bound) % bound;
            while (static_cast<std::uint64_t>(product) < surplus) product = static_cast<u128>(next()) * bound;
        }
        return static_cast<std::uint64_t>(product >> 64);
    }

    // In [0, 1), in steps of 2^-53.
    double fraction() { return static_cast<double>(next() >> 11) * 0x1p-53; }

private:
    static std::uint64_t rotate(std::uint64_t x, int bits) { return (x << bits) | (x >> (64 - bits)); }

    std::uint64_t state_[4];
};

// A number of the standard normal distribution (Box and Muller's method).
inline double normal_number(Random& random) {
    constexpr double turn = 6.283185307179586;
    const double radius = std::sqrt(-2.0 * std::log(1.0 - random.fraction()));
    return radius * std::cos(turn * random.fraction());
}

}  // namespace clustermark
