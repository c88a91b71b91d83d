#include "core/geometry/distance_sums.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <vector>

#include "core/execution/threads.hpp"
#include "core/numeric/double_double.hpp"

namespace clustermark {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr std::size_t width = TiledPoints::width;

// A run of points of one cluster within a tile.
struct Run {
    std::size_t cluster;
    std::size_t begin;
    std::size_t end;
};

// The results of points: a row of one number for each cluster, for the points from `first` on.
struct Rows {
    std::size_t first;
    std::size_t clusters;
    double* sums;
    double* least = nullptr;
    double* largest = nullptr;
    double* squares = nullptr;  // one for each point

    std::size_t at(std::size_t point, std::size_t cluster) const { return (point - first) * clusters + cluster; }
};

class PairWork {
public:
    PairWork(const SortedClusters& input)
        : input_(input), tiled_(input.matrix, input.measure, input.order, input.points()), runs_(tiled_.tiles()) {
        std::size_t cluster = 0;
        for (std::size_t tile = 0; tile < tiled_.tiles(); ++tile) {
            const std::size_t end = tile * width + tiled_.tile_size(tile);
            for (std::size_t point = tile * width; point < end;) {
                while (start(cluster + 1) <= point) ++cluster;
                const std::size_t stop = std::min(end, start(cluster + 1));
                runs_[tile].push_back({cluster, point - tile * width, stop - tile * width});
                point = stop;
            }
        }
    }

    const TiledPoints& tiled() const { return tiled_; }
    std::size_t start(std::size_t cluster) const { return static_cast<std::size_t>(input_.starts[cluster]); }

    // Adds the distances between two tiles to the rows of the first, and, if `both`, to those of the second.
    void add(std::size_t a, std::size_t b, const Rows& rows, bool both, StepCounter& counter) const {
        alignas(64) double block[TiledPoints::height * width];
        for (const Run& mine : runs_[a]) {
            Columns columns;
            for (std::size_t i = mine.begin; i < mine.end; i += TiledPoints::height) {
                const std::size_t count = std::min(TiledPoints::height, mine.end - i);
                tiled_.measure(a * width + i, count, tiled_, b, block);
                for (std::size_t r = 0; r < count; ++r) add_row(a * width + i + r, b, block + r * width, rows);
                if (both) columns.add(block, count, rows.least != nullptr);
                counter.step(count * width * tiled_.steps());
            }
            if (both) add_columns(mine.cluster, b, columns, rows);
        }
    }

    // Adds the distances of some points of another object to all points.
    void add_rows(const TiledPoints& some, std::size_t first, std::size_t count, const Rows& rows, StepCounter& counter) const {
        alignas(64) double block[TiledPoints::height * width];
        for (std::size_t tile = 0; tile < tiled_.tiles(); ++tile) {
            some.measure(first, count, tiled_, tile, block);
            for (std::size_t r = 0; r < count; ++r) add_row(first + r, tile, block + r * width, rows);
            counter.step(count * width * tiled_.steps());
        }
    }

private:
    // The sums and extremes of the distances of the points of a tile to a run of points of another tile.
    struct Columns {
        double sums[width] = {};
        double squares[width] = {};
        double least[width];
        double largest[width] = {};

        Columns() { std::fill(least, least + width, infinity); }

        void add(const double* block, std::size_t count, bool extremes) {
            for (std::size_t r = 0; r < count; ++r) {
                const double* row = block + r * width;
                for (std::size_t c = 0; c < width; ++c) sums[c] += row[c];
                if (!extremes) continue;
                for (std::size_t c = 0; c < width; ++c) {
                    squares[c] += row[c] * row[c];
                    least[c] = std::min(least[c], row[c]);
                    largest[c] = std::max(largest[c], row[c]);
                }
            }
        }
    };

    void add_row(std::size_t point, std::size_t tile, const double* distances, const Rows& rows) const {
        for (const Run& run : runs_[tile]) {
            const std::size_t at = rows.at(point, run.cluster);
            rows.sums[at] += sum_of(distances + run.begin, run.end - run.begin);
            if (rows.least == nullptr) continue;
            double least = infinity, largest = 0.0, squares = 0.0;
            for (std::size_t c = run.begin; c < run.end; ++c) {
                least = std::min(least, distances[c]);
                largest = std::max(largest, distances[c]);
                squares += distances[c] * distances[c];
            }
            rows.least[at] = std::min(rows.least[at], least);
            rows.largest[at] = std::max(rows.largest[at], largest);
            rows.squares[point - rows.first] += squares;
        }
    }

