// Clusters of records that merge, and sums over them and over the true clusters, which are updated at each merge.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <stdexcept>
#include <utility>
#include <vector>

#include "core/execution/interruption.hpp"
#include "core/information/mutual_information.hpp"
#include "core/sweep/label_counts.hpp"
#include "core/sweep/pair_sweep.hpp"

namespace clustermark {

// Numbers that are added and subtracted again are integers in units of 2^-60, so a sum does not depend on previous additions.
// x is between 0 and 2^63.
inline i128 to_fixed(double x) {
    const auto whole = static_cast<std::int64_t>(x);
    return (static_cast<i128>(whole) << 60) + static_cast<std::int64_t>((x - static_cast<double>(whole)) * 0x1p60);
}

inline double to_double(i128 x) {
    const bool negative = x < 0;
    const u128 size = negative ? static_cast<u128>(-x) : static_cast<u128>(x);
    const double value = static_cast<double>(static_cast<std::int64_t>(size >> 60)) +
                         static_cast<double>(static_cast<std::int64_t>(size) & ((std::int64_t{1} << 60) - 1)) * 0x1p-60;
    return negative ? -value : value;
}

inline double ratio(std::int64_t part, std::int64_t whole) {
    return static_cast<double>(part) / static_cast<double>(whole);
}

inline std::int64_t count_pairs(std::int64_t n) { return n * (n - 1) / 2; }

// n ln n, tabulated for most sizes of clusters.
class SizeSpreads {
public:
    explicit SizeSpreads(std::size_t points) : table_(std::min<std::size_t>(points + 1, 1 << 16)) {
        for (std::size_t n = 0; n < table_.size(); ++n) table_[n] = compute(static_cast<std::int64_t>(n));
    }
    i128 operator()(std::int64_t n) const {
        return n < static_cast<std::int64_t>(table_.size()) ? table_[static_cast<std::size_t>(n)] : compute(n);
    }

private:
    static i128 compute(std::int64_t n) {
        if (n < 2) return 0;
        const auto x = static_cast<double>(n);
        return to_fixed(x * std::log(x));
    }
    std::vector<i128> table_;
};

// Expected mutual information is a sum over predicted clusters of terms that depend on their size alone.
class ExpectedOfSizes {
public:
    ExpectedOfSizes(std::int64_t points, std::vector<SizeGroup> true_sizes, double limit)
        : points_(points), sizes_(std::move(true_sizes)), left_(limit),
          small_(static_cast<std::size_t>(std::min<std::int64_t>(points + 1, 1 << 16)), unknown) {}

    bool known() const { return left_ > 0.0; }

    // The term of a predicted cluster of b points, times the number of points; 0 once the limit is reached.
    i128 operator()(std::int64_t b) {
        if (b == 0 || !known()) return 0;
        const bool small = b < static_cast<std::int64_t>(small_.size());
        Kept& place = large_[static_cast<std::size_t>(b) % large_.size()];
        if (small ? small_[static_cast<std::size_t>(b)] != unknown : place.size == b) {
            return small ? small_[static_cast<std::size_t>(b)] : place.value;
        }
        double sum = 0.0;
        for (const SizeGroup& group : sizes_) {
            left_ -= steps(group.size, b);
            if (!known()) return 0;
            sum += static_cast<double>(group.clusters) * expected_excess(points_, group.size, b);
        }
        if (small) return small_[static_cast<std::size_t>(b)] = to_fixed(sum);
        place = {b, to_fixed(sum)};
        return place.value;
    }

private:
    static constexpr i128 unknown = -1;

    struct Kept {
        std::int64_t size = -1;
        i128 value = 0;
    };

    double steps(std::int64_t a, std::int64_t b) const {
        const double mean = static_cast<double>(a) / static_cast<double>(points_) * static_cast<double>(b);
        return 8.0 + std::min(static_cast<double>(std::min(a, b)), 40.0 + 12.0 * std::sqrt(mean));
    }

