#include <algorithm>
#include <atomic>
#include <cmath>
#include <stdexcept>
#include <vector>

#include "core/execution/threads.hpp"
#include "core/information/mutual_information.hpp"
#include "core/numeric/double_double.hpp"
#include "core/numeric/hypergeometric.hpp"
#include "core/numeric/random.hpp"

namespace clustermark {

namespace {

// The size of each cluster, the largest last: the last one gets the remaining points, without random numbers.
std::vector<std::int64_t> list_sizes(const std::vector<SizeGroup>& groups) {
    std::vector<std::int64_t> sizes;
    for (const SizeGroup& group : groups) {
        sizes.insert(sizes.end(), static_cast<std::size_t>(group.clusters), group.size);
    }
    return sizes;
}

std::uint64_t count_clusters(const std::vector<SizeGroup>& groups) {
    std::uint64_t clusters = 0;
    for (const SizeGroup& group : groups) clusters += static_cast<std::uint64_t>(group.clusters);
    return clusters;
}

// A count by inversion: weights are subtracted from a random share of their sum, from the mode upwards and then downwards.
std::int64_t draw_count(Random& random, const Hypergeometric& counts) {
    if (const double deviation = counts.deviation(); deviation >= wide_deviation) {
        return draw_widely_spread(random, counts, deviation);
    }
    constexpr double negligible = 1e-20;
    double all = 1.0;
    const auto add = [&](std::int64_t, double weight) {
        all += weight;
        return weight > negligible * all;
    };
    counts.walk_up(add);
    counts.walk_down(add);
    double left = random.fraction() * all - 1.0;
    std::int64_t drawn = counts.mode();
    const auto use = [&](std::int64_t n, double weight) {
        left -= weight;
        if (left < 0.0) drawn = n;
        return left >= 0.0 && weight > negligible * all;
    };
    if (left >= 0.0) counts.walk_up(use);
    if (left >= 0.0) counts.walk_down(use);
    return drawn;
}

// For few clusters of many points: draws one count after the other, each conditional on the previous ones. The time grows
// with the square root of the number of points.
class CountSampler {
public:
    explicit CountSampler(const TablePlan& plan)
        : points_(plan.points), rows_(list_sizes(plan.rows)), columns_(list_sizes(plan.columns)) {}

    double sample(Random& random) {
        std::vector<std::int64_t> left = columns_;
        std::int64_t pool = points_;
        DoubleDouble excess;
        for (const std::int64_t row : rows_) {
            excess += fill_row(random, row, pool, left);
            pool -= row;
        }
        return excess.value() / static_cast<double>(points_);
    }

private:
    // `pool` is the number of remaining points in all columns together.
    DoubleDouble fill_row(Random& random, std::int64_t row, std::int64_t pool, std::vector<std::int64_t>& left) {
        DoubleDouble excess;
        std::int64_t wanted = row;
        for (std::size_t j = 0; j < left.size(); ++j) {
            counter_.step(usual_steps);
            const std::int64_t n = draw_count(random, Hypergeometric(pool, wanted, left[j]));
            pool -= left[j];
            wanted -= n;
            left[j] -= n;
            excess += CellExcess(points_, std::min(row, columns_[j]), std::max(row, columns_[j]))(n);
        }
        return excess;
    }

