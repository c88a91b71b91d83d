#include <algorithm>
#include <stdexcept>

#include "check.hpp"
#include "core/information/mutual_information.hpp"
#include "core/information/second_differences.hpp"

using namespace clustermark;
using check::list_of;

namespace {

long double log_choose(std::int64_t n, std::int64_t k) {
    const auto factorial = [](std::int64_t m) { return std::lgamma(static_cast<long double>(m) + 1); };
    return factorial(n) - factorial(k) - factorial(n - k);
}

long double excess_of(std::int64_t points, std::int64_t a, std::int64_t b, std::int64_t n) {
    const long double expected = static_cast<long double>(a) * b / points;
    return (n == 0 ? 0 : n * std::log(n / expected)) - n + expected;
}

// The mean excess over the hypergeometric distribution, count by count.
long double mean_excess(std::int64_t points, std::int64_t a, std::int64_t b) {
    long double sum = 0, weights = 0;
    for (std::int64_t n = std::max<std::int64_t>(0, a + b - points); n <= std::min(a, b); ++n) {
        const long double weight = std::exp(log_choose(a, n) + log_choose(points - a, b - n) - log_choose(points, b));
        weights += weight;
        sum += weight * excess_of(points, a, b, n);
    }
    return sum / weights;
}

std::vector<std::int64_t> sizes_of(const std::vector<SizeGroup>& groups) {
    std::vector<std::int64_t> sizes;
    for (const SizeGroup& group : groups) sizes.insert(sizes.end(), static_cast<std::size_t>(group.clusters), group.size);
    return sizes;
}

struct Moments {
    long double mean = 0, variance = 0;
};

// The moments over all permutations of the labels of one side.
Moments by_permutations(const std::vector<std::int64_t>& rows, const std::vector<std::int64_t>& columns) {
    std::vector<std::size_t> row_labels, column_labels;
    for (std::size_t i = 0; i < rows.size(); ++i) row_labels.insert(row_labels.end(), static_cast<std::size_t>(rows[i]), i);
    for (std::size_t j = 0; j < columns.size(); ++j) column_labels.insert(column_labels.end(), static_cast<std::size_t>(columns[j]), j);
    const auto points = static_cast<long double>(row_labels.size());
    long double sum = 0, squares = 0, times = 0;
    do {
        std::vector<long double> table(rows.size() * columns.size());
        for (std::size_t i = 0; i < row_labels.size(); ++i) table[row_labels[i] * columns.size() + column_labels[i]] += 1;
        long double information = 0;
        for (std::size_t cell = 0; cell < table.size(); ++cell) {
            const long double n = table[cell];
            if (n > 0) information += n / points * std::log(n * points / (rows[cell / columns.size()] * columns[cell % columns.size()]));
        }
        sum += information;
        squares += information * information;
        ++times;
    } while (std::next_permutation(column_labels.begin(), column_labels.end()));
    return {sum / times, squares / times - sum / times * (sum / times)};
}

TablePlan plan(std::vector<SizeGroup> rows, std::vector<SizeGroup> columns) { return plan_tables(std::move(rows), std::move(columns)); }

}  // namespace

TEST(the_excess_of_a_cell_does_not_cancel) {
    for (const std::int64_t n : {0, 1, 5, 499, 500, 501, 700}) {
        const long double wanted = excess_of(2000, 1000, 1000, n);
        CHECK(std::fabs(CellExcess(2000, 1000, 1000)(n) - wanted) <= 1e-13L * std::max(wanted, 1e-4L));
    }
}

TEST(the_mean_excess_is_that_of_the_distribution) {
    for (const auto& [points, a, b] : {std::array<std::int64_t, 3>{10, 3, 4}, {100, 1, 50}, {1000, 30, 700}, {3000, 1400, 1500}, {12, 12, 5}}) {
        const long double wanted = mean_excess(points, a, b);
        CHECK(std::fabs(expected_excess(points, a, b) - wanted) <= 2e-13L * std::max(wanted, 1e-3L));
        CHECK_EQUAL(expected_excess(points, a, b), expected_excess(points, b, a));
    }
}

TEST(large_cells_follow_the_series) {
    const long double wanted = mean_excess(20000, 6000, 7000);
    CHECK(6000.0 * 7000 / 20000 >= series_from);
    CHECK_NEAR(expected_excess(20000, 6000, 7000), wanted, 1e-11);
    CHECK_NEAR(excess_by_series(20000, 6000, 7000, 2100.0), wanted, 1e-11);
}

