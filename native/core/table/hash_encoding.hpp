// Codes in order of first appearance for labels of any range.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/memory/buffer.hpp"
#include "core/table/label_view.hpp"

namespace clustermark {

constexpr std::uint64_t most_clusters = 0x7FFFFFFF;  // cluster numbers are int32

struct Encoding {
    Buffer<std::uint32_t> codes;   // one per label
    Buffer<std::int64_t> firsts;   // position where each code first appears
};

// Throws std::overflow_error when there are more than most_clusters distinct labels.
Encoding encode_integers(const IntView& labels);

// `records` is `count` rows of `width` bytes, one after the other.
Encoding encode_records(const unsigned char* records, std::size_t count, std::size_t width);

}  // namespace clustermark