    std::int64_t points_;
    std::vector<std::int64_t> rows_;
    std::vector<std::int64_t> columns_;
    static constexpr std::size_t usual_steps = 1024;  // of drawing one count
    StepCounter counter_;
};

// n ln n, with a table for the small numbers that most cells of many clusters have.
class Entropies {
public:
    Entropies() : table_(1024) {
        for (std::size_t n = 1; n < table_.size(); ++n) table_[n] = compute(static_cast<std::int64_t>(n));
    }
    double operator()(std::int64_t n) const {
        return n < static_cast<std::int64_t>(table_.size()) ? table_[static_cast<std::size_t>(n)] : compute(n);
    }

private:
    static double compute(std::int64_t n) { return static_cast<double>(n) * std::log(static_cast<double>(n)); }
    std::vector<double> table_;
};

// For many clusters: shuffles the points and cuts them into rows.
class ShuffleSampler {
public:
    explicit ShuffleSampler(const TablePlan& plan) : points_(plan.points), rows_(list_sizes(plan.rows)) {
        start_ = Buffer<std::uint32_t>(static_cast<std::size_t>(points_));
        labels_ = Buffer<std::uint32_t>(start_.size());
        counts_ = Buffer<std::uint32_t>::zeros(count_clusters(plan.columns));
        std::size_t next = 0;
        std::uint32_t column = 0;
        constant_ = DoubleDouble{entropies_(points_), 0.0};
        for (const std::int64_t size : list_sizes(plan.columns)) {
            constant_ += -entropies_(size);
            counter_.step(static_cast<std::size_t>(size));
            for (std::int64_t i = 0; i < size; ++i) start_[next++] = column;
            ++column;
        }
        for (const std::int64_t size : rows_) constant_ += -entropies_(size);
    }

    double sample(Random& random) {
        std::copy(start_.begin(), start_.end(), labels_.begin());
        DoubleDouble sum = constant_;
        std::size_t begin = 0;
        for (const std::int64_t row : rows_) {
            const std::size_t end = begin + static_cast<std::size_t>(row);
            if (end < labels_.size()) draw(random, begin, end);
            sum += row_entropy(begin, end);
            begin = end;
        }
        return std::max(0.0, sum.value() / static_cast<double>(points_));
    }

private:
    void draw(Random& random, std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) {
            counter_.step();
            std::swap(labels_[i], labels_[i + static_cast<std::size_t>(random.below(labels_.size() - i))]);
        }
    }

    DoubleDouble row_entropy(std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) ++counts_[labels_[i]];
        counter_.step(end - begin);
        DoubleDouble sum;
        for (std::size_t i = begin; i < end; ++i) {
            const std::int64_t n = std::exchange(counts_[labels_[i]], 0U);
            if (n > 1) sum += entropies_(n);
        }
        return sum;
    }

    std::int64_t points_;
    std::vector<std::int64_t> rows_;
    Buffer<std::uint32_t> start_, labels_, counts_;
    Entropies entropies_;
    DoubleDouble constant_;
    StepCounter counter_;
};

// Every sample has its own random numbers, so that it does not depend on the thread.
template <class Sampler>
Buffer<double> take_samples(const TablePlan& plan, std::size_t samples, std::uint64_t seed, std::uint64_t first) {
    Buffer<double> result(samples);
    const u128 work = static_cast<u128>(plan.points) * samples;
    const unsigned threads = choose_threads(0, static_cast<std::size_t>(std::min<u128>(work, SIZE_MAX)));
    std::atomic<std::size_t> next{0};
    run_parallel(static_cast<unsigned>(std::min<std::size_t>(threads, samples)), [&](unsigned) {
        Sampler sampler(plan);
        for (std::size_t i; (i = next.fetch_add(1)) < samples;) {
            Random random(seed, first + i);
            result[i] = sampler.sample(random);
        }
    });
    return result;
}

}  // namespace

Buffer<double> sample_information(const TablePlan& plan, std::size_t samples, std::uint64_t seed,
                                  std::uint64_t first) {
    constexpr std::uint64_t most = std::uint64_t{1} << 31;
    if (count_clusters(plan.rows) > most || count_clusters(plan.columns) > most) {
        throw std::invalid_argument("more than 2^31 clusters cannot be sampled");
    }
    if (samples == 0 || plan.has_single_cluster()) return Buffer<double>::filled(samples, 0.0);
    // Drawing a count takes about as long as shuffling this many points.
    constexpr std::uint64_t points_a_count = 128;
    const u128 cells = static_cast<u128>(count_clusters(plan.rows)) * count_clusters(plan.columns);
    if (cells * points_a_count <= static_cast<u128>(plan.points)) {
        return take_samples<CountSampler>(plan, samples, seed, first);
    }
    if (static_cast<std::uint64_t>(plan.points) > most) {
        throw std::invalid_argument("more than 2^31 points in this many clusters cannot be sampled");
    }
    return take_samples<ShuffleSampler>(plan, samples, seed, first);
}

}  // namespace clustermark
