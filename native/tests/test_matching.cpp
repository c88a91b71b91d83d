#include <algorithm>
#include <map>
#include <numeric>
#include <stdexcept>

#include "check.hpp"
#include "core/matching/assignment.hpp"
#include "core/matching/shrink.hpp"

using namespace clustermark;
using check::Numbers;
using check::view_of;

namespace {

using Matrix = std::vector<std::vector<std::int64_t>>;

Matrix draw_matrix(Numbers& numbers, std::size_t rows, std::size_t columns, std::int64_t largest) {
    Matrix matrix(rows, std::vector<std::int64_t>(columns));
    for (auto& row : matrix) {
        for (auto& n : row) n = numbers.below(2) == 0 ? 0 : numbers.below(largest + 1);
    }
    return matrix;
}

// The largest sum of worths over all one-to-one matchings of rows and columns, by trying all of them.
template <class Worth>
double best_matching(std::size_t rows, std::size_t columns, Worth&& worth) {
    std::vector<std::size_t> order(std::max(rows, columns));
    std::iota(order.begin(), order.end(), std::size_t{0});
    double best = 0.0;
    do {
        double sum = 0.0;
        for (std::size_t i = 0; i < rows; ++i) {
            if (order[i] < columns) sum += worth(i, order[i]);
        }
        best = std::max(best, sum);
    } while (std::next_permutation(order.begin(), order.end()));
    return best;
}

Cells cells_of(const Matrix& matrix) {
    std::vector<std::int32_t> rows, columns;
    std::vector<std::int64_t> counts;
    for (std::size_t i = 0; i < matrix.size(); ++i) {
        for (std::size_t j = 0; j < matrix[i].size(); ++j) {
            if (matrix[i][j] == 0) continue;
            rows.push_back(static_cast<std::int32_t>(i));
            columns.push_back(static_cast<std::int32_t>(j));
            counts.push_back(matrix[i][j]);
        }
    }
    return build_cells({view_of(rows), view_of(columns), view_of(counts), {}, {}}, matrix.size(), matrix[0].size());
}

}  // namespace

TEST(assignments_are_as_good_as_the_best_of_all) {
    Numbers numbers(1);
    for (int run = 0; run < 300; ++run) {
        const auto rows = static_cast<std::size_t>(1 + numbers.below(6)), columns = static_cast<std::size_t>(1 + numbers.below(6));
        const Matrix matrix = draw_matrix(numbers, rows, columns, run % 2 == 0 ? 3 : 1000);
        std::vector<std::int64_t> starts{0};
        std::vector<std::int32_t> places;
        std::vector<double> worths;
        for (const auto& row : matrix) {
            for (std::size_t j = 0; j < columns; ++j) {
                if (row[j] == 0) continue;
                places.push_back(static_cast<std::int32_t>(j));
                worths.push_back(static_cast<double>(row[j]));
            }
            starts.push_back(static_cast<std::int64_t>(places.size()));
        }
        const auto found = assign(view_of(starts), view_of(places), view_of(worths), columns);
        std::vector<int> taken(columns);
        double sum = 0.0;
        for (std::size_t i = 0; i < rows; ++i) {
            if (found[i] < 0) continue;
            const auto j = static_cast<std::size_t>(found[i]);
            CHECK_EQUAL(taken[j]++, 0);
            sum += static_cast<double>(matrix[i][j]);
        }
        CHECK_EQUAL(sum, best_matching(rows, columns, [&](std::size_t i, std::size_t j) { return static_cast<double>(matrix[i][j]); }));
    }
}

TEST(wrong_assignment_problems_are_refused) {
    const std::vector<std::int64_t> starts{0, 1}, falling{0, 1, 0}, late{1, 1};
    const std::vector<std::int32_t> zero{0}, one{1};
    const std::vector<double> worth{1.0}, negative{-1.0}, large{0x1p51};
    CHECK_THROWS(std::invalid_argument, assign(view_of(late), view_of(zero), view_of(worth), 1));
    CHECK_THROWS(std::invalid_argument, assign(view_of(falling), view_of(zero), view_of(worth), 1));
    CHECK_THROWS(std::invalid_argument, assign(view_of(starts), view_of(one), view_of(worth), 1));
    CHECK_THROWS(std::invalid_argument, assign(view_of(starts), view_of(zero), view_of(negative), 1));
    CHECK_THROWS(std::invalid_argument, assign(view_of(starts), view_of(zero), view_of(large), 1));
}

