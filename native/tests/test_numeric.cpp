#include <algorithm>
#include <array>
#include <limits>
#include <numeric>
#include <stdexcept>

#include "check.hpp"
#include "core/numeric/deviations.hpp"
#include "core/numeric/double_double.hpp"
#include "core/numeric/exact_sums.hpp"
#include "core/numeric/hypergeometric.hpp"
#include "core/numeric/md5.hpp"
#include "core/numeric/mean_difference.hpp"
#include "core/numeric/order_free_sum.hpp"
#include "core/numeric/random.hpp"
#include "core/numeric/simd.hpp"
#include "core/numeric/wide_integers.hpp"

using namespace clustermark;
using check::Numbers;

namespace {

std::vector<double> wild_numbers(std::size_t size, std::uint64_t seed) {
    Numbers numbers(seed);
    std::vector<double> values(size);
    for (double& value : values) {
        value = std::ldexp(numbers.fraction() - 0.5, static_cast<int>(numbers.below(60)) - 30);
    }
    return values;
}

// floor(x * 2^84) for x in [0, 1], from the bits of x.
u128 scaled_floor(double x) {
    int exponent = 0;
    const auto mantissa = static_cast<std::uint64_t>(std::ldexp(std::frexp(x, &exponent), 53));
    const int shift = exponent - 53 + 84;
    if (shift <= -64) return 0;
    return shift >= 0 ? static_cast<u128>(mantissa) << shift : static_cast<u128>(mantissa >> -shift);
}

i128 whole(const DoubleDouble& x) { return static_cast<i128>(x.hi) + static_cast<i128>(x.lo); }

// C(n, k), which fits for all numbers in these tests.
u128 choose(std::int64_t n, std::int64_t k) {
    if (k < 0 || k > n) return 0;
    u128 ways = 1;
    for (std::int64_t i = 1; i <= k; ++i) ways = ways * static_cast<u128>(n - k + i) / static_cast<u128>(i);
    return ways;
}

}  // namespace

TEST(bits_are_counted) {
    Numbers numbers(1);
    for (int i = 0; i < 1000; ++i) {
        const std::uint64_t value = numbers.word() >> numbers.below(64);
        unsigned length = 0;
        std::uint32_t count = 0;
        for (int bit = 0; bit < 64; ++bit) {
            if (value >> bit & 1) length = static_cast<unsigned>(bit) + 1, ++count;
        }
        CHECK_EQUAL(bit_length(value), length);
        CHECK_EQUAL(count_bits(value), count);
        CHECK_EQUAL(bit_length(static_cast<u128>(value) << 60), value == 0 ? 0 : length + 60);
        if (length == 64) continue;
        const std::uint64_t power = power_at_least(value);
        CHECK((power & (power - 1)) == 0 && power >= value && (power == 1 || power / 2 < value));
    }
}

TEST(wide_integers_keep_both_halves) {
    WideIntegers numbers(2);
    const i128 values[] = {-(i128{1} << 100) - 7, (i128{5} << 64) + 3};
    for (std::size_t i = 0; i < 2; ++i) {
        put(numbers, i, values[i]);
        CHECK((static_cast<i128>(numbers.high[i]) << 64) + static_cast<i128>(u128{numbers.low[i]}) == values[i]);
    }
}

TEST(double_doubles_are_exact_where_two_doubles_hold_the_result) {
    Numbers numbers(2);
    for (int i = 0; i < 1000; ++i) {
        const auto a = static_cast<std::int64_t>(numbers.word() >> 11), b = static_cast<std::int64_t>(numbers.word() >> 11);
        CHECK(whole(DoubleDouble::product(static_cast<double>(a), static_cast<double>(b))) == static_cast<i128>(a) * b);
        CHECK(whole(DoubleDouble::sum(static_cast<double>(a), static_cast<double>(b >> 20))) == i128{a} + (b >> 20));
        const auto c = static_cast<std::int64_t>(numbers.word() >> 1), d = static_cast<std::int64_t>(numbers.word() >> 24);
        CHECK(whole(DoubleDouble::of(c)) == i128{c});
        CHECK(whole(DoubleDouble::of(c) + DoubleDouble::of(d)) == i128{c} + d);
        CHECK(whole(DoubleDouble::of(c) - DoubleDouble::of(d)) == i128{c} - d);
        CHECK(whole(DoubleDouble::of(d) * DoubleDouble::of(d)) == static_cast<i128>(d) * d);
        DoubleDouble sum = DoubleDouble::of(c);
        sum += static_cast<double>(a);
        CHECK(whole(sum) == i128{c} + a);
    }
    for (const std::int64_t n : {std::int64_t{0}, std::int64_t{1}, INT64_MAX, INT64_MAX - 1, std::int64_t{1} << 62}) {
        CHECK(whole(DoubleDouble::of(n)) == i128{n});
    }
    CHECK(whole(pairs_of(std::int64_t{1} << 50)) == (i128{1} << 49) * ((i128{1} << 50) - 1));
}

