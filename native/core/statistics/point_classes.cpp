#include "core/statistics/point_classes.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>
#include <utility>

#include "core/execution/interruptible_sort.hpp"
#include "core/execution/threads.hpp"

namespace clustermark {

namespace {

constexpr std::size_t most_dense = std::size_t{1} << 22;          // 16 MiB of classes
constexpr std::ptrdiff_t first_column_by_search = 16;  // a linear search in two cache lines is faster than a binary one

// The position of a cluster in arrays that begin with `absent`.
std::size_t place_of(std::int32_t cluster) { return static_cast<std::size_t>(std::int64_t{cluster} - absent); }

// Clusters by code.
class CodedClusters {
public:
    CodedClusters(const CodedSide& side, std::size_t clusters) : codes_(side.codes), clusters_(side.clusters.size) {
        require_32_bits(side.codes, "codes must be integers of at most 32 bits");
        for (std::size_t i = 0; i < clusters_.size(); ++i) {
            const std::int64_t number = std::int64_t{side.clusters[i]} - absent;
            if (number < 0 || number >= static_cast<std::int64_t>(clusters) - absent) {
                throw std::invalid_argument("clusters must be those of the cells");
            }
            clusters_[i] = static_cast<std::uint32_t>(number);
        }
    }

    std::size_t size() const { return clusters_.size(); }
    std::uint32_t operator[](std::size_t code) const { return clusters_[code]; }

    // Writes the positions of the clusters of some points.
    void load(std::size_t begin, std::size_t count, std::uint32_t* out) const {
        load_codes(codes_, begin, count, 0, out);
        const auto size = static_cast<std::uint32_t>(clusters_.size());
        std::uint32_t beyond = 0;
        for (std::size_t i = 0; i < count; ++i) {
            out[i] = out[i] < size ? out[i] : out[i] + size;  // -1 is the last code
            beyond |= out[i] < size ? 0U : 1U;
        }
        if (beyond != 0) throw std::invalid_argument("every code must have a cluster");
    }

private:
    IntView codes_;
    Buffer<std::uint32_t> clusters_;
};

struct Entry {
    std::uint32_t column;
    std::int32_t found;
};

// The entries of each row; long rows are sorted by column.
class EntriesByRow {
public:
    EntriesByRow(const Cells& cells, const StridedView<std::int32_t>& classes)
        : starts_(Buffer<std::uint32_t>::zeros(cells.n_rows + 4)), entries_(cells.size()) {
        for (const std::int32_t row : cells.rows) ++starts_[place_of(row) + 2];
        for (std::size_t row = 2; row < starts_.size(); ++row) starts_[row] += starts_[row - 1];
        for (std::size_t i = 0; i < cells.size(); ++i) {
            const std::uint32_t place = starts_[place_of(cells.rows[i]) + 1]++;
            entries_[place] = {static_cast<std::uint32_t>(place_of(cells.columns[i])), classes[i]};
        }
        auto by_column = [](const Entry& one, const Entry& other) { return one.column < other.column; };
        for (std::size_t row = 0; row + 2 < starts_.size(); ++row) {
            if (is_long(begin(row), end(row))) {
                sort_interruptibly(entries_.data() + starts_[row], entries_.data() + starts_[row + 1], by_column);
            }
        }
    }

    const Entry* begin(std::size_t row) const { return entries_.data() + starts_[row]; }
    const Entry* end(std::size_t row) const { return entries_.data() + starts_[row + 1]; }

    static std::int32_t find(const Entry* place, const Entry* end, std::uint32_t column) {
        if (is_long(place, end)) {
            place = std::lower_bound(place, end, column,
                                     [](const Entry& entry, std::uint32_t wanted) { return entry.column < wanted; });
        } else {
            while (place != end && place->column != column) ++place;
        }
        return place != end && place->column == column ? place->found : -1;
    }

private:
    static bool is_long(const Entry* begin, const Entry* end) { return end - begin > first_column_by_search; }

