#include "core/statistics/class_products.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <mutex>
#include <stdexcept>

#include "core/execution/threads.hpp"
#include "core/numeric/integers.hpp"
#include "core/numeric/simd.hpp"

namespace clustermark {

namespace {

constexpr std::size_t at_once = 256;  // points, whose values stay in the first-level cache
constexpr int most_bits = 51;  // with the sign, 52 bits: two halves of 26
constexpr int half_bits = 26;  // the sum of two halves has 27 bits, and 256 products of such sums fit into 64 bits
constexpr std::int64_t raise = std::int64_t{1} << most_bits;  // makes all numbers positive

// An integer between -2^51 and 2^51, plus 2^51, with 32 bits for each of its halves. The product of two such numbers takes
// three products of 32-bit numbers, which a processor computes several at once.
std::uint64_t pack(std::int64_t number) {
    const auto raised = static_cast<std::uint64_t>(number + raise);
    return (raised >> half_bits << 32) | (raised & ((std::uint64_t{1} << half_bits) - 1));
}

std::uint64_t unpack_raised(std::uint64_t packed) {
    return (packed >> 32 << half_bits) + static_cast<std::uint32_t>(packed);
}

std::int64_t unpack(std::uint64_t packed) { return static_cast<std::int64_t>(unpack_raised(packed)) - raise; }

// Values as integers of at most `bits` bits, in units of 2^exponent. Sums of their products are integers too, so they do
// not depend on the order of the points.
struct ScaledPoints {
    ScaledPoints(const ClassValues& list, int bits) : classes(list.classes), values(list.values.size()) {
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

// The number of bits of values such that the sum of all products of two values fits into 127 bits.
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

#ifdef CLUSTERMARK_HAS_AVX2
__attribute__((target("avx2"))) std::uint64_t add_lanes(__m256i lanes) {
    return static_cast<std::uint64_t>(lanes[0] + lanes[1] + lanes[2] + lanes[3]);
}

// Four at once, by products of low halves, of high halves, and of the sums of both halves: these have 54 bits, and the sum of
// 256 of them fits into a computer word. The instructions read only the lower 32 bits of a lane.
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

CLUSTERMARK_VECTORISED std::uint32_t find_largest(const std::array<std::uint32_t, at_once>& classes) {
    std::uint32_t largest = 0;
    for (const std::uint32_t one : classes) largest = std::max(largest, one);
    return largest;
}

CLUSTERMARK_VECTORISED std::uint64_t add_raised(const std::uint64_t* packed) {
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < at_once; ++i) sum += unpack_raised(packed[i]);
    return sum;
}

// Sums of values and of products of two values, over some points.
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

    // Adds the products to the upper triangle of n * n products, and the sums to n sums.
    void add_to(Buffer<u128>& products, Buffer<u128>& sums) const {
        const std::size_t n = lists_.size();
        for (std::size_t r = 0; r < n; ++r) {
            sums[r] += sums_[r];
            for (std::size_t s = r; s < n; ++s) products[r * n + s] += products_[r * n + s] - raised(r, s);
        }
    }

private:
    // The values of some points in a list. Missing points of the last block are 0 in both halves, so their products are 0.
    void gather(std::size_t r, std::size_t begin, std::size_t count) {
        const Buffer<std::uint64_t>& values = lists_[r].values;
        std::array<std::uint32_t, at_once> classes;
        load_codes(lists_[r].classes, begin, count, 0, classes.data());
        std::fill(classes.begin() + count, classes.end(), 0);
        if (find_largest(classes) >= values.size()) throw std::invalid_argument("values must have a value for each class");
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

    // The excess of the products of raised numbers over those of the numbers themselves.
    u128 raised(std::size_t r, std::size_t s) const {
        return counts_ ? 0 : (sums_[r] + sums_[s] + points_ * raise) * raise;
    }

    const std::vector<ScaledPoints>& lists_;
    const std::optional<StridedView<std::int64_t>>& counts_;
    Buffer<std::uint64_t> x_;
    Buffer<std::int64_t> numbers_;
    Buffer<u128> products_, sums_;  // modulo 2^128; converted to i128 they are exact
    u128 points_ = 0;
};

}  // namespace

ClassProducts add_products(const std::vector<ClassValues>& lists, const std::optional<StridedView<std::int64_t>>& counts,
                      int threads) {
    for (const ClassValues& list : lists) require_32_bits(list.classes, "classes must be integers of at most 32 bits");
    const std::size_t n = lists.size(), points = lists[0].classes.size;
    const int bits = choose_bits(points, counts);
    std::vector<ScaledPoints> scaled;
    for (const ClassValues& list : lists) scaled.emplace_back(list, bits);
    auto products = Buffer<u128>::zeros(n * n), sums = Buffer<u128>::zeros(n);
    const unsigned workers = choose_threads(threads, points);
    std::mutex adding;
    run_parallel(workers, [&](unsigned index) {
        Block block(scaled, counts);
        StepCounter counter;
        const auto [begin, end] = share(points, index, workers);
        for (std::size_t i = begin; i < end; i += at_once) {
            counter.step(at_once * n);
            block.add(i, std::min(at_once, end - i));
        }
        const std::lock_guard lock(adding);
        block.add_to(products, sums);
    });
    ClassProducts all{Buffer<double>(n * n), Buffer<double>(n)};
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