TEST(a_compensated_sum_keeps_what_plain_sums_lose) {
    DoubleDouble sum;
    for (const double x : {1.0, 1e100, 1.0, -1e100}) sum += x;
    const DoubleDouble both = DoubleDouble::sum(1e16, 1.0);
    CHECK_EQUAL(both.hi + both.lo, 1e16);
    CHECK_EQUAL(both.lo, 1.0);
    RealSum weights;
    for (int i = 0; i < 1000; ++i) weights.add(0.1, 1.0);
    weights.add(std::int64_t{3}, 0.5);
    CHECK_EQUAL(weights.sum.value(), 101.5);
}

TEST(fixed_sums_are_integers_of_84_bits) {
    Numbers numbers(3);
    FixedSum one, two;
    u128 wanted = 0;
    for (int i = 0; i < 2000; ++i) {
        const double x = i == 0 ? 1.0 : i == 1 ? 0.0 : std::ldexp(numbers.fraction(), -static_cast<int>(numbers.below(60)));
        const std::int64_t times = numbers.below(1 << 20);
        (i % 2 == 0 ? one : two).add(times, x);
        wanted += static_cast<u128>(times) * scaled_floor(x);
    }
    one += two;
    CHECK((one.high << 42) + one.low == wanted);
}

TEST(sums_of_triple_products_carry_into_192_bits) {
    Numbers numbers(4);
    ProductSum sum, other;
    u128 low = 0, high = 0;  // the sum modulo 2^64, and in units of 2^64
    for (int i = 0; i < 1000; ++i) {
        const auto n = static_cast<std::int64_t>(numbers.word() >> 12), a = static_cast<std::int64_t>(numbers.word() >> 1),
                   b = static_cast<std::int64_t>(numbers.word() >> 1);
        (i % 3 == 0 ? other : sum).add(n, a, b);
        // long multiplication: (a1 2^32 + a0) b n, by parts of 32 bits of a
        for (const int shift : {0, 32}) {
            const u128 part = static_cast<u128>(static_cast<std::uint64_t>(a) >> shift & 0xFFFFFFFF) * static_cast<std::uint64_t>(b);
            const u128 lower = static_cast<u128>(static_cast<std::uint64_t>(part)) * static_cast<std::uint64_t>(n);
            const u128 upper = (part >> 64) * static_cast<std::uint64_t>(n) + (lower >> 64);
            const u128 rest = static_cast<std::uint64_t>(lower);
            low += shift == 0 ? rest : rest << 32 & 0xFFFFFFFFFFFFFFFF;
            high += shift == 0 ? upper : (upper << 32) + (rest >> 32);
        }
    }
    sum += other;
    high += low >> 64;
    CHECK(sum.high == high);
    CHECK_EQUAL(sum.low, static_cast<std::uint64_t>(low));
}

TEST(sums_are_the_same_bits_in_any_order) {
    std::vector<double> values = wild_numbers(5000, 5);
    long double wanted = 0.0L;
    for (const double value : values) wanted += value;
    const double sum = add_all(check::view_of(values));
    CHECK_NEAR(sum, wanted, 1e-15);
    std::reverse(values.begin(), values.end());
    CHECK_EQUAL(add_all(check::view_of(values)), sum);
    std::sort(values.begin(), values.end());
    CHECK_EQUAL(add_all(check::view_of(values)), sum);
    CHECK_EQUAL(add_all(check::view_of(std::vector<double>{1e20, -1e20, 5.0, 1e-300})), 5.0);
    CHECK(std::isnan(add_all(check::view_of(std::vector<double>{1.0, NAN}))));
    CHECK(std::isinf(add_all(check::view_of(std::vector<double>{1.0, INFINITY}))));
    CHECK_EQUAL(add_all({}), 0.0);
}

