#include <algorithm>
#include <map>
#include <stdexcept>

#include "check.hpp"
#include "core/statistics/best.hpp"
#include "core/statistics/cell_fractions.hpp"
#include "core/statistics/class_products.hpp"
#include "core/statistics/equivalent_cells.hpp"
#include "core/statistics/joint.hpp"
#include "core/statistics/overlaps.hpp"
#include "core/statistics/pair_weights.hpp"
#include "core/statistics/point_classes.hpp"
#include "core/statistics/profile.hpp"

using namespace clustermark;
using check::list_of;
using check::Numbers;
using check::view_of;

namespace {

// Entries, and the points that they stand for, each with a cluster or none on each side.
struct Sample {
    std::vector<std::int32_t> rows, columns;
    std::vector<std::int64_t> counts;
    std::vector<double> weights, pairs;
    std::int32_t n_rows = 0, n_columns = 0;

    Cells cells(bool weighted) const {
        EntryViews entries{view_of(rows), view_of(columns), view_of(counts), {}, {}};
        if (weighted) {
            entries.weights = view_of(weights);
            entries.pairs = view_of(pairs);
        }
        return build_cells(entries, static_cast<std::size_t>(n_rows), static_cast<std::size_t>(n_columns));
    }
};

Sample draw_sample(std::uint64_t seed, bool with_absent) {
    Numbers numbers(seed);
    Sample sample;
    sample.n_rows = static_cast<std::int32_t>(1 + numbers.below(12));
    sample.n_columns = static_cast<std::int32_t>(1 + numbers.below(12));
    std::map<std::pair<std::int32_t, std::int32_t>, bool> used;
    const std::int64_t size = 1 + numbers.below(40);
    for (std::int64_t i = 0; i < size; ++i) {
        std::int32_t row = static_cast<std::int32_t>(numbers.below(sample.n_rows)), column = static_cast<std::int32_t>(numbers.below(sample.n_columns));
        const std::int64_t kind = numbers.below(10);
        if (kind == 0) row = lone;
        if (kind == 1) column = lone;
        if (kind == 2 && with_absent) column = absent;
        if (kind == 3 && with_absent) row = absent;
        if (kind == 4) row = column = lone;
        if (!used.emplace(std::pair(row, column), true).second) continue;
        sample.rows.push_back(row);
        sample.columns.push_back(column);
        sample.counts.push_back(1 + (numbers.below(3) == 0 ? numbers.below(50) : numbers.below(3)));
        sample.weights.push_back(0.25 + numbers.fraction() * static_cast<double>(sample.counts.back()));
        sample.pairs.push_back(row == lone || column == lone ? 0.0 : numbers.fraction());
    }
    return sample;
}

// The clusters of a sample, with a separate cluster for each lone point; the statistics are defined on these.
struct Expanded {
    struct Cell {
        std::size_t row, column;
        std::int64_t n;
        long double weight;
    };
    std::vector<Cell> cells;
    std::vector<std::int64_t> row_sizes, column_sizes;
    std::vector<long double> row_weights, column_weights;

    explicit Expanded(const Sample& sample) {
        row_sizes.assign(static_cast<std::size_t>(sample.n_rows), 0);
        column_sizes.assign(static_cast<std::size_t>(sample.n_columns), 0);
        row_weights.assign(row_sizes.size(), 0.0L);
        column_weights.assign(column_sizes.size(), 0.0L);
        for (std::size_t i = 0; i < sample.rows.size(); ++i) {
            const bool single = sample.rows[i] == lone || sample.columns[i] == lone;
            const std::int64_t times = single ? sample.counts[i] : 1;
            for (std::int64_t k = 0; k < times; ++k) {
                const std::int64_t n = single ? 1 : sample.counts[i];
                const long double weight = static_cast<long double>(single ? sample.weights[i] / static_cast<double>(sample.counts[i]) : sample.weights[i]);
                const std::size_t row = cluster(sample.rows[i], n, weight, row_sizes, row_weights);
                const std::size_t column = cluster(sample.columns[i], n, weight, column_sizes, column_weights);
                if (row != none && column != none) cells.push_back({row, column, n, weight});
            }
        }
    }

