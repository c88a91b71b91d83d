#include <algorithm>
#include <limits>
#include <map>
#include <stdexcept>

#include "check.hpp"
#include "core/table/cell_collector.hpp"
#include "core/table/cell_index.hpp"
#include "core/table/cluster_sizes.hpp"
#include "core/table/crosstab.hpp"
#include "core/table/dense_crosstab.hpp"
#include "core/table/entry_scan.hpp"
#include "core/table/hash_encoding.hpp"
#include "core/table/random_tables.hpp"
#include "core/table/sparse_crosstab.hpp"

using namespace clustermark;
using check::labels_of;
using check::list_of;
using check::Numbers;
using check::view_of;

namespace {

template <class T>
using Counts = std::map<std::pair<T, T>, std::int64_t>;

template <class T>
T label(const SideValues& values, std::size_t cluster) {
    return static_cast<T>(values.word(cluster));
}

// The cells by their labels; fails if a cell occurs twice, or clusters are not numbered as documented.
template <class T>
Counts<T> by_labels(const Cells& cells) {
    Counts<T> found;
    for (std::size_t i = 0; i < cells.size(); ++i) {
        const auto row = static_cast<std::size_t>(cells.rows[i]), column = static_cast<std::size_t>(cells.columns[i]);
        CHECK(row < cells.n_rows && column < cells.n_columns);
        const auto key = std::pair(label<T>(cells.row_values, row), label<T>(cells.column_values, column));
        CHECK(found.emplace(key, cells.counts[i]).second);
    }
    return found;
}

template <class T>
void check_table(const std::vector<T>& rows, const std::vector<T>& columns) {
    Counts<T> wanted;
    std::map<T, std::int64_t> row_sizes, column_sizes;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        ++wanted[{rows[i], columns[i]}];
        ++row_sizes[rows[i]];
        ++column_sizes[columns[i]];
    }
    for (const int threads : {1, 3}) {
        const Cells cells = crosstab(labels_of(rows), labels_of(columns), {}, threads);
        CHECK(by_labels<T>(cells) == wanted);
        CHECK_EQUAL(cells.n_rows, row_sizes.size());
        CHECK_EQUAL(cells.n_columns, column_sizes.size());
        const Squares squares = cells.squares ? *cells.squares : compute_squares(cells);
        u128 of_cells = 0, of_rows = 0, of_columns = 0;
        for (const auto& [key, n] : wanted) of_cells += static_cast<u128>(n * n);
        for (const auto& [key, n] : row_sizes) of_rows += static_cast<u128>(n * n);
        for (const auto& [key, n] : column_sizes) of_columns += static_cast<u128>(n * n);
        CHECK(squares.points == rows.size() && squares.cells == of_cells && squares.rows == of_rows && squares.columns == of_columns);
        const auto sizes = count_cluster_sizes(cells.columns, cells.counts, cells.n_columns);
        for (std::size_t j = 0; j < cells.n_columns; ++j) {
            CHECK_EQUAL(sizes[j], column_sizes[label<T>(cells.column_values, j)]);
        }
    }
}

template <class T>
std::vector<T> draw_labels(Numbers& numbers, std::size_t size, const std::vector<T>& from) {
    std::vector<T> labels(size);
    for (T& one : labels) one = from[static_cast<std::size_t>(numbers.below(static_cast<std::int64_t>(from.size())))];
    return labels;
}

template <class T>
void check_extremes(std::uint64_t seed) {
    using Limits = std::numeric_limits<T>;
    Numbers numbers(seed);
    const std::vector<T> tricky{Limits::min(), Limits::max(), T(0), T(1), static_cast<T>(-1), static_cast<T>(Limits::max() - 1)};
    for (const std::size_t size : {1, 2, 50, 5000}) {
        check_table(draw_labels(numbers, size, tricky), draw_labels(numbers, size, tricky));
        check_table(draw_labels(numbers, size, std::vector<T>{Limits::max()}), draw_labels(numbers, size, tricky));
    }
}

}  // namespace

TEST(tables_of_labels_at_the_ends_of_every_type) {
    check_extremes<std::int8_t>(1);
    check_extremes<std::int16_t>(2);
    check_extremes<std::int32_t>(3);
    check_extremes<std::int64_t>(4);
    check_extremes<std::uint8_t>(5);
    check_extremes<std::uint16_t>(6);
    check_extremes<std::uint32_t>(7);
    check_extremes<std::uint64_t>(8);
}

