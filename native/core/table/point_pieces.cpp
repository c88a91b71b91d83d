#include "core/table/point_pieces.hpp"

#include <utility>

namespace clustermark {

namespace {

// Joins neighbouring buckets until a piece would exceed the target.
void join_buckets(PartitionPlan& plan, const std::vector<std::vector<std::size_t>>& histograms, std::size_t target) {
    const std::size_t buckets = histograms.front().size();
    plan.piece_of.resize(buckets);
    Piece piece;
    for (std::size_t bucket = 0; bucket < buckets; ++bucket) {
        std::size_t size = 0;
        for (const auto& histogram : histograms) size += histogram[bucket];
        if (piece.size() != 0 && piece.size() + size > target) {
            plan.pieces.push_back(piece);
            piece = {piece.end, piece.end, 0, 0};
        }
        plan.piece_of[bucket] = static_cast<std::uint16_t>(plan.pieces.size());
        if (size == 0) continue;
        if (piece.size() == 0) piece.first = std::uint64_t{bucket} << plan.shift;
        piece.end += size;
        plan.widest = std::max(plan.widest, ((std::uint64_t{bucket} + 1) << plan.shift) - piece.first);
        plan.largest = std::max(plan.largest, piece.size());
    }
    plan.pieces.push_back(piece);
    plan.points = piece.end;
}

}  // namespace

PartitionPlan plan_pieces(std::vector<std::vector<std::size_t>> histograms, unsigned shift, std::size_t target) {
    PartitionPlan plan;
    plan.shift = shift;
    join_buckets(plan, histograms, target);
    std::vector<std::size_t> next(plan.pieces.size());
    for (std::size_t i = 0; i < next.size(); ++i) next[i] = plan.pieces[i].begin;
    for (const auto& histogram : histograms) {
        plan.starts.push_back(next);  // each thread writes after the previous threads, so the order of the input is kept
        for (std::size_t bucket = 0; bucket < histogram.size(); ++bucket) {
            next[plan.piece_of[bucket]] += histogram[bucket];
        }
    }
    plan.starts.push_back(std::move(next));
    return plan;
}

}  // namespace clustermark
