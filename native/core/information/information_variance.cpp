// The variance of mutual information over random tables.
//
// Take the sum over all pairs of cells of the covariance of their excesses. Two cells (i, j) and (i', j') depend on each
// other only through the cell (i', j), their pivot: given its count z they are independent, because (i, j) shares the
// column with it and (i', j') the row. So the sum over all pairs of cells with one pivot is the mean, over z, of the
// expectation of its column given z times the expectation of its row given z. Pairs in one row or column, and a cell with
// itself, are the cases where the pivot is one of the two, or both.
//
// To each excess we may add (u + v)(n - n0), with u for the row and v for the column, because these terms add up to 0 over
// the table. Where most clusters are small, most of an excess is linear in n, and the resulting large covariances would
// cancel in the sum; u and v are chosen to remove as much of the linear part as possible.
#include <atomic>
#include <cmath>
#include <vector>

#include "core/execution/threads.hpp"
#include "core/information/mutual_information.hpp"
#include "core/numeric/double_double.hpp"
#include "core/numeric/hypergeometric.hpp"

namespace clustermark {

namespace {

constexpr double negligible = 1e-20;

double spread(double points, double a, double b) {
    if (points < 2.0) return 0.0;
    return std::sqrt(a / points * b * ((points - a) / points) * ((points - b) / (points - 1.0)));
}

// Approximate number of steps of a walk until its weights are negligible.
double walk_length(double points, double a, double b) {
    const double support = std::min(a, b) - std::max(0.0, a + b - points) + 1.0;
    return std::min(support, 19.0 * spread(points, a, b) + 20.0);
}

// Steps of all walks for one count of the pivot.
double steps_at_pivot(const TablePlan& plan, double a, double b) {
    const auto points = static_cast<double>(plan.points);
    const double usual = a / points * b;
    double steps = 0.0;
    for (const SizeGroup& row : plan.rows) {
        const double size = std::min(static_cast<double>(row.size), points - a);
        steps += walk_length(points - a, size, std::min(b - usual, points - a));
    }
    for (const SizeGroup& column : plan.columns) {
        const double size = std::min(static_cast<double>(column.size), points - b);
        steps += walk_length(points - b, size, std::min(a - usual, points - b));
    }
    return steps;
}

// Calls visit(n, weight) for all counts that are not negligible; returns the sum of their weights.
template <class Visit>
double visit_all(const Hypergeometric& counts, Visit&& visit) {
    double weights = 1.0;
    visit(counts.mode(), 1.0);
    const auto step = [&](std::int64_t n, double weight) {
        weights += weight;
        visit(n, weight);
        return weight > negligible * weights;
    };
    counts.walk_up(step);
    counts.walk_down(step);
    return weights;
}

// The excess of a cell minus its mean, with a table of the likely counts.
class CentredExcess {
public:
    CentredExcess(std::int64_t points, std::int64_t a, std::int64_t b)
        : points_(points), area_(static_cast<i128>(a) * b), excess_(points, std::min(a, b), std::max(a, b)),
          mean_(expected_excess(points, a, b)) {
        const Hypergeometric counts(points, a, b);
        const double deviation = counts.deviation();
        variance_ = deviation * deviation;
        // Given another cell, the deviation of the counts grows by at most the factor sqrt(2).
        const auto reach = static_cast<std::int64_t>(14.0 * deviation + 20.0);
        first_ = counts.mode() - std::min(reach, counts.mode() - counts.least());
        const std::int64_t last = counts.mode() + std::min(reach, counts.most() - counts.mode());
        for (std::int64_t n = first_; n <= last; ++n) table_.push_back(compute(n));
        double sum = 0.0;
        const double weights = visit_all(
            counts, [&](std::int64_t n, double weight) { sum += weight * distance(n) * (*this)(n); });
        slope_ = sum / weights / variance_;
    }