// Few labels make a dense table, many a sparse one in pieces, labels of a wide range are encoded by hash.
TEST(tables_of_few_and_many_labels_near_and_far_apart) {
    Numbers numbers(9);
    constexpr std::size_t n = 60000;
    for (const std::int64_t bound : {std::int64_t{7}, std::int64_t{300}, std::int64_t{40000}, INT64_MAX}) {
        for (const std::int64_t other : {std::int64_t{2}, std::int64_t{50000}, INT64_MAX / 2}) {
            std::vector<std::int64_t> rows(n), columns(n);
            for (std::size_t i = 0; i < n; ++i) {
                rows[i] = numbers.below(bound) - bound / 2;
                columns[i] = numbers.below(4) == 0 ? numbers.below(other) : rows[i] % other;
            }
            check_table(rows, columns);
        }
    }
}

TEST(a_cluster_with_most_points_is_cut_by_the_other_side) {
    Numbers numbers(10);
    std::vector<std::int32_t> rows(200000), columns(rows.size());
    for (std::size_t i = 0; i < rows.size(); ++i) {
        rows[i] = numbers.below(10) == 0 ? static_cast<std::int32_t>(numbers.below(100000)) : 77;
        columns[i] = static_cast<std::int32_t>(numbers.below(90000));
    }
    check_table(rows, columns);
}

TEST(a_label_that_the_sample_missed_is_counted_all_the_same) {
    std::vector<std::int64_t> rows(100000), columns(rows.size());
    for (std::size_t i = 0; i < rows.size(); ++i) {
        rows[i] = static_cast<std::int64_t>(i % 3);
        columns[i] = static_cast<std::int64_t>(i % 5000);
    }
    rows[54321] = 1000000;
    check_table(rows, columns);
    columns[777] = -9;
    check_table(rows, columns);
}

TEST(labels_in_strange_places_are_read_as_they_lie) {
    const std::vector<std::int32_t> memory{5, 1, 4, 1, 3, 1, 2, 1};
    IntView backwards = labels_of(memory);
    backwards.data += 6 * 4;
    backwards.size = 4;
    backwards.stride = -8;
    const std::vector<std::int32_t> other{0, 0, 1, 1};
    const auto found = by_labels<std::int32_t>(crosstab(backwards, labels_of(other), {}, 1));
    CHECK(found == (Counts<std::int32_t>{{{2, 0}, 1}, {{3, 0}, 1}, {{4, 1}, 1}, {{5, 1}, 1}}));
}

TEST(counts_and_weights_add_up_by_cell) {
    Numbers numbers(11);
    for (const std::int64_t clusters : {4, 3000}) {
        const std::size_t n = 20000;
        std::vector<std::int32_t> rows(n), columns(n);
        std::vector<std::int64_t> counts(n);
        std::vector<double> weights(n);
        Counts<std::int32_t> points, weighted_points;
        std::map<std::pair<std::int32_t, std::int32_t>, long double> weight, square, pairs;
        for (std::size_t i = 0; i < n; ++i) {
            rows[i] = static_cast<std::int32_t>(numbers.below(clusters));
            columns[i] = static_cast<std::int32_t>(numbers.below(clusters) / 2);
            counts[i] = numbers.below(4);
            weights[i] = numbers.below(5) == 0 ? 0.0 : numbers.fraction();
            const auto key = std::pair(rows[i], columns[i]);
            if (counts[i] > 0) points[key] += counts[i];
            if (counts[i] == 0 || weights[i] == 0.0) continue;
            weighted_points[key] += counts[i];
            weight[key] += static_cast<long double>(weights[i]) * counts[i];
            square[key] += static_cast<long double>(weights[i]) * weights[i] * counts[i];
        }
        for (const auto& [key, w] : weight) pairs[key] = (w * w - square[key]) / 2;
        Payloads payloads;
        payloads.counts = view_of(counts);
        CHECK(by_labels<std::int32_t>(crosstab(labels_of(rows), labels_of(columns), payloads, 3)) == points);
        payloads.weights = view_of(weights);
        const Cells cells = crosstab(labels_of(rows), labels_of(columns), payloads, 3);
        CHECK(by_labels<std::int32_t>(cells) == weighted_points);
        for (std::size_t i = 0; i < cells.size(); ++i) {
            const auto key = std::pair(label<std::int32_t>(cells.row_values, static_cast<std::size_t>(cells.rows[i])),
                                       label<std::int32_t>(cells.column_values, static_cast<std::size_t>(cells.columns[i])));
            CHECK_NEAR(cells.weights[i], weight[key], 1e-15);
            CHECK(std::fabs(cells.pairs[i] - pairs[key]) <= 1e-15L * weight[key] * weight[key]);
        }
    }
}

