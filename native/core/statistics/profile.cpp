#include "core/statistics/profile.hpp"

#include <algorithm>
#include <stdexcept>

#include "core/execution/threads.hpp"
#include "core/table/entry_scan.hpp"

namespace clustermark {

namespace {

constexpr std::int64_t direct_sizes = std::int64_t{1} << 16;  // a table of a few MiB at most

// Finds the index of a size: the index of a small size is the size itself, the few large sizes are found in a sorted list.
class SizeIndex {
public:
    void see(std::int64_t size) {
        if (size >= direct_sizes) {
            large_.push_back(size);
        } else {
            largest_small_ = std::max(largest_small_, size);
        }
    }

    void finish() {
        std::sort(large_.begin(), large_.end());
        large_.erase(std::unique(large_.begin(), large_.end()), large_.end());
    }

    std::size_t places() const { return small() + large_.size(); }

    std::size_t place(std::int64_t size) const {
        if (size < direct_sizes) return static_cast<std::size_t>(size);
        return small() +
               static_cast<std::size_t>(std::lower_bound(large_.begin(), large_.end(), size) - large_.begin());
    }

    std::int64_t size_at(std::size_t place) const {
        return place < small() ? static_cast<std::int64_t>(place) : large_[place - small()];
    }

private:
    std::size_t small() const { return static_cast<std::size_t>(largest_small_) + 1; }

    std::vector<std::int64_t> large_;
    std::int64_t largest_small_ = 1;  // lone clusters have size 1
};

bool is_one_cell(std::int32_t row, std::int32_t column) { return row >= 0 && column >= 0; }

std::vector<CellSize> profile_cells(const Cells& cells) {
    SizeIndex index;
    for (std::size_t i = 0; i < cells.size(); ++i) {
        if (is_one_cell(cells.rows[i], cells.columns[i])) index.see(cells.counts[i]);
    }
    index.finish();
    std::vector<std::uint64_t> histogram(index.places());
    for (std::size_t i = 0; i < cells.size(); ++i) {
        if (cells.rows[i] == absent || cells.columns[i] == absent) continue;
        if (is_one_cell(cells.rows[i], cells.columns[i])) {
            ++histogram[index.place(cells.counts[i])];
        } else {
            histogram[1] += static_cast<std::uint64_t>(cells.counts[i]);
        }
    }
    std::vector<CellSize> result;
    for (std::size_t place = 0; place < histogram.size(); ++place) {
        if (histogram[place] != 0) result.push_back({index.size_at(place), histogram[place]});
    }
    return result;
}

// Size and largest cell, stored together: one cache miss per cell instead of two.
struct Cluster {
    std::int64_t size;
    std::int64_t largest;
};

Buffer<Cluster> measure_clusters(const Buffer<std::int32_t>& mine, const Buffer<std::int32_t>& others,
                                 const Buffer<std::int64_t>& counts, std::size_t clusters) {
    auto measured = Buffer<Cluster>::zeros(clusters);
    const auto measure = [&](std::size_t i) {
        if (mine[i] < 0) return;
        Cluster& cluster = measured[static_cast<std::size_t>(mine[i])];
        cluster.size += counts[i];
        if (others[i] == absent) return;
        cluster.largest = std::max(cluster.largest, others[i] == lone ? 1 : counts[i]);
    };
    scan_entries(0, mine.size(), measure, ClusterLookup<Cluster>{measured, mine});
    return measured;
}

void add_lone_clusters(ClusterSize& ones, std::int64_t count, bool with_cells) {
    const auto n = static_cast<std::uint64_t>(count);
    ones.clusters += n;
    if (!with_cells) return;
    ones.squares += n;
    ones.largest += n;
    ones.cells += n;
}

std::vector<ClusterSize> profile_side(const Buffer<std::int32_t>& mine, const Buffer<std::int32_t>& others,
                                      const Buffer<std::int64_t>& counts, std::size_t clusters) {
    const Buffer<Cluster> measured = measure_clusters(mine, others, counts, clusters);
    SizeIndex index;
    for (const Cluster& cluster : measured) index.see(cluster.size);
    index.finish();
    std::vector<ClusterSize> sums(index.places());
    for (const Cluster& cluster : measured) {
        if (cluster.size == 0) continue;
        ClusterSize& sum = sums[index.place(cluster.size)];
        ++sum.clusters;
        sum.largest += static_cast<u128>(cluster.largest);
    }
    const auto add = [&](std::size_t i) {
        if (mine[i] == lone) add_lone_clusters(sums[1], counts[i], others[i] != absent);
        if (mine[i] < 0 || others[i] == absent) return;
        ClusterSize& sum = sums[index.place(measured[static_cast<std::size_t>(mine[i])].size)];
        const auto n = static_cast<u128>(counts[i]);
        sum.squares += others[i] == lone ? n : n * n;
        sum.cells += others[i] == lone ? static_cast<std::uint64_t>(n) : 1;
    };
    scan_entries(0, mine.size(), add, ClusterLookup<Cluster>{measured, mine});
    std::vector<ClusterSize> result;
    for (std::size_t place = 0; place < sums.size(); ++place) {
        if (sums[place].clusters == 0) continue;
        sums[place].size = index.size_at(place);
        result.push_back(sums[place]);
    }
    return result;
}

}  // namespace

Profile compute_profile(const Cells& cells) {
    if (cells.weighted) throw std::invalid_argument("a profile is defined for plain points, not for weighted cells");
    Profile profile;
    const unsigned threads = std::min(choose_threads(0, cells.size()), 2U);
    run_parallel(threads, [&](unsigned thread) {
        if (thread == 0) profile.rows = profile_side(cells.rows, cells.columns, cells.counts, cells.n_rows);
        if (thread == threads - 1) {
            profile.columns = profile_side(cells.columns, cells.rows, cells.counts, cells.n_columns);
        }
    });
    profile.cells = profile_cells(cells);
    return profile;
}

}  // namespace clustermark