    static constexpr std::size_t none = SIZE_MAX;

private:
    static std::size_t cluster(std::int32_t number, std::int64_t n, long double weight, std::vector<std::int64_t>& sizes,
                               std::vector<long double>& weights) {
        if (number == absent) return none;
        if (number == lone) {
            sizes.push_back(n);
            weights.push_back(weight);
            return sizes.size() - 1;
        }
        sizes[static_cast<std::size_t>(number)] += n;
        weights[static_cast<std::size_t>(number)] += weight;
        return static_cast<std::size_t>(number);
    }
};

// A sum of fractions of plain points as a number.
long double number_of(const FixedSum& sum) {
    return std::ldexp(static_cast<long double>(sum.high), -42) + std::ldexp(static_cast<long double>(sum.low), -84);
}

constexpr double close = 1e-14;

}  // namespace

TEST(joint_sums_of_plain_points) {
    for (std::uint64_t seed = 0; seed < 60; ++seed) {
        const Sample sample = draw_sample(seed, true);
        const Expanded all(sample);
        const Joint joint = compute_joint(sample.cells(false));
        std::int64_t exact = 0, singletons = 0;
        u128 products = 0;
        long double shares = 0, larger = 0, smaller = 0, f = 0, jaccard = 0;
        for (const auto& cell : all.cells) {
            const std::int64_t a = all.row_sizes[cell.row], b = all.column_sizes[cell.column];
            const auto n = static_cast<long double>(cell.n);
            exact += cell.n == a && cell.n == b;
            singletons += cell.n == 1 && a == 1 && b == 1;
            products += static_cast<u128>(cell.n * a * b);
            shares += n / a * n / b;
            larger += n * n / std::max(a, b);
            smaller += n * n / std::min(a, b);
            f += n * 2 * n / (a + b);
            jaccard += n * n / (a + b - n);
        }
        CHECK_EQUAL(joint.exact, exact);
        CHECK_EQUAL(joint.exact_singletons, singletons);
        CHECK((joint.size_products.high << 64) + joint.size_products.low == products);
        CHECK_NEAR(static_cast<double>(number_of(joint.shares.fixed)), shares, close);
        CHECK_NEAR(static_cast<double>(number_of(joint.of_larger.fixed)), larger, close);
        CHECK_NEAR(static_cast<double>(number_of(joint.of_smaller.fixed)), smaller, close);
        CHECK_NEAR(static_cast<double>(number_of(joint.f.fixed)), f, close);
        CHECK_NEAR(static_cast<double>(number_of(joint.jaccard.fixed)), jaccard, close);
    }
}

TEST(joint_sums_of_weights) {
    for (std::uint64_t seed = 100; seed < 140; ++seed) {
        const Sample sample = draw_sample(seed, true);
        const Expanded all(sample);
        const Joint joint = compute_joint(sample.cells(true));
        long double products = 0, shares = 0, larger = 0, smaller = 0, f = 0, jaccard = 0;
        for (const auto& cell : all.cells) {
            const long double a = all.row_weights[cell.row], b = all.column_weights[cell.column], n = cell.weight;
            products += n * a * b;
            shares += n / a * n / b;
            larger += n * n / std::max(a, b);
            smaller += n * n / std::min(a, b);
            f += n * 2 * n / (a + b);
            jaccard += n * n / (a + b - n);
        }
        CHECK_NEAR(joint.size_product_weights, products, close);
        CHECK_NEAR(joint.shares.real, shares, close);
        CHECK_NEAR(joint.of_larger.real, larger, close);
        CHECK_NEAR(joint.of_smaller.real, smaller, close);
        CHECK_NEAR(joint.f.real, f, close);
        CHECK_NEAR(joint.jaccard.real, jaccard, close);
    }
}