// The fixed cells and the best matching of the rest form a best matching of all cells.
TEST(cells_that_are_fixed_belong_to_a_best_matching) {
    Numbers numbers(2);
    std::size_t fixed = 0;
    for (int run = 0; run < 400; ++run) {
        const auto rows = static_cast<std::size_t>(1 + numbers.below(6)), columns = static_cast<std::size_t>(1 + numbers.below(6));
        Matrix matrix = draw_matrix(numbers, rows, columns, run % 2 == 0 ? 3 : 100);
        matrix[0][0] = 1;
        const Cells cells = cells_of(matrix);
        std::vector<double> a(rows), b(columns);
        for (std::size_t i = 0; i < rows; ++i) {
            for (std::size_t j = 0; j < columns; ++j) a[i] += static_cast<double>(matrix[i][j]), b[j] += static_cast<double>(matrix[i][j]);
        }
        using Formula = std::function<double(double, double, double)>;
        const std::map<Worth, Formula> formulas{
            {Worth::points, [](double n, double, double) { return n; }},
            {Worth::f, [](double n, double x, double y) { return 2 * n / (x + y); }},
            {Worth::of_larger, [](double n, double x, double y) { return n / std::max(x, y); }},
            {Worth::jaccard, [](double n, double x, double y) { return n / (x + y - n); }},
            {Worth::of_true, [](double n, double x, double) { return n / x; }},
            {Worth::product, [](double n, double x, double y) { return n / x * (n / y); }},
        };
        for (const auto& [worth, formula] : formulas) {
            const auto value = [&, &formula = formula](std::size_t i, std::size_t j) {
                return matrix[i][j] == 0 ? 0.0 : formula(static_cast<double>(matrix[i][j]), a[i], b[j]);
            };
            const Shrunk shrunk = shrink(cells, worth);
            double sum = 0.0;
            std::vector<bool> row_free(rows, true), column_free(columns, true);
            for (const std::int64_t entry : shrunk.fixed) {
                const auto i = static_cast<std::size_t>(cells.rows[static_cast<std::size_t>(entry)]), j = static_cast<std::size_t>(cells.columns[static_cast<std::size_t>(entry)]);
                CHECK(row_free[i] && column_free[j]);
                row_free[i] = column_free[j] = false;
                sum += value(i, j);
            }
            Matrix rest(rows, std::vector<std::int64_t>(columns));
            for (std::size_t k = 0; k < shrunk.rest.size(); ++k) {
                const auto entry = static_cast<std::size_t>(shrunk.rest[k]);
                const auto i = static_cast<std::size_t>(cells.rows[entry]), j = static_cast<std::size_t>(cells.columns[entry]);
                CHECK(row_free[i] && column_free[j]);
                CHECK_EQUAL(shrunk.rest_weights[k], value(i, j));
                rest[i][j] = 1;
            }
            const double left = best_matching(rows, columns, [&](std::size_t i, std::size_t j) { return rest[i][j] == 0 ? 0.0 : value(i, j); });
            CHECK_NEAR(sum + left, static_cast<long double>(best_matching(rows, columns, value)), 1e-12);
            fixed += shrunk.fixed.size();
        }
    }
    CHECK(fixed > 1000);
}

TEST(greedy_matching_takes_the_largest_cell_first) {
    Numbers numbers(3);
    for (int run = 0; run < 200; ++run) {
        const std::size_t rows = 6, columns = 5;
        Matrix matrix(rows, std::vector<std::int64_t>(columns));
        std::vector<std::int64_t> sizes(rows * columns);
        std::iota(sizes.begin(), sizes.end(), std::int64_t{1});
        for (std::size_t i = sizes.size(); i > 1; --i) std::swap(sizes[i - 1], sizes[static_cast<std::size_t>(numbers.below(static_cast<std::int64_t>(i)))]);
        for (std::size_t i = 0; i < sizes.size(); ++i) matrix[i / columns][i % columns] = sizes[i];
        const Cells cells = cells_of(matrix);
        const Shrunk shrunk = shrink(cells, Worth::rank);
        std::vector<std::int64_t> wanted, found;
        std::vector<bool> row_free(rows, true), column_free(columns, true);
        for (std::int64_t size = 30; size > 0; --size) {
            const auto place = static_cast<std::size_t>(std::find(sizes.begin(), sizes.end(), size) - sizes.begin());
            if (!row_free[place / columns] || !column_free[place % columns]) continue;
            row_free[place / columns] = column_free[place % columns] = false;
            wanted.push_back(size);
        }
        for (const std::int64_t entry : shrunk.fixed) found.push_back(cells.counts[static_cast<std::size_t>(entry)]);
        std::sort(found.rbegin(), found.rend());
        CHECK(found == wanted);
        CHECK(shrunk.rest.empty());
    }
}

// A chain in which each cell can be fixed only after the next one: rounds would take quadratic time, the queue does not.
TEST(long_chains_are_fixed_from_their_end) {
    constexpr std::int32_t n = 4000;
    std::vector<std::int32_t> rows, columns;
    std::vector<std::int64_t> counts;
    for (std::int32_t i = 0; i < n; ++i) {
        rows.push_back(i), columns.push_back(i), counts.push_back(10 + 2 * i);
        if (i + 1 < n) rows.push_back(i + 1), columns.push_back(i), counts.push_back(11 + 2 * i);
    }
    const Cells cells = build_cells({view_of(rows), view_of(columns), view_of(counts), {}, {}}, n, n);
    const Shrunk shrunk = shrink(cells, Worth::rank);
    CHECK_EQUAL(shrunk.fixed.size(), std::size_t{n});
    for (const std::int64_t entry : shrunk.fixed) {
        CHECK_EQUAL(cells.rows[static_cast<std::size_t>(entry)], cells.columns[static_cast<std::size_t>(entry)]);
    }
}
