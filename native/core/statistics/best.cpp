#include "core/statistics/best.hpp"

#include <type_traits>

#include "core/statistics/cell_fractions.hpp"
#include "core/statistics/sized_cells.hpp"

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

// Twice the number of pairs of points that stay together; not counted for weighted points.
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

// The size and the best cells of one cluster, stored together: one cache miss per cell.
template <class Amounts>
struct BestOfCluster {
    typename Amounts::Number size;
    Measures best;
    std::conditional_t<std::is_same_v<Amounts, WholeAmounts>, PlainPairs, NoPairs> pairs;
};

template <class Amounts>
class SideScan {
public:
    using Number = typename Amounts::Number;

    SideScan(const SizedCells<Amounts>& sized, const Buffer<std::int32_t>& mine, const Buffer<Number>& sizes)
        : sized_(sized), mine_(mine), clusters_(Buffer<BestOfCluster<Amounts>>::zeros(sizes.size())) {
        for (std::size_t i = 0; i < sizes.size(); ++i) clusters_[i].size = sizes[i];
    }

    Best run() {
        scan_cells();
        for (const BestOfCluster<Amounts>& cluster : clusters_) {
            if (cluster.size > 0) add(cluster);
        }
        store();
        return result_;
    }

private:
    void scan_cells() {
        const Cells& cells = sized_.cells();
        const auto see = [&](std::size_t i) {
            if (mine_[i] == absent) return;
            if (mine_[i] == lone) {
                add_lone(i);
            } else if (is_cell(cells, i)) {
                const auto cell = sized_[i];
                BestOfCluster<Amounts>& cluster = clusters_[static_cast<std::size_t>(mine_[i])];
                cluster.best.keep_larger(Measures::of(cell));
                cluster.pairs.add(cell.n);
            }
        };
        sized_.pass(0, cells.size(), see, ClusterLookup<BestOfCluster<Amounts>>{clusters_, mine_});
    }

    // Each cluster of the entry has one point, and at most one cell.
    void add_lone(std::size_t i) {
        const Cells& cells = sized_.cells();
        result_.clusters += cells.counts[i];
        if (is_cell(cells, i)) add_measures(cells.counts[i], Amounts::amount(cells, i), Measures::of(sized_[i]));
    }

    void add(const BestOfCluster<Amounts>& cluster) {
        ++result_.clusters;
        add_measures(1, cluster.size, cluster.best);
        if constexpr (std::is_same_v<Amounts, WholeAmounts>) {
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

    void store() {
        result_.jaccard += jaccard_;
        result_.sized_jaccard += sized_jaccard_;
        result_.f += f_;
        result_.sized_f += sized_f_;
        result_.of_larger += of_larger_;
    }

    const SizedCells<Amounts>& sized_;
    const Buffer<std::int32_t>& mine_;
    Buffer<BestOfCluster<Amounts>> clusters_;
    typename Amounts::Sum jaccard_, sized_jaccard_, f_, sized_f_, of_larger_;
    Best result_;
};

template <class Amounts>
std::pair<Best, Best> best_of(const Cells& cells) {
    const SizedCells<Amounts> sized(cells);
    std::pair<Best, Best> result;
    const unsigned threads = std::min(choose_threads(0, cells.size()), 2U);
    run_parallel(threads, [&](unsigned thread) {
        if (thread == 0) result.first = SideScan<Amounts>(sized, cells.rows, sized.rows()).run();
        if (thread == threads - 1) result.second = SideScan<Amounts>(sized, cells.columns, sized.columns()).run();
    });
    result.first.weighted = result.second.weighted = cells.weighted;
    return result;
}

}  // namespace

std::pair<Best, Best> compute_best(const Cells& cells) {
    return cells.weighted ? best_of<RealAmounts>(cells) : best_of<WholeAmounts>(cells);
}

}  // namespace clustermark