TEST(the_best_cell_of_every_cluster) {
    for (std::uint64_t seed = 200; seed < 260; ++seed) {
        const Sample sample = draw_sample(seed, true);
        const Expanded all(sample);
        const auto [rows, columns] = compute_best(sample.cells(false));
        for (const bool of_rows : {true, false}) {
            const Best& best = of_rows ? rows : columns;
            const auto& sizes = of_rows ? all.row_sizes : all.column_sizes;
            std::int64_t clusters = 0;
            long double jaccard = 0, sized_jaccard = 0, f = 0, sized_f = 0, larger = 0, weakest = 2;
            for (std::size_t k = 0; k < sizes.size(); ++k) {
                if (sizes[k] == 0) continue;
                ++clusters;
                long double best_jaccard = 0, best_f = 0, best_larger = 0, kept = 0;
                for (const auto& cell : all.cells) {
                    if ((of_rows ? cell.row : cell.column) != k) continue;
                    const long double a = all.row_sizes[cell.row], b = all.column_sizes[cell.column], n = cell.n;
                    best_jaccard = std::max(best_jaccard, n / (a + b - n));
                    best_f = std::max(best_f, 2 * n / (a + b));
                    best_larger = std::max(best_larger, n / std::max(a, b));
                    kept += n * (n - 1);
                }
                const auto size = static_cast<long double>(sizes[k]);
                jaccard += best_jaccard;
                sized_jaccard += size * best_jaccard;
                f += best_f;
                sized_f += size * best_f;
                larger += best_larger;
                if (sizes[k] > 1) weakest = std::min(weakest, kept / (size * (size - 1)));
            }
            CHECK_EQUAL(best.clusters, clusters);
            CHECK_NEAR(static_cast<double>(number_of(best.jaccard.fixed)), jaccard, close);
            CHECK_NEAR(static_cast<double>(number_of(best.sized_jaccard.fixed)), sized_jaccard, close);
            CHECK_NEAR(static_cast<double>(number_of(best.f.fixed)), f, close);
            CHECK_NEAR(static_cast<double>(number_of(best.sized_f.fixed)), sized_f, close);
            CHECK_NEAR(static_cast<double>(number_of(best.of_larger.fixed)), larger, close);
            CHECK_EQUAL(best.weakest_pairs.has_value(), weakest < 2);
            if (best.weakest_pairs) CHECK_NEAR(*best.weakest_pairs, weakest, close);
        }
    }
}

TEST(profiles_count_cells_and_clusters_by_size) {
    for (std::uint64_t seed = 300; seed < 360; ++seed) {
        const Sample sample = draw_sample(seed, true);
        const Expanded all(sample);
        const Profile profile = compute_profile(sample.cells(false));
        std::map<std::int64_t, std::uint64_t> cells;
        for (const auto& cell : all.cells) ++cells[cell.n];
        CHECK_EQUAL(profile.cells.size(), cells.size());
        for (const CellSize& found : profile.cells) CHECK_EQUAL(found.cells, cells[found.size]);
        for (const bool of_rows : {true, false}) {
            const auto& sizes = of_rows ? all.row_sizes : all.column_sizes;
            std::map<std::int64_t, ClusterSize> wanted;
            std::vector<std::int64_t> largest(sizes.size());
            for (const auto& cell : all.cells) {
                const std::size_t k = of_rows ? cell.row : cell.column;
                largest[k] = std::max(largest[k], cell.n);
                wanted[sizes[k]].squares += static_cast<u128>(cell.n * cell.n);
                ++wanted[sizes[k]].cells;
            }
            for (std::size_t k = 0; k < sizes.size(); ++k) {
                if (sizes[k] == 0) continue;
                ++wanted[sizes[k]].clusters;
                wanted[sizes[k]].largest += static_cast<u128>(largest[k]);
            }
            const auto& side = of_rows ? profile.rows : profile.columns;
            CHECK_EQUAL(side.size(), wanted.size());
            auto next = wanted.begin();
            for (std::size_t i = 0; i < std::min(side.size(), wanted.size()); ++i, ++next) {
                CHECK_EQUAL(side[i].size, next->first);
                CHECK_EQUAL(side[i].clusters, next->second.clusters);
                CHECK_EQUAL(side[i].cells, next->second.cells);
                CHECK(side[i].squares == next->second.squares && side[i].largest == next->second.largest);
            }
        }
    }
    CHECK_THROWS(std::invalid_argument, compute_profile(draw_sample(1, false).cells(true)));
}

TEST(sizes_beyond_the_direct_places_of_a_profile) {
    Sample sample;
    sample.n_rows = sample.n_columns = 3;
    sample.rows = {0, 1, 2};
    sample.columns = {0, 1, 2};
    sample.counts = {70000, 65536, 70000};
    const Profile profile = compute_profile(sample.cells(false));
    CHECK_EQUAL(profile.cells.size(), std::size_t{2});
    CHECK_EQUAL(profile.cells[0].size, std::int64_t{65536});
    CHECK_EQUAL(profile.rows[1].clusters, std::uint64_t{2});
}

