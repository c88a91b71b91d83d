// One-dimensional arrays of integer labels of any type and stride in the memory of the caller.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "core/memory/buffer.hpp"

namespace clustermark {

enum class IntKind : std::uint8_t { i8, i16, i32, i64, u8, u16, u32, u64 };

struct IntView {
    const char* data = nullptr;
    std::size_t size = 0;
    std::ptrdiff_t stride = 0;
    IntKind kind = IntKind::i64;
};

// Labels are passed as 64-bit words: the value, sign-extended, in unsigned arithmetic.
// Differences of words are right for every type, even for int64 labels at both ends of their range.
struct WordRange {
    std::uint64_t base = 0;  // word of the smallest label
    std::uint64_t span = 0;  // largest minus smallest
};

// Number of labels that are converted at a time: the buffers stay in the first-level cache.
constexpr std::size_t block_size = 2048;

// Writes label - base of labels [begin, begin + count) as 32-bit codes;
// returns all differences or-ed together, so that the caller can check whether they fitted.
std::uint64_t load_codes(const IntView& view, std::size_t begin, std::size_t count, std::uint64_t base,
                         std::uint32_t* out);

// Whether the codes of one block are below a width, given all differences or-ed together: one comparison decides if the
// width is a power of two, and mostly otherwise.
inline bool are_below(std::uint64_t width, std::uint64_t bits, const std::uint32_t* codes, std::size_t count) {
    if (bits < width) return true;
    if (count == 0) return true;
    if (bits >> 31 != 0) return bits >> 32 == 0 && *std::max_element(codes, codes + count) < width;
    // The sign of the difference is used, not the largest code, because every processor subtracts four codes at once.
    const auto last = static_cast<std::uint32_t>(std::min<std::uint64_t>(width - 1, INT32_MAX));
    std::uint32_t signs = 0;
    for (std::size_t i = 0; i < count; ++i) signs |= last - codes[i];
    return signs >> 31 == 0;
}

// Writes labels [begin, begin + count) as words.
void load_words(const IntView& view, std::size_t begin, std::size_t count, std::uint64_t* out);

// Smallest label and span of labels [begin, end), looking at every step-th one; begin < end.
WordRange find_range(const IntView& view, std::size_t begin, std::size_t end, std::size_t step = 1);

// The range of two ranges together.
WordRange join_ranges(const WordRange& first, const WordRange& second, IntKind kind);

IntView view_of_codes(const Buffer<std::uint32_t>& codes);

std::size_t int_size(IntKind kind);
bool is_signed(IntKind kind);

// Throws std::runtime_error: a label, count or weight has changed since an earlier pass. Each pass over memory of the caller
// checks the values that it reads, because another thread can write there meanwhile.
[[noreturn]] void reject_change();

// Throws std::invalid_argument with this message for integers of 64 bits.
void require_32_bits(const IntView& view, const char* message);

}  // namespace clustermark