TEST(wrong_payloads_are_refused) {
    const std::vector<std::int32_t> labels{1, 2};
    const auto table = [&](std::vector<std::int64_t> counts, std::vector<double> weights) {
        Payloads payloads;
        if (!counts.empty()) payloads.counts = view_of(counts);
        if (!weights.empty()) payloads.weights = view_of(weights);
        return crosstab(labels_of(labels), labels_of(labels), payloads, 1);
    };
    CHECK_THROWS(std::invalid_argument, table({1, -1}, {}));
    CHECK_THROWS(std::invalid_argument, table({}, {1.0, -1.0}));
    CHECK_THROWS(std::invalid_argument, table({}, {1.0, NAN}));
    CHECK_THROWS(std::overflow_error, table({INT64_MAX, 1}, {}));
    CHECK_THROWS(std::overflow_error, table({}, {1e308, 1e308}));
    CHECK_EQUAL(table({INT64_MAX - 1, 1}, {}).size(), std::size_t{2});
    CHECK_EQUAL(crosstab(labels_of(std::vector<std::int8_t>{}), labels_of(std::vector<std::int8_t>{}), {}, 1).size(), std::size_t{0});
}

TEST(entries_of_one_cell_are_merged_and_lone_weights_are_kept_apart) {
    const std::vector<std::int32_t> rows{0, 1, 0, lone, lone, 0}, columns{1, absent, 1, 0, 0, 0};
    const std::vector<std::int64_t> counts{2, 5, 3, 4, 1, 0};
    const Cells cells = build_cells({view_of(rows), view_of(columns), view_of(counts), {}, {}}, 2, 2);
    CHECK(list_of(cells.rows) == (std::vector<std::int32_t>{0, 1, lone}));
    CHECK(list_of(cells.columns) == (std::vector<std::int32_t>{1, absent, 0}));
    CHECK(list_of(cells.counts) == (std::vector<std::int64_t>{5, 5, 5}));
    CHECK(cells.has_absent());
    const Squares squares = compute_squares(cells);
    CHECK(squares.points == 15 && squares.cells == 25 + 5 && squares.rows == 25 + 25 + 5 && squares.columns == 25 + 25);
    const std::vector<double> weights{2, 5, 3, 4, 1, 1}, pairs{1, 0, 2, 0, 0, 0};
    const Cells weighted = build_cells({view_of(rows), view_of(columns), view_of(counts), view_of(weights), view_of(pairs)}, 2, 2);
    CHECK(list_of(weighted.weights) == (std::vector<double>{5, 5, 4, 1}));
    CHECK(list_of(weighted.pairs) == (std::vector<double>{1 + 2 + 2 * 3, 0, 0, 0}));
}

TEST(wrong_entries_are_refused) {
    const auto build = [](std::int32_t row, std::int32_t column, std::int64_t count) {
        const std::vector<std::int32_t> rows{row}, columns{column};
        const std::vector<std::int64_t> counts{count};
        return build_cells({view_of(rows), view_of(columns), view_of(counts), {}, {}}, 1, 1);
    };
    CHECK_EQUAL(build(0, 0, 1).size(), std::size_t{1});
    CHECK_THROWS(std::invalid_argument, build(1, 0, 1));
    CHECK_THROWS(std::invalid_argument, build(0, 1, 1));
    CHECK_THROWS(std::invalid_argument, build(-3, 0, 1));
    CHECK_THROWS(std::invalid_argument, build(absent, absent, 1));
    CHECK_THROWS(std::invalid_argument, build(0, 0, -1));
}

