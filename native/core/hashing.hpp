// Mixing of 64-bit keys. The seed differs between processes, so no input can be built to collide;
// codes are given by first appearance, so no result depends on it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace clustermark {

__extension__ typedef unsigned __int128 u128;
__extension__ typedef __int128 i128;

std::uint64_t process_seed();

inline std::uint64_t fold_multiply(std::uint64_t a, std::uint64_t b) {
    const u128 product = static_cast<u128>(a) * b;
    return static_cast<std::uint64_t>(product >> 64) ^ static_cast<std::uint64_t>(product);
}

inline std::uint64_t mix(std::uint64_t key, std::uint64_t seed) {
    return fold_multiply(key ^ seed, 0x9E3779B97F4A7C15ULL);
}

inline std::uint64_t mix_bytes(const unsigned char* bytes, std::size_t width, std::uint64_t seed) {
    std::uint64_t hash = seed ^ width;
    for (; width >= 8; bytes += 8, width -= 8) {
        std::uint64_t word;
        std::memcpy(&word, bytes, 8);
        hash = fold_multiply(hash ^ word, 0x9E3779B97F4A7C15ULL) + seed;
    }
    std::uint64_t rest = 0;
    std::memcpy(&rest, bytes, width);
    return fold_multiply(hash ^ rest, 0xD6E8FEB86659FD93ULL);
}

inline unsigned bit_length(std::uint64_t value) {
    return value == 0 ? 0U : 64U - static_cast<unsigned>(__builtin_clzll(value));
}

inline unsigned bit_length(u128 value) {
    const auto high = static_cast<std::uint64_t>(value >> 64);
    return high != 0 ? 64U + bit_length(high) : bit_length(static_cast<std::uint64_t>(value));
}

// Portable wheels may not use the popcnt instruction, and the compiler's stand-in is a function call.
inline std::uint32_t count_bits(std::uint64_t bits) {
    bits -= (bits >> 1) & 0x5555555555555555ULL;
    bits = (bits & 0x3333333333333333ULL) + ((bits >> 2) & 0x3333333333333333ULL);
    bits = (bits + (bits >> 4)) & 0x0F0F0F0F0F0F0F0FULL;
    return static_cast<std::uint32_t>((bits * 0x0101010101010101ULL) >> 56);
}

// Smallest power of two that is at least `value` (value <= 2^63).
inline std::uint64_t power_at_least(std::uint64_t value) {
    return value <= 1 ? 1 : std::uint64_t{1} << bit_length(value - 1);
}

}  // namespace clustermark
