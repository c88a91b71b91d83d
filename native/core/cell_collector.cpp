#include "cell_collector.hpp"

#include <algorithm>
#include <stdexcept>
#include <vector>

#include "threads.hpp"

namespace clustermark {

namespace {

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
        read(rows_, rows, begin, end, cells_.rows.data() + added_);
        read(columns_, columns, begin, end, cells_.columns.data() + added_);
        points[thread] = read_counts(counts, begin, end);
    });
    for (const std::int64_t more : points) {
        if (__builtin_add_overflow(points_, more, &points_)) throw std::overflow_error(too_many_points);
    }
    added_ += size;
}

// Codes are written where the numbers of clusters will be.
void CellCollector::read(Line& line, const IntView& labels, std::size_t begin, std::size_t end, std::int32_t* out) {
    std::uint32_t codes[block_size];
    for (std::size_t at = begin; at < end; at += block_size) {
        const std::size_t count = std::min(block_size, end - at);
        const std::uint64_t bits = load_codes(labels, at, count, line.side.base, codes);
        const std::uint32_t largest = *std::max_element(codes, codes + count);
        if (bits >> 32 != 0 || largest >= line.side.width) {
            throw std::invalid_argument("a label lies outside the range that was announced");
        }
        for (std::size_t i = 0; i < count; ++i) line.used.mark(codes[i]);
        std::copy(codes, codes + count, reinterpret_cast<std::uint32_t*>(out) + at);
    }
}

std::int64_t CellCollector::read_counts(const IntView& counts, std::size_t begin, std::size_t end) {
    std::uint64_t words[block_size];
    std::int64_t points = 0;
    for (std::size_t at = begin; at < end; at += block_size) {
        const std::size_t count = std::min(block_size, end - at);
        load_words(counts, at, count, words);
        for (std::size_t i = 0; i < count; ++i) {
            const auto n = static_cast<std::int64_t>(words[i]);
            if (n <= 0) throw std::invalid_argument("a count is not positive");
            if (__builtin_add_overflow(points, n, &points)) throw std::overflow_error(too_many_points);
            cells_.counts[added_ + at + i] = n;
        }
    }
    return points;
}

void CellCollector::renumber(const UsedCodes& used, Buffer<std::int32_t>& codes) {
    if (used.all_used()) return;
    const unsigned threads = choose_threads(0, codes.size());
    run_parallel(threads, [&](unsigned thread) {
        const auto [begin, end] = share(codes.size(), thread, threads);
        for (std::size_t i = begin; i < end; ++i) codes[i] = used.number_of(static_cast<std::uint32_t>(codes[i]));
    });
}

Cells CellCollector::finish() {
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
