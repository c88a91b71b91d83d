// Transitive closure of scored pairs from the highest score down, for Python.
#include <limits>
#include <stdexcept>

#include "core/sweep/connected_components.hpp"
#include "core/sweep/pair_sweep.hpp"
#include "python/arrays.hpp"
#include "python/bind.hpp"
#include "python/inputs.hpp"
#include "python/interruptible_call.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace clustermark {

namespace {

nb::dict states_of(SweepStates&& states) {
    nb::dict columns;
    columns["thresholds"] = owned_array(states.thresholds.take());
    columns["merges"] = owned_array(states.merges.take());
    columns["clusters"] = owned_array(states.clusters.take());
    columns["cells"] = owned_array(states.cells.take());
    columns["exact"] = owned_array(states.exact.take());
    columns["together"] = owned_array(states.together.take());
    columns["together_both"] = owned_array(states.together_both.take());
    columns["best_pred"] = owned_array(states.best_pred.take());
    columns["best_true"] = owned_array(states.best_true.take());
    columns["precision"] = owned_array(states.precision.take());
    columns["recall"] = owned_array(states.recall.take());
    columns["spread_pred"] = owned_array(states.spread_pred.take());
    columns["left_true"] = owned_array(states.left_true.take());
    columns["left_pred"] = owned_array(states.left_pred.take());
    columns["expected"] = owned_array(states.expected.take());
    return columns;
}

nb::dict merges_of(SweepMerges&& merges) {
    nb::dict columns;
    columns["left"] = owned_array(merges.left.take());
    columns["right"] = owned_array(merges.right.take());
    columns["scores"] = owned_array(merges.scores.take());
    columns["true_pairs"] = owned_array(merges.true_pairs.take());
    columns["false_pairs"] = owned_array(merges.false_pairs.take());
    return columns;
}

// A record with a count stands for at least one point, and sizes of clusters must fit into 32 bits.
void check_counts(const SweepInput& input) {
    if (input.counts.size != input.labels.size) throw std::invalid_argument("counts and labels must have the same length");
    std::int64_t total = 0;
    for (std::size_t i = 0; i < input.counts.size; ++i) {
        if (input.labels[i] == no_point) continue;
        const std::int64_t count = input.counts[i];
        if (count < 1 || count > std::numeric_limits<std::int32_t>::max() - total) {
            throw std::invalid_argument("counts must be at least 1, and add up to less than 2^31");
        }
        total += count;
    }
}

nb::object sweep_arrays(nb::handle labels, nb::handle left, nb::handle right, nb::handle scores, double expected_limit,
                        nb::handle progress, nb::handle counts) {
    constexpr const char* integers = "a one-dimensional array of int32";
    const HeldArray label_array(labels, "labels", integers);
    const HeldArray left_array(left, "left", integers);
    const HeldArray right_array(right, "right", integers);
    const HeldArray score_array(scores, "scores", "a one-dimensional array of float64");
    const OptionalArray count_array(counts, "counts", "a one-dimensional array of int64");
    const SweepInput input{label_array.int32s(), left_array.int32s(), right_array.int32s(), score_array.doubles(),
                           count_array ? count_array->int64s() : StridedView<std::int64_t>{}, expected_limit};
    if (count_array) check_counts(input);
    if (input.labels.size >= (std::size_t{1} << 31)) throw std::invalid_argument("labels must be fewer than 2^31");
    if (input.left.size != input.scores.size || input.right.size != input.scores.size) {
        throw std::invalid_argument("left, right and scores must have the same length");
    }
    auto result = run_without_gil([&] { return sweep_pairs(input); }, progress);
    nb::dict totals;
    totals["points"] = result.points;
    totals["predicted_points"] = result.predicted_points;
    totals["true_clusters"] = result.true_clusters;
    totals["together_true"] = result.together_true;
    totals["spread_true"] = result.spread_true;
    return nb::make_tuple(states_of(std::move(result.states)), merges_of(std::move(result.merges)), totals);
}

nb::object connect(nb::handle lefts, nb::handle rights, std::size_t n_nodes) {
    const HeldArray left_array(lefts, "lefts", "a one-dimensional array of int64");
    const HeldArray right_array(rights, "rights", "a one-dimensional array of int64");
    const auto left_ends = left_array.int64s();
    const auto right_ends = right_array.int64s();
    auto components = run_without_gil([&] { return find_components(left_ends, right_ends, n_nodes); });
    return owned_array(std::move(components));
}

}  // namespace

void bind_sweep(nb::module_& module) {
    module.def("sweep_pairs", &sweep_arrays, "labels"_a, "left"_a, "right"_a, "scores"_a, "expected_limit"_a = 3e8,
               "progress"_a.none() = nb::none(), "counts"_a.none() = nb::none());
    module.def("connect", &connect, "lefts"_a, "rights"_a, "n_nodes"_a);
}

}  // namespace clustermark
