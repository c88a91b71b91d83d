// Integers of 128 bits, and counts of bits.
#pragma once

#include <cstdint>

namespace clustermark {

__extension__ typedef unsigned __int128 u128;
__extension__ typedef __int128 i128;

// The number of bits of a value without leading zeros; 0 for 0.
inline unsigned bit_length(std::uint64_t value) {
    return value == 0 ? 0U : 64U - static_cast<unsigned>(__builtin_clzll(value));
}

inline unsigned bit_length(u128 value) {
    const auto high = static_cast<std::uint64_t>(value >> 64);
    return high != 0 ? 64U + bit_length(high) : bit_length(static_cast<std::uint64_t>(value));
}

// The number of bits that are set. Portable wheels may not use the popcnt instruction, and the compiler's replacement is
// a function call.
inline std::uint32_t count_bits(std::uint64_t bits) {
    bits -= (bits >> 1) & 0x5555555555555555ULL;
    bits = (bits & 0x3333333333333333ULL) + ((bits >> 2) & 0x3333333333333333ULL);
    bits = (bits + (bits >> 4)) & 0x0F0F0F0F0F0F0F0FULL;
    return static_cast<std::uint32_t>((bits * 0x0101010101010101ULL) >> 56);
}

// The smallest power of two that is at least `value` (value <= 2^63).
inline std::uint64_t power_at_least(std::uint64_t value) {
    return value <= 1 ? 1 : std::uint64_t{1} << bit_length(value - 1);
}

}  // namespace clustermark
