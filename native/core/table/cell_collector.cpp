#include "core/table/cell_collector.hpp"

#include <algorithm>
#include <stdexcept>
#include <vector>

#include "core/execution/threads.hpp"

namespace clustermark {

namespace {

constexpr unsigned bucket_bits = 12;  // 4096 counters fit into the first-level cache
constexpr std::size_t most_buckets = std::size_t{1} << bucket_bits;
constexpr const char* too_many_points = "the counts add up to 2^63 or more";

void see_kind(IntKind kind, IntKind& known_kind, bool& known) {
    if (known && kind != known_kind) throw std::invalid_argument("labels of one side must be of one type");
    known_kind = kind;
    known = true;
}

}  // namespace

CellCollector::Line CellCollector::line_of(const WordRange& range) {
    if (range.span >= std::uint64_t{1} << 32) throw std::invalid_argument("labels must lie within a range of 2^32");
    Line line{Side{}, UsedCodes(range.span + 1)};
    line.side.base = range.base;
    line.side.width = range.span + 1;
    return line;
}

CellCollector::CellCollector(std::size_t cells, const WordRange& rows, const WordRange& columns)
    : rows_(line_of(rows)), columns_(line_of(columns)) {
    cells_.rows = Buffer<std::int32_t>(cells);
    cells_.columns = Buffer<std::int32_t>(cells);
    cells_.counts = Buffer<std::int64_t>(cells);
}

void CellCollector::add(const IntView& rows, const IntView& columns, const IntView& counts) {
    const std::lock_guard<std::mutex> held(busy_);
    const std::size_t size = rows.size;
    if (finished_) throw std::logic_error("the cells were finished already");
    if (columns.size != size || counts.size != size) {
        throw std::invalid_argument("rows, columns and counts must have the same length");
    }
    if (size > cells_.size() - added_) throw std::invalid_argument("more cells than were announced");
    see_kind(rows.kind, rows_.side.kind, rows_.known);
    see_kind(columns.kind, columns_.side.kind, columns_.known);
    const unsigned threads = choose_threads(0, size);
    std::vector<std::int64_t> points(threads);
    run_parallel(threads, [&](unsigned thread) {
        const auto [begin, end] = share(size, thread, threads);
        points[thread] = read(rows, columns, counts, begin, end);
    });
    for (const std::int64_t more : points) {
        if (__builtin_add_overflow(points_, more, &points_)) throw std::overflow_error(too_many_points);
    }
    added_ += size;
}

// Sorts the cells of a part roughly by row, so that later loops find the data of a cluster in the cache at its next cell.
std::int64_t CellCollector::read(const IntView& rows, const IntView& columns, const IntView& counts, std::size_t begin,
                                 std::size_t end) {
    Buffer<std::uint32_t> codes(end - begin);
    std::vector<std::size_t> places(most_buckets + 1);
    StepCounter counter;
    const unsigned bits = bit_length(rows_.side.width - 1);
    const unsigned shift = bits > bucket_bits ? bits - bucket_bits : 0;
    for (std::size_t at = begin; at < end; at += block_size) {
        const std::size_t count = std::min(block_size, end - at);
        std::uint32_t* block = &codes[at - begin];
        read_codes(rows_, rows, at, count, block);
        for (std::size_t i = 0; i < count; ++i) ++places[(block[i] >> shift) + 1];
        counter.step(count);
    }
    for (std::size_t i = 1; i < places.size(); ++i) places[i] += places[i - 1];
    std::uint32_t column_codes[block_size];
    std::uint64_t words[block_size];
    std::int64_t points = 0;
    for (std::size_t at = begin; at < end; at += block_size) {
        const std::size_t count = std::min(block_size, end - at);
        read_codes(columns_, columns, at, count, column_codes);
        load_words(counts, at, count, words);
        for (std::size_t i = 0; i < count; ++i) {
            const auto n = static_cast<std::int64_t>(words[i]);
            if (n <= 0) throw std::invalid_argument("a count is not positive");
            if (__builtin_add_overflow(points, n, &points)) throw std::overflow_error(too_many_points);
            const std::uint32_t code = codes[at - begin + i];
            const std::size_t place = added_ + begin + places[code >> shift]++;
            cells_.rows[place] = static_cast<std::int32_t>(code);
            cells_.columns[place] = static_cast<std::int32_t>(column_codes[i]);
            cells_.counts[place] = n;
        }
        counter.step(count);
    }
    return points;
}

void CellCollector::read_codes(Line& line, const IntView& labels, std::size_t at, std::size_t count,
                               std::uint32_t* out) {
    const std::uint64_t bits = load_codes(labels, at, count, line.side.base, out);
    if (!are_below(line.side.width, bits, out, count)) {
        throw std::invalid_argument("a label lies outside the range that was announced");
    }
    for (std::size_t i = 0; i < count; ++i) line.used.mark(out[i]);
}

void CellCollector::renumber(const UsedCodes& used, Buffer<std::int32_t>& codes) {
    if (used.all_used()) return;
    const unsigned threads = choose_threads(0, codes.size());
    run_parallel(threads, [&](unsigned thread) {
        const auto [begin, end] = share(codes.size(), thread, threads);
        StepCounter counter;
        for (std::size_t i = begin; i < end; ++i, counter.step()) {
            codes[i] = used.number_of(static_cast<std::uint32_t>(codes[i]));
        }
    });
}

Cells CellCollector::finish() {
    const std::lock_guard<std::mutex> held(busy_);
    if (finished_) throw std::logic_error("the cells were finished already");
    if (added_ != cells_.size()) throw std::invalid_argument("fewer cells than were announced");
    rows_.used.number();
    columns_.used.number();
    renumber(rows_.used, cells_.rows);
    renumber(columns_.used, cells_.columns);
    cells_.n_rows = rows_.used.used();
    cells_.n_columns = columns_.used.used();
    cells_.row_values = rows_.used.values(rows_.side);
    cells_.column_values = columns_.used.values(columns_.side);
    finished_ = true;
    return std::move(cells_);
}

}  // namespace clustermark
