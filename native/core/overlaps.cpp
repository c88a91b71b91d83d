#include "overlaps.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "compensated.hpp"
#include "margins.hpp"

namespace clustermark {

namespace {

// Arithmetic of plain points: whole numbers, exact comparisons.
struct Whole {
    using Number = std::int64_t;
    using Square = u128;
    using Amount = std::int64_t;
    using Total = FixedSum;
    static Number amount(const Cells& cells, std::size_t i) { return cells.counts[i]; }
    static Number lone_amount(const Cells&, std::size_t) { return 1; }
    static Number scaled(Number n, Number) { return n; }
    static void add_squares(Square& sum, Number n, std::int64_t times) {
        sum += static_cast<u128>(n) * static_cast<u128>(n) * static_cast<u128>(times);
    }
    static Number union_of(Number a, Number b, Number n) { return a - n + b; }

    // Sign of n1 / u1 - n2 / u2.
    static int compare(Number n1, Number u1, Number n2, Number u2) {
        const u128 left = static_cast<u128>(n1) * static_cast<u128>(u2);
        const u128 right = static_cast<u128>(n2) * static_cast<u128>(u1);
        return left < right ? -1 : static_cast<int>(left > right);
    }

    static bool is_uniform(const Square& q, Number b, std::int64_t clusters) {
        const u128 square = static_cast<u128>(b) * static_cast<u128>(b);
        return square % static_cast<u128>(clusters) == 0 && square / static_cast<u128>(clusters) == q;
    }

    // clusters * q - b * b, exact where it fits 128 bits.
    static double excess(const Square& q, Number b, std::int64_t clusters) {
        const u128 square = static_cast<u128>(b) * static_cast<u128>(b);
        if (bit_length(q) + bit_length(static_cast<std::uint64_t>(clusters)) <= 128) {
            return static_cast<double>(q * static_cast<u128>(clusters) - square);
        }
        return static_cast<double>(static_cast<long double>(clusters) * static_cast<long double>(q) -
                                   static_cast<long double>(square));
    }
    static double to_double(const Square& q) { return static_cast<double>(q); }
};

// Arithmetic of weighted cells: doubles, with sums and products in twice the precision.
struct Real {
    using Number = double;
    using Square = DoubleDouble;
    using Amount = DoubleDouble;
    struct Total {
        DoubleDouble sum;
        void add(double size, double x) { sum += DoubleDouble::product(size, x); }
    };
    static Number amount(const Cells& cells, std::size_t i) { return cells.weights[i]; }
    static Number lone_amount(const Cells& cells, std::size_t i) {
        return cells.weights[i] / static_cast<double>(cells.counts[i]);
    }
    // By the power of two of the cluster's size: exact, and squares neither overflow nor vanish.
    static Number scaled(Number n, Number size) { return std::ldexp(n, -std::ilogb(size)); }
    static void add_squares(Square& sum, Number n, std::int64_t times) {
        sum += times == 1 ? DoubleDouble::product(n, n) : DoubleDouble::of(times) * DoubleDouble::product(n, n);
    }
    static Number union_of(Number a, Number b, Number n) {
        DoubleDouble sum = DoubleDouble::sum(a, -n);
        sum += b;
        return sum.value();
    }
    static int compare(Number n1, Number u1, Number n2, Number u2) {
        const DoubleDouble left = DoubleDouble::product(n1, u2);
        const DoubleDouble right = DoubleDouble::product(n2, u1);
        if (left.hi != right.hi) return left.hi < right.hi ? -1 : 1;
        return left.lo < right.lo ? -1 : static_cast<int>(left.lo > right.lo);
    }
    static bool is_uniform(const Square& q, Number b, std::int64_t clusters) {
        // weights that were cut in equal parts differ in their last bits, and two roots would make that visible
        return std::abs(excess(q, b, clusters)) <= 0x1p-50 * b * b;
    }
    static double excess(const Square& q, Number b, std::int64_t clusters) {
        return (q * DoubleDouble::of(clusters) - DoubleDouble::product(b, b)).value();
    }
    static double to_double(const Square& q) { return q.value(); }
};

// What is known of a predicted cluster after all its cells were seen.
template <class Kind>
struct Column {
    typename Kind::Number best_intersection;
    typename Kind::Number best_union;
    typename Kind::Square squares;  // of scaled amounts
    std::int64_t cells;
    std::int32_t best_row;
};

template <class Kind>
double concentration_of(const Column<Kind>& column, typename Kind::Number size, std::int64_t clusters) {
    if (clusters == 1 || column.cells == 1) return 1.0;
    if (Kind::is_uniform(column.squares, size, clusters)) return 0.0;
    // (r - u) / (1 - u) for r = sqrt(q) / b, u = sqrt(1 / R), with r - u = (r^2 - u^2) / (r + u):
    // the difference is taken between exact numbers, where nothing cancels.
    const auto b = static_cast<double>(size);
    const auto R = static_cast<double>(clusters);
    const double u = std::sqrt(1.0 / R);
    const double r = std::sqrt(Kind::to_double(column.squares)) / b;
    const double excess = Kind::excess(column.squares, size, clusters);
    const double x = excess / b / b / R / (r + u) / (1.0 - u);
    return std::min(1.0, std::sqrt(std::max(0.0, x)));
}

template <class Kind>
class Scan {
public:
    using Number = typename Kind::Number;

