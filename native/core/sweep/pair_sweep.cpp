#include "core/sweep/pair_sweep.hpp"

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <utility>

#include "core/execution/interruption.hpp"
#include "core/sweep/closure.hpp"
#include "core/sweep/scored_pairs.hpp"

namespace clustermark {

namespace {

// Progress counts a pair once for each pass over the list, and this many times for putting it into a bucket, dropping or
// sorting it, and joining it.
constexpr std::size_t steps_to_sort = 2;
constexpr std::size_t steps_to_join = 2;
constexpr std::size_t steps_to_close = steps_to_sort + steps_to_join;

// Finds numbers of nonexistent records and scores that are NaN, without a branch for each pair.
class PairCheck {
public:
    explicit PairCheck(std::size_t records) : records_(records) {}

    // Whether both records exist.
    bool read(const ScoredPair& pair) {
        const auto left = static_cast<std::uint32_t>(pair.left), right = static_cast<std::uint32_t>(pair.right);
        const bool wrong = std::max(left, right) >= records_;
        wrong_number_ |= wrong;
        wrong_score_ |= pair.score != pair.score;
        return !wrong;
    }
    void raise() const {
        if (wrong_number_) throw std::invalid_argument("left and right must be numbers of records");
        if (wrong_score_) throw std::invalid_argument("scores must not be NaN");
    }

private:
    std::size_t records_;
    bool wrong_number_ = false, wrong_score_ = false;
};

class Sweep {
public:
    explicit Sweep(const SweepInput& input) : list_(input.left, input.right, input.scores), closure_(input) {
        // Most true pairs have the highest scores, and there are a few others per record: after those, most pairs of a long list
        // join nothing.
        const std::size_t first = 3 * input.labels.size;
        const bool is_long = list_.size() > 2 * first;
        expect_steps(list_.size() * (steps_to_close + (is_long ? 2 : 1)));
        close_from(is_long ? list_.reached_by(first) : -std::numeric_limits<double>::infinity(), input.labels.size);
    }

    SweepResult take() { return closure_.take(); }

private:
    // Closes the pairs of at least this score first; of the others, it sorts only those that still join two clusters.
    // The caller may change the list meanwhile, so each pair is checked when it is read, and copied.
    void close_from(double score, std::size_t records) {
        PairCheck check(records);
        BoundedList<ScoredPair> chosen = select([&](const ScoredPair& pair) {
            check.read(pair);
            return pair.score >= score;
        });
        check.raise();
        const std::size_t first = chosen.size();
        close(std::move(chosen));
        if (first == list_.size()) return;
        closure_.flatten();
        chosen = select([&](const ScoredPair& pair) {
            return check.read(pair) && ((pair.score < score) & closure_.are_apart_when_flat(pair.left, pair.right));
        });
        check.raise();
        counter_.step(steps_to_close * (list_.size() - std::min(first + chosen.size(), list_.size())));
        close(std::move(chosen));
    }

    template <class Wanted>
    BoundedList<ScoredPair> select(Wanted&& is_wanted) {
        const PairList list = list_;
        BoundedList<ScoredPair> chosen;
        chosen.reserve(list.size());
        for_each_step(0, list.size(), [&](std::size_t i) {
            const ScoredPair pair = list[i];
            chosen.push_back_if(is_wanted(pair), pair);
        });
        return chosen;
    }

    void close(BoundedList<ScoredPair> pairs) {
        Buckets buckets(pairs, counter_);
        pairs = {};
        for (std::size_t b = 0; b < Buckets::number; ++b) {
            const auto [begin, end] = buckets[b];
            join(sorter_.sort(begin, drop_joined(begin, end)));
        }
    }

    // Keeps the pairs that join two clusters: most pairs are within one cluster, and need not be sorted.
    ScoredPair* drop_joined(ScoredPair* begin, ScoredPair* end) {
        constexpr std::ptrdiff_t ahead = 24;
        ScoredPair* kept = begin;
        for (ScoredPair* pair = begin; pair != end; ++pair) {
            if (end - pair > ahead) {
                closure_.prefetch(pair[ahead].left);
                closure_.prefetch(pair[ahead].right);
                closure_.prefetch_parent(pair[ahead / 2].left);
                closure_.prefetch_parent(pair[ahead / 2].right);
            }
            if (closure_.are_apart(pair->left, pair->right)) *kept++ = *pair;
            counter_.step();
        }
        counter_.step(steps_to_join * static_cast<std::size_t>(end - kept));
        return kept;
    }

    void join(std::pair<ScoredPair*, ScoredPair*> sorted) {
        const auto [begin, end] = sorted;
        for (ScoredPair* pair = begin; pair != end; ++pair) {
            if (end - pair > 16) {
                closure_.prefetch(pair[16].left);
                closure_.prefetch(pair[16].right);
                closure_.prefetch_cluster(pair[8].left);
                closure_.prefetch_cluster(pair[8].right);
                closure_.prefetch_truth(pair[4].left);
                closure_.prefetch_truth(pair[4].right);
            }
            closure_.join(pair->left, pair->right, pair->score);
            counter_.step(steps_to_join);
            if (pair + 1 == end || pair[1].score != pair->score) closure_.note(pair->score);
        }
    }

    PairList list_;
    Closure closure_;
    StepCounter counter_;
    Sorter sorter_;
};

}  // namespace

SweepResult sweep_pairs(const SweepInput& input) { return Sweep(input).take(); }

}  // namespace clustermark
