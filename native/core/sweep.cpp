#include "sweep.hpp"

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <utility>

#include "closure.hpp"
#include "scored_pairs.hpp"

namespace clustermark {

namespace {

// Tells how much is done, and lets the caller end the work.
class Progress {
public:
    Progress(std::size_t all, const std::function<void(double)>& poll) : all_(all), poll_(poll) {}

    void advance(std::size_t done) {
        done_ += done;
        if (done_ - told_ >= static_cast<std::size_t>(between)) tell();
    }
    void tell() {
        told_ = done_;
        poll_(static_cast<double>(done_) / static_cast<double>(all_));
    }

    static constexpr std::ptrdiff_t between = 1 << 19;

private:
    std::size_t all_, done_ = 0, told_ = 0;
    const std::function<void(double)>& poll_;
};

// Looks for records that are not there and scores that are no numbers, without a branch for each pair.
class Check {
public:
    explicit Check(std::size_t records) : records_(records) {}

    // Whether there are such records.
    bool read(const ScoredPair& pair) {
        const auto left = static_cast<std::uint32_t>(pair.left), right = static_cast<std::uint32_t>(pair.right);
        const bool wrong = std::max(left, right) >= records_;
        wrong_number_ |= wrong;
        wrong_score_ |= pair.score != pair.score;
        return !wrong;
    }
    void complain() const {
        if (wrong_number_) throw std::invalid_argument("left and right must be numbers of records");
        if (wrong_score_) throw std::invalid_argument("scores must not be NaN");
    }

private:
    std::size_t records_;
    bool wrong_number_ = false, wrong_score_ = false;
};

class Sweep {
public:
    Sweep(const SweepInput& input, const std::function<void(double)>& poll)
        : list_(input.left, input.right, input.scores), closure_(input), progress_(list_.size(), poll) {
        // Most true pairs, and a few for each record besides: after those, most of a long list joins nothing.
        const std::size_t first = 3 * input.labels.size;
        const bool is_long = list_.size() > 2 * first;
        close_from(is_long ? list_.reached_by(first) : -std::numeric_limits<double>::infinity(), input.labels.size);
    }

    SweepResult take() { return closure_.take(); }

private:
    // First the pairs of at least this score; of the others, only those that still join something are put in order.
    // The list is the caller's, who may change it meanwhile: whatever is read of it is checked, and then our own.
    void close_from(double score, std::size_t records) {
        Check check(records);
        Column<ScoredPair> chosen = select([&](const ScoredPair& pair) {
            check.read(pair);
            return pair.score >= score;
        });
        check.complain();
        const std::size_t first = chosen.size();
        close(std::move(chosen));
        if (first == list_.size()) return;
        closure_.flatten();
        chosen = select([&](const ScoredPair& pair) {
            return check.read(pair) && ((pair.score < score) & closure_.are_apart_when_flat(pair.left, pair.right));
        });
        check.complain();
        progress_.advance(list_.size() - std::min(first + chosen.size(), list_.size()));
        close(std::move(chosen));
    }

    template <class Wanted>
    Column<ScoredPair> select(Wanted&& is_wanted) {
        const PairList list = list_;
        Column<ScoredPair> chosen;
        chosen.reserve(list.size());
        for (std::size_t i = 0; i < list.size(); ++i) {
            if ((i + 1) % Progress::between == 0) progress_.tell();
            const ScoredPair pair = list[i];
            chosen.push_back_if(is_wanted(pair), pair);
        }
        return chosen;
    }

    void close(Column<ScoredPair> pairs) {
        Buckets buckets(pairs);
        pairs = {};
        for (std::size_t b = 0; b < Buckets::number; ++b) {
            const auto [begin, end] = buckets[b];
            join(sorter_.sort(begin, drop_joined(begin, end)));
        }
    }

    // Most pairs join what is joined already: only the others are sorted.
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
            if ((end - pair) % Progress::between == 0) progress_.advance(Progress::between);
        }
        progress_.advance(static_cast<std::size_t>((end - begin) % Progress::between));
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
            if (pair + 1 == end || pair[1].score != pair->score) closure_.note(pair->score);
        }
    }

    PairList list_;
    Closure closure_;
    Progress progress_;
    Sorter sorter_;
};

}  // namespace

SweepResult sweep_pairs(const SweepInput& input, const std::function<void(double)>& poll) {
    return Sweep(input, poll).take();
}

}  // namespace clustermark