TEST(cells_in_parts_are_numbered_by_their_labels) {
    Counts<std::int64_t> wanted;
    for (std::int64_t i = 0; i < 9000; ++i) wanted[{i * 7919 % 30000 - 100, i * 31 % 500}] = i + 1;
    CellCollector collector(wanted.size(), {static_cast<std::uint64_t>(-100), 30000}, {0, 600});
    std::vector<std::int64_t> rows, columns, counts;
    const auto flush = [&] {
        collector.add(labels_of(rows), labels_of(columns), labels_of(counts));
        rows.clear(), columns.clear(), counts.clear();
    };
    for (const auto& [key, n] : wanted) {
        rows.push_back(key.first), columns.push_back(key.second), counts.push_back(n);
        if (rows.size() == 2500) flush();
    }
    flush();
    const Cells cells = collector.finish();
    CHECK(by_labels<std::int64_t>(cells) == wanted);
    for (std::size_t i = 1; i < cells.n_rows; ++i) {
        CHECK(label<std::int64_t>(cells.row_values, i - 1) < label<std::int64_t>(cells.row_values, i));
    }
    CHECK_THROWS(std::logic_error, collector.finish());
}

TEST(a_collector_refuses_what_was_not_announced) {
    const std::vector<std::int64_t> zero{0}, ten{10}, one{1};
    const std::vector<std::int32_t> narrow{0};
    const auto add_to = [&](CellCollector& collector, const std::vector<std::int64_t>& rows, const std::vector<std::int64_t>& counts) {
        collector.add(labels_of(rows), labels_of(zero), labels_of(counts));
    };
    CellCollector collector(1, {0, 5}, {0, 5});
    CHECK_THROWS(std::invalid_argument, add_to(collector, ten, one));
    CHECK_THROWS(std::invalid_argument, add_to(collector, zero, zero));
    add_to(collector, zero, one);
    CHECK_THROWS(std::invalid_argument, add_to(collector, zero, one));
    CHECK_THROWS(std::invalid_argument, CellCollector(2, {0, 5}, {0, 5}).finish());
}

TEST(codes_are_compared_with_their_width) {
    const std::vector<std::uint32_t> low{0, 5, 12}, high{0, 5, 0x80000005}, top{0xFFFFFFFF};
    CHECK(are_below(13, 15, low.data(), 3));
    CHECK(!are_below(12, 15, low.data(), 3));
    CHECK(!are_below(12, (std::uint64_t{1} << 40) | 13, low.data(), 3));
    CHECK(are_below(0x80000006, 0x80000005, high.data(), 3));
    CHECK(!are_below(0x80000005, 0x80000005, high.data(), 3));
    CHECK(are_below(std::uint64_t{1} << 32, 0xFFFFFFFF, top.data(), 1));
    CHECK(!are_below(13, 0xFFFFFFFF, top.data(), 1));
    CHECK(are_below(1, 3, low.data(), 0));
}

// Labels that change between two passes of a call: a test cannot stop a call in the middle, so it calls the steps separately.
TEST(labels_that_changed_since_their_range_was_found_are_refused) {
    using Points = PlainPoints<std::uint32_t>;
    std::vector<std::int64_t> labels(100000);
    for (std::size_t i = 0; i < labels.size(); ++i) labels[i] = static_cast<std::int64_t>(i % 10);
    for (const std::int64_t fresh : {std::int64_t{10}, std::int64_t{-1}, std::int64_t{1} << 40}) {
        auto [rows, columns] = code_sides(labels_of(labels), labels_of(labels), 2);
        labels[60000] = fresh;
        CHECK_THROWS(std::runtime_error, count_dense<Points>(rows, columns, {}, 2, false));
        CHECK_THROWS(std::runtime_error, count_sparse<Points>(rows, columns, {}, 2, false));
        CHECK(!count_dense<Points>(rows, columns, {}, 2, true));  // a guess that was wrong is no error
        CHECK(!count_sparse<Points>(rows, columns, {}, 2, true));
        labels[60000] = 0;
    }
    std::vector<std::int64_t> few(900, 1);
    auto [rows, columns] = code_sides(labels_of(few), labels_of(few), 1);
    few[800] = 5;
    CHECK_THROWS(std::runtime_error, count_sparse<Points>(rows, columns, {}, 1, false));
}

TEST(labels_that_changed_since_pieces_were_planned_are_refused) {
    using Points = PlainPoints<std::uint32_t>;
    std::vector<std::int64_t> labels(100000);
    for (std::size_t i = 0; i < labels.size(); ++i) labels[i] = static_cast<std::int64_t>(i);
    for (const unsigned threads : {1U, 2U}) {
        for (const std::int64_t fresh : {std::int64_t{99999}, std::int64_t{0}}) {  // within the range, in another piece
            auto [rows, columns] = code_sides(labels_of(labels), labels_of(labels), threads);
            const Payloads none;
            const LabelSource<Points> source(rows, columns, none, true);
            const PartitionPlan plan = plan_partition(source, threads, piece_target);
            CHECK(plan.pieces.size() > 1);
            Buffer<Points::Record<std::uint64_t>> records(plan.points);
            scatter(source, plan, threads, {}, records.data());
            labels[50000] = fresh;
            CHECK_THROWS(std::runtime_error, scatter(source, plan, threads, {}, records.data()));
            for (std::size_t i = 50000; i < 90000; ++i) labels[i] = fresh;  // more than whole lines
            CHECK_THROWS(std::runtime_error, scatter(source, plan, threads, {}, records.data()));
            for (std::size_t i = 50000; i < 90000; ++i) labels[i] = static_cast<std::int64_t>(i);
        }
    }
}