TEST(overlaps_of_every_predicted_cluster) {
    for (std::uint64_t seed = 400; seed < 460; ++seed) {
        const Sample sample = draw_sample(seed, false);
        const Expanded all(sample);
        const bool weighted = seed % 2 == 1;
        const Overlaps overlaps = compute_overlaps(sample.cells(weighted), {}, {});
        std::int64_t clusters = 0;
        for (const std::int64_t size : all.row_sizes) clusters += size > 0;
        long double total_jaccard = 0, total_concentration = 0, scored = 0;
        for (std::size_t j = 0; j < all.column_sizes.size(); ++j) {
            long double best = 0, squares = 0, size = weighted ? all.column_weights[j] : static_cast<long double>(all.column_sizes[j]);
            std::int64_t cells = 0;
            for (const auto& cell : all.cells) {
                if (cell.column != j) continue;
                const long double n = weighted ? cell.weight : static_cast<long double>(cell.n);
                const long double a = weighted ? all.row_weights[cell.row] : static_cast<long double>(all.row_sizes[cell.row]);
                best = std::max(best, n / (a + size - n));
                squares += n * n;
                ++cells;
            }
            if (cells == 0) continue;
            const long double u = 1 / std::sqrt(static_cast<long double>(clusters)), r = std::sqrt(squares) / size;
            const long double concentration = cells == 1 || clusters == 1 ? 1 : std::sqrt(std::max(0.0L, (r - u) / (1 - u)));
            total_jaccard += size * best;
            total_concentration += size * concentration;
            scored += size;
            if (j >= static_cast<std::size_t>(sample.n_columns)) continue;
            CHECK_EQUAL(overlaps.cells[j], cells);
            CHECK_NEAR(overlaps.max_jaccard[j], best, 1e-13);
            CHECK(std::fabs(overlaps.concentration[j] - concentration) < 1e-6L);
            CHECK_NEAR(overlaps.score[j], std::sqrt(best * overlaps.concentration[j]), 1e-13);
        }
        const auto total = [&](int i) { return weighted ? static_cast<long double>(overlaps.totals[i].real) : number_of(overlaps.totals[i].fixed); };
        CHECK_NEAR(static_cast<double>(total(0)), total_jaccard, 1e-13);
        CHECK_NEAR(static_cast<double>(total(1)), total_concentration, 1e-6);
        CHECK_NEAR(weighted ? overlaps.weight_scored : static_cast<double>(overlaps.n_scored), scored, 1e-14);
    }
}

TEST(ties_of_overlaps_go_to_the_lowest_rank_and_unscored_clusters_to_no_sum) {
    Sample sample;
    sample.n_rows = 3, sample.n_columns = 2;
    sample.rows = {0, 1, 2, 2};
    sample.columns = {0, 0, 0, 1};
    sample.counts = {2, 2, 2, 5};
    const Cells cells = sample.cells(false);
    const std::vector<std::int32_t> ranks{2, 1, 0};
    const std::vector<std::uint8_t> unscored{0, 1};
    CHECK_EQUAL(compute_overlaps(cells, {}, {}).best_rows[0], 0);
    CHECK_EQUAL(compute_overlaps(cells, view_of(ranks), {}).best_rows[0], 1);
    CHECK_EQUAL(compute_overlaps(cells, {}, view_of(unscored)).n_scored, std::int64_t{6});
    CHECK_THROWS(std::invalid_argument, compute_overlaps(cells, view_of(std::vector<std::int32_t>{1}), {}));
    sample.columns[0] = absent;
    CHECK_THROWS(std::invalid_argument, compute_overlaps(sample.cells(false), {}, {}));
    for (const bool lone_first : {true, false}) {  // a numbered row comes before a lone one
        Sample tie;
        tie.n_rows = tie.n_columns = 1;
        tie.rows = lone_first ? std::vector<std::int32_t>{lone, 0} : std::vector<std::int32_t>{0, lone};
        tie.columns = {0, 0};
        tie.counts = {1, 1};
        CHECK_EQUAL(compute_overlaps(tie.cells(false), {}, {}).best_rows[0], 0);
    }
}

