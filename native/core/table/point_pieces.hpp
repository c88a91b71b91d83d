// Cuts points into pieces that fit the cache: all points of a cell fall into the same piece, in input order.
// Pieces are made by the codes of one side, the major one; the other side is the minor one.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include "core/execution/threads.hpp"
#include "core/memory/buffer.hpp"
#include "core/table/cell_index.hpp"
#include "core/table/point_payloads.hpp"

namespace clustermark {

// Points of a piece: their records and hash table stay in the second-level cache (256 KiB and more).
constexpr std::size_t piece_target = std::size_t{1} << 13;

// Codes are sorted into at most this many buckets by their high bits, whose counters stay in the cache; neighbouring
// buckets make up a piece.
constexpr std::size_t most_buckets = std::size_t{1} << 14;

struct Piece {
    std::size_t begin = 0;
    std::size_t end = 0;
    std::size_t cells = 0;    // distinct cells, once counted
    std::uint64_t first = 0;  // no major code is smaller

    std::size_t size() const { return end - begin; }
};

// The key of a cell, made of both codes. A short key holds only the low bits of the major code, which distinguish the
// codes of one piece.
struct KeyFormat {
    unsigned minor_bits = 32;

    template <class Key>
    Key encode(std::uint32_t major, std::uint32_t minor) const {
        return static_cast<Key>(static_cast<std::uint64_t>(major) << minor_bits | minor);
    }
    template <class Key>
    std::uint32_t minor(Key key) const {
        return static_cast<std::uint32_t>(key & ((std::uint64_t{1} << minor_bits) - 1));
    }
    template <class Key>
    std::uint32_t major(Key key, const Piece& piece) const {
        constexpr std::uint64_t all = static_cast<Key>(-1);
        const std::uint64_t kept = static_cast<std::uint64_t>(key) >> minor_bits;
        return static_cast<std::uint32_t>(piece.first + ((kept - piece.first) & (all >> minor_bits)));
    }
};

// Points read from the two label arrays. Every code is checked: the widths may be guesses (powers of two), and the caller
// may change the labels.
template <class Points>
class LabelSource {
public:
    LabelSource(const Side& rows, const Side& columns, const Payloads& payloads, bool by_row)
        : rows_(rows), columns_(columns), payloads_(payloads), by_row_(by_row) {}

    std::size_t size() const { return rows_.view.size; }
    std::uint64_t width() const { return by_row_ ? rows_.width : columns_.width; }

    // Whether all visited codes are below the widths; the visit ends at the first code that is not.
    bool fits() const { return fits_.load(std::memory_order_relaxed); }

    // Calls visit(code) for each point; plain points need only the labels of one side for that.
    template <class Visit>
    void visit_codes(std::size_t begin, std::size_t end, Visit&& visit) const {
        Block<Points> block;
        StepCounter counter;
        for (std::size_t at = begin; at < end; at += block_size) {
            counter.step(block_size);
            const std::size_t count = std::min(block_size, end - at);
            const std::uint32_t* codes = by_row_ ? block.rows : block.columns;
            if constexpr (Points::plain) {
                const Side& side = by_row_ ? rows_ : columns_;
                const std::uint64_t bits = load_codes(side.view, at, count, side.base, block.rows);
                if (!check(are_below(side.width, bits, block.rows, count))) return;
                codes = block.rows;
                block.size = count;
            } else {
                if (!read(block, at, count)) return;
            }
            for (std::size_t i = 0; i < block.size; ++i) visit(codes[i]);
        }
    }

    // Calls visit(code, record) for each point; returns whether all of them fitted.
    template <class Key, class Visit>
    bool visit_records(std::size_t begin, std::size_t end, const KeyFormat& format, Visit&& visit) const {
        Block<Points> block;
        StepCounter counter;
        const std::uint32_t* major = by_row_ ? block.rows : block.columns;
        const std::uint32_t* minor = by_row_ ? block.columns : block.rows;
        for (std::size_t at = begin; at < end; at += block_size) {
            counter.step(block_size);
            if (!read(block, at, std::min(block_size, end - at))) return false;
            for (std::size_t i = 0; i < block.size; ++i) {
                visit(major[i], Points::record(format.encode<Key>(major[i], minor[i]), block.payload(i)));
            }
        }
        return true;
    }

private:
    bool read(Block<Points>& block, std::size_t at, std::size_t count) const {
        block.read(rows_, columns_, payloads_, at, count);
        return check(block.fits(rows_, columns_));
    }

    bool check(bool fit) const {
        if (fit && fits()) return true;
        fits_.store(false, std::memory_order_relaxed);
        return false;
    }

    const Side& rows_;
    const Side& columns_;
    const Payloads& payloads_;
    bool by_row_;
    mutable std::atomic<bool> fits_{true};
};

// Points of a piece that is too large, to be cut again by their minor codes.
template <class Record>
class RecordSource {
public:
    RecordSource(const Record* records, std::size_t size, std::uint64_t width)
        : records_(records), size_(size), width_(width) {}

    std::size_t size() const { return size_; }
    std::uint64_t width() const { return width_; }

    template <class Visit>
    void visit_codes(std::size_t begin, std::size_t end, Visit&& visit) const {
        StepCounter counter;
        for (std::size_t i = begin; i < end; ++i, counter.step()) visit(KeyFormat{}.minor(records_[i].key));
    }

