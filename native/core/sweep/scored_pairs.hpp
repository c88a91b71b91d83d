// Scored pairs of records, from the highest score down.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <utility>
#include <vector>

#include "core/execution/interruptible_sort.hpp"
#include "core/memory/bounded_list.hpp"
#include "core/memory/buffer.hpp"
#include "core/memory/strided_view.hpp"
#include "core/table/label_view.hpp"

namespace clustermark {

struct ScoredPair {
    double score;
    std::int32_t left, right;
};

// A list of pairs in the memory of the caller: three columns.
class PairList {
public:
    PairList(StridedView<std::int32_t> left, StridedView<std::int32_t> right, StridedView<double> scores)
        : left_(left), right_(right), scores_(scores) {}

    std::size_t size() const { return scores_.size; }
    ScoredPair operator[](std::size_t i) const { return {scores_[i], left_[i], right_[i]}; }

    // A score that about `pairs` of the pairs reach, estimated from a sample of a few thousand.
    double reached_by(std::size_t pairs) const {
        const std::size_t step = std::max<std::size_t>(size() / 4096, 1);
        std::vector<double> some;
        for (std::size_t i = 0; i < size(); i += step) {
            if (!std::isnan(scores_[i])) some.push_back(scores_[i]);  // NaN has no order
        }
        if (some.empty()) return -std::numeric_limits<double>::infinity();
        const auto place = some.begin() + static_cast<std::ptrdiff_t>(std::min(pairs / step, some.size() - 1));
        std::nth_element(some.begin(), place, some.end(), std::greater<>());
        return *place;
    }

private:
    StridedView<std::int32_t> left_, right_;
    StridedView<double> scores_;
};

// Sorts pairs with mostly different scores: distributes n pairs over n slots, evenly by score.
class Sorter {
public:
    // The sorted pairs, the highest score first; they are valid until the next call.
    std::pair<ScoredPair*, ScoredPair*> sort(ScoredPair* begin, ScoredPair* end) {
        const auto [lowest, highest] = std::minmax_element(begin, end, [](const ScoredPair& x, const ScoredPair& y) {
            return x.score < y.score;
        });
        const auto size = static_cast<std::size_t>(end - begin);
        const double scale = size < few ? 0.0 : static_cast<double>(size) / (highest->score - lowest->score);
        if (!(scale > 0.0) || !std::isfinite(scale)) {
            sort_interruptibly(begin, end, comes_before);
            return {begin, end};
        }
        const double top = highest->score;
        const auto slot = [&](const ScoredPair& pair) {
            return std::min(static_cast<std::size_t>((top - pair.score) * scale), size - 1);
        };
        ends_.assign(size + 1, 0);
        for (const ScoredPair* pair = begin; pair != end; ++pair) ++ends_[slot(*pair) + 1];
        for (std::size_t i = 1; i <= size; ++i) ends_[i] += ends_[i - 1];
        sorted_.resize(size);
        for (const ScoredPair* pair = begin; pair != end; ++pair) sorted_[ends_[slot(*pair)]++] = *pair;
        std::size_t first = 0;
        for (std::size_t i = 0; i < size; first = ends_[i++]) {
            if (ends_[i] > first + 1) sort_interruptibly(sorted_.begin() + first, sorted_.begin() + ends_[i], comes_before);
        }
        return {sorted_.data(), sorted_.data() + size};
    }

private:
    static constexpr std::size_t few = 64;

    static bool comes_before(const ScoredPair& x, const ScoredPair& y) {
        if (x.score != y.score) return x.score > y.score;
        return x.left != y.left ? x.left < y.left : x.right < y.right;
    }

    std::vector<ScoredPair> sorted_;
    std::vector<std::size_t> ends_;  // of the slots
};

// Pairs in buckets of score, the highest first.
class Buckets {
public:
    Buckets(const BoundedList<ScoredPair>& pairs, StepCounter& counter) : pairs_(pairs.size()) {
        find_range(pairs);
        std::vector<std::size_t> next(number + 1, 0);
        for (std::size_t i = 0; i < pairs_.size(); ++i) ++next[bucket(pairs[i].score) + 1];
        for (std::size_t b = 1; b < next.size(); ++b) next[b] += next[b - 1];
        starts_ = next;
        for (std::size_t i = 0; i < pairs_.size(); ++i) {
            const ScoredPair pair = pairs[i];
            pairs_[next[bucket(pair.score)]++] = pair;
            counter.step();
        }
    }

    static constexpr std::size_t number = 1024;

    std::pair<ScoredPair*, ScoredPair*> operator[](std::size_t b) {
        return {pairs_.data() + starts_[b], pairs_.data() + starts_[b + 1]};
    }

private:
    void find_range(const BoundedList<ScoredPair>& pairs) {
        double highest = -std::numeric_limits<double>::infinity();
        lowest_ = std::numeric_limits<double>::infinity();
        for (std::size_t i = 0; i < pairs_.size(); ++i) {
            const double score = pairs[i].score;
            if (std::isfinite(score)) {
                lowest_ = std::min(lowest_, score);
                highest = std::max(highest, score);
            }
        }
        const double scale = static_cast<double>(number) / (highest - lowest_);
        scale_ = std::isfinite(scale) ? scale : 0.0;  // 0 puts all pairs into one bucket
    }

    // Bucket 0 has the highest scores; equal scores share a bucket, and no bucket overlaps the next.
    std::size_t bucket(double score) const {
        if (!std::isfinite(score)) return score > 0.0 ? 0 : number - 1;
        if (scale_ == 0.0) return number - 1;
        const double place = (score - lowest_) * scale_;
        return number - 1 - std::min(static_cast<std::size_t>(place), number - 1);
    }

    Buffer<ScoredPair> pairs_;
    std::vector<std::size_t> starts_;
    double lowest_ = 0.0, scale_ = 0.0;
};

}  // namespace clustermark