TEST(pairs_of_weighted_points) {
    Numbers numbers(500);
    for (int run = 0; run < 30; ++run) {
        const std::size_t n = 30;
        std::vector<std::int32_t> rows(n), columns(n);
        std::vector<std::int64_t> counts(n, 1);
        std::vector<double> weights(n), none(n, 0.0);
        for (std::size_t i = 0; i < n; ++i) {
            rows[i] = static_cast<std::int32_t>(numbers.below(5)) - 1;  // -1 is lone
            columns[i] = static_cast<std::int32_t>(numbers.below(4)) - 1;
            weights[i] = numbers.fraction();
        }
        long double wanted[2][2] = {};
        for (std::size_t i = 0; i < n; ++i) {
            for (std::size_t j = 0; j < i; ++j) {
                const bool row = rows[i] == rows[j] && rows[i] != lone, column = columns[i] == columns[j] && columns[i] != lone;
                wanted[row][column] += static_cast<long double>(weights[i]) * weights[j];
            }
        }
        const Cells cells = build_cells({view_of(rows), view_of(columns), view_of(counts), view_of(weights), view_of(none)}, 4, 3);
        const PairWeights found = compute_pair_weights(cells);
        CHECK_NEAR(found.yy, wanted[1][1], close);
        CHECK_NEAR(found.yn, wanted[1][0], close);
        CHECK_NEAR(found.ny, wanted[0][1], close);
        CHECK_NEAR(found.nn, wanted[0][0], close);
    }
    CHECK_THROWS(std::invalid_argument, compute_pair_weights(draw_sample(1, false).cells(false)));
}

TEST(cells_are_equivalent_by_their_sizes_and_sums_of_squares) {
    for (std::uint64_t seed = 600; seed < 640; ++seed) {
        const Sample sample = draw_sample(seed, false);
        const auto found = group_alike(sample.cells(false));
        CHECK(found.has_value());
        std::vector<std::array<std::int64_t, 2>> rows(static_cast<std::size_t>(sample.n_rows)), columns(static_cast<std::size_t>(sample.n_columns));
        for (std::size_t i = 0; i < sample.rows.size(); ++i) {
            const std::int64_t n = sample.counts[i];
            const bool single = sample.rows[i] == lone || sample.columns[i] == lone;
            const auto add = [&](std::array<std::int64_t, 2>& cluster) { cluster[0] += n, cluster[1] += single ? n : n * n; };
            if (sample.rows[i] != lone) add(rows[static_cast<std::size_t>(sample.rows[i])]);
            if (sample.columns[i] != lone) add(columns[static_cast<std::size_t>(sample.columns[i])]);
        }
        std::map<std::int32_t, std::int64_t> times;
        for (std::size_t i = 0; i < sample.rows.size(); ++i) {
            const auto of = static_cast<std::size_t>(found->classes[i]);
            const bool single = sample.rows[i] == lone || sample.columns[i] == lone;
            const auto row = sample.rows[i] == lone ? std::array<std::int64_t, 2>{1, 1} : rows[static_cast<std::size_t>(sample.rows[i])];
            const auto column = sample.columns[i] == lone ? std::array<std::int64_t, 2>{1, 1} : columns[static_cast<std::size_t>(sample.columns[i])];
            CHECK_EQUAL(found->n[of], single ? 1 : sample.counts[i]);
            CHECK(found->a[of] == row[0] && found->true_squares[of] == row[1]);
            CHECK(found->b[of] == column[0] && found->pred_squares[of] == column[1]);
            times[found->classes[i]] += single ? sample.counts[i] : 1;
        }
        CHECK_EQUAL(times.size(), found->times.size());
        for (const auto& [of, n] : times) CHECK_EQUAL(found->times[static_cast<std::size_t>(of)], n);
    }
}