    double operator()(std::int64_t n) const {
        const auto place = static_cast<std::uint64_t>(n - first_);
        return place < table_.size() ? table_[place] : compute(n);
    }

    std::size_t width() const { return table_.size(); }

    // The variance of the count, and the slope of the straight line nearest to the excess.
    double variance() const { return variance_; }
    double slope() const { return slope_; }

    void tilt(double slope) {
        tilt_ = slope;
        for (std::size_t i = 0; i < table_.size(); ++i) table_[i] = compute(first_ + static_cast<std::int64_t>(i));
    }

private:
    // n - n0.
    double distance(std::int64_t n) const {
        return static_cast<double>(static_cast<i128>(n) * points_ - area_) / static_cast<double>(points_);
    }
    double compute(std::int64_t n) const { return (excess_(n) - mean_) + tilt_ * distance(n); }

    std::int64_t points_;
    i128 area_;
    CellExcess excess_;
    double mean_;
    double variance_ = 0.0;
    double slope_ = 0.0;
    double tilt_ = 0.0;
    std::int64_t first_ = 0;
    std::vector<double> table_;
};

double mean_over(const Hypergeometric& counts, const CentredExcess& excess) {
    double sum = 0.0;
    const double weights = visit_all(counts, [&](std::int64_t n, double weight) { sum += weight * excess(n); });
    return sum / weights;
}

class Variance {
public:
    explicit Variance(const TablePlan& plan) : plan_(plan) {
        StepCounter counter;
        for (const SizeGroup& row : plan.rows) {
            for (const SizeGroup& column : plan.columns) {
                excesses_.emplace_back(plan.points, row.size, column.size);
                counter.step(excesses_.back().width());
            }
        }
        flatten();
    }

    // The sum over the pivots in one group of rows.
    DoubleDouble over_row(std::size_t row) const {
        DoubleDouble sum;
        for (std::size_t column = 0; column < plan_.columns.size(); ++column) {
            sum += DoubleDouble::product(static_cast<double>(plan_.columns[column].clusters), at_pivot(row, column));
        }
        return sum * static_cast<double>(plan_.rows[row].clusters);
    }

private:
    const CentredExcess& excess(std::size_t row, std::size_t column) const {
        return excesses_[row * plan_.columns.size() + column];
    }

    // Least squares, alternating between rows and columns. Any u and v are valid; good ones make the sum precise.
    void flatten() {
        constexpr int turns = 20;
        std::vector<double> u(plan_.rows.size());
        std::vector<double> v(plan_.columns.size());
        StepCounter counter;
        for (int turn = 0; turn < turns; ++turn) {
            for (std::size_t i = 0; i < u.size(); ++i) {
                counter.step(2 * v.size());
                u[i] = best_tilt(v, plan_.columns, [&](std::size_t j) -> const auto& { return excess(i, j); });
            }
            for (std::size_t j = 0; j < v.size(); ++j) {
                v[j] = best_tilt(u, plan_.rows, [&](std::size_t i) -> const auto& { return excess(i, j); });
            }
        }
        for (std::size_t i = 0; i < u.size(); ++i) {
            for (std::size_t j = 0; j < v.size(); ++j) {
                CentredExcess& tilted = excesses_[i * v.size() + j];
                tilted.tilt(u[i] + v[j]);
                counter.step(tilted.width());
            }
        }
    }

    template <class ExcessOf>
    static double best_tilt(const std::vector<double>& others, const std::vector<SizeGroup>& groups,
                            ExcessOf&& excess_of) {
        double sum = 0.0;
        double weights = 0.0;
        for (std::size_t k = 0; k < others.size(); ++k) {
            const CentredExcess& excess = excess_of(k);
            const double weight = static_cast<double>(groups[k].clusters) * excess.variance();
            sum += weight * (-excess.slope() - others[k]);
            weights += weight;
        }
        return sum / weights;
    }