    std::int64_t points_;
    std::vector<SizeGroup> sizes_;
    double left_;
    std::vector<i128> small_;  // by size
    std::array<Kept, 1024> large_;  // a cache: a large cluster is added, and soon subtracted when it grows
};

struct MergedCluster {
    LabelBlock labels;
    std::int64_t squares = 0;  // of its cells
    std::int32_t size = 0;     // points, including those without a true label
    std::int32_t largest = 0;  // of its cells
};

struct TrueCluster {
    std::int64_t squares = 0;  // of its cells
    std::int32_t size = 0;
    std::int32_t largest = 0;
};

class Closure {
public:
    explicit Closure(const SweepInput& input)
        : parents_(input.labels.size), clusters_(input.labels.size), spread_(input.labels.size), expected_(read(input)) {
        for (const TrueCluster& one : truth_) {
            if (one.size == 0) continue;
            ++result_.true_clusters;
            result_.together_true += count_pairs(one.size);
            spread_true_ += spread_(one.size);
            best_true_ += one.largest;
            exact_ += one.largest == one.size;
            recall_ += to_fixed(ratio(one.squares, one.size));
        }
        result_.spread_true = to_double(spread_true_);
        cells_ = best_pred_ = result_.points;
        number_ = result_.predicted_points;
        precision_ = to_fixed(static_cast<double>(result_.points));
        reserve(std::min(input.labels.size, input.scores.size) + 1);
        has_expected_ = result_.points == result_.predicted_points;
        if (has_expected_) expected_sum_ = static_cast<i128>(result_.points) * expected_(1);
        if (input.counts.size > 0) count_copies();
        note(std::numeric_limits<double>::infinity());
    }

    std::int32_t root(std::int32_t node) {
        for (std::int32_t above = parents_[place(node)]; above != node; above = parents_[place(node)]) {
            node = parents_[place(node)] = parents_[place(above)];
        }
        return node;
    }

    void prefetch(std::int32_t node) const { __builtin_prefetch(&parents_[place(node)]); }
    void prefetch_parent(std::int32_t node) const { prefetch(parents_[place(node)]); }
    void prefetch_cluster(std::int32_t node) const { __builtin_prefetch(&clusters_[parent(node)]); }
    void prefetch_truth(std::int32_t node) const {
        const LabelBlock& labels = clusters_[parent(node)].labels;
        if (labels.labels == 1) __builtin_prefetch(&truth_[static_cast<std::size_t>(labels.place)]);
    }

    // Whether a pair joins two clusters. Most joined records are children of their root, which is compared first.
    bool are_apart(std::int32_t left, std::int32_t right) {
        return parents_[place(left)] != parents_[place(right)] && root(left) != root(right);
    }

    // Makes every record a child of its root, and marks the records outside the largest cluster.
    void flatten() {
        std::int32_t largest = 0;
        StepCounter counter(StepCounter::Progress::ignored);
        for (std::size_t i = 0; i < parents_.size(); ++i, counter.step()) {
            parents_[i] = root(static_cast<std::int32_t>(i));
            if (clusters_[parent_of(i)].size > clusters_[place(largest)].size) largest = parents_[i];
        }
        outside_.assign(parents_.size() / 64 + 1, 0);
        for (std::size_t i = 0; i < parents_.size(); ++i) {
            outside_[i / 64] |= static_cast<std::uint64_t>(parents_[i] != largest) << i % 64;
        }
    }

    // The same as `are_apart` while the trees are flat. Most pairs of a long list are within the largest cluster then, and
    // one bit for each record fits into the cache. `|` avoids a branch, because which record is outside is not predictable.
    bool are_apart_when_flat(std::int32_t left, std::int32_t right) const {
        return (is_outside(left) | is_outside(right)) != 0 && parents_[place(left)] != parents_[place(right)];
    }

    void join(std::int32_t left, std::int32_t right, double score) {
        const std::int32_t first = root(left), second = root(right);
        if (first == second) return;
        const std::int64_t before = together_both_;
        const std::int64_t false_before = together_ - together_both_;
        merge(first, second);
        SweepMerges& merges = result_.merges;
        merges.left.push_back(left);
        merges.right.push_back(right);
        merges.scores.push_back(score);
        merges.true_pairs.push_back(together_both_ - before);
        merges.false_pairs.push_back(together_ - together_both_ - false_before);
    }