    Buffer<std::uint32_t> starts_;
    Buffer<Entry> entries_;
};

// Looks up the points of all blocks: find(rows, columns, count, out) writes the classes, and returns them or-ed together.
template <class Class, class Find>
Buffer<Class> look_up(const CodedClusters& rows, const CodedClusters& columns, std::size_t points, int threads, Find&& find) {
    Buffer<Class> found(points, PageSize::small);  // written once in order, where huge pages save no time
    const unsigned workers = choose_threads(threads, points);
    run_parallel(workers, [&](unsigned index) {
        std::array<std::uint32_t, block_size> row, column;
        std::array<std::int32_t, block_size> classes;
        const auto [begin, end] = share(points, index, workers);
        StepCounter counter;
        for (std::size_t i = begin; i < end; i += block_size) {
            const std::size_t count = std::min(block_size, end - i);
            counter.step(4 * count);
            rows.load(i, count, row.data());
            columns.load(i, count, column.data());
            if (find(row.data(), column.data(), count, classes.data()) < 0) {
                throw std::invalid_argument("the points must be those of the cells");
            }
            for (std::size_t k = 0; k < count; ++k) found[i + k] = static_cast<Class>(classes[k]);
        }
    });
    return found;
}

// For few labels: the classes of all pairs of codes in one array.
template <class Class>
Buffer<Class> look_up_dense(const Cells& cells, const CodedClusters& rows, const CodedClusters& columns, std::size_t points,
                            const StridedView<std::int32_t>& classes, int threads) {
    const std::size_t width = cells.n_columns + 2;
    auto by_cluster = Buffer<std::int32_t>::filled((cells.n_rows + 2) * width, -1);
    for (std::size_t i = 0; i < cells.size(); ++i) {
        by_cluster[place_of(cells.rows[i]) * width + place_of(cells.columns[i])] = classes[i];
    }
    const auto codes = static_cast<std::uint32_t>(columns.size());
    Buffer<std::int32_t> by_code(rows.size() * columns.size());
    for (std::size_t i = 0; i < rows.size(); ++i) {
        for (std::size_t j = 0; j < codes; ++j) by_code[i * codes + j] = by_cluster[rows[i] * width + columns[j]];
    }
    return look_up<Class>(rows, columns, points, threads,
                          [&](const std::uint32_t* row, const std::uint32_t* column, std::size_t count,
                              std::int32_t* out) {
                              std::int32_t seen = 0;
                              for (std::size_t k = 0; k < count; ++k) seen |= out[k] = by_code[row[k] * codes + column[k]];
                              return seen;
                          });
}

// For many labels: a search among the entries of the point's row. Rows are accessed in any order, so the memory of a whole
// block is prefetched.
template <class Class>
Buffer<Class> look_up_sparse(const Cells& cells, const CodedClusters& rows, const CodedClusters& columns, std::size_t points,
                             const StridedView<std::int32_t>& classes, int threads) {
    const EntriesByRow entries(cells, classes);
    return look_up<Class>(rows, columns, points, threads,
                          [&](const std::uint32_t* row, const std::uint32_t* column, std::size_t count,
                              std::int32_t* out) {
                              std::array<std::uint32_t, block_size> wanted;
                              std::array<const Entry*, block_size> begin, end;
                              for (std::size_t k = 0; k < count; ++k) wanted[k] = columns[column[k]];
                              for (std::size_t k = 0; k < count; ++k) {
                                  const std::uint32_t number = rows[row[k]];
                                  begin[k] = entries.begin(number);
                                  end[k] = entries.end(number);
                                  __builtin_prefetch(begin[k]);
                              }
                              std::int32_t seen = 0;
                              for (std::size_t k = 0; k < count; ++k) {
                                  seen |= out[k] = EntriesByRow::find(begin[k], end[k], wanted[k]);
                              }
                              return seen;
                          });
}

}  // namespace

template <class Class>
Buffer<Class> classes_of_points(const Cells& cells, const CodedSide& rows, const CodedSide& columns,
                                const StridedView<std::int32_t>& classes, int threads) {
    const CodedClusters true_side(rows, cells.n_rows), pred_side(columns, cells.n_columns);
    const bool dense = true_side.size() * pred_side.size() <= most_dense &&
                       (cells.n_rows + 2) * (cells.n_columns + 2) <= most_dense;
    const auto look = dense ? look_up_dense<Class> : look_up_sparse<Class>;
    return look(cells, true_side, pred_side, rows.codes.size, classes, threads);
}

template Buffer<std::uint8_t> classes_of_points(const Cells&, const CodedSide&, const CodedSide&,
                                                const StridedView<std::int32_t>&, int);
template Buffer<std::uint16_t> classes_of_points(const Cells&, const CodedSide&, const CodedSide&,
                                                 const StridedView<std::int32_t>&, int);
template Buffer<std::int32_t> classes_of_points(const Cells&, const CodedSide&, const CodedSide&,
                                                const StridedView<std::int32_t>&, int);

}  // namespace clustermark