    Scan(const Cells& cells, const std::optional<StridedView<std::int32_t>>& ranks, const Buffer<Number>& rows,
         const Buffer<Number>& columns)
        : cells_(cells), ranks_(ranks), rows_(rows), columns_(columns),
          found_(Buffer<Column<Kind>>::zeros(cells.n_columns)) {}

    void run() {
        for (std::size_t i = 0; i < cells_.size(); ++i) {
            if (cells_.columns[i] >= 0) see(i, static_cast<std::size_t>(cells_.columns[i]));
        }
    }

    // Rows with a point, and lone ones.
    std::int64_t count_clusters() const {
        std::int64_t clusters = 0;
        for (const Number size : rows_) clusters += size > 0 ? 1 : 0;
        for (std::size_t i = 0; i < cells_.size(); ++i) clusters += cells_.rows[i] == lone ? cells_.counts[i] : 0;
        return clusters;
    }

    const Column<Kind>& operator[](std::size_t column) const { return found_[column]; }
    const Buffer<Number>& row_sizes() const { return rows_; }

private:
    void see(std::size_t i, std::size_t number) {
        Column<Kind>& column = found_[number];
        const std::int32_t row = cells_.rows[i];
        const std::int64_t times = row == lone ? cells_.counts[i] : 1;
        const Number n = row == lone ? Kind::lone_amount(cells_, i) : Kind::amount(cells_, i);
        const Number a = row == lone ? n : rows_[static_cast<std::size_t>(row)];
        const Number together = Kind::union_of(a, columns_[number], n);
        if (column.cells == 0 || is_better(column, columns_[number], n, together, row)) {
            column.best_intersection = n;
            column.best_union = together;
            column.best_row = row;
        }
        column.cells += times;
        Kind::add_squares(column.squares, Kind::scaled(n, columns_[number]), times);
    }

    bool is_better(const Column<Kind>& column, Number size, Number n, Number together, std::int32_t row) const {
        auto scaled = [&](Number amount) { return Kind::scaled(amount, size); };
        const int order = Kind::compare(scaled(n), scaled(together), scaled(column.best_intersection),
                                        scaled(column.best_union));
        if (order != 0 || row == lone) return order > 0;
        if (column.best_row == lone) return true;
        const std::int32_t mine = rank(row);
        const std::int32_t best = rank(column.best_row);
        return mine < best || (mine == best && row < column.best_row);
    }

    std::int32_t rank(std::int32_t row) const { return ranks_ ? (*ranks_)[static_cast<std::size_t>(row)] : row; }

    const Cells& cells_;
    const std::optional<StridedView<std::int32_t>>& ranks_;
    const Buffer<Number>& rows_;
    const Buffer<Number>& columns_;
    Buffer<Column<Kind>> found_;
};

template <class Kind>
struct Totals {
    typename Kind::Total jaccard, concentration, score;
    typename Kind::Amount scored{};

