// One-to-one matching of the clusters of both sides.
#include <utility>

#include "core/matching/assignment.hpp"
#include "core/matching/shrink.hpp"
#include "python/arrays.hpp"
#include "python/bind.hpp"
#include "python/inputs.hpp"
#include "python/interruptible_call.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace clustermark {

namespace {

Shrunk shrunk_of(const Cells& cells, Worth worth) {
    return run_without_gil([&] { return shrink(cells, worth); });
}

nb::object assign_columns(nb::handle starts, nb::handle columns, nb::handle worths, std::uint32_t n_columns) {
    const HeldArray start_array(starts, "starts", "a one-dimensional array of int64");
    const HeldArray column_array(columns, "columns", "a one-dimensional array of int32");
    const HeldArray worth_array(worths, "worths", "a one-dimensional array of float64");
    const auto row_starts = start_array.int64s();
    const auto numbers = column_array.int32s();
    const auto amounts = worth_array.doubles();
    auto assigned = run_without_gil([&] { return assign(row_starts, numbers, amounts, n_columns); });
    return owned_array(std::move(assigned));
}

}  // namespace

void bind_matching(nb::module_& module) {
    nb::enum_<Worth>(module, "Worth", "The worth of a match of two clusters.")
        .value("POINTS", Worth::points)
        .value("F", Worth::f)
        .value("OF_LARGER", Worth::of_larger)
        .value("JACCARD", Worth::jaccard)
        .value("OF_TRUE", Worth::of_true)
        .value("PRODUCT", Worth::product)
        .value("RANK", Worth::rank);
    nb::class_<Shrunk>(module, "Shrunk", nb::is_final(), "The remaining matching problem.")
        .def_prop_ro("fixed", view_of(&Shrunk::fixed))
        .def_prop_ro("rest", view_of(&Shrunk::rest))
        .def_prop_ro("rest_weights", view_of(&Shrunk::rest_weights));
    module.def("assign", &assign_columns, "starts"_a, "columns"_a, "worths"_a, "n_columns"_a);
    module.def("shrink", &shrunk_of, "cells"_a, "worth"_a.noconvert());  // a number is not accepted as a worth
}

}  // namespace clustermark