TEST(sums_by_group) {
    const std::vector<double> values = wild_numbers(3000, 6);
    std::vector<std::int64_t> groups(values.size());
    std::vector<long double> wanted(7);
    for (std::size_t i = 0; i < values.size(); ++i) {
        groups[i] = static_cast<std::int64_t>(i * i % 6);
        wanted[static_cast<std::size_t>(groups[i])] += values[i];
    }
    const auto sums = add_by(check::view_of(values), check::view_of(groups), 7);
    for (std::size_t group = 0; group < 7; ++group) CHECK_NEAR(sums[group], wanted[group], 1e-14);
    CHECK_THROWS(std::invalid_argument, add_by(check::view_of(values), check::view_of(groups), 4));
    groups[5] = -1;
    CHECK_THROWS(std::invalid_argument, add_by(check::view_of(values), check::view_of(groups), 7));
}

TEST(deviations_from_a_score) {
    Numbers numbers(7);
    std::vector<double> values;
    std::vector<std::int64_t> times;
    long double sum = 0.0L, squares = 0.0L, least = 1.0L, most = -1.0L;
    for (int i = 0; i < 1000; ++i) {
        values.push_back(numbers.fraction());
        times.push_back(numbers.below(5));
        const long double away = static_cast<long double>(values.back() - 0.25);
        sum += away * times.back();
        squares += away * away * times.back();
        least = std::min(least, away);
        most = std::max(most, away);
    }
    const Deviations found = add_deviations(check::view_of(values), check::view_of(times), 0.25);
    CHECK_NEAR(found.sum, sum, 1e-15);
    CHECK_NEAR(found.squares, squares, 1e-15);
    CHECK_NEAR(found.least, least, 0.0);
    CHECK_NEAR(found.most, most, 0.0);
    values[3] = INFINITY;
    const Deviations infinite = add_deviations(check::view_of(values), check::view_of(times), 0.25);
    CHECK(std::isnan(infinite.least) && std::isnan(infinite.most));
}

TEST(hypergeometric_counts_have_the_weights_of_their_ways) {
    for (const auto& [points, a, b] : {std::array<std::int64_t, 3>{40, 12, 17}, {40, 30, 33}, {60, 1, 59}, {9, 9, 4}, {2, 1, 1}}) {
        const Hypergeometric counts(points, a, b);
        CHECK_EQUAL(counts.least(), std::max<std::int64_t>(0, a + b - points));
        CHECK_EQUAL(counts.most(), std::min(a, b));
        const auto ways = [&, a = a, b = b, points = points](std::int64_t n) { return choose(a, n) * choose(points - a, b - n); };
        const u128 at_mode = ways(counts.mode());
        long double all = 0.0L, mean = 0.0L, square = 0.0L, cube = 0.0L;
        std::vector<std::int64_t> visited{counts.mode()};
        const auto visit = [&](std::int64_t n, double weight) {
            visited.push_back(n);
            CHECK_NEAR(weight, static_cast<long double>(ways(n)) / static_cast<long double>(at_mode), 1e-14);
            return true;
        };
        counts.walk_up(visit);
        counts.walk_down(visit);
        std::sort(visited.begin(), visited.end());
        CHECK_EQUAL(visited.front(), counts.least());
        CHECK_EQUAL(visited.back(), counts.most());
        CHECK_EQUAL(visited.size(), static_cast<std::size_t>(counts.most() - counts.least() + 1));
        const long double expected = static_cast<long double>(a) * b / points;
        for (const std::int64_t n : visited) {
            CHECK(ways(n) <= at_mode);
            const auto weight = static_cast<long double>(ways(n)), away = n - expected;
            all += weight;
            mean += weight * (n - counts.mode());
            square += weight * away * away;
            cube += weight * away * away * away;
        }
        CHECK_NEAR(counts.mean_from_mode(), mean / all, 1e-12);
        CHECK_NEAR(counts.deviation(), std::sqrt(square / all), 1e-12);
        if (points > 2) {  // the third central moment is a multiple of the variance
            CHECK(std::fabs(cube / all - counts.asymmetry() * (square / all) * points / (points - 2)) < 1e-9L);
        }
    }
}

TEST(random_words_are_those_of_the_published_generator) {
    CHECK_EQUAL(SplitMix(0).next(), std::uint64_t{0xE220A8397B1DCDAF});
    Random random(42, 7);
    // computed by another program, from the definitions of splitmix64 and xoshiro256**
    CHECK_EQUAL(random.next(), std::uint64_t{0x86286D6CEFC1543});
    CHECK_EQUAL(random.next(), std::uint64_t{0xF776F11C8AEDB15C});
    CHECK_EQUAL(random.next(), std::uint64_t{0x42CBC80021FA8C7C});
    Random same(42, 7), other(42, 8);
    CHECK(same.next() != other.next());
}

