// MD5 (RFC 1321) of short texts. SQL engines compute the same numbers from the ids of records.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>

#include "core/memory/buffer.hpp"
#include "core/memory/strided_view.hpp"

namespace clustermark {

// A digest of 128 bits; its bytes in big-endian order.
struct Digest {
    std::uint64_t head, tail;
};

// One block of MD5, for a text of at most 55 bytes.
class ShortMd5 {
public:
    static constexpr std::size_t longest = 55;

    // The text, to be written before `digest` is called.
    char* text() { return block_.data(); }

    // The digest of a text of this size.
    Digest digest(std::size_t size) {
        std::memset(block_.data() + size, 0, block_.size() - size);
        block_[size] = static_cast<char>(0x80);
        block_[56] = static_cast<char>((size << 3) & 0xFF);
        block_[57] = static_cast<char>(size >> 5);
        std::array<std::uint32_t, 16> words;
        for (std::size_t i = 0; i < words.size(); ++i) words[i] = load(block_.data() + 4 * i);
        std::uint32_t a = start[0], b = start[1], c = start[2], d = start[3];
        const auto turn = [&](std::uint32_t mixed, std::size_t place, std::size_t step, const int (&by)[4]) {
            const std::uint32_t sum = a + mixed + sines[step] + words[place & 15];
            a = d;
            d = c;
            c = b;
            b += std::rotl(sum, by[step & 3]);
        };
        for (std::size_t i = 0; i < 16; ++i) turn((b & c) | (~b & d), i, i, rotations[0]);
        for (std::size_t i = 0; i < 16; ++i) turn((d & b) | (~d & c), 5 * i + 1, 16 + i, rotations[1]);
        for (std::size_t i = 0; i < 16; ++i) turn(b ^ c ^ d, 3 * i + 5, 32 + i, rotations[2]);
        for (std::size_t i = 0; i < 16; ++i) turn(c ^ (b | ~d), 7 * i, 48 + i, rotations[3]);
        return {std::uint64_t{swap(start[0] + a)} << 32 | swap(start[1] + b),
                std::uint64_t{swap(start[2] + c)} << 32 | swap(start[3] + d)};
    }

private:
    static std::uint32_t load(const char* bytes) {
        std::uint32_t word = 0;
        for (int i = 0; i < 4; ++i) word |= std::uint32_t{static_cast<unsigned char>(bytes[i])} << (8 * i);
        return word;
    }

    static std::uint32_t swap(std::uint32_t word) {
        return word << 24 | (word & 0xFF00) << 8 | (word >> 8 & 0xFF00) | word >> 24;
    }

    static constexpr std::array<std::uint32_t, 4> start{0x67452301, 0xEFCDAB89, 0x98BADCFE, 0x10325476};
    static constexpr int rotations[4][4] = {{7, 12, 17, 22}, {5, 9, 14, 20}, {4, 11, 16, 23}, {6, 10, 15, 21}};
    // floor(2^32 * |sin(step + 1)|)
    static constexpr std::uint32_t sines[64] = {
        0xD76AA478, 0xE8C7B756, 0x242070DB, 0xC1BDCEEE, 0xF57C0FAF, 0x4787C62A, 0xA8304613, 0xFD469501,
        0x698098D8, 0x8B44F7AF, 0xFFFF5BB1, 0x895CD7BE, 0x6B901122, 0xFD987193, 0xA679438E, 0x49B40821,
        0xF61E2562, 0xC040B340, 0x265E5A51, 0xE9B6C7AA, 0xD62F105D, 0x02441453, 0xD8A1E681, 0xE7D3FBC8,
        0x21E1CDE6, 0xC33707D6, 0xF4D50D87, 0x455A14ED, 0xA9E3E905, 0xFCEFA3F8, 0x676F02D9, 0x8D2A4C8A,
        0xFFFA3942, 0x8771F681, 0x6D9D6122, 0xFDE5380C, 0xA4BEEA44, 0x4BDECFA9, 0xF6BB4B60, 0xBEBFBC70,
        0x289B7EC6, 0xEAA127FA, 0xD4EF3085, 0x04881D05, 0xD9D4D039, 0xE6DB99E5, 0x1FA27CF8, 0xC4AC5665,
        0xF4292244, 0x432AFF97, 0xAB9423A7, 0xFC93A039, 0x655B59C3, 0x8F0CCC92, 0xFFEFF47D, 0x85845DD1,
        0x6FA87E4F, 0xFE2CE6E0, 0xA3014314, 0x4E0811A1, 0xF7537E82, 0xBD3AF235, 0x2AD7D2BB, 0xEB86D391,
    };

    std::array<char, 64> block_{};
};

// For each value: head and tail of the digest of the prefix and the value in decimal digits. Throws std::invalid_argument
// for a prefix of more than 35 bytes.
Buffer<std::uint64_t> digest_integers(const std::string& prefix, const StridedView<std::int64_t>& values, int threads);

}  // namespace clustermark
