#include "point_classes.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <mutex>
#include <stdexcept>
#include <utility>

#include "hashing.hpp"
#include "lanes.hpp"
#include "threads.hpp"

namespace clustermark {

namespace {

constexpr std::size_t most_dense = std::size_t{1} << 22;
constexpr std::ptrdiff_t first_column_by_search = 16;

// Clusters are counted from 0 for `absent`.
std::size_t place_of(std::int32_t cluster) { return static_cast<std::size_t>(std::int64_t{cluster} - absent); }

void refuse_wide(const IntView& codes, const char* message) {
    if (int_size(codes.kind) > sizeof(std::int32_t)) throw std::invalid_argument(message);
}

// Clusters by code.
class CodedClusters {
public:
    CodedClusters(const CodedSide& side, std::size_t clusters) : codes_(side.codes), clusters_(side.clusters.size) {
        refuse_wide(side.codes, "codes must be integers of at most 32 bits");
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

    // Writes the places among the clusters of the labels of some points.
    void load(std::size_t begin, std::size_t count, std::uint32_t* out) const {
        load_codes(codes_, begin, count, 0, out);
        const auto size = static_cast<std::uint32_t>(clusters_.size());
        std::uint32_t beyond = 0;
        for (std::size_t i = 0; i < count; ++i) {
            out[i] = out[i] < size ? out[i] : out[i] + size;  // -1 is the last
            beyond |= out[i] < size ? 0U : 1U;
        }
        if (beyond != 0) throw std::invalid_argument("codes must have a cluster each");
    }

private:
    IntView codes_;
    Buffer<std::uint32_t> clusters_;
};

struct Entry {
    std::uint32_t column;
    std::int32_t found;
};

// The entries of each row, those of long rows in the order of their columns.
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
                std::sort(entries_.data() + starts_[row], entries_.data() + starts_[row + 1], by_column);
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
    Buffer<Class> found(points, PageSize::small);  // written once from end to end, which huge pages do not pay for
    const unsigned workers = choose_threads(threads, points);
    run_parallel(workers, [&](unsigned index) {
        std::array<std::uint32_t, block_size> row, column;
        std::array<std::int32_t, block_size> classes;
        const auto [begin, end] = share(points, index, workers);
        Pace pace;
        for (std::size_t i = begin; i < end; i += block_size) {
            const std::size_t count = std::min(block_size, end - i);
            pace.step(4 * count);
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

// Few labels: the classes of all pairs of codes in one array.
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

// Many: along the entries of the point's row. Rows are met in any order, so a block asks for all of its memory first.
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

constexpr std::size_t at_once = 256;  // points, whose values stay in the first-level cache
constexpr int most_bits = 51;
constexpr int half_bits = 26;
constexpr std::int64_t raise = std::int64_t{1} << most_bits;  // no number is negative then

// A whole number between -2^51 and 2^51, raised, with 32 bits for each of its halves: three products of 32-bit numbers,
// of which a processor makes several at once, are one of such numbers.
std::uint64_t pack(std::int64_t number) {
    const auto raised = static_cast<std::uint64_t>(number + raise);
    return (raised >> half_bits << 32) | (raised & ((std::uint64_t{1} << half_bits) - 1));
}

std::uint64_t unpack_raised(std::uint64_t packed) {
    return (packed >> 32 << half_bits) + static_cast<std::uint32_t>(packed);
}

std::int64_t unpack(std::uint64_t packed) { return static_cast<std::int64_t>(unpack_raised(packed)) - raise; }

// Values as whole numbers of at most so many bits, in units of 2^exponent. Sums of their products are whole numbers too,
// so that no order of adding matters.
struct ScaledPoints {
    ScaledPoints(const ValuedPoints& list, int bits) : classes(list.classes), values(list.values.size()) {
        double largest = 0.0;
        for (std::size_t i = 0; i < values.size(); ++i) {
            if (!std::isfinite(list.values[i])) throw std::invalid_argument("values must be finite");
            largest = std::max(largest, std::fabs(list.values[i]));
        }
        std::frexp(largest, &exponent);
        exponent -= bits;
        for (std::size_t i = 0; i < values.size(); ++i) {
            values[i] = pack(std::llrint(std::ldexp(list.values[i], -exponent)));
        }
    }

    IntView classes;
    Buffer<std::uint64_t> values;
    int exponent = 0;
};

// So many bits of values leave room for the sum of all products of two of them, in 127 bits.
int choose_bits(std::size_t points, const std::optional<StridedView<std::int64_t>>& counts) {
    u128 total = counts ? 0 : points;
    for (std::size_t i = 0; counts && i < points; ++i) {
        if ((*counts)[i] < 0) throw std::invalid_argument("counts must not be negative");
        total += static_cast<u128>((*counts)[i]);
    }
    int room = 0;
    while (total >> room != 0) ++room;
    return std::min(most_bits, (124 - room) / 2);
}

// The sum of the products of raised numbers.
u128 multiply_each(const std::uint64_t* one, const std::uint64_t* other) {
    u128 sum = 0;
    for (std::size_t i = 0; i < at_once; ++i) sum += static_cast<u128>(unpack_raised(one[i])) * unpack_raised(other[i]);
    return sum;
}

#ifdef CLUSTERMARK_AVX2
__attribute__((target("avx2"))) std::uint64_t add_lanes(__m256i lanes) {
    return static_cast<std::uint64_t>(lanes[0] + lanes[1] + lanes[2] + lanes[3]);
}

// Four at once, by products of low halves, of high ones, and of the sums of both: of 54 bits, of which 256 fit into a
// computer word. They read the lower 32 bits of a lane and pass over the upper ones.
__attribute__((target("avx2"))) u128 multiply_lanes(const std::uint64_t* one, const std::uint64_t* other) {
    __m256i lows{}, highs{}, boths{};
    for (std::size_t i = 0; i < at_once; i += 4) {
        const __m256i x = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(one + i));
        const __m256i y = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(other + i));
        const __m256i x_high = _mm256_srli_epi64(x, 32), y_high = _mm256_srli_epi64(y, 32);
        lows += _mm256_mul_epu32(x, y);
        highs += _mm256_mul_epu32(x_high, y_high);
        boths += _mm256_mul_epu32(x + x_high, y + y_high);
    }
    const u128 low = add_lanes(lows), high = add_lanes(highs), both = add_lanes(boths);
    return (high << (2 * half_bits)) + ((both - low - high) << half_bits) + low;
}

const auto multiply = [] {
    __builtin_cpu_init();
    return __builtin_cpu_supports("avx2") ? multiply_lanes : multiply_each;
}();
#else
constexpr auto multiply = multiply_each;
#endif

CLUSTERMARK_LANES std::uint32_t find_largest(const std::array<std::uint32_t, at_once>& classes) {
    std::uint32_t largest = 0;
    for (const std::uint32_t one : classes) largest = std::max(largest, one);
    return largest;
}

CLUSTERMARK_LANES std::uint64_t add_raised(const std::uint64_t* packed) {
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < at_once; ++i) sum += unpack_raised(packed[i]);
    return sum;
}

// Sums of values and of products of two, over some points.
class Block {
public:
    Block(const std::vector<ScaledPoints>& lists, const std::optional<StridedView<std::int64_t>>& counts)
        : lists_(lists), counts_(counts), x_(lists.size() * at_once), numbers_(counts ? lists.size() * at_once : 0),
          products_(Buffer<u128>::zeros(lists.size() * lists.size())), sums_(Buffer<u128>::zeros(lists.size())) {}

