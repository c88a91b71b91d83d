#include "core/matching/shrink.hpp"

#include <algorithm>
#include <stdexcept>
#include <vector>

#include "core/execution/interruption.hpp"
#include "core/matching/fixing_queue.hpp"
#include "core/statistics/cell_fractions.hpp"
#include "core/statistics/sized_cells.hpp"
#include "core/table/entry_scan.hpp"

namespace clustermark {

namespace {

// The best and the second best free candidate of a row or column; 0 where there is none.
template <class Number>
struct BestTwo {
    Number best;
    Number second;
    std::size_t best_entry;

    // Of equal cells, one with a LONE side comes first, because it has no rivals on that side.
    void see(Number worth, std::size_t entry, bool has_lone_side) {
        if (worth > best || (has_lone_side && worth == best)) {
            second = best;
            best = worth;
            best_entry = entry;
        } else {
            second = std::max(second, worth);
        }
    }

    // Joins the candidates of later entries; `has_lone_side` is that of their best one.
    void join(const BestTwo& later, bool has_lone_side) {
        second = std::max({std::min(best, later.best), second, later.second});
        if (later.best > best || (has_lone_side && later.best == best)) best_entry = later.best_entry;
        best = std::max(best, later.best);
    }

    Number rival(std::size_t entry) const { return entry == best_entry ? second : best; }
};

// The best of all rows and columns.
template <class Number>
struct BestOfLines {
    Buffer<BestTwo<Number>> rows, columns;

    BestOfLines() = default;
    explicit BestOfLines(const Cells& cells)
        : rows(Buffer<BestTwo<Number>>::zeros(cells.n_rows)),
          columns(Buffer<BestTwo<Number>>::zeros(cells.n_columns)) {}

    void see(std::int32_t row, std::int32_t column, Number worth, std::size_t entry) {
        const bool has_lone_side = std::min(row, column) < 0;
        if (row >= 0) rows[static_cast<std::size_t>(row)].see(worth, entry, has_lone_side);
        if (column >= 0) columns[static_cast<std::size_t>(column)].see(worth, entry, has_lone_side);
    }

    void join(const BestOfLines& later, const Cells& cells) {
        join(rows, later.rows, cells.columns);
        join(columns, later.columns, cells.rows);
    }

private:
    static void join(Buffer<BestTwo<Number>>& lines, const Buffer<BestTwo<Number>>& later,
                     const Buffer<std::int32_t>& others) {
        for (std::size_t i = 0; i < lines.size(); ++i) lines[i].join(later[i], others[later[i].best_entry] < 0);
    }
};

// `worth_of(i)` is called for entries that can be matched: cells with at least one row or column that others share.
template <class Number, class Rule, class WorthOf>
class Shrinker {
public:
    Shrinker(const Cells& cells, const WorthOf& worth_of)
        : cells_(cells), worth_of_(worth_of), lines_(cells), taken_(cells.n_rows, cells.n_columns) {}

    Shrunk run() {
        if (4 * cells_.size() < 3 * (cells_.n_rows + cells_.n_columns)) {
            fix_whole_clusters();
            repeat();
        } else {
            const bool any = fix_lines();
            collect();
            if (any) repeat();
        }
        return result();
    }

private:
    static bool can_match(std::int32_t row, std::int32_t column) {
        return std::min(row, column) >= lone && std::max(row, column) >= 0;
    }

    // In a sparse table most cells are the only one of their row and column. They are fixed without comparison with rivals,
    // and only the others need memory for their rows and columns.
    void fix_whole_clusters() {
        auto in_row = Buffer<std::uint8_t>::zeros(cells_.n_rows);
        auto in_column = Buffer<std::uint8_t>::zeros(cells_.n_columns);
        const auto count = [](Buffer<std::uint8_t>& line, std::int32_t number) {
            auto& cells = line[static_cast<std::size_t>(number)];
            cells = static_cast<std::uint8_t>(cells + (cells < 2));
        };
        StepCounter counter;
        for (std::size_t i = 0; i < cells_.size(); ++i, counter.step()) {
            const std::int32_t row = cells_.rows[i];
            const std::int32_t column = cells_.columns[i];
            if (!can_match(row, column)) continue;
            if (row >= 0) count(in_row, row);
            if (column >= 0) count(in_column, column);
        }
        const auto is_alone = [](const Buffer<std::uint8_t>& line, std::int32_t number) {
            return number < 0 || line[static_cast<std::size_t>(number)] == 1;
        };
        for (std::size_t i = 0; i < cells_.size(); ++i, counter.step()) {
            const std::int32_t row = cells_.rows[i];
            const std::int32_t column = cells_.columns[i];
            if (!can_match(row, column)) continue;
            if (is_alone(in_row, row) && is_alone(in_column, column)) {
                fixed_.push_back(static_cast<std::int64_t>(i));
            } else {
                alive_.push_back({i, row, column, worth_of_(i)});
            }
        }
    }

