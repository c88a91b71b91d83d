#include <array>
#include <atomic>
#include <cmath>
#include <utility>
#include <vector>

#include "core/execution/threads.hpp"
#include "core/information/mutual_information.hpp"
#include "core/information/second_differences.hpp"
#include "core/numeric/double_double.hpp"
#include "core/numeric/hypergeometric.hpp"

namespace clustermark {

namespace {

// (1 + d) ln(1 + d) - d, without the cancellation for small d:
// with s = d / (2 + d) the logarithm is 2 (s + s^3/3 + s^5/5 + ...), and the terms of first order cancel.
double entropy_excess(double d) {
    if (d <= -1.0) return 1.0;
    if (std::abs(d) > 0.25) return (1.0 + d) * std::log1p(d) - d;
    const double s = d / (2.0 + d);
    const double q = s * s;
    double series = 1.0 / 21.0;
    for (int odd = 19; odd >= 3; odd -= 2) series = series * q + 1.0 / odd;
    return 2.0 * q * (1.0 + (1.0 + s) * s * series) / (1.0 - s);
}

// The excess along a walk away from the mode, as the sum of its differences.
class ExcessWalk {
public:
    ExcessWalk(const SecondDifferences& differences, double at_mode, double next)
        : differences_(differences), value_(next), slope_(next - at_mode) {}

    double value() const { return value_; }

    // Steps from the previously visited neighbour of n to the other neighbour.
    void pass(std::int64_t n) {
        add(slope_, slope_lost_, differences_(n));
        add(value_, value_lost_, slope_);
    }

private:
    static void add(double& sum, double& lost, double term) {
        const DoubleDouble next = DoubleDouble::sum(sum, term + lost);
        sum = next.hi;
        lost = next.lo;
    }

    const SecondDifferences& differences_;
    double value_, slope_;
    double value_lost_ = 0.0, slope_lost_ = 0.0;
};

// A weighted mean of positive terms. `add` returns whether further terms can change it.
class Mean {
public:
    explicit Mean(double term) : terms_{term, 0.0} {}

    bool add(double weight, double value) {
        const double term = weight * value;
        grow(weights_, weight);
        grow(terms_, term);
        return weight > negligible * weights_.hi || term > negligible * terms_.hi;
    }
    double value() const { return terms_.value() / weights_.value(); }

private:
    static constexpr double negligible = 1e-20;

    static void grow(DoubleDouble& sum, double term) {
        const DoubleDouble next = DoubleDouble::sum(sum.hi, term);
        sum.hi = next.hi;
        sum.lo += next.lo;
    }

    DoubleDouble weights_{1.0, 0.0};
    DoubleDouble terms_;
};

}  // namespace

// Central moments of the count. With x = n - n0, p = a + b - 2 n0 and V = n0 (N - a)(N - b) / N, the ratio of the weights
// of neighbours implies E[(x^2 - p x + V) (x + 1)^k] = E[(x^2 + (N - p) x + V) x^k], which gives order k + 1.
double excess_by_series(std::int64_t points, std::int64_t a, std::int64_t b, double expected) {
    constexpr int orders = 16;
    const auto whole = static_cast<double>(points);
    const double p = static_cast<double>(a) + static_cast<double>(b) - 2.0 * expected;
    const double v = expected * (static_cast<double>(points - a) / whole) * static_cast<double>(points - b);
    std::array<double, orders + 1> moments{1.0};
    double sum = 0.0;
    double power = expected;  // n0^(k - 1), of order k
    for (int k = 2; k <= orders; ++k) {
        double terms = 0.0;
        double ways = 1.0;  // the number of ways to choose j out of k - 1
        for (int j = 0; j < k - 1; ++j) {
            const bool next = j == k - 2;  // the highest moment is the unknown
            terms += ways * ((next ? 0.0 : moments[j + 2]) - p * moments[j + 1] + v * moments[j]);
            ways *= static_cast<double>(k - 1 - j) / (j + 1);
        }
        moments[k] = terms / static_cast<double>(points - (k - 1));
        sum += (k % 2 == 0 ? 1.0 : -1.0) * moments[k] / power / (k * (k - 1));
        power *= expected;
    }
    return sum;
}

namespace {

// The usual number of steps from the mode to counts that are negligible.
constexpr std::size_t usual_steps = 64;

DoubleDouble row_excess(const TablePlan& plan, const SizeGroup& row) {
    DoubleDouble sum;
    StepCounter counter;
    for (const SizeGroup& column : plan.columns) {
        counter.step(usual_steps);
        const double mean = expected_excess(plan.points, row.size, column.size);
        sum += DoubleDouble::product(static_cast<double>(column.clusters), mean);
    }
    return sum * static_cast<double>(row.clusters);
}

}  // namespace

CellExcess::CellExcess(std::int64_t points, std::int64_t a, std::int64_t b)
    : points_(points), a_(a), b_(b), expected_(static_cast<double>(static_cast<u128>(a) * static_cast<u128>(b)) /
                                               static_cast<double>(points)) {}

double CellExcess::operator()(std::int64_t n) const {
    const i128 area = static_cast<i128>(a_) * b_;
    const i128 difference = static_cast<i128>(n) * points_ - area;
    return expected_ * entropy_excess(static_cast<double>(difference) / static_cast<double>(area));
}

double expected_excess(std::int64_t points, std::int64_t a, std::int64_t b) {
    if (a > b) std::swap(a, b);
    const double expected = static_cast<double>(a) / static_cast<double>(points) * static_cast<double>(b);
    if (expected >= series_from) return excess_by_series(points, a, b, expected);
    static const SecondDifferences differences;
    const Hypergeometric counts(points, a, b);
    const CellExcess excess(points, a, b);
    const std::int64_t mode = counts.mode();
    const double at_mode = excess(mode);
    Mean mean(at_mode);
    if (mode < counts.most()) {
        ExcessWalk walk(differences, at_mode, excess(mode + 1));
        counts.walk_up([&](std::int64_t n, double weight) {
            if (n > mode + 1) walk.pass(n - 1);
            return mean.add(weight, walk.value());
        });
    }
    if (mode > counts.least()) {
        ExcessWalk walk(differences, at_mode, excess(mode - 1));
        counts.walk_down([&](std::int64_t n, double weight) {
            if (n < mode - 1) walk.pass(n + 1);
            return mean.add(weight, walk.value());
        });
    }
    return mean.value();
}

double expected_information(const TablePlan& plan, int threads) {
    if (plan.has_single_cluster()) return 0.0;
    const unsigned workers = choose_threads(threads, plan.rows.size() * plan.columns.size() * usual_steps);
    std::vector<DoubleDouble> sums(plan.rows.size());  // added in order, independent of the threads
    std::atomic<std::size_t> next{0};
    run_parallel(workers, [&](unsigned) {
        for (std::size_t i; (i = next.fetch_add(1)) < sums.size();) sums[i] = row_excess(plan, plan.rows[i]);
    });
    DoubleDouble total;
    for (const DoubleDouble& sum : sums) total += sum;
    return total.value() / static_cast<double>(plan.points);
}

}  // namespace clustermark