    void add(std::size_t begin, std::size_t count) {
        const std::size_t n = lists_.size();
        points_ += count;
        for (std::size_t r = 0; r < n; ++r) gather(r, begin, count);
        if (counts_) return add_counted(begin, count);
        for (std::size_t r = 0; r < n; ++r) {
            for (std::size_t s = r; s < n; ++s) {
                products_[r * n + s] += multiply(&x_[r * at_once], &x_[s * at_once]);
            }
        }
    }

    // Adds what was found to the upper half of n * n products, and to n sums.
    void add_to(Buffer<u128>& products, Buffer<u128>& sums) const {
        const std::size_t n = lists_.size();
        for (std::size_t r = 0; r < n; ++r) {
            sums[r] += sums_[r];
            for (std::size_t s = r; s < n; ++s) products[r * n + s] += products_[r * n + s] - raised(r, s);
        }
    }

private:
    // The values of some points in a list. Points that the last block lacks are 0 in both halves, and so in all products.
    void gather(std::size_t r, std::size_t begin, std::size_t count) {
        const Buffer<std::uint64_t>& values = lists_[r].values;
        std::array<std::uint32_t, at_once> classes;
        load_codes(lists_[r].classes, begin, count, 0, classes.data());
        std::fill(classes.begin() + count, classes.end(), 0);
        if (find_largest(classes) >= values.size()) throw std::invalid_argument("classes must have a value each");
        std::uint64_t* x = &x_[r * at_once];
        for (std::size_t i = 0; i < count; ++i) x[i] = values[classes[i]];
        std::fill(x + count, x + at_once, 0);
        if (!counts_) sums_[r] += add_raised(x) - static_cast<u128>(count) * raise;
    }

