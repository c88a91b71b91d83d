#include "core/table/random_tables.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cmath>
#include <numeric>
#include <stdexcept>
#include <string>
#include <utility>

#include "core/execution/threads.hpp"
#include "core/numeric/hypergeometric.hpp"
#include "core/numeric/random.hpp"

namespace clustermark {

namespace {

// ln n!, by a table and by Stirling's series.
class LogFactorials {
public:
    LogFactorials() : table_(1024) {
        for (std::size_t n = 2; n < table_.size(); ++n) {
            table_[n] = table_[n - 1] + std::log(static_cast<double>(n));
        }
    }
    double operator()(std::int64_t n) const {
        if (n < static_cast<std::int64_t>(table_.size())) return table_[static_cast<std::size_t>(n)];
        constexpr double half_log_turn = 0.9189385332046727;
        const auto x = static_cast<double>(n);
        return (x + 0.5) * std::log(x) - x + half_log_turn + (1.0 - 1.0 / (30.0 * x * x)) / (12.0 * x);
    }

private:
    std::vector<double> table_;
};

// A random count of a hypergeometric distribution: b points are drawn out of `points`, of which a are marked. Inversion
// from the mode to both sides takes about as many steps as the standard deviation.
std::int64_t draw_count(Random& random, const LogFactorials& factorials, std::int64_t points, std::int64_t a,
                        std::int64_t b) {
    const Hypergeometric counts(points, a, b);
    const std::int64_t least = counts.least(), most = counts.most(), mode = counts.mode();
    if (least == most) return least;
    if (const double deviation = counts.deviation(); deviation >= wide_deviation) {
        return draw_widely_spread(random, counts, deviation);
    }
    const double at_mode = std::exp(factorials(a) + factorials(points - a) + factorials(b) + factorials(points - b) -
                                    factorials(points) - factorials(mode) - factorials(a - mode) -
                                    factorials(b - mode) - factorials(points - a - b + mode));
    for (;;) {
        double left = random.fraction() - at_mode;
        if (left < 0.0) return mode;
        double up = at_mode, down = at_mode;
        std::int64_t high = mode, low = mode;
        while (high < most || low > least) {
            if (high < most) {
                up *= static_cast<double>(a - high) * static_cast<double>(b - high) /
                      (static_cast<double>(high + 1) * static_cast<double>(points - a - b + high + 1));
                ++high;
                if ((left -= up) < 0.0) return high;
            }
            if (low > least) {
                down *= static_cast<double>(low) * static_cast<double>(points - a - b + low) /
                        (static_cast<double>(a - low + 1) * static_cast<double>(b - low + 1));
                --low;
                if ((left -= down) < 0.0) return low;
            }
            if (up + down < 1e-18) break;
        }
        // due to rounding, the sum of all weights is smaller than this random number: draw another one
    }
}

constexpr std::int64_t most_points = std::int64_t{1} << 32;

std::int64_t add_up(const std::vector<std::int64_t>& sizes, std::int64_t least, std::int64_t most) {
    std::int64_t total = 0;
    for (const std::int64_t size : sizes) {
        if (size < least) throw std::invalid_argument("sizes must not be below " + std::to_string(least));
        if (size > most - total) throw std::invalid_argument("too many points to draw tables of");
        total += size;
    }
    return total;
}

// Draws tables of the same cluster sizes, and visits their cells row by row.
class Tables {
public:
    Tables(std::vector<std::int64_t> rows, std::vector<std::int64_t> columns)
        : points_(add_up(rows, 1, most_points)), rows_(std::move(rows)), columns_(std::move(columns)) {
        if (add_up(columns_, 1, most_points) != points_) {
            throw std::invalid_argument("the two sides have different numbers of points");
        }
        by_counts_ = static_cast<u128>(rows_.size()) * columns_.size() * points_a_count <= static_cast<u128>(points_);
        if (by_counts_) return;
        if (static_cast<std::uint64_t>(points_) > (std::uint64_t{1} << 31)) {
            throw std::invalid_argument("more than 2^31 points in this many clusters cannot be drawn");
        }
        start_ = Buffer<std::uint32_t>(static_cast<std::size_t>(points_));
        labels_ = Buffer<std::uint32_t>(start_.size());
        counts_ = Buffer<std::uint32_t>::zeros(columns_.size());
        std::size_t next = 0;
        for (std::size_t j = 0; j < columns_.size(); ++j) {
            counter_.step(static_cast<std::size_t>(columns_[j]));
            for (std::int64_t i = 0; i < columns_[j]; ++i) start_[next++] = static_cast<std::uint32_t>(j);
        }
    }

    // visit(row, column, n)
    template <class Visit>
    void draw(Random& random, Visit&& visit) {
        if (by_counts_) draw_counts(random, visit);
        else shuffle(random, visit);
    }

private:
    // Drawing a count takes about as long as shuffling this many points.
    static constexpr std::uint64_t points_a_count = 32;

    // For few clusters of many points: draws one count after the other, each conditional on the previous ones.
    template <class Visit>
    void draw_counts(Random& random, Visit&& visit) {
        std::vector<std::int64_t> left = columns_;
        std::int64_t unused = points_;
        for (std::size_t i = 0; i < rows_.size(); ++i) {
            std::int64_t wanted = rows_[i];
            std::int64_t pool = unused;
            for (std::size_t j = 0; j < left.size() && wanted > 0; ++j) {
                counter_.step(points_a_count);
                const std::int64_t n = draw_count(random, factorials_, pool, wanted, left[j]);
                pool -= left[j];
                wanted -= n;
                left[j] -= n;
                if (n > 0) visit(i, j, n);
            }
            unused -= rows_[i];
        }
    }

