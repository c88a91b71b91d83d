// Sums over cells and clusters, and matching, for Python.
#include <cmath>

#include "../core/assignment.hpp"
#include "../core/best.hpp"
#include "../core/components.hpp"
#include "../core/joint.hpp"
#include "../core/matching.hpp"
#include "arrays.hpp"
#include "bind.hpp"
#include "inputs.hpp"
#include "released.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace clustermark {

namespace {

template <class Owner>
auto fraction_of(FractionSum Owner::*member) {
    return [member](const Owner& owner) { return number_of(owner.*member, owner.weighted); };
}

nb::object size_products_of(const Joint& joint) {
    if (!joint.weighted) return exact_int(joint.size_products);
    if (!std::isfinite(joint.size_product_weights)) {
        throw std::overflow_error("products of weights add up to more than a double holds");
    }
    return nb::float_(joint.size_product_weights);
}

nb::object weakest_pairs_of(const Best& best) {
    if (!best.weakest_pairs) return nb::none();
    return nb::float_(*best.weakest_pairs);
}

Joint joint_of(const Cells& cells) {
    const Released released;
    return compute_joint(cells);
}

nb::object best_of(const Cells& cells) {
    std::pair<Best, Best> result;
    {
        const Released released;
        result = compute_best(cells);
    }
    return nb::make_tuple(result.first, result.second);
}

Shrunk shrunk_of(const Cells& cells, Worth worth) {
    const Released released;
    return shrink(cells, worth);
}

nb::object assign_columns(nb::handle starts, nb::handle columns, nb::handle worths, std::uint32_t n_columns) {
    const HeldArray start_array(starts, "starts", "a one-dimensional array of int64");
    const HeldArray column_array(columns, "columns", "a one-dimensional array of int32");
    const HeldArray worth_array(worths, "worths", "a one-dimensional array of float64");
    const auto row_starts = start_array.int64s();
    const auto numbers = column_array.int32s();
    const auto amounts = worth_array.doubles();
    Buffer<std::int32_t> assigned;
    {
        const Released released;
        assigned = assign(row_starts, numbers, amounts, n_columns);
    }
    return owned_array(std::move(assigned));
}

nb::object connect(nb::handle lefts, nb::handle rights, std::size_t n_nodes) {
    const HeldArray left_array(lefts, "lefts", "a one-dimensional array of int64");
    const HeldArray right_array(rights, "rights", "a one-dimensional array of int64");
    const auto left_ends = left_array.int64s();
    const auto right_ends = right_array.int64s();
    Buffer<std::int64_t> components;
    {
        const Released released;
        components = find_components(left_ends, right_ends, n_nodes);
    }
    return owned_array(std::move(components));
}

}  // namespace

void bind_shares(nb::module_& module) {
    nb::class_<Joint>(module, "Joint", nb::is_final(), "Sums over all cells that need both sizes.")
        .def_ro("exact", &Joint::exact)
        .def_ro("exact_singletons", &Joint::exact_singletons)
        .def_prop_ro("size_products", &size_products_of)
        .def_prop_ro("shares", fraction_of(&Joint::shares))
        .def_prop_ro("of_larger", fraction_of(&Joint::of_larger))
        .def_prop_ro("of_smaller", fraction_of(&Joint::of_smaller))
        .def_prop_ro("f", fraction_of(&Joint::f))
        .def_prop_ro("jaccard", fraction_of(&Joint::jaccard));
    nb::class_<Best>(module, "Best", nb::is_final(), "Sums over clusters of the best of their cells.")
        .def_ro("clusters", &Best::clusters)
        .def_prop_ro("jaccard", fraction_of(&Best::jaccard))
        .def_prop_ro("sized_jaccard", fraction_of(&Best::sized_jaccard))
        .def_prop_ro("f", fraction_of(&Best::f))
        .def_prop_ro("sized_f", fraction_of(&Best::sized_f))
        .def_prop_ro("of_larger", fraction_of(&Best::of_larger))
        .def_prop_ro("weakest_pairs", &weakest_pairs_of);
    nb::enum_<Worth>(module, "Worth", "What a match of two clusters is worth.")
        .value("POINTS", Worth::points)
        .value("F", Worth::f)
        .value("OF_LARGER", Worth::of_larger)
        .value("JACCARD", Worth::jaccard)
        .value("OF_TRUE", Worth::of_true)
        .value("PRODUCT", Worth::product)
        .value("RANK", Worth::rank);
    nb::class_<Shrunk>(module, "Shrunk", nb::is_final(), "What is left of a matching problem.")
        .def_prop_ro("fixed", view_of(&Shrunk::fixed))
        .def_prop_ro("rest", view_of(&Shrunk::rest))
        .def_prop_ro("rest_weights", view_of(&Shrunk::rest_weights));
    module.def("joint", &joint_of, "cells"_a);
    module.def("best", &best_of, "cells"_a);
    module.def("assign", &assign_columns, "starts"_a, "columns"_a, "worths"_a, "n_columns"_a);
    module.def("connect", &connect, "lefts"_a, "rights"_a, "n_nodes"_a);
    module.def("shrink", &shrunk_of, "cells"_a, "worth"_a.noconvert());  // a bare number is no worth
}

}  // namespace clustermark