    // The first round reads all cells and stores none: in most tables few cells remain after it.
    bool fix_lines() {
        see_all();
        // A cell can be fixed if it is the best of its row and column, or equal to the best and alone in one of them.
        for (const auto& line : lines_.rows) try_best(line);
        for (const auto& line : lines_.columns) try_best(line);
        return !fixed_.empty();
    }

    // Each thread has its own rows and columns, which take no more memory than the cells.
    void see_all() {
        const std::size_t room = cells_.size() / std::max<std::size_t>(2 * (cells_.n_rows + cells_.n_columns), 1);
        const auto threads = static_cast<unsigned>(std::clamp<std::size_t>(room, 1, choose_threads(0, cells_.size())));
        std::vector<BestOfLines<Number>> later(threads);
        run_parallel(threads, [&](unsigned thread) {
            if (thread > 0) later[thread] = BestOfLines<Number>(cells_);
            auto& lines = thread > 0 ? later[thread] : lines_;
            const auto see = [&](std::size_t i) {
                const std::int32_t row = cells_.rows[i];
                const std::int32_t column = cells_.columns[i];
                if (can_match(row, column)) lines.see(row, column, worth_of_(i), i);
            };
            const auto [begin, end] = share(cells_.size(), thread, threads);
            scan_entries(begin, end, see, ClusterLookup<BestTwo<Number>>{lines.rows, cells_.rows},
                      ClusterLookup<BestTwo<Number>>{lines.columns, cells_.columns});
        });
        for (unsigned thread = 1; thread < threads; ++thread) lines_.join(later[thread], cells_);
    }

    void try_best(const BestTwo<Number>& line) {
        if (line.best == 0) return;
        const std::size_t entry = line.best_entry;
        try_to_fix({entry, cells_.rows[entry], cells_.columns[entry], line.best});
    }

    // The rivals may be out of date. Then some rivals are gone, and a rule that held still holds.
    void try_to_fix(const Candidate<Number>& candidate) {
        if (!taken_.is_free(candidate.row, candidate.column)) return;
        const Number in_row =
            candidate.row < 0 ? 0 : lines_.rows[static_cast<std::size_t>(candidate.row)].rival(candidate.entry);
        const Number in_column =
            candidate.column < 0 ? 0 : lines_.columns[static_cast<std::size_t>(candidate.column)].rival(candidate.entry);
        if (!Rule::may_fix(candidate.worth, in_row, in_column)) return;
        fixed_.push_back(static_cast<std::int64_t>(candidate.entry));
        taken_.take(candidate.row, candidate.column);
    }

    void collect() {
        if (taken_.are_all()) return;
        StepCounter counter;
        for (std::size_t i = 0; i < cells_.size(); ++i, counter.step()) {
            const std::int32_t row = cells_.rows[i];
            const std::int32_t column = cells_.columns[i];
            if (can_match(row, column) && taken_.is_free(row, column)) alive_.push_back({i, row, column, worth_of_(i)});
        }
    }

    // Runs rounds while they are cheap, and then uses the queue for long chains.
    void repeat() {
        const std::size_t budget = 3 * alive_.size();
        std::size_t seen = 0;
        bool fixed_more = true;
        while (!alive_.empty() && fixed_more) {
            seen += alive_.size();
            if (seen > budget) {
                FixingQueue<Number, Rule>(alive_, taken_, fixed_).run();
                drop_matched();
                return;
            }
            const std::size_t before = fixed_.size();
            run_round();
            fixed_more = fixed_.size() > before;
        }
    }