    template <class Key, class Visit>
    bool visit_records(std::size_t begin, std::size_t end, const KeyFormat& format, Visit&& visit) const {
        StepCounter counter;
        for (std::size_t i = begin; i < end; ++i, counter.step()) visit(format.minor(records_[i].key), records_[i]);
        return true;
    }

private:
    const Record* records_;
    std::size_t size_;
    std::uint64_t width_;
};

// The piece of each bucket, and the positions of each thread's points of each piece.
// All members except `starts` depend on the points alone, not on the number of threads.
struct PartitionPlan {
    unsigned shift = 0;
    std::vector<std::uint16_t> piece_of;  // by bucket
    std::vector<Piece> pieces;
    std::vector<std::vector<std::size_t>> starts;  // by thread and piece; last, where the pieces end
    std::size_t points = 0;
    std::uint64_t widest = 1;  // largest number of codes of a piece
    std::size_t largest = 0;   // largest number of points of a piece
};

PartitionPlan plan_pieces(std::vector<std::vector<std::size_t>> histograms, unsigned shift, std::size_t target);

template <class Source>
PartitionPlan plan_partition(const Source& source, unsigned threads, std::size_t target) {
    const unsigned bits = bit_length(source.width() - 1);
    const unsigned shift = bits > bit_length(most_buckets - 1) ? bits - bit_length(most_buckets - 1) : 0;
    const std::size_t buckets = ((source.width() - 1) >> shift) + 1;
    std::vector<std::vector<std::size_t>> histograms(threads);
    run_parallel(threads, [&](unsigned index) {
        const auto [begin, end] = share(source.size(), index, threads);
        std::vector<std::size_t> histogram(buckets);
        source.visit_codes(begin, end, [&](std::uint32_t code) { ++histogram[code >> shift]; });
        histograms[index] = std::move(histogram);
    });
    return plan_pieces(std::move(histograms), shift, target);
}

// Collects a few records of each piece and writes them together, so that each cache line is written once and in full.
template <class Record>
class WriteCombiner {
public:
    // starts, limits: the positions where the records of each piece that this object writes begin and end.
    WriteCombiner(Record* out, const std::vector<std::size_t>& starts, const std::vector<std::size_t>& limits)
        : out_(out), starts_(starts), limits_(limits), ends_(starts), lines_(starts.size() * line) {}

    void write(std::size_t piece, const Record& record) {
        const std::size_t place = ends_[piece]++;
        lines_[piece * line + place % line] = record;
        if (place % line != line - 1) return;
        if (place >= limits_[piece]) reject_change();
        if (place >= starts_[piece] + (line - 1)) {  // a whole line: a copy of known size needs no call
            copy_line(out_ + place - (line - 1), &lines_[piece * line]);
        } else {
            flush(piece, place + 1);
        }
    }

    // Writes the remaining records. Every position must have a record: the next pass reads all of them.
    void finish() {
        for (std::size_t piece = 0; piece < ends_.size(); ++piece) {
            if (ends_[piece] != limits_[piece]) reject_change();
            if (ends_[piece] % line != 0) flush(piece, ends_[piece]);
        }
#if defined(__SSE2__)
        _mm_sfence();
#endif
    }

private:
    static constexpr std::size_t line = std::max<std::size_t>(64 / sizeof(Record), 8);

    // Lines of plain points bypass the cache, which contains the lines being filled: written lines are read much later.
    static void copy_line(Record* to, const Record* from) {
#if defined(__SSE2__)
        if constexpr (line * sizeof(Record) == 64) {
            auto* target = reinterpret_cast<__m128i*>(to);
            const auto* source = reinterpret_cast<const __m128i*>(from);
            for (int i = 0; i < 4; ++i) _mm_stream_si128(target + i, _mm_load_si128(source + i));
            return;
        }
#endif
        std::memcpy(static_cast<void*>(to), from, line * sizeof(Record));
    }

    void flush(std::size_t piece, std::size_t end) {
        const std::size_t line_begin = (end - 1) / line * line;
        const std::size_t begin = std::max(line_begin, starts_[piece]);
        if (begin >= end) return;
        const Record* from = &lines_[piece * line + begin % line];
        std::memcpy(static_cast<void*>(out_ + begin), from, (end - begin) * sizeof(Record));
    }

    Record* out_;
    const std::vector<std::size_t>& starts_;
    const std::vector<std::size_t>& limits_;
    std::vector<std::size_t> ends_;
    Buffer<Record> lines_;
};

// Touches the huge pages of a buffer, so that the system provides them. That takes a millisecond each; the scattered writes
// would touch all of them within one uninterruptible step.
template <class T>
void make_pages(Buffer<T>& buffer, unsigned threads) {
    run_parallel(threads, [&](unsigned index) {
        constexpr std::size_t page = Buffer<T>::huge_page / sizeof(T);
        const auto [begin, end] = share(buffer.size() / page, index, threads);
        StepCounter counter;
        for (std::size_t i = begin; i < end; ++i) {
            *reinterpret_cast<volatile char*>(buffer.data() + i * page) = 0;
            counter.step(std::size_t{1} << 16);
        }
    });
}

// Writes all points of `source` to `out`, piece after piece.
template <class Source, class Record>
void scatter(const Source& source, const PartitionPlan& plan, unsigned threads, const KeyFormat& format, Record* out) {
    run_parallel(threads, [&](unsigned index) {
        const auto [begin, end] = share(source.size(), index, threads);
        WriteCombiner<Record> combiner(out, plan.starts[index], plan.starts[index + 1]);
        const std::uint16_t* piece_of = plan.piece_of.data();
        const unsigned shift = plan.shift;
        const auto write = [&](std::uint32_t code, const Record& record) {
            combiner.write(piece_of[code >> shift], record);
        };
        if (source.template visit_records<decltype(Record::key)>(begin, end, format, write)) combiner.finish();
    });
}

}  // namespace clustermark