    double at_pivot(std::size_t row, std::size_t column) const {
        const Hypergeometric counts(plan_.points, plan_.rows[row].size, plan_.columns[column].size);
        DoubleDouble sum;
        StepCounter counter;
        const double steps = steps_at_pivot(plan_, static_cast<double>(plan_.rows[row].size),
                                            static_cast<double>(plan_.columns[column].size));
        const double weights = visit_all(counts, [&](std::int64_t z, double weight) {
            counter.step(static_cast<std::size_t>(steps) + 1);
            const double own = excess(row, column)(z);
            const double in_column = own + rest_of_column(row, column, z);
            const double in_row = own + rest_of_row(row, column, z);
            sum += weight * in_column * in_row;
        });
        return sum.value() / weights;
    }

    // The expected excess of the other cells of the pivot's column, given the count z of the pivot.
    double rest_of_column(std::size_t row, std::size_t column, std::int64_t z) const {
        const std::int64_t points = plan_.points - plan_.rows[row].size;
        const std::int64_t left = plan_.columns[column].size - z;
        DoubleDouble sum;
        for (std::size_t other = 0; other < plan_.rows.size(); ++other) {
            const std::int64_t clusters = plan_.rows[other].clusters - (other == row ? 1 : 0);
            if (clusters == 0) continue;
            const Hypergeometric counts(points, plan_.rows[other].size, left);
            sum += static_cast<double>(clusters) * mean_over(counts, excess(other, column));
        }
        return sum.value();
    }

    double rest_of_row(std::size_t row, std::size_t column, std::int64_t z) const {
        const std::int64_t points = plan_.points - plan_.columns[column].size;
        const std::int64_t left = plan_.rows[row].size - z;
        DoubleDouble sum;
        for (std::size_t other = 0; other < plan_.columns.size(); ++other) {
            const std::int64_t clusters = plan_.columns[other].clusters - (other == column ? 1 : 0);
            if (clusters == 0) continue;
            const Hypergeometric counts(points, plan_.columns[other].size, left);
            sum += static_cast<double>(clusters) * mean_over(counts, excess(row, other));
        }
        return sum.value();
    }

    const TablePlan& plan_;
    std::vector<CentredExcess> excesses_;
};

// Approximate number of steps of all walks together, or a number above `limit`.
double count_steps(const TablePlan& plan, double limit) {
    const auto points = static_cast<double>(plan.points);
    const auto rows = static_cast<double>(plan.rows.size());
    const auto columns = static_cast<double>(plan.columns.size());
    const double least = rows * columns * (rows + columns);
    if (least > limit) return least;
    double steps = 0.0;
    for (const SizeGroup& row : plan.rows) {
        for (const SizeGroup& column : plan.columns) {
            const auto a = static_cast<double>(row.size);
            const auto b = static_cast<double>(column.size);
            steps += walk_length(points, a, b) * steps_at_pivot(plan, a, b);
            if (steps > limit) return steps;
        }
    }
    return steps;
}

}  // namespace

std::optional<double> information_variance(const TablePlan& plan, double limit) {
    if (plan.has_single_cluster() || plan.has_only_singletons()) return 0.0;
    const double steps = count_steps(plan, limit);
    if (!(steps <= limit)) return std::nullopt;
    const Variance variance(plan);
    const unsigned workers = choose_threads(0, static_cast<std::size_t>(std::min(steps, 1e9)));
    std::vector<DoubleDouble> sums(plan.rows.size());  // added in order, independent of the threads
    std::atomic<std::size_t> next{0};
    run_parallel(workers, [&](unsigned) {
        for (std::size_t i; (i = next.fetch_add(1)) < sums.size();) sums[i] = variance.over_row(i);
    });
    DoubleDouble total;
    for (const DoubleDouble& sum : sums) total += sum;
    const auto points = static_cast<double>(plan.points);
    return std::max(0.0, total.value() / points / points);
}

}  // namespace clustermark