TEST(random_numbers_below_a_bound_are_uniform) {
    Random random(1, 0);
    std::vector<int> seen(7);
    for (int i = 0; i < 70000; ++i) ++seen[random.below(7)];
    for (const int count : seen) CHECK(count > 9600 && count < 10400);
    double sum = 0.0, squares = 0.0, most = 0.0;
    for (int i = 0; i < 100000; ++i) {
        const double x = random.fraction(), z = normal_number(random);
        most = std::max(most, x);
        CHECK(x >= 0.0 && x < 1.0);
        sum += z;
        squares += z * z;
    }
    CHECK(most > 0.999);
    CHECK(std::fabs(sum / 1e5) < 0.02);
    CHECK(std::fabs(squares / 1e5 - 1.0) < 0.03);
}

TEST(widely_spread_counts_have_the_mean_and_deviation_of_the_distribution) {
    Random random(5, 0);
    const Hypergeometric counts(4000000, 1000000, 800000);
    const double deviation = counts.deviation();
    CHECK(deviation >= wide_deviation);
    double sum = 0.0, squares = 0.0;
    for (int i = 0; i < 20000; ++i) {
        const double away = static_cast<double>(draw_widely_spread(random, counts, deviation) - 200000);
        sum += away;
        squares += away * away;
    }
    CHECK(std::fabs(sum / 20000) < 5 * deviation / std::sqrt(20000.0));
    CHECK_NEAR(std::sqrt(squares / 20000), deviation, 0.03);
}

TEST(digests_are_those_of_md5) {
    const auto digest_of = [](const std::string& text) {
        ShortMd5 md5;
        std::copy(text.begin(), text.end(), md5.text());
        return md5.digest(text.size());
    };
    CHECK_EQUAL(digest_of("").head, std::uint64_t{0xd41d8cd98f00b204});
    CHECK_EQUAL(digest_of("").tail, std::uint64_t{0xe9800998ecf8427e});
    CHECK_EQUAL(digest_of("abc").head, std::uint64_t{0x900150983cd24fb0});
    CHECK_EQUAL(digest_of("abc").tail, std::uint64_t{0xd6963f7d28e17f72});
    CHECK_EQUAL(digest_of("message digest").head, std::uint64_t{0xf96b697d7cb7938d});
    CHECK_EQUAL(digest_of(std::string(55, 'a')).head, std::uint64_t{0xef1772b6dff9a122});
    const std::vector<std::int64_t> values{12, INT64_MIN};
    const auto digests = digest_integers("x", check::view_of(values), 1);
    CHECK_EQUAL(digests[0], std::uint64_t{0x137b8dad9acade63});
    CHECK_EQUAL(digests[1], std::uint64_t{0xb507e67878d3b94b});
    CHECK_EQUAL(digests[2], std::uint64_t{0xd99cf40496b66754});
    CHECK_EQUAL(digests[3], std::uint64_t{0xbe01ab4a727e4eba});
    const auto longest = digest_integers(std::string(35, 'p'), check::view_of(std::vector<std::int64_t>{INT64_MAX}), 1);
    CHECK_EQUAL(longest[0], std::uint64_t{0x211011eb28b2b1bb});
    CHECK_THROWS(std::invalid_argument, digest_integers(std::string(36, 'p'), {}, 1));
}

TEST(mean_differences_of_all_pairs) {
    Numbers numbers(8);
    for (const std::size_t size : {std::size_t{1}, std::size_t{40}}) {
        std::vector<double> a(size), b(30);
        for (double& x : a) x = static_cast<double>(numbers.below(50)) / 7;
        for (double& x : b) x = static_cast<double>(numbers.below(50)) / 7 - 2;
        std::sort(a.begin(), a.end());
        std::sort(b.begin(), b.end());
        long double sum = 0.0L;
        for (const double x : a) {
            for (const double y : b) sum += std::fabs(static_cast<long double>(x) - y);
        }
        CHECK_NEAR(mean_difference(a.data(), size, b.data(), 30), sum / static_cast<long double>(size * 30), 1e-14);
    }
}

TEST(four_doubles_at_once_are_the_same_bits_as_one_by_one) {
    const std::vector<double> values = wild_numbers(8, 9);
    alignas(32) double memory[10];  // read at 16 bytes after the alignment of the type
    std::copy(values.begin(), values.end(), memory + 2);
    const auto* four = reinterpret_cast<const FourDoublesUnaligned*>(memory + 2);
    const FourDoubles product = four[0] * four[1];
    for (std::size_t i = 0; i < 4; ++i) CHECK_EQUAL(product[i], values[i] * values[4 + i]);
}