    void add_counted(std::size_t begin, std::size_t count) {
        const std::size_t n = lists_.size();
        std::transform(x_.begin(), x_.end(), numbers_.begin(), unpack);
        for (std::size_t r = 0; r < n; ++r) {
            const std::int64_t* one = &numbers_[r * at_once];
            for (std::size_t i = 0; i < count; ++i) sums_[r] += static_cast<i128>(one[i]) * (*counts_)[begin + i];
            for (std::size_t s = r; s < n; ++s) {
                const std::int64_t* other = &numbers_[s * at_once];
                i128 sum = 0;
                for (std::size_t i = 0; i < count; ++i) sum += static_cast<i128>(one[i]) * other[i] * (*counts_)[begin + i];
                products_[r * n + s] += sum;
            }
        }
    }

    // By how much the products of raised numbers are too large.
    u128 raised(std::size_t r, std::size_t s) const {
        return counts_ ? 0 : (sums_[r] + sums_[s] + points_ * raise) * raise;
    }

    const std::vector<ScaledPoints>& lists_;
    const std::optional<StridedView<std::int64_t>>& counts_;
    Buffer<std::uint64_t> x_;
    Buffer<std::int64_t> numbers_;
    Buffer<u128> products_, sums_;  // modulo 2^128, which is enough: as i128 they are themselves
    u128 points_ = 0;
};

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

Products add_products(const std::vector<ValuedPoints>& lists, const std::optional<StridedView<std::int64_t>>& counts,
                      int threads) {
    for (const ValuedPoints& list : lists) refuse_wide(list.classes, "classes must be integers of at most 32 bits");
    const std::size_t n = lists.size(), points = lists[0].classes.size;
    const int bits = choose_bits(points, counts);
    std::vector<ScaledPoints> scaled;
    for (const ValuedPoints& list : lists) scaled.emplace_back(list, bits);
    auto products = Buffer<u128>::zeros(n * n), sums = Buffer<u128>::zeros(n);
    const unsigned workers = choose_threads(threads, points);
    std::mutex adding;
    run_parallel(workers, [&](unsigned index) {
        Block block(scaled, counts);
        Pace pace;
        const auto [begin, end] = share(points, index, workers);
        for (std::size_t i = begin; i < end; i += at_once) {
            pace.step(at_once * n);
            block.add(i, std::min(at_once, end - i));
        }
        const std::lock_guard lock(adding);
        block.add_to(products, sums);
    });
    Products all{Buffer<double>(n * n), Buffer<double>(n)};
    for (std::size_t i = 0; i < n; ++i) {
        all.sums[i] = std::ldexp(static_cast<double>(static_cast<i128>(sums[i])), scaled[i].exponent);
        for (std::size_t j = i; j < n; ++j) {
            const double product = static_cast<double>(static_cast<i128>(products[i * n + j]));
            all.products[i * n + j] = all.products[j * n + i] =
                std::ldexp(product, scaled[i].exponent + scaled[j].exponent);
        }
    }
    return all;
}

}  // namespace clustermark