TEST(counts_and_weights_that_changed_since_they_were_checked_are_refused) {
    const std::vector<std::int64_t> labels{0, 0, 1, 1};
    auto [rows, columns] = code_sides(labels_of(labels), labels_of(labels), 1);
    const std::vector<std::int64_t> negative{1, 2, -3, 4};
    const std::vector<double> not_finite{1.0, 2.0, std::numeric_limits<double>::quiet_NaN(), 1.0};
    Payloads counted{view_of(negative), {}}, weighted{{}, view_of(not_finite)};
    CHECK_THROWS(std::runtime_error, count_dense<CountedPoints>(rows, columns, counted, 1, false));
    CHECK_THROWS(std::runtime_error, count_sparse<CountedPoints>(rows, columns, counted, 1, false));
    CHECK_THROWS(std::runtime_error, count_dense<WeightedPoints>(rows, columns, weighted, 1, false));
    CHECK_THROWS(std::runtime_error, count_sparse<WeightedPoints>(rows, columns, weighted, 1, false));
}

TEST(codes_are_given_by_first_appearance) {
    Numbers numbers(12);
    std::vector<std::int64_t> labels(30000);
    for (auto& one : labels) one = numbers.below(9000) * 0x123456789ABCD;
    std::map<std::int64_t, std::uint32_t> codes;
    std::vector<std::int64_t> firsts;
    const Encoding found = encode_integers(labels_of(labels));
    const Encoding as_bytes = encode_records(reinterpret_cast<const unsigned char*>(labels.data()), labels.size(), 8);
    for (std::size_t i = 0; i < labels.size(); ++i) {
        const auto [place, fresh] = codes.emplace(labels[i], static_cast<std::uint32_t>(codes.size()));
        if (fresh) firsts.push_back(static_cast<std::int64_t>(i));
        CHECK_EQUAL(found.codes[i], place->second);
        CHECK_EQUAL(as_bytes.codes[i], place->second);
    }
    CHECK(list_of(found.firsts) == firsts);
    CHECK(list_of(as_bytes.firsts) == firsts);
}

TEST(sizes_of_clusters_leave_lone_points_out) {
    Buffer<std::int32_t> numbers(5);
    Buffer<std::int64_t> counts(5);
    Buffer<double> weights(5);
    for (std::size_t i = 0; i < 5; ++i) {
        numbers[i] = std::vector<std::int32_t>{1, lone, 1, 0, absent}[i];
        counts[i] = static_cast<std::int64_t>(i + 1);
        weights[i] = 0.5 * static_cast<double>(i + 1);
    }
    CHECK(list_of(count_cluster_sizes(numbers, counts, 3)) == (std::vector<std::int64_t>{4, 4, 0}));
    CHECK(list_of(weigh_cluster_sizes(numbers, weights, 3)) == (std::vector<double>{2.0, 2.0, 0.0}));
}

TEST(a_scan_visits_every_entry_in_order) {
    for (const std::size_t clusters : {std::size_t{10}, std::size_t{100000}}) {
        const auto sizes = Buffer<std::int64_t>::zeros(clusters);
        const auto numbers = Buffer<std::int32_t>::zeros(9000);
        std::size_t next = 5;
        scan_entries(5, 9000, [&](std::size_t i) { next += i == next ? 1 : 0; }, ClusterLookup<std::int64_t>{sizes, numbers});
        CHECK_EQUAL(next, std::size_t{9000});
    }
}