    void add_columns(std::size_t cluster, std::size_t tile, const Columns& columns, const Rows& rows) const {
        for (std::size_t c = 0; c < tiled_.tile_size(tile); ++c) {
            const std::size_t at = rows.at(tile * width + c, cluster);
            rows.sums[at] += columns.sums[c];
            if (rows.least == nullptr) continue;
            rows.least[at] = std::min(rows.least[at], columns.least[c]);
            rows.largest[at] = std::max(rows.largest[at], columns.largest[c]);
            rows.squares[tile * width + c - rows.first] += columns.squares[c];
        }
    }

    const SortedClusters& input_;
    TiledPoints tiled_;
    std::vector<std::vector<Run>> runs_;
};

unsigned workers_for(const TiledPoints& tiled, int threads) {
    return choose_threads(threads, tiled.size() * tiled.size() / 64 * tiled.steps());
}

// Visits every two tiles once. Groups of tiles are paired as in a tournament: in a round each group has one opponent, so no
// two threads write to one point, and the order of the additions for a point does not depend on the threads.
void add_all(const PairWork& work, const Rows& rows, unsigned workers) {
    constexpr std::size_t most_groups = 32;
    const std::size_t tiles = work.tiled().tiles();
    const std::size_t groups = tiles < 4 ? 2 : std::min(most_groups, tiles / 2 * 2);
    auto meet = [&](std::size_t one, std::size_t two, StepCounter& counter) {
        const auto [a0, a1] = share(tiles, static_cast<unsigned>(one), static_cast<unsigned>(groups));
        const auto [b0, b1] = share(tiles, static_cast<unsigned>(two), static_cast<unsigned>(groups));
        for (std::size_t a = a0; a < a1; ++a) {
            for (std::size_t b = one == two ? a : b0; b < b1; ++b) work.add(a, b, rows, a != b, counter);
        }
    };
    for_each_job(workers, groups, [&](std::size_t one, StepCounter& counter) { meet(one, one, counter); });
    for (std::size_t round = 0; round + 1 < groups; ++round) {
        for_each_job(workers, groups / 2, [&](std::size_t match, StepCounter& counter) {
            const std::size_t last = groups - 1;
            const std::size_t one = match == 0 ? last : (round + match) % last;
            const std::size_t two = (round + last - match) % last;
            meet(std::min(one, two), std::max(one, two), counter);
        });
    }
}

// Stores the result of a point, from its sums by cluster, at index `row`.
void reduce(const SortedClusters& input, std::size_t point, const double* sums, PointSums& result, std::size_t row) {
    const auto* after =
        std::upper_bound(input.starts, input.starts + input.clusters + 1, static_cast<std::int64_t>(point));
    const auto cluster = static_cast<std::size_t>(after - input.starts) - 1;
    double least = infinity;
    std::int32_t neighbour = -1;
    for (std::size_t k = 0; k < input.clusters; ++k) {
        if (k == cluster) continue;
        const double mean = sums[k] / static_cast<double>(input.starts[k + 1] - input.starts[k]);
        if (mean < least) {
            least = mean;
            neighbour = static_cast<std::int32_t>(k);
        }
    }
    result.own[row] = sums[cluster];
    result.other[row] = least;
    result.neighbours[row] = neighbour;
}

PointSums room_for(std::size_t points) {
    return {Buffer<double>(points), Buffer<double>(points), Buffer<std::int32_t>(points)};
}

}  // namespace

PointSums sum_distances(const SortedClusters& input, int threads) {
    constexpr std::size_t most_numbers = std::size_t{1} << 26;
    const std::size_t n = input.points();
    const std::size_t clusters = input.clusters;
    if (n * clusters > most_numbers) {  // more than 512 MiB: pairs are measured twice instead
        Buffer<std::int64_t> chosen(n);
        for (std::size_t i = 0; i < n; ++i) chosen[static_cast<std::size_t>(input.order[i])] = static_cast<std::int64_t>(i);
        return sum_distances_of(input, chosen.data(), n, threads);
    }
    const PairWork work(input);
    expect_steps(n * n / 2 * work.tiled().steps());
    auto sums = Buffer<double>::zeros(n * clusters);
    add_all(work, Rows{0, clusters, sums.data()}, workers_for(work.tiled(), threads));
    PointSums result = room_for(n);
    for (std::size_t i = 0; i < n; ++i) {
        reduce(input, i, sums.data() + i * clusters, result, static_cast<std::size_t>(input.order[i]));
    }
    return result;
}