    // Records the partition if it has changed since the last record.
    void note(double threshold) {
        SweepStates& states = result_.states;
        const auto merges = static_cast<std::int64_t>(result_.merges.left.size());
        if (!states.merges.empty() && states.merges.back() == merges) return;
        states.thresholds.push_back(threshold);
        states.merges.push_back(merges);
        states.clusters.push_back(number_);
        states.cells.push_back(cells_);
        states.exact.push_back(exact_);
        states.together.push_back(together_);
        states.together_both.push_back(together_both_);
        states.best_pred.push_back(best_pred_);
        states.best_true.push_back(best_true_);
        states.precision.push_back(to_double(precision_));
        states.recall.push_back(to_double(recall_));
        states.spread_pred.push_back(to_double(spread_pred_));
        states.left_true.push_back(to_double(spread_pred_ - spread_cells_));
        states.left_pred.push_back(to_double(spread_true_ - spread_cells_));
        const bool known = has_expected_ && expected_.known();
        states.expected.push_back(known ? to_double(expected_sum_) : std::numeric_limits<double>::quiet_NaN());
    }

    SweepResult take() { return std::move(result_); }

private:
    static std::size_t place(std::int32_t node) { return static_cast<std::size_t>(node); }
    std::size_t parent_of(std::size_t node) const { return place(parents_[node]); }
    std::size_t parent(std::int32_t node) const { return parent_of(place(node)); }
    std::uint64_t is_outside(std::int32_t node) const { return outside_[place(node) / 64] >> place(node) % 64 & 1; }

    // `most` is a bound of the number of states; memory that is never written is not allocated by the system.
    void reserve(std::size_t most) {
        const auto make_room = [most](auto&... columns) { (columns.reserve(most), ...); };
        SweepStates& s = result_.states;
        SweepMerges& m = result_.merges;
        make_room(s.thresholds, s.merges, s.clusters, s.cells, s.exact, s.together, s.together_both, s.best_pred,
                  s.best_true, s.precision, s.recall, s.spread_pred, s.left_true, s.left_pred, s.expected);
        make_room(m.left, m.right, m.scores, m.true_pairs, m.false_pairs);
    }

    ExpectedOfSizes read(const SweepInput& input) {
        const StridedView<std::int32_t>& labels = input.labels;
        std::int32_t highest = -1;
        for (std::size_t i = 0; i < labels.size; ++i) {
            const std::int32_t label = labels[i];
            if (label < predicted_only || label >= static_cast<std::int64_t>(labels.size)) {
                throw std::invalid_argument("labels must be numbered from 0, and be fewer than the records");
            }
            parents_[i] = static_cast<std::int32_t>(i);
            highest = std::max(highest, label);
        }
        truth_ = Buffer<TrueCluster>::filled(static_cast<std::size_t>(highest + 1), TrueCluster{});
        StepCounter counter(StepCounter::Progress::ignored);
        for (std::size_t i = 0; i < labels.size; ++i, counter.step()) {
            const std::int32_t label = labels[i];
            MergedCluster& cluster = clusters_[i] = {};
            if (label == no_point) continue;
            const auto n = static_cast<std::int32_t>(input.counts.size == 0 ? 1 : input.counts[i]);
            result_.predicted_points += n;
            cluster.size = n;
            if (label == predicted_only) continue;
            result_.points += n;
            cluster.squares = static_cast<std::int64_t>(n) * n;
            cluster.largest = n;
            counts_.add(cluster.labels, label, n);
            TrueCluster& truth = truth_[static_cast<std::size_t>(label)];
            truth.size += n;
            truth.squares += cluster.squares;
            truth.largest = std::max(truth.largest, n);
        }
        std::map<std::int64_t, std::int64_t> sizes;
        for (const TrueCluster& one : truth_) {
            if (one.size > 0) ++sizes[one.size];
        }
        std::vector<SizeGroup> groups;
        for (const auto& [size, clusters] : sizes) groups.push_back({size, clusters});
        return {result_.points, std::move(groups), input.expected_limit};
    }