TEST(points_have_the_class_of_their_cell) {
    Numbers numbers(700);
    for (const std::int32_t clusters : {6, 3000}) {  // one array of classes; a list for each row
        const std::size_t n = 20000;
        std::vector<std::int32_t> rows(n), columns(n), own(static_cast<std::size_t>(clusters));
        for (std::size_t i = 0; i < n; ++i) {
            rows[i] = static_cast<std::int32_t>(numbers.below(clusters));
            columns[i] = i % 3 == 0 ? 0 : static_cast<std::int32_t>(numbers.below(clusters));
        }
        for (std::int32_t k = 0; k < clusters; ++k) own[static_cast<std::size_t>(k)] = k;
        std::vector<std::int64_t> ones(n, 1);
        const auto size = static_cast<std::size_t>(clusters);
        const Cells cells = build_cells({view_of(rows), view_of(columns), view_of(ones), {}, {}}, size, size);
        std::vector<std::int32_t> classes(cells.size());
        std::map<std::pair<std::int32_t, std::int32_t>, std::int32_t> wanted;
        for (std::size_t i = 0; i < cells.size(); ++i) {
            classes[i] = static_cast<std::int32_t>(i * 31 % 251);
            wanted[{cells.rows[i], cells.columns[i]}] = classes[i];
        }
        const CodedSide row_side{check::labels_of(rows), view_of(own)}, column_side{check::labels_of(columns), view_of(own)};
        const auto found = classes_of_points<std::uint8_t>(cells, row_side, column_side, view_of(classes), 2);
        for (std::size_t i = 0; i < n; ++i) CHECK_EQUAL(std::int32_t{found[i]}, wanted[std::pair(rows[i], columns[i])]);
        columns[5] = clusters;
        CHECK_THROWS(std::invalid_argument, classes_of_points<std::uint8_t>(cells, row_side, column_side, view_of(classes), 1));
    }
}

TEST(products_of_class_values) {
    Numbers numbers(800);
    const std::size_t n = 1000;
    for (const bool counted : {false, true}) {
        std::vector<std::vector<std::int32_t>> classes(3, std::vector<std::int32_t>(n));
        std::vector<ClassValues> lists;
        std::vector<std::int64_t> counts(n);
        for (auto& count : counts) count = numbers.below(4);
        for (auto& list : classes) {
            Buffer<double> values(20);
            for (double& value : values) value = numbers.fraction() - 0.4;
            for (auto& one : list) one = static_cast<std::int32_t>(numbers.below(20));
            lists.push_back({check::labels_of(list), std::move(values)});
        }
        std::optional<StridedView<std::int64_t>> times;
        if (counted) times = view_of(counts);
        const ClassProducts found = add_products(lists, times, 1);
        for (std::size_t r = 0; r < 3; ++r) {
            const auto value = [&](std::size_t list, std::size_t i) {
                return static_cast<long double>(lists[list].values[static_cast<std::size_t>(classes[list][i])]);
            };
            long double sum = 0;
            for (std::size_t i = 0; i < n; ++i) sum += (counted ? counts[i] : 1) * value(r, i);
            CHECK(std::fabs(found.sums[r] - sum) < 1e-11L);
            for (std::size_t s = 0; s < 3; ++s) {
                long double product = 0;
                for (std::size_t i = 0; i < n; ++i) product += (counted ? counts[i] : 1) * value(r, i) * value(s, i);
                CHECK(std::fabs(found.products[r * 3 + s] - product) < 1e-11L);
            }
        }
        CHECK(list_of(add_products(lists, times, 4).products) == list_of(found.products));
    }
}

TEST(fractions_do_not_depend_on_the_order_of_the_sides) {
    CHECK_EQUAL(f_measure(std::int64_t{2}, std::int64_t{3}, std::int64_t{5}), 0.5);
    CHECK_EQUAL(jaccard_index(std::int64_t{2}, std::int64_t{3}, std::int64_t{5}), 2.0 / 6.0);
    CHECK_EQUAL(share_of_larger(2.0, 4.0, 8.0), 0.25);
    CHECK_EQUAL(share_of_smaller(2.0, 4.0, 8.0), 0.5);
    CHECK_EQUAL(product_of_shares(2.0, 4.0, 8.0), 0.125);
    CHECK_EQUAL(f_measure(INT64_MAX, INT64_MAX, INT64_MAX), 1.0);
    CHECK_EQUAL(f_measure(0x1p1023, 0x1p1023, 0x1p1023), 1.0);
    CHECK_EQUAL(jaccard_index(0x1p1023, 0x1p1023, 0x1p1023), 1.0);
}
