// Hashes of 64-bit keys and of bytes. The seed differs between processes, so that no input can be built to collide; codes
// are given by first appearance, so that no result depends on the seed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "core/numeric/integers.hpp"

namespace clustermark {

// A random number that is constant during the process.
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

}  // namespace clustermark