    // For many clusters: shuffles the points and cuts them into rows.
    template <class Visit>
    void shuffle(Random& random, Visit&& visit) {
        std::copy(start_.begin(), start_.end(), labels_.begin());
        std::size_t begin = 0;
        for (std::size_t row = 0; row < rows_.size(); ++row) {
            const std::size_t end = begin + static_cast<std::size_t>(rows_[row]);
            for (std::size_t i = begin; i < end; ++i, counter_.step()) {
                std::swap(labels_[i], labels_[i + static_cast<std::size_t>(random.below(labels_.size() - i))]);
                ++counts_[labels_[i]];
            }
            for (std::size_t i = begin; i < end; ++i) {
                const std::uint32_t n = std::exchange(counts_[labels_[i]], 0U);
                if (n > 0) visit(row, labels_[i], static_cast<std::int64_t>(n));
            }
            begin = end;
        }
    }

    std::int64_t points_;
    std::vector<std::int64_t> rows_, columns_;
    LogFactorials factorials_;
    bool by_counts_ = false;
    Buffer<std::uint32_t> start_, labels_, counts_;
    StepCounter counter_;
};

template <class T>
Buffer<T> buffer_of(const std::vector<T>& values) {
    Buffer<T> buffer(values.size());
    std::copy(values.begin(), values.end(), buffer.begin());
    return buffer;
}

// The number of heads among n fair coins.
std::int64_t toss(Random& random, std::int64_t n) {
    constexpr std::int64_t wide = std::int64_t{1} << 16;  // a deviation of 128, as `wide_deviation`
    if (n >= wide) {
        const double heads = 0.5 * static_cast<double>(n) + 0.5 * std::sqrt(static_cast<double>(n)) * normal_number(random);
        return std::clamp<std::int64_t>(std::llround(heads), 0, n);
    }
    std::int64_t heads = 0;
    for (; n >= 64; n -= 64) heads += std::popcount(random.next());
    return n > 0 ? heads + std::popcount(random.next() >> (64 - n)) : heads;
}

}  // namespace

DrawnTable draw_table(const std::vector<std::int64_t>& rows, const std::vector<std::int64_t>& columns,
                      std::uint64_t seed, std::uint64_t number) {
    Tables tables(rows, columns);
    Random random(seed, number);
    std::vector<std::int32_t> i, j;
    std::vector<std::int64_t> counts;
    tables.draw(random, [&](std::size_t row, std::size_t column, std::int64_t n) {
        i.push_back(static_cast<std::int32_t>(row));
        j.push_back(static_cast<std::int32_t>(column));
        counts.push_back(n);
    });
    return {buffer_of(i), buffer_of(j), buffer_of(counts)};
}

Buffer<std::int64_t> sample_pairs(const std::vector<std::int64_t>& rows, const std::vector<std::int64_t>& columns,
                                  std::size_t samples, std::uint64_t seed, std::uint64_t first) {
    Buffer<std::int64_t> pairs(samples);
    const u128 work = static_cast<u128>(add_up(rows, 1, most_points)) * samples;
    const unsigned threads = choose_threads(0, static_cast<std::size_t>(std::min<u128>(work, SIZE_MAX)));
    std::atomic<std::size_t> next{0};
    run_parallel(static_cast<unsigned>(std::min<std::size_t>(threads, std::max<std::size_t>(samples, 1))), [&](unsigned) {
        Tables tables(rows, columns);
        for (std::size_t sample; (sample = next.fetch_add(1)) < samples;) {
            Random random(seed, first + sample);
            std::int64_t together = 0;
            tables.draw(random, [&](std::size_t, std::size_t, std::int64_t n) { together += n * (n - 1) / 2; });
            pairs[sample] = together;
        }
    });
    return pairs;
}

Buffer<std::int64_t> draw_half(const std::vector<std::int64_t>& counts, std::uint64_t seed, std::uint64_t number) {
    Random random(seed, number);
    const std::int64_t points = add_up(counts, 0, std::int64_t{1} << 42);
    // A coin for each point chooses all sets of one size with the same probability; so does a random addition or removal.
    Buffer<std::int64_t> chosen(counts.size());
    std::int64_t surplus = -(points / 2);
    StepCounter counter;
    for (std::size_t i = 0; i < counts.size(); ++i) {
        surplus += chosen[i] = toss(random, counts[i]);
        counter.step(16);
    }
    if (surplus == 0) return chosen;
    std::vector<std::int64_t> ends(counts.size());
    std::partial_sum(counts.begin(), counts.end(), ends.begin());
    for (; surplus != 0; counter.step(16)) {
        const auto point = static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(points)));
        const auto cell = static_cast<std::size_t>(std::upper_bound(ends.begin(), ends.end(), point) - ends.begin());
        const bool is_chosen = point - (ends[cell] - counts[cell]) < chosen[cell];
        if (surplus > 0 && is_chosen) --chosen[cell], --surplus;
        else if (surplus < 0 && !is_chosen) ++chosen[cell], ++surplus;
    }
    return chosen;
}

}  // namespace clustermark