    // The sums of the partition without pairs if a record stands for several points: they form a cluster and a cell.
    void count_copies() {
        cells_ = number_ = 0;
        expected_sum_ = 0;
        for (const MergedCluster& cluster : clusters_) {
            if (cluster.size == 0) continue;
            ++number_;
            together_ += count_pairs(cluster.size);
            spread_pred_ += spread_(cluster.size);
            if (has_expected_) expected_sum_ += expected_(cluster.size);
            if (cluster.labels.labels == 0) continue;
            ++cells_;
            together_both_ += count_pairs(cluster.size);
            spread_cells_ += spread_(cluster.size);
        }
    }

    bool is_exact(const MergedCluster& cluster) const {
        return cluster.labels.labels == 1 && cluster.labels.only == cluster.size &&
               truth_[static_cast<std::size_t>(cluster.labels.place)].size == cluster.size;
    }

    i128 precision_of(const MergedCluster& cluster) const {
        return cluster.squares == 0 ? 0 : to_fixed(ratio(cluster.squares, cluster.size));
    }

    void count(const MergedCluster& cluster, int sign) {
        exact_ += sign * is_exact(cluster);
        best_pred_ += sign * static_cast<std::int64_t>(cluster.largest);
        precision_ += sign * precision_of(cluster);
        spread_pred_ += sign * spread_(cluster.size);
        if (has_expected_ && expected_.known()) expected_sum_ += sign * expected_(cluster.size);
        number_ += sign * (cluster.size > 0);
    }

    // Merges the cluster with fewer labels into the other.
    void merge(std::int32_t into, std::int32_t from) {
        const auto labels_of = [&](std::int32_t node) { return clusters_[static_cast<std::size_t>(node)].labels.labels; };
        if (labels_of(into) < labels_of(from)) std::swap(into, from);
        MergedCluster& x = clusters_[static_cast<std::size_t>(into)];
        MergedCluster& y = clusters_[static_cast<std::size_t>(from)];
        count(x, -1);
        count(y, -1);
        together_ += static_cast<std::int64_t>(x.size) * y.size;
        x.size += y.size;
        x.squares += y.squares;
        x.largest = std::max(x.largest, y.largest);
        if (y.labels.labels == 1) {
            move(x, {y.labels.place, y.labels.only});
        } else if (y.labels.labels > 1) {
            for (const LabelCount& moved : counts_.empty(y.labels)) move(x, moved);
        }
        count(x, 1);
        parents_[place(from)] = into;
    }

    void move(MergedCluster& x, LabelCount moved) {
        const std::int64_t there = counts_.add(x.labels, moved.label, moved.count);
        if (there == 0) return;
        const std::int64_t now = there + moved.count;
        const std::int64_t met = there * moved.count;
        TrueCluster& truth = truth_[static_cast<std::size_t>(moved.label)];
        --cells_;
        together_both_ += met;
        x.squares += 2 * met;
        x.largest = std::max(x.largest, static_cast<std::int32_t>(now));
        recall_ -= to_fixed(ratio(truth.squares, truth.size));
        truth.squares += 2 * met;
        recall_ += to_fixed(ratio(truth.squares, truth.size));
        spread_cells_ += spread_(now) - spread_(there) - spread_(moved.count);
        if (now > truth.largest) {
            best_true_ += now - truth.largest;
            truth.largest = static_cast<std::int32_t>(now);
        }
    }

    Buffer<std::int32_t> parents_;  // read in random order; buffers have large pages
    Buffer<MergedCluster> clusters_;
    Buffer<TrueCluster> truth_;
    std::vector<std::uint64_t> outside_;  // one bit per record
    LabelCounts counts_;
    SweepResult result_;
    SizeSpreads spread_;
    ExpectedOfSizes expected_;
    bool has_expected_ = false;
    std::int64_t number_ = 0, cells_ = 0, exact_ = 0, together_ = 0, together_both_ = 0, best_pred_ = 0, best_true_ = 0;
    i128 precision_ = 0, recall_ = 0, spread_pred_ = 0, spread_true_ = 0, spread_cells_ = 0, expected_sum_ = 0;
};

}  // namespace clustermark