TEST(an_index_finds_every_key_that_was_added) {
    Numbers numbers(13);
    CellIndex index;
    index.clear(10);
    std::vector<std::uint64_t> keys;
    const auto key_of = [&](std::size_t i) { return keys[i]; };
    for (int i = 0; i < 20000; ++i) {
        const std::uint64_t key = cell_key(static_cast<std::uint32_t>(numbers.below(200)), static_cast<std::uint32_t>(numbers.below(50)));
        const auto known = std::find(keys.begin(), keys.end(), key);
        const std::size_t found = index.find_or_add(key, keys.size(), key_of);
        CHECK_EQUAL(found, static_cast<std::size_t>(known - keys.begin()));
        if (known == keys.end()) keys.push_back(key);
    }
}

TEST(random_tables_have_the_sizes_that_were_asked_for) {
    const std::vector<std::vector<std::int64_t>> sides{{3, 1, 4, 2}, {5, 5}, std::vector<std::int64_t>(300, 2), {600}, {200000, 100000, 5}, {150000, 150005}};
    for (std::size_t pair = 0; pair < sides.size(); pair += 2) {
        const auto& rows = sides[pair];
        const auto& columns = sides[pair + 1];
        std::vector<std::int64_t> first;
        for (std::uint64_t number = 0; number < 5; ++number) {
            const DrawnTable table = draw_table(rows, columns, 1, number);
            std::vector<std::int64_t> in_rows(rows.size()), in_columns(columns.size());
            for (std::size_t i = 0; i < table.counts.size(); ++i) {
                CHECK(table.counts[i] > 0);
                in_rows[static_cast<std::size_t>(table.rows[i])] += table.counts[i];
                in_columns[static_cast<std::size_t>(table.columns[i])] += table.counts[i];
            }
            CHECK(in_rows == rows);
            CHECK(in_columns == columns);
            CHECK(list_of(draw_table(rows, columns, 1, number).counts) == list_of(table.counts));
        }
    }
    CHECK_THROWS(std::invalid_argument, draw_table({1, 2}, {4}, 1, 1));
    CHECK_THROWS(std::invalid_argument, draw_table({0, 4}, {4}, 1, 1));
}

TEST(random_tables_are_drawn_with_the_probability_of_a_permutation) {
    // tables of 2 + 2 points by 2 + 2 points: the first cell has 0, 1 or 2 points with probability 1/6, 4/6, 1/6
    const auto pairs = sample_pairs({2, 2}, {2, 2}, 30000, 7, 0);
    const auto together = std::count_if(pairs.begin(), pairs.end(), [](std::int64_t n) { return n == 2; });
    CHECK(std::fabs(static_cast<double>(together) / 30000 - 1.0 / 3) < 0.015);
    CHECK_EQUAL(std::count(pairs.begin(), pairs.end(), 0) + together, 30000);
    // counts of clusters of many points are drawn one by one
    const auto large = sample_pairs({3000, 3000}, {2000, 4000}, 4000, 7, 0);
    double sum = 0.0;
    for (const std::int64_t n : large) sum += static_cast<double>(n);
    const double all = 3000.0 * 2999, wanted = all * (2000.0 * 1999 / 2 + 4000.0 * 3999 / 2) / (6000.0 * 5999 / 2);
    CHECK_NEAR(sum / 4000, static_cast<long double>(wanted), 1e-4);
    CHECK(list_of(sample_pairs({3000, 3000}, {2000, 4000}, 3, 7, 2)) == std::vector<std::int64_t>(large.begin() + 2, large.begin() + 5));
}

TEST(a_random_half_has_half_of_the_points) {
    const std::vector<std::int64_t> counts{5, 0, 100, 1, 70001};
    double sum = 0.0;
    for (std::uint64_t number = 0; number < 2000; ++number) {
        const auto half = draw_half(counts, 3, number);
        std::int64_t total = 0;
        for (std::size_t i = 0; i < counts.size(); ++i) {
            CHECK(half[i] >= 0 && half[i] <= counts[i]);
            total += half[i];
        }
        CHECK_EQUAL(total, std::int64_t{70107 / 2});
        sum += static_cast<double>(half[2]);
    }
    CHECK(std::fabs(sum / 2000 - 50) < 0.6);
    CHECK_THROWS(std::invalid_argument, draw_half({3, -1}, 1, 1));
    std::map<std::vector<std::int64_t>, int> halves;  // each half of four points is equally frequent
    for (std::uint64_t number = 0; number < 6000; ++number) ++halves[list_of(draw_half({1, 1, 1, 1}, 3, number))];
    CHECK_EQUAL(halves.size(), std::size_t{6});
    for (const auto& [half, times] : halves) CHECK(std::abs(times - 1000) < 150);
}
