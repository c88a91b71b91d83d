// The terms of expected mutual information for many sizes at once, for leaving single points out of a table.
#include <algorithm>
#include <atomic>
#include <vector>

#include "core/execution/threads.hpp"
#include "core/information/mutual_information.hpp"
#include "core/information/second_differences.hpp"
#include "core/numeric/hypergeometric.hpp"

namespace clustermark {

namespace {

constexpr double negligible = 1e-18;
constexpr std::size_t usual_steps = 64;

// Like `expected_excess`, but without compensation for rounding, since there are few steps and all terms are positive.
double quick_excess(const SecondDifferences& differences, std::int64_t points, std::int64_t a, std::int64_t b) {
    if (a > b) std::swap(a, b);
    const double expected = static_cast<double>(a) / static_cast<double>(points) * static_cast<double>(b);
    if (expected >= series_from) return excess_by_series(points, a, b, expected);
    const Hypergeometric counts(points, a, b);
    const CellExcess excess(points, a, b);
    const std::int64_t mode = counts.mode();
    const double at_mode = excess(mode);
    double weights = 1.0, terms = at_mode;
    auto add = [&](double weight, double value) {  // returns whether further counts can change the mean
        const double term = weight * value;
        weights += weight;
        terms += term;
        return weight > negligible * weights || term > negligible * terms;
    };
    const auto marked_a = static_cast<double>(a), marked_b = static_cast<double>(b);
    const auto rest = static_cast<double>(points - a - b);
    if (mode < counts.most()) {
        double weight = 1.0, value = at_mode, slope = excess(mode + 1) - at_mode;
        for (std::int64_t n = mode; n < counts.most(); ++n) {
            const auto x = static_cast<double>(n);
            weight *= (marked_a - x) * (marked_b - x) / ((x + 1.0) * (rest + x + 1.0));
            if (n > mode) slope += differences(n);
            value += slope;
            if (!add(weight, value)) break;
        }
    }
    if (mode > counts.least()) {
        double weight = 1.0, value = at_mode, slope = excess(mode - 1) - at_mode;
        for (std::int64_t n = mode; n > counts.least(); --n) {
            const auto x = static_cast<double>(n);
            weight *= x * (rest + x) / ((marked_a - x + 1.0) * (marked_b - x + 1.0));
            if (n < mode) slope += differences(n);
            value += slope;
            if (!add(weight, value)) break;
        }
    }
    return terms / weights;
}

}  // namespace

Buffer<double> expected_excesses(const std::vector<std::int64_t>& rows, const std::vector<std::int64_t>& columns,
                                 std::int64_t points, int threads) {
    static const SecondDifferences differences;
    Buffer<double> terms(rows.size() * columns.size());
    const unsigned workers = choose_threads(threads, terms.size() * usual_steps);
    std::atomic<std::size_t> next{0};
    run_parallel(workers, [&](unsigned) {
        StepCounter counter;
        for (std::size_t i; (i = next.fetch_add(1)) < rows.size();) {
            for (std::size_t j = 0; j < columns.size(); ++j) {
                counter.step(usual_steps);
                const bool empty = rows[i] == 0 || columns[j] == 0;
                terms[i * columns.size() + j] = empty ? 0.0 : quick_excess(differences, points, rows[i], columns[j]);
            }
        }
    });
    return terms;
}

}  // namespace clustermark
