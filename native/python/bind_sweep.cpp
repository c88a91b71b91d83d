// Scored pairs, closed from the highest score down, for Python.
#include <stdexcept>

#include "../core/sweep.hpp"
#include "arrays.hpp"
#include "bind.hpp"
#include "inputs.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace clustermark {

namespace {

template <class T>
nb::object array_of(std::vector<T>&& values) {
    using NewArray = nb::ndarray<nb::numpy, T, nb::ndim<1>>;
    auto* kept = new std::vector<T>(std::move(values));
    nb::capsule owner(kept, [](void* memory) noexcept { delete static_cast<std::vector<T>*>(memory); });
    static T nothing{};
    T* data = kept->empty() ? &nothing : kept->data();
    return under_usual_name<T>(nb::cast(NewArray(data, {kept->size()}, owner)));
}

nb::dict states_of(SweepStates&& states) {
    nb::dict columns;
    columns["thresholds"] = array_of(std::move(states.thresholds));
    columns["merges"] = array_of(std::move(states.merges));
    columns["clusters"] = array_of(std::move(states.clusters));
    columns["cells"] = array_of(std::move(states.cells));
    columns["exact"] = array_of(std::move(states.exact));
    columns["together"] = array_of(std::move(states.together));
    columns["together_both"] = array_of(std::move(states.together_both));
    columns["best_pred"] = array_of(std::move(states.best_pred));
    columns["best_true"] = array_of(std::move(states.best_true));
    columns["precision"] = array_of(std::move(states.precision));
    columns["recall"] = array_of(std::move(states.recall));
    columns["spread_pred"] = array_of(std::move(states.spread_pred));
    columns["left_true"] = array_of(std::move(states.left_true));
    columns["left_pred"] = array_of(std::move(states.left_pred));
    columns["expected"] = array_of(std::move(states.expected));
    return columns;
}

nb::dict merges_of(SweepMerges&& merges) {
    nb::dict columns;
    columns["left"] = array_of(std::move(merges.left));
    columns["right"] = array_of(std::move(merges.right));
    columns["scores"] = array_of(std::move(merges.scores));
    columns["true_pairs"] = array_of(std::move(merges.true_pairs));
    columns["false_pairs"] = array_of(std::move(merges.false_pairs));
    return columns;
}

nb::object sweep_arrays(nb::handle labels, nb::handle left, nb::handle right, nb::handle scores, double expected_limit,
                        nb::handle progress) {
    constexpr const char* numbers = "a one-dimensional array of int32";
    const HeldArray label_array(labels, "labels", numbers);
    const HeldArray left_array(left, "left", numbers);
    const HeldArray right_array(right, "right", numbers);
    const HeldArray score_array(scores, "scores", "a one-dimensional array of float64");
    const SweepInput input{label_array.int32s(), left_array.int32s(), right_array.int32s(), score_array.doubles(),
                           expected_limit};
    if (input.labels.size >= (std::size_t{1} << 31)) throw std::invalid_argument("labels must be fewer than 2^31");
    if (input.left.size != input.scores.size || input.right.size != input.scores.size) {
        throw std::invalid_argument("left, right and scores must have the same length");
    }
    SweepResult result;
    {
        const nb::gil_scoped_release released;
        result = sweep_pairs(input, [&](double share) {
            const nb::gil_scoped_acquire held;
            if (PyErr_CheckSignals() != 0) throw nb::python_error();
            if (!progress.is_none()) progress(share);
        });
    }
    nb::dict totals;
    totals["points"] = result.points;
    totals["predicted_points"] = result.predicted_points;
    totals["true_clusters"] = result.true_clusters;
    totals["together_true"] = result.together_true;
    totals["spread_true"] = result.spread_true;
    return nb::make_tuple(states_of(std::move(result.states)), merges_of(std::move(result.merges)), totals);
}

}  // namespace

void bind_sweep(nb::module_& module) {
    module.def("sweep_pairs", &sweep_arrays, "labels"_a, "left"_a, "right"_a, "scores"_a, "expected_limit"_a = 3e8,
               "progress"_a.none() = nb::none());
}

}  // namespace clustermark
