// Arrays of integers of 128 bits.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/memory/buffer.hpp"
#include "core/numeric/integers.hpp"

namespace clustermark {

// Integers of 128 bits in two halves.
struct WideIntegers {
    explicit WideIntegers(std::size_t size) : high(size), low(size) {}

    Buffer<std::int64_t> high;
    Buffer<std::uint64_t> low;
};

inline void put(WideIntegers& numbers, std::size_t place, i128 value) {
    numbers.high[place] = static_cast<std::int64_t>(value >> 64);
    numbers.low[place] = static_cast<std::uint64_t>(value);
}

}  // namespace clustermark
