// Shortest augmenting paths, by Dijkstra's algorithm on reduced costs. The cost of a match is its negative worth; a row may
// stay unmatched at a cost of 0, so a path ends at a free column or at a row that gives up its column.
#include "core/matching/assignment.hpp"

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <utility>
#include <vector>

#include "core/execution/interruption.hpp"

namespace clustermark {

namespace {

constexpr std::int32_t none = -1;

class Assigner {
public:
    Assigner(const Buffer<std::int64_t>& starts, const Buffer<std::int32_t>& columns,
             const Buffer<double>& worths, std::size_t n_columns)
        : starts_(starts), columns_(columns), worths_(worths), row_prices_(starts.size() - 1),
          column_prices_(Buffer<double>::zeros(n_columns)), distances_(n_columns),
          from_(n_columns), row_of_(Buffer<std::int32_t>::filled(n_columns, none)),
          column_of_(Buffer<std::int32_t>::filled(starts.size() - 1, none)),
          states_(Buffer<std::uint8_t>::zeros(n_columns)) {}

    Buffer<std::int32_t> run() {
        for (std::size_t row = 0; row < column_of_.size(); ++row) insert(static_cast<std::int32_t>(row));
        return std::move(column_of_);
    }

private:
    enum State : std::uint8_t { unseen, seen, settled };
    struct Reached {
        double distance;
        std::int32_t number;
        bool operator<(const Reached& other) const { return distance > other.distance; }  // the nearest on top of the heap
    };

    std::size_t begin(std::int32_t row) const { return static_cast<std::size_t>(starts_[static_cast<std::size_t>(row)]); }
    std::size_t end(std::int32_t row) const { return begin(row + 1); }
    double& price(std::int32_t row) { return row_prices_[static_cast<std::size_t>(row)]; }

    void insert(std::int32_t row) {
        double least = 0.0;
        for (std::size_t i = begin(row); i < end(row); ++i) {
            least = std::min(least, -worths_[i] - column_prices_[static_cast<std::size_t>(columns_[i])]);
        }
        price(row) = least;
        end_distance_ = std::numeric_limits<double>::infinity();
        visit(row, 0.0);
        const std::int32_t free_column = find_end();
        update_prices();
        match(free_column);
        for (const std::int32_t column : touched_) states_[static_cast<std::size_t>(column)] = unseen;
        touched_.clear();
        heap_.clear();
        rows_.clear();
        settled_.clear();
    }

    // A row on a path may give up its column, or take another.
    void visit(std::int32_t row, double distance) {
        rows_.push_back({distance, row});
        if (distance - price(row) < end_distance_) {
            end_distance_ = distance - price(row);
            end_row_ = row;
        }
        for (std::size_t i = begin(row); i < end(row); ++i, counter_.step()) {
            const auto column = static_cast<std::size_t>(columns_[i]);
            if (states_[column] == settled) continue;
            const double reached = distance + (-worths_[i] - price(row) - column_prices_[column]);
            if (reached >= end_distance_ || (states_[column] == seen && reached >= distances_[column])) continue;
            if (states_[column] == unseen) touched_.push_back(columns_[i]);
            states_[column] = seen;
            distances_[column] = reached;
            from_[column] = row;
            heap_.push_back({reached, columns_[i]});
            std::push_heap(heap_.begin(), heap_.end());
        }
    }

    // The nearest free column; none where the cheapest path ends at a row that gives up its column.
    std::int32_t find_end() {
        while (!heap_.empty()) {
            const Reached nearest = heap_.front();
            std::pop_heap(heap_.begin(), heap_.end());
            heap_.pop_back();
            const auto column = static_cast<std::size_t>(nearest.number);
            if (states_[column] == settled || nearest.distance != distances_[column]) continue;
            if (nearest.distance >= end_distance_) return none;
            if (row_of_[column] == none) {
                end_distance_ = nearest.distance;
                return nearest.number;
            }
            states_[column] = settled;
            settled_.push_back(nearest.number);
            visit(row_of_[column], nearest.distance);
        }
        return none;
    }

    void update_prices() {
        for (const Reached& row : rows_) price(row.number) += end_distance_ - row.distance;
        for (const std::int32_t column : settled_) {
            const auto place = static_cast<std::size_t>(column);
            column_prices_[place] -= end_distance_ - distances_[place];
        }
    }

    // From the end of the path backwards, every row takes the column by which the path leaves it.
    void match(std::int32_t column) {
        if (column == none) column = std::exchange(column_of_[static_cast<std::size_t>(end_row_)], none);
        while (column != none) {
            const std::int32_t row = from_[static_cast<std::size_t>(column)];
            row_of_[static_cast<std::size_t>(column)] = row;
            column = std::exchange(column_of_[static_cast<std::size_t>(row)], column);
        }
    }

    const Buffer<std::int64_t>& starts_;
    const Buffer<std::int32_t>& columns_;
    const Buffer<double>& worths_;
    Buffer<double> row_prices_, column_prices_, distances_;
    Buffer<std::int32_t> from_, row_of_, column_of_;
    Buffer<std::uint8_t> states_;
    std::vector<Reached> heap_, rows_;
    std::vector<std::int32_t> settled_, touched_;
    double end_distance_ = 0.0;
    std::int32_t end_row_ = none;
    StepCounter counter_;
};

void check(const Buffer<std::int64_t>& starts, const Buffer<std::int32_t>& columns,
           const Buffer<double>& worths, std::size_t n_columns) {
    if (starts.size() == 0 || starts[0] != 0) throw std::invalid_argument("starts must begin with 0");
    for (std::size_t i = 1; i < starts.size(); ++i) {
        if (starts[i] < starts[i - 1]) throw std::invalid_argument("starts must not decrease");
    }
    if (columns.size() != worths.size() || starts[starts.size() - 1] != static_cast<std::int64_t>(columns.size())) {
        throw std::invalid_argument("starts must end with the number of columns and worths");
    }
    for (std::size_t i = 0; i < columns.size(); ++i) {
        if (columns[i] < 0 || static_cast<std::size_t>(columns[i]) >= n_columns) {
            throw std::invalid_argument("columns must be below n_columns");
        }
        if (!(worths[i] >= 0.0 && worths[i] <= 0x1p50)) throw std::invalid_argument("worths must be in [0, 2^50]");
    }
}

}  // namespace

Buffer<std::int32_t> assign(const StridedView<std::int64_t>& starts, const StridedView<std::int32_t>& columns,
                            const StridedView<double>& worths, std::size_t n_columns) {
    const Buffer<std::int64_t> own_starts = starts.copy();
    const Buffer<std::int32_t> own_columns = columns.copy();
    const Buffer<double> own_worths = worths.copy();
    check(own_starts, own_columns, own_worths, n_columns);
    return Assigner(own_starts, own_columns, own_worths, n_columns).run();
}

}  // namespace clustermark
