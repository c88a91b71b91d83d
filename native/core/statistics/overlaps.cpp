#include "core/statistics/overlaps.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "core/statistics/sized_cells.hpp"

namespace clustermark {

namespace {

// Whole numbers are compared exactly.
struct WholeOverlaps : WholeAmounts {
    using Square = u128;
    using Total = std::int64_t;
    static OverlapAmounts<Number>& amounts_of(Overlaps& result) { return result.points; }
    static void store_scored(Overlaps& result, Total scored) { result.n_scored = scored; }
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

    static bool has_product(const Square& q, std::int64_t clusters) {
        return bit_length(q) + bit_length(static_cast<std::uint64_t>(clusters)) <= 128;
    }

    // Whether clusters * q is b * b, which has far less than 128 bits. It avoids divisions, which would take most of the time.
    static bool is_uniform(const Square& q, Number b, std::int64_t clusters) {
        return has_product(q, clusters) &&
               q * static_cast<u128>(clusters) == static_cast<u128>(b) * static_cast<u128>(b);
    }

    // clusters * q - b * b, exact where it fits 128 bits.
    static double excess(const Square& q, Number b, std::int64_t clusters) {
        const u128 square = static_cast<u128>(b) * static_cast<u128>(b);
        if (has_product(q, clusters)) {
            return static_cast<double>(q * static_cast<u128>(clusters) - square);
        }
        return static_cast<double>(static_cast<long double>(clusters) * static_cast<long double>(q) -
                                   static_cast<long double>(square));
    }
    static double to_double(const Square& q) { return static_cast<double>(q); }
};

// Doubles are added and multiplied in twice the precision.
struct RealOverlaps : RealAmounts {
    using Square = DoubleDouble;
    using Total = DoubleDouble;
    static OverlapAmounts<Number>& amounts_of(Overlaps& result) { return result.weights; }
    static void store_scored(Overlaps& result, const Total& scored) { result.weight_scored = scored.value(); }
    // Divided by the power of two of the cluster's size: this is exact, and squares neither overflow nor underflow.
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
        // weights that were divided into equal parts differ in their last bits, which two roots would amplify
        return std::abs(excess(q, b, clusters)) <= 0x1p-50 * b * b;
    }
    static double excess(const Square& q, Number b, std::int64_t clusters) {
        return (q * DoubleDouble::of(clusters) - DoubleDouble::product(b, b)).value();
    }
    static double to_double(const Square& q) { return q.value(); }
};

// Sums and the best match of a predicted cluster.
template <class Kind>
struct ColumnOverlap {
    typename Kind::Number best_intersection;
    typename Kind::Number best_union;
    typename Kind::Square squares;  // of scaled amounts
    std::int64_t cells;
    std::int32_t best_row;
};

template <class Kind>
double concentration_of(const ColumnOverlap<Kind>& column, typename Kind::Number size, std::int64_t clusters) {
    if (clusters == 1 || column.cells == 1) return 1.0;
    if (Kind::is_uniform(column.squares, size, clusters)) return 0.0;
    // (r - u) / (1 - u) for r = sqrt(q) / b, u = sqrt(1 / R), with r - u = (r^2 - u^2) / (r + u):
    // the numerator is computed from exact numbers, so nothing cancels.
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

    Scan(const SizedCells<Kind>& sized, const std::optional<StridedView<std::int32_t>>& ranks)
        : sized_(sized), ranks_(ranks), found_(Buffer<ColumnOverlap<Kind>>::zeros(sized.columns().size())) {}

    // Reads the cells of the columns from begin to end.
    void run(std::size_t begin, std::size_t end) {
        const Cells& cells = sized_.cells();
        const ClusterLookup<ColumnOverlap<Kind>> columns{found_, cells.columns, static_cast<std::int32_t>(begin),
                                            static_cast<std::int32_t>(end)};
        const auto look_at = [&](std::size_t i) {
            const std::int32_t column = cells.columns[i];
            if (column < columns.begin || column >= columns.end) return;
            see(sized_[i], cells.rows[i], found_[static_cast<std::size_t>(column)]);
        };
        sized_.pass(0, cells.size(), look_at, columns);
    }

    const ColumnOverlap<Kind>& operator[](std::size_t column) const { return found_[column]; }

private:
    void see(const SizedCell<Number>& cell, std::int32_t row, ColumnOverlap<Kind>& column) {
        const Number together = Kind::union_of(cell.a, cell.b, cell.n);
        if (column.cells == 0 || is_better(column, cell.b, cell.n, together, row)) {
            column.best_intersection = cell.n;
            column.best_union = together;
            column.best_row = row;
        }
        column.cells += cell.times;
        Kind::add_squares(column.squares, Kind::scaled(cell.n, cell.b), cell.times);
    }

    bool is_better(const ColumnOverlap<Kind>& column, Number size, Number n, Number together, std::int32_t row) const {
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

    const SizedCells<Kind>& sized_;
    const std::optional<StridedView<std::int32_t>>& ranks_;
    Buffer<ColumnOverlap<Kind>> found_;
};

template <class Kind>
struct Totals {
    typename Kind::Sum jaccard, concentration, score;
    typename Kind::Total scored{};

    void add(typename Kind::Number amount, double jaccard_value, double concentration_value, double score_value) {
        jaccard.add(amount, jaccard_value);
        concentration.add(amount, concentration_value);
        score.add(amount, score_value);
        scored += amount;
    }

    void store(Overlaps& result) const {
        Kind::store_scored(result, scored);
        result.totals[0] += jaccard;
        result.totals[1] += concentration;
        result.totals[2] += score;
    }
};

template <class Kind>
void add_lone_columns(const SizedCells<Kind>& sized, Totals<Kind>& totals) {
    const Cells& cells = sized.cells();
    for (std::size_t i = 0; i < cells.size(); ++i) {
        if (cells.columns[i] != lone) continue;
        const auto cell = sized[i];
        const double jaccard = static_cast<double>(cell.n) / static_cast<double>(cell.a);
        totals.add(Kind::amount(cells, i), jaccard, 1.0, std::sqrt(jaccard));
    }
}

// The number of rows with a point plus the number of lone points.
template <class Kind>
std::int64_t count_clusters(const SizedCells<Kind>& sized) {
    const Cells& cells = sized.cells();
    std::int64_t clusters = 0;
    for (const auto size : sized.rows()) clusters += size > 0 ? 1 : 0;
    for (std::size_t i = 0; i < cells.size(); ++i) clusters += cells.rows[i] == lone ? cells.counts[i] : 0;
    return clusters;
}

void allocate(Overlaps& result, std::size_t columns) {
    result.cells = Buffer<std::int64_t>::zeros(columns);
    result.best_rows = Buffer<std::int32_t>::filled(columns, lone);
    result.max_jaccard = Buffer<double>::zeros(columns);
    result.concentration = Buffer<double>::zeros(columns);
    result.score = Buffer<double>::zeros(columns);
}

template <class Kind>
void store_column(const ColumnOverlap<Kind>& column, typename Kind::Number size, std::int64_t clusters, Overlaps& result,
                  std::size_t j) {
    auto& amounts = Kind::amounts_of(result);
    result.cells[j] = column.cells;
    result.best_rows[j] = column.best_row;
    amounts.intersections[j] = column.best_intersection;
    amounts.unions[j] = column.best_union;
    result.max_jaccard[j] = static_cast<double>(column.best_intersection) / static_cast<double>(column.best_union);
    result.concentration[j] = concentration_of(column, Kind::scaled(size, size), clusters);
    result.score[j] = std::sqrt(result.max_jaccard[j] * result.concentration[j]);
}

template <class Kind>
void overlap(const Cells& cells, const std::optional<StridedView<std::int32_t>>& row_ranks,
             const std::optional<StridedView<std::uint8_t>>& unscored, Overlaps& result) {
    SizedCells<Kind> sized(cells);
    const auto& sizes = sized.columns();
    auto& amounts = Kind::amounts_of(result);
    amounts.intersections = Buffer<typename Kind::Number>::zeros(cells.n_columns);
    amounts.unions = Buffer<typename Kind::Number>::zeros(cells.n_columns);
    const std::int64_t clusters = count_clusters(sized);
    Scan<Kind> scan(sized, row_ranks);
    const unsigned threads = std::min(choose_threads(0, cells.size()), 2U);
    run_parallel(threads, [&](unsigned thread) {
        const auto [begin, end] = share(cells.n_columns, thread, threads);
        scan.run(begin, end);
        for (std::size_t j = begin; j < end; ++j) {
            if (scan[j].cells != 0) store_column(scan[j], sizes[j], clusters, result, j);
        }
    });
    Totals<Kind> totals;
    for (std::size_t j = 0; j < cells.n_columns; ++j) {
        if (result.cells[j] == 0 || (unscored && (*unscored)[j] != 0)) continue;
        totals.add(sizes[j], result.max_jaccard[j], result.concentration[j], result.score[j]);
    }
    add_lone_columns(sized, totals);
    totals.store(result);
    amounts.sizes = sized.take_columns();
}

}  // namespace

Overlaps compute_overlaps(const Cells& cells, const std::optional<StridedView<std::int32_t>>& row_ranks,
                          const std::optional<StridedView<std::uint8_t>>& unscored) {
    if (cells.has_absent()) throw std::invalid_argument("overlaps needs points that occur on both sides");
    if (row_ranks && row_ranks->size != cells.n_rows) {
        throw std::invalid_argument("row_ranks must have one rank per row");
    }
    if (unscored && unscored->size != cells.n_columns) {
        throw std::invalid_argument("unscored must have one flag per column");
    }
    Overlaps result;
    result.weighted = cells.weighted;
    allocate(result, cells.n_columns);
    if (cells.weighted) {
        overlap<RealOverlaps>(cells, row_ranks, unscored, result);
    } else {
        overlap<WholeOverlaps>(cells, row_ranks, unscored, result);
    }
    return result;
}

}  // namespace clustermark