TEST(many_excesses_at_once) {
    const std::vector<std::int64_t> rows{0, 3, 50}, columns{1, 20, 0, 60};
    const auto terms = expected_excesses(rows, columns, 100, 1);
    for (std::size_t i = 0; i < rows.size(); ++i) {
        for (std::size_t j = 0; j < columns.size(); ++j) {
            const double wanted = rows[i] == 0 || columns[j] == 0 ? 0.0 : expected_excess(100, rows[i], columns[j]);
            CHECK_NEAR(terms[i * columns.size() + j], static_cast<long double>(wanted), 1e-12);
        }
    }
}

TEST(mean_and_variance_over_all_permutations) {
    const std::vector<std::pair<std::vector<SizeGroup>, std::vector<SizeGroup>>> cases{
        {{{2, 1}, {3, 1}}, {{1, 2}, {3, 1}}},
        {{{1, 3}, {4, 1}}, {{2, 2}, {3, 1}}},
        {{{4, 2}}, {{3, 1}, {5, 1}}},
        {{{2, 4}}, {{2, 1}, {3, 2}}},
    };
    for (const auto& [rows, columns] : cases) {
        const Moments wanted = by_permutations(sizes_of(rows), sizes_of(columns));
        CHECK_NEAR(expected_information(plan(rows, columns), 1), wanted.mean, 1e-14);
        CHECK_EQUAL(expected_information(plan(columns, rows), 3), expected_information(plan(rows, columns), 1));
        const auto variance = information_variance(plan(rows, columns), 1e9);
        CHECK(variance.has_value());
        CHECK_NEAR(*variance, wanted.variance, 1e-12);
    }
}

TEST(tables_that_say_nothing_and_limits) {
    CHECK_EQUAL(expected_information(plan({{5, 1}}, {{2, 1}, {3, 1}}), 1), 0.0);
    CHECK_EQUAL(*information_variance(plan({{5, 1}}, {{2, 1}, {3, 1}}), 1e9), 0.0);
    CHECK_EQUAL(*information_variance(plan({{1, 5}}, {{2, 1}, {3, 1}}), 1e9), 0.0);
    CHECK(!information_variance(plan({{4, 2}}, {{3, 1}, {5, 1}}), 1.0).has_value());
}

TEST(samples_have_the_mean_and_depend_on_their_number_alone) {
    for (const auto& sides : {plan({{4, 3}, {8, 1}}, {{5, 4}}), plan({{4000, 1}, {6000, 1}}, {{5000, 2}}), plan({{400000, 2}}, {{300000, 1}, {500000, 1}})}) {
        const auto samples = sample_information(sides, 4000, 1, 0);
        long double sum = 0, squares = 0;
        for (const double sample : samples) sum += sample, squares += static_cast<long double>(sample) * sample;
        const long double mean = sum / 4000, error = std::sqrt((squares / 4000 - mean * mean) / 4000);
        CHECK(std::fabs(expected_information(sides, 1) - mean) < 5 * error);
        CHECK(list_of(sample_information(sides, 5, 1, 7)) == std::vector<double>(samples.begin() + 7, samples.begin() + 12));
    }
}

TEST(plans_put_sizes_in_order_and_refuse_wrong_ones) {
    const TablePlan one = plan({{2, 1}, {1, 2}, {2, 1}}, {{3, 2}});
    CHECK_EQUAL(one.points, std::int64_t{6});
    CHECK(one.rows == (std::vector<SizeGroup>{{1, 2}, {2, 2}}));
    CHECK(plan({{3, 2}}, {{1, 2}, {2, 2}}).rows == one.rows);
    CHECK_THROWS(std::invalid_argument, plan({{2, 1}}, {{3, 1}}));
    CHECK_THROWS(std::invalid_argument, plan({{0, 1}}, {{0, 1}}));
    CHECK_THROWS(std::invalid_argument, plan({}, {}));
    CHECK_THROWS(std::invalid_argument, plan({{INT64_MAX, 2}}, {{INT64_MAX, 2}}));
}

TEST(second_differences_of_n_ln_n) {
    const SecondDifferences differences;
    for (const std::int64_t n : {1, 2, 3, 10, 500}) {
        const auto term = [](std::int64_t m) { return m == 0 ? 0.0L : m * std::log(static_cast<long double>(m)); };
        CHECK_NEAR(differences(n), term(n + 1) - 2 * term(n) + term(n - 1), 1e-12);
    }
    CHECK_EQUAL(differences(0), 0.0);
    for (const std::int64_t n : {1023, 1024, 5000}) CHECK_NEAR(differences(n), 1.0L / n + 1.0L / 6 / n / n / n, 1e-12);
}
