#include "best.hpp"

#include <type_traits>

#include "fractions.hpp"
#include "sized_cells.hpp"

namespace clustermark {

namespace {

struct Measures {
    double jaccard;
    double f;
    double of_larger;

    template <class Number>
    static Measures of(const SizedCell<Number>& cell) {
        return {jaccard_index(cell.n, cell.a, cell.b), f_measure(cell.n, cell.a, cell.b),
                share_of_larger(cell.n, cell.a, cell.b)};
    }

    void keep_larger(const Measures& other) {
        jaccard = std::max(jaccard, other.jaccard);
        f = std::max(f, other.f);
        of_larger = std::max(of_larger, other.of_larger);
    }
};

// Twice the pairs of points that stay together; weighted points have none that we count.
struct PlainPairs {
    u128 kept;
    void add(std::int64_t n) { kept += static_cast<u128>(n) * static_cast<u128>(n - 1); }
    double share(std::int64_t size) const {
        return static_cast<double>(kept) / static_cast<double>(static_cast<u128>(size) * static_cast<u128>(size - 1));
    }
};
struct NoPairs {
    void add(double) {}
};

// All that is known of one cluster lies together: one cache miss a cell.
template <class Kind>
struct Cluster {
    typename Kind::Number size;
    Measures best;
    std::conditional_t<std::is_same_v<Kind, PlainPoints>, PlainPairs, NoPairs> pairs;
};

template <class Kind>
class SideScan {
public:
    using Number = typename Kind::Number;

    SideScan(const SizedCells<Kind>& sized, const Buffer<std::int32_t>& mine, const Buffer<Number>& sizes)
        : sized_(sized), mine_(mine), clusters_(Buffer<Cluster<Kind>>::zeros(sizes.size())) {
        for (std::size_t i = 0; i < sizes.size(); ++i) clusters_[i].size = sizes[i];
    }

    Best run() {
        scan_cells();
        for (const Cluster<Kind>& cluster : clusters_) {
            if (cluster.size > 0) add(cluster);
        }
        store();
        return result_;
    }

private:
    void scan_cells() {
        const Cells& cells = sized_.cells();
        for (std::size_t i = 0; i < cells.size(); ++i) {
            if (mine_[i] == absent) continue;
            if (mine_[i] == lone) {
                add_lone(i);
            } else if (is_cell(cells, i)) {
                const auto cell = sized_[i];
                Cluster<Kind>& cluster = clusters_[static_cast<std::size_t>(mine_[i])];
                cluster.best.keep_larger(Measures::of(cell));
                cluster.pairs.add(cell.n);
            }
        }
    }

    // Each cluster of the entry has one point, and at most one cell.
    void add_lone(std::size_t i) {
        const Cells& cells = sized_.cells();
        result_.clusters += cells.counts[i];
        if (is_cell(cells, i)) add_measures(cells.counts[i], Kind::amount(cells, i), Measures::of(sized_[i]));
    }

    void add(const Cluster<Kind>& cluster) {
        ++result_.clusters;
        add_measures(1, cluster.size, cluster.best);
        if constexpr (std::is_same_v<Kind, PlainPoints>) {
            if (cluster.size < 2) return;
            const double share = cluster.pairs.share(cluster.size);
            result_.weakest_pairs = std::min(result_.weakest_pairs.value_or(1.0), share);
        }
    }

    void add_measures(std::int64_t clusters, Number points, const Measures& best) {
        jaccard_.add(clusters, best.jaccard);
        sized_jaccard_.add(points, best.jaccard);
        f_.add(clusters, best.f);
        sized_f_.add(points, best.f);
        of_larger_.add(clusters, best.of_larger);
    }

    static void store_sum(FractionSum& target, const FixedSum& sum) { target.fixed = sum; }
    static void store_sum(FractionSum& target, const WeightedPoints::Sum& sum) { target.real = sum.sum.value(); }

    void store() {
        store_sum(result_.jaccard, jaccard_);
        store_sum(result_.sized_jaccard, sized_jaccard_);
        store_sum(result_.f, f_);
        store_sum(result_.sized_f, sized_f_);
        store_sum(result_.of_larger, of_larger_);
    }

    const SizedCells<Kind>& sized_;
    const Buffer<std::int32_t>& mine_;
    Buffer<Cluster<Kind>> clusters_;
    typename Kind::Sum jaccard_, sized_jaccard_, f_, sized_f_, of_larger_;
    Best result_;
};

template <class Kind>
std::pair<Best, Best> best_of(const Cells& cells) {
    const SizedCells<Kind> sized(cells);
    std::pair<Best, Best> result;
    const unsigned threads = std::min(choose_threads(0, cells.size()), 2U);
    run_parallel(threads, [&](unsigned thread) {
        if (thread == 0) result.first = SideScan<Kind>(sized, cells.rows, sized.rows()).run();
        if (thread == threads - 1) result.second = SideScan<Kind>(sized, cells.columns, sized.columns()).run();
    });
    result.first.weighted = result.second.weighted = cells.weighted;
    return result;
}

}  // namespace

std::pair<Best, Best> compute_best(const Cells& cells) {
    return cells.weighted ? best_of<WeightedPoints>(cells) : best_of<PlainPoints>(cells);
}

}  // namespace clustermark