PointSums sum_distances_of(const SortedClusters& input, const std::int64_t* chosen, std::size_t count, int threads) {
    const PairWork work(input);
    expect_steps(count * input.points() * work.tiled().steps());
    Buffer<std::int64_t> order(count);
    for (std::size_t i = 0; i < count; ++i) order[i] = input.order[chosen[i]];
    const TiledPoints some(input.matrix, input.measure, order.data(), count);
    PointSums result = room_for(count);
    const std::size_t jobs = (count + TiledPoints::height - 1) / TiledPoints::height;
    for_each_job(workers_for(work.tiled(), threads), jobs, [&](std::size_t job, StepCounter& counter) {
        const std::size_t first = job * TiledPoints::height;
        const std::size_t rows = std::min(TiledPoints::height, count - first);
        auto sums = Buffer<double>::zeros(rows * input.clusters);
        work.add_rows(some, first, rows, Rows{first, input.clusters, sums.data()}, counter);
        for (std::size_t r = 0; r < rows; ++r) {
            const auto point = static_cast<std::size_t>(chosen[first + r]);
            reduce(input, point, sums.data() + r * input.clusters, result, first + r);
        }
    });
    return result;
}

Buffer<double> sum_distances_from(const SortedClusters& input, const MatrixView& points, int threads) {
    const PairWork work(input);
    const std::size_t count = points.rows;
    expect_steps(count * input.points() * work.tiled().steps());
    Buffer<std::int64_t> order(count);
    std::iota(order.begin(), order.end(), std::int64_t{0});
    const TiledPoints some(points, input.measure, order.data(), count);
    auto sums = Buffer<double>::zeros(count * input.clusters);
    const std::size_t jobs = (count + TiledPoints::height - 1) / TiledPoints::height;
    for_each_job(workers_for(work.tiled(), threads), jobs, [&](std::size_t job, StepCounter& counter) {
        const std::size_t first = job * TiledPoints::height;
        work.add_rows(some, first, std::min(TiledPoints::height, count - first), Rows{0, input.clusters, sums.data()}, counter);
    });
    return sums;
}

PairTables tabulate_pairs(const SortedClusters& input, int threads) {
    const PairWork work(input);
    const std::size_t n = input.points();
    const std::size_t clusters = input.clusters;
    expect_steps(n * n / 2 * work.tiled().steps() + n * clusters);
    auto sums = Buffer<double>::zeros(n * clusters);
    auto least = Buffer<double>::filled(n * clusters, infinity);
    auto largest = Buffer<double>::zeros(n * clusters);
    auto squares = Buffer<double>::zeros(n);
    add_all(work, Rows{0, clusters, sums.data(), least.data(), largest.data(), squares.data()},
            workers_for(work.tiled(), threads));
    const std::size_t size = clusters * clusters;
    PairTables tables{Buffer<double>(size), Buffer<double>(size), Buffer<double>(size), Buffer<double>(size),
                      Buffer<double>(clusters)};
    StepCounter counter;
    for (std::size_t k = 0; k < clusters; ++k) {
        DoubleDouble square;
        for (std::size_t i = work.start(k); i < work.start(k + 1); ++i) square += squares[i];
        tables.squares[k] = square.value();
        for (std::size_t l = 0; l < clusters; ++l) {
            DoubleDouble sum;
            double nearest = infinity, most = 0.0, farthest = 0.0;
            for (std::size_t i = work.start(k); i < work.start(k + 1); ++i) {
                const std::size_t at = i * clusters + l;
                sum += sums[at];
                most = std::max(most, largest[at]);
                nearest = std::min(nearest, least[at]);
                farthest = std::max(farthest, least[at]);
                counter.step();
            }
            tables.sums[k * clusters + l] = sum.value();
            tables.largest[k * clusters + l] = most;
            tables.least[k * clusters + l] = k == l ? infinity : nearest;
            tables.farthest[k * clusters + l] = k == l ? 0.0 : farthest;
        }
    }
    return tables;
}

}  // namespace clustermark
