// Fixes cells in long chains, where each fixed cell allows the next: every line (row or column) has its cells in order of
// worth, and only lines that lost a cell are examined again. The cost is one sort, however long the chain.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/execution/interruptible_sort.hpp"
#include "core/execution/interruption.hpp"
#include "core/matching/fixing_rules.hpp"
#include "core/memory/buffer.hpp"

namespace clustermark {

template <class Number, class Rule>
class FixingQueue {
public:
    FixingQueue(const std::vector<Candidate<Number>>& candidates, Taken& taken, std::vector<std::int64_t>& fixed)
        : candidates_(candidates), taken_(taken), fixed_(fixed), columns_begin_(taken.rows.size()),
          lines_(Buffer<Line>::zeros(taken.rows.size() + taken.columns.size())),
          waiting_(Buffer<std::uint8_t>::zeros(lines_.size())) {
        fill_lines();
    }

    void run() {
        for (const auto& candidate : candidates_) {
            if (candidate.row < 0) note_leaf(column_line(candidate), number_of(candidate));
            if (candidate.column < 0) note_leaf(row_line(candidate), number_of(candidate));
            wait(row_line(candidate));
            wait(column_line(candidate));
        }
        StepCounter counter;
        while (!queue_.empty()) {
            counter.step(16);
            const std::size_t line = queue_.back();
            queue_.pop_back();
            waiting_[line] = 0;
            look_at(line);
        }
    }

private:
    static constexpr std::size_t none = SIZE_MAX;

    // A row or column: its candidates by falling worth, and the first two of them that are still free.
    struct Line {
        std::size_t begin, end;
        std::size_t first, second;
        std::size_t leaf;  // number, plus one, of the best candidate that is alone in its other line
    };

    std::size_t number_of(const Candidate<Number>& candidate) const {
        return static_cast<std::size_t>(&candidate - candidates_.data());
    }
    std::size_t row_line(const Candidate<Number>& c) const {
        return c.row < 0 ? none : static_cast<std::size_t>(c.row);
    }
    std::size_t column_line(const Candidate<Number>& c) const {
        return c.column < 0 ? none : columns_begin_ + static_cast<std::size_t>(c.column);
    }

    void fill_lines() {
        std::vector<std::size_t> order(candidates_.size());
        for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
        sort_interruptibly(order.begin(), order.end(), [this](std::size_t i, std::size_t j) {
            const Number mine = candidates_[i].worth;
            const Number other = candidates_[j].worth;
            return mine > other || (mine == other && i < j);
        });
        for (const auto& candidate : candidates_) {
            for (const std::size_t line : {row_line(candidate), column_line(candidate)}) {
                if (line != none) ++lines_[line].end;
            }
        }
        std::size_t begin = 0;
        for (Line& line : lines_) {
            const std::size_t size = line.end;
            line = {begin, begin, begin, begin + 1, 0};
            begin += size;
        }
        members_.resize(begin);
        for (const std::size_t number : order) {
            for (const std::size_t line : {row_line(candidates_[number]), column_line(candidates_[number])}) {
                if (line != none) members_[lines_[line].end++] = number;
            }
        }
    }

    bool is_free(std::size_t number) const {
        return taken_.is_free(candidates_[number].row, candidates_[number].column);
    }

    void wait(std::size_t line) {
        if (line == none || waiting_[line] != 0) return;
        waiting_[line] = 1;
        queue_.push_back(line);
    }

    // Both positions only move forward.
    void advance(Line& line) {
        while (line.first < line.end && !is_free(members_[line.first])) ++line.first;
        line.second = std::max(line.second, line.first + 1);
        while (line.second < line.end && !is_free(members_[line.second])) ++line.second;
    }

    void note_leaf(std::size_t line, std::size_t number) {
        if (line == none) return;
        std::size_t& leaf = lines_[line].leaf;
        if (leaf == 0 || candidates_[number].worth > candidates_[leaf - 1].worth) leaf = number + 1;
    }

    // A cell can be fixed if it is the best of its line, or equal to the best and alone in its other line.
    void look_at(std::size_t number) {
        Line& line = lines_[number];
        advance(line);
        if (line.first >= line.end) return;
        const std::size_t first = members_[line.first];
        if (line.second >= line.end) {
            note_leaf(number < columns_begin_ ? column_line(candidates_[first]) : row_line(candidates_[first]), first);
        }
        try_to_fix(first);
        if (line.leaf != 0) try_to_fix(line.leaf - 1);
    }

    Number rival(std::size_t line_number, std::size_t candidate) {
        if (line_number == none) return 0;
        Line& line = lines_[line_number];
        advance(line);
        if (members_[line.first] != candidate) return candidates_[members_[line.first]].worth;
        return line.second < line.end ? candidates_[members_[line.second]].worth : 0;
    }

    void try_to_fix(std::size_t number) {
        const Candidate<Number>& candidate = candidates_[number];
        if (!is_free(number)) return;
        const std::size_t row = row_line(candidate);
        const std::size_t column = column_line(candidate);
        if (!Rule::may_fix(candidate.worth, rival(row, number), rival(column, number))) return;
        fixed_.push_back(static_cast<std::int64_t>(candidate.entry));
        wake_neighbours(row);
        wake_neighbours(column);
        taken_.take(candidate.row, candidate.column);
    }

    // Queues the lines that share a cell with this one.
    void wake_neighbours(std::size_t line_number) {
        if (line_number == none) return;
        const Line& line = lines_[line_number];
        for (std::size_t i = line.first; i < line.end; ++i) {
            if (!is_free(members_[i])) continue;
            const Candidate<Number>& candidate = candidates_[members_[i]];
            wait(line_number < columns_begin_ ? column_line(candidate) : row_line(candidate));
        }
    }

    const std::vector<Candidate<Number>>& candidates_;
    Taken& taken_;
    std::vector<std::int64_t>& fixed_;
    std::size_t columns_begin_;
    Buffer<Line> lines_;
    Buffer<std::uint8_t> waiting_;
    std::vector<std::size_t> members_;
    std::vector<std::size_t> queue_;
};

}  // namespace clustermark
