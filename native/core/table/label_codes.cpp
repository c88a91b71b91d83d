#include "core/table/label_codes.hpp"

#include <algorithm>
#include <stdexcept>
#include <vector>

#include "core/execution/threads.hpp"
#include "core/numeric/integers.hpp"

namespace clustermark {

namespace {

constexpr std::size_t sample_size = 1024;  // read in microseconds; a wrong guess costs the pass that it would have saved
constexpr std::size_t block = std::size_t{1} << 16;  // labels between two checks of the monitor
constexpr std::uint64_t always_by_range = std::uint64_t{1} << 16;  // 8 KiB of bits for used codes

WordRange whole_range(const IntView& labels, unsigned threads) {
    std::vector<WordRange> ranges(threads);
    run_parallel(threads, [&](unsigned index) {
        auto [begin, end] = share(labels.size, index, threads);
        ranges[index] = find_range(labels, begin, begin + 1);
        StepCounter counter;
        for (; begin < end; begin += block) {
            const std::size_t stop = std::min(begin + block, end);
            ranges[index] = join_ranges(ranges[index], find_range(labels, begin, stop), labels.kind);
            counter.step(stop - begin);
        }
    });
    for (unsigned index = 1; index < threads; ++index) ranges[0] = join_ranges(ranges[0], ranges[index], labels.kind);
    return ranges[0];
}

void encode_side(Side& side, const IntView& labels) {
    Encoding encoding = encode_integers(labels);
    side.encoded = std::move(encoding.codes);
    side.view = view_of_codes(side.encoded);
    side.base = 0;
    side.width = encoding.firsts.size();
    side.words = Buffer<std::uint64_t>(encoding.firsts.size());
    StepCounter counter;
    for (std::size_t i = 0; i < encoding.firsts.size(); ++i, counter.step()) {
        load_words(labels, static_cast<std::size_t>(encoding.firsts[i]), 1, &side.words[i]);
    }
}

// The side coded by range, or with width 0 when its range is too wide for that.
Side side_by_range(const IntView& labels, unsigned threads) {
    Side side;
    side.kind = labels.kind;
    side.view = labels;
    const WordRange range = whole_range(labels, threads);
    if (range.span == UINT64_MAX || !is_by_range(range.span + 1, labels.size)) return side;
    side.base = range.base;
    side.width = range.span + 1;
    return side;
}

}  // namespace

bool is_by_range(std::uint64_t width, std::size_t points) {
    const std::uint64_t wide = std::max<std::uint64_t>(always_by_range, 2 * points);
    return width <= std::min<std::uint64_t>(wide, std::uint64_t{1} << 32);
}

std::optional<RangeGuess> guess_range(const IntView& labels) {
    const std::size_t step = labels.size / sample_size;
    if (step == 0) return std::nullopt;
    WordRange range = join_ranges(find_range(labels, 0, labels.size, step),
                                  find_range(labels, labels.size - 1, labels.size), labels.kind);
    const std::uint64_t seen = range.span;
    // Labels mostly count from 0: a sample that starts a little above it has missed the smallest ones.
    if (range.base > 0 && range.base <= range.span) {
        range.span += range.base;
        range.base = 0;
    }
    if (range.span >= std::uint64_t{1} << 31) return std::nullopt;
    return RangeGuess{{range.base, power_at_least(range.span + 1) - 1}, seen + 1};
}

std::pair<Side, Side> code_sides(const IntView& y_true, const IntView& y_pred, unsigned threads) {
    std::pair<Side, Side> sides{side_by_range(y_true, threads), side_by_range(y_pred, threads)};
    const unsigned encoders = std::min(threads, 2U);
    const bool any_wide = sides.first.width == 0 || sides.second.width == 0;
    if (!any_wide) return sides;
    run_parallel(encoders, [&](unsigned index) {
        if (index == 0 && sides.first.width == 0) encode_side(sides.first, y_true);
        if (index == encoders - 1 && sides.second.width == 0) encode_side(sides.second, y_pred);
    });
    return sides;
}

UsedCodes::UsedCodes(std::uint64_t width) : width_(width), bits_(Buffer<std::uint64_t>::zeros((width + 63) / 64)) {}

void UsedCodes::number() {
    std::uint64_t end = 0;
    for (std::size_t i = 0; i < bits_.size(); ++i) {
        if (bits_[i] == 0) continue;
        if (used_ == 0) first_ = i * 64 + static_cast<std::uint64_t>(__builtin_ctzll(bits_[i]));
        end = i * 64 + bit_length(bits_[i]);
        used_ += count_bits(bits_[i]);
    }
    if (used_ > most_clusters) throw std::overflow_error("more than 2147483647 clusters on one side");
    without_gaps_ = used_ == end - first_;
    if (without_gaps_) return;
    before_ = Buffer<std::uint32_t>(bits_.size());
    std::uint32_t used = 0;
    for (std::size_t i = 0; i < bits_.size(); ++i) {
        before_[i] = used;
        used += count_bits(bits_[i]);
    }
}

SideValues UsedCodes::values(const Side& side) const {
    SideValues values;
    values.kind = side.kind;
    values.base = side.base + first_;
    if (without_gaps_ && side.words.empty()) return values;
    values.words = Buffer<std::uint64_t>(used_);
    std::size_t next = 0;
    StepCounter counter;
    for (std::size_t i = 0; i < bits_.size(); ++i, counter.step(64)) {
        for (std::uint64_t rest = bits_[i]; rest != 0; rest &= rest - 1) {
            values.words[next++] = side.word(i * 64 + static_cast<std::size_t>(__builtin_ctzll(rest)));
        }
    }
    return values;
}

}  // namespace clustermark