    void add(typename Kind::Number amount, double jaccard_value, double concentration_value, double score_value) {
        jaccard.add(amount, jaccard_value);
        concentration.add(amount, concentration_value);
        score.add(amount, score_value);
        scored += amount;
    }
};

template <class Kind>
void add_lone_columns(const Cells& cells, const Buffer<typename Kind::Number>& rows, Totals<Kind>& totals) {
    for (std::size_t i = 0; i < cells.size(); ++i) {
        if (cells.columns[i] != lone) continue;
        const auto each = static_cast<double>(Kind::lone_amount(cells, i));
        const std::int32_t row = cells.rows[i];
        const double a = row == lone ? each : static_cast<double>(rows[static_cast<std::size_t>(row)]);
        const double jaccard = each / a;
        totals.add(Kind::amount(cells, i), jaccard, 1.0, std::sqrt(jaccard));
    }
}

void allocate(Overlaps& result, std::size_t columns) {
    result.cells = Buffer<std::int64_t>::zeros(columns);
    result.best_rows = Buffer<std::int32_t>::filled(columns, lone);
    result.max_jaccard = Buffer<double>::zeros(columns);
    result.concentration = Buffer<double>::zeros(columns);
    result.score = Buffer<double>::zeros(columns);
}

// Fills everything but the sizes; `intersections` and `unions` are the result's of the right kind.
template <class Kind>
Totals<Kind> score_columns(const Cells& cells, const Scan<Kind>& scan, const Buffer<typename Kind::Number>& sizes,
                           const std::optional<StridedView<std::uint8_t>>& unscored, Overlaps& result,
                           Buffer<typename Kind::Number>& intersections, Buffer<typename Kind::Number>& unions) {
    Totals<Kind> totals;
    const std::int64_t clusters = scan.count_clusters();
    intersections = Buffer<typename Kind::Number>::zeros(cells.n_columns);
    unions = Buffer<typename Kind::Number>::zeros(cells.n_columns);
    for (std::size_t j = 0; j < cells.n_columns; ++j) {
        const Column<Kind>& column = scan[j];
        if (column.cells == 0) continue;
        result.cells[j] = column.cells;
        result.best_rows[j] = column.best_row;
        intersections[j] = column.best_intersection;
        unions[j] = column.best_union;
        const double jaccard =
            static_cast<double>(column.best_intersection) / static_cast<double>(column.best_union);
        const double concentration = concentration_of(column, Kind::scaled(sizes[j], sizes[j]), clusters);
        result.max_jaccard[j] = jaccard;
        result.concentration[j] = concentration;
        result.score[j] = std::sqrt(jaccard * concentration);
        if (!unscored || (*unscored)[j] == 0) totals.add(sizes[j], jaccard, concentration, result.score[j]);
    }
    add_lone_columns<Kind>(cells, scan.row_sizes(), totals);
    return totals;
}

void overlap_points(const Cells& cells, const std::optional<StridedView<std::int32_t>>& row_ranks,
                    const std::optional<StridedView<std::uint8_t>>& unscored, Overlaps& result) {
    const Buffer<std::int64_t> rows = count_side(cells.rows, cells.counts, cells.n_rows);
    result.sizes = count_side(cells.columns, cells.counts, cells.n_columns);
    Scan<Whole> scan(cells, row_ranks, rows, result.sizes);
    scan.run();
    const Totals<Whole> totals =
        score_columns(cells, scan, result.sizes, unscored, result, result.intersections, result.unions);
    result.n_scored = totals.scored;
    result.totals[0] = totals.jaccard;
    result.totals[1] = totals.concentration;
    result.totals[2] = totals.score;
}

void overlap_weights(const Cells& cells, const std::optional<StridedView<std::int32_t>>& row_ranks,
                     const std::optional<StridedView<std::uint8_t>>& unscored, Overlaps& result) {
    const Buffer<double> rows = weigh_side(cells.rows, cells.weights, cells.n_rows);
    result.size_weights = weigh_side(cells.columns, cells.weights, cells.n_columns);
    Scan<Real> scan(cells, row_ranks, rows, result.size_weights);
    scan.run();
    const Totals<Real> totals = score_columns(cells, scan, result.size_weights, unscored, result,
                                              result.intersection_weights, result.union_weights);
    result.weight_scored = totals.scored.value();
    result.weight_totals[0] = totals.jaccard.sum.value();
    result.weight_totals[1] = totals.concentration.sum.value();
    result.weight_totals[2] = totals.score.sum.value();
}

}  // namespace

Overlaps compute_overlaps(const Cells& cells, const std::optional<StridedView<std::int32_t>>& row_ranks,
                          const std::optional<StridedView<std::uint8_t>>& unscored) {
    if (cells.has_absent()) throw std::invalid_argument("overlaps needs points that occur on both sides");
    if (row_ranks && row_ranks->size != cells.n_rows) {
        throw std::invalid_argument("row_ranks must have one rank a row");
    }
    if (unscored && unscored->size != cells.n_columns) {
        throw std::invalid_argument("unscored must have one flag a column");
    }
    Overlaps result;
    result.weighted = cells.weighted;
    allocate(result, cells.n_columns);
    if (cells.weighted) {
        overlap_weights(cells, row_ranks, unscored, result);
    } else {
        overlap_points(cells, row_ranks, unscored, result);
    }
    return result;
}

}  // namespace clustermark
