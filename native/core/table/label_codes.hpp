// Encoding of the labels of one side as 32-bit codes, and numbering of used codes as clusters.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>

#include "core/memory/buffer.hpp"
#include "core/table/cells.hpp"
#include "core/table/hash_encoding.hpp"
#include "core/table/label_view.hpp"

namespace clustermark {

// code = label - base, with `width` possible codes. Labels with a wide range are encoded by hash first:
// then `view` reads these codes, and `words` contains the label of each.
struct Side {
    IntView view;
    std::uint64_t base = 0;
    std::uint64_t width = 0;
    IntKind kind = IntKind::i64;     // of the labels
    Buffer<std::uint32_t> encoded;   // empty when coded by range
    Buffer<std::uint64_t> words;     // likewise

    std::uint64_t word(std::size_t code) const { return words.empty() ? base + code : words[code]; }
};

// An estimate of the range of the labels, from a sample.
struct RangeGuess {
    WordRange range;      // estimated range of all labels, rounded up to a power of two
    std::uint64_t least;  // the width of the range of the sample
};

// {} when there are few labels, or their range is not small.
std::optional<RangeGuess> guess_range(const IntView& labels);

// Whether the labels are encoded by their range, which must be at most max(2^16, 2 n). Other labels are encoded by hash.
bool is_by_range(std::uint64_t width, std::size_t points);

std::pair<Side, Side> code_sides(const IntView& y_true, const IntView& y_pred, unsigned threads);

// Which codes occur, as bits that several threads may set; afterwards, their numbers in ascending order.
class UsedCodes {
public:
    explicit UsedCodes(std::uint64_t width);

    void mark(std::uint32_t code) {
        // std::atomic_ref is still missing in some standard libraries.
        std::uint64_t* word = &bits_[code / 64];
        const std::uint64_t bit = std::uint64_t{1} << (code % 64);
        if ((__atomic_load_n(word, __ATOMIC_RELAXED) & bit) == 0) __atomic_fetch_or(word, bit, __ATOMIC_RELAXED);
    }

    // To be called once all codes are marked. Throws std::overflow_error when there are too many.
    void number();

    std::size_t used() const { return used_; }
    bool all_used() const { return used_ == width_; }

    std::int32_t number_of(std::uint32_t code) const {
        if (without_gaps_) return static_cast<std::int32_t>(code - first_);
        const std::uint64_t below = bits_[code / 64] & ((std::uint64_t{1} << (code % 64)) - 1);
        return static_cast<std::int32_t>(before_[code / 64] + count_bits(below));
    }

    // The labels of the used codes.
    SideValues values(const Side& side) const;

private:
    std::uint64_t width_;
    Buffer<std::uint64_t> bits_;
    Buffer<std::uint32_t> before_;  // used codes below each word of bits; empty without gaps
    std::size_t used_ = 0;
    std::uint64_t first_ = 0;    // the smallest used code
    bool without_gaps_ = false;  // between it and the largest
};

}  // namespace clustermark