    void run_round() {
        for (const auto& c : alive_) {
            if (c.row >= 0) lines_.rows[static_cast<std::size_t>(c.row)] = {};
            if (c.column >= 0) lines_.columns[static_cast<std::size_t>(c.column)] = {};
        }
        StepCounter counter;
        for (const auto& c : alive_) {
            counter.step();
            lines_.see(c.row, c.column, c.worth, c.entry);
        }
        for (const auto& c : alive_) try_to_fix(c);
        drop_matched();
    }

    void drop_matched() {
        std::erase_if(alive_, [this](const auto& c) { return !taken_.is_free(c.row, c.column); });
    }

    // Sorts the fixed entries by marks on the cells, which is faster than sorting a long list.
    void store_fixed(Buffer<std::int64_t>& fixed) const {
        auto marks = Buffer<std::uint64_t>::zeros(cells_.size() / 64 + 1);
        for (const std::int64_t entry : fixed_) {
            marks[static_cast<std::size_t>(entry) / 64] |= std::uint64_t{1} << (static_cast<std::size_t>(entry) % 64);
        }
        std::size_t next = 0;
        for (std::size_t i = 0; i < marks.size(); ++i) {
            for (std::uint64_t rest = marks[i]; rest != 0; rest &= rest - 1) {
                fixed[next++] = static_cast<std::int64_t>(i * 64) + __builtin_ctzll(rest);
            }
        }
    }

    Shrunk result() {
        Shrunk result{Buffer<std::int64_t>(fixed_.size()), Buffer<std::int64_t>(alive_.size()),
                      Buffer<double>(alive_.size())};
        store_fixed(result.fixed);
        for (std::size_t i = 0; i < alive_.size(); ++i) {
            result.rest[i] = static_cast<std::int64_t>(alive_[i].entry);
            result.rest_weights[i] = static_cast<double>(alive_[i].worth);
        }
        return result;
    }

    const Cells& cells_;
    const WorthOf& worth_of_;
    BestOfLines<Number> lines_;
    Taken taken_;
    std::vector<Candidate<Number>> alive_;
    std::vector<std::int64_t> fixed_;
};

template <class Amounts, class Rule>
Shrunk shrink_by_amount(const Cells& cells) {
    const auto worth_of = [&cells](std::size_t i) {
        const bool is_lone = std::min(cells.rows[i], cells.columns[i]) < 0;
        return is_lone ? Amounts::lone_amount(cells, i) : Amounts::amount(cells, i);
    };
    return Shrinker<typename Amounts::Number, Rule, decltype(worth_of)>(cells, worth_of).run();
}

template <class Amounts, class Fraction>
Shrunk shrink_by_fraction(const Cells& cells, Fraction fraction) {
    const SizedCells<Amounts> sized(cells);
    const auto worth_of = [&sized, fraction](std::size_t i) {
        const auto cell = sized[i];
        return fraction(cell.n, cell.a, cell.b);
    };
    return Shrinker<double, SafeRule, decltype(worth_of)>(cells, worth_of).run();
}

template <class Amounts>
Shrunk shrink_cells(const Cells& cells, Worth worth) {
    const auto by = [&cells](auto fraction) { return shrink_by_fraction<Amounts>(cells, fraction); };
    switch (worth) {
        case Worth::points: return shrink_by_amount<Amounts, SafeRule>(cells);
        case Worth::f: return by([](auto n, auto a, auto b) { return f_measure(n, a, b); });
        case Worth::of_larger: return by([](auto n, auto a, auto b) { return share_of_larger(n, a, b); });
        case Worth::jaccard: return by([](auto n, auto a, auto b) { return jaccard_index(n, a, b); });
        case Worth::of_true: return by([](auto n, auto a, auto) { return size_ratio(n, a); });
        case Worth::product: return by([](auto n, auto a, auto b) { return product_of_shares(n, a, b); });
        case Worth::rank: return shrink_by_amount<Amounts, GreedyRule>(cells);
    }
    throw std::logic_error("unknown worth");
}

}  // namespace

Shrunk shrink(const Cells& cells, Worth worth) {
    return cells.weighted ? shrink_cells<RealAmounts>(cells, worth) : shrink_cells<WholeAmounts>(cells, worth);
}

}  // namespace clustermark
