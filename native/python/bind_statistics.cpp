// Sums over the cells and clusters of a table, and values of points that depend on their cells.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <deque>
#include <optional>
#include <stdexcept>
#include <utility>
#include <vector>

#include "core/statistics/best.hpp"
#include "core/statistics/class_products.hpp"
#include "core/statistics/equivalent_cells.hpp"
#include "core/statistics/joint.hpp"
#include "core/statistics/overlaps.hpp"
#include "core/statistics/pair_weights.hpp"
#include "core/statistics/point_classes.hpp"
#include "core/statistics/profile.hpp"
#include "python/arrays.hpp"
#include "python/bind.hpp"
#include "python/inputs.hpp"
#include "python/interruptible_call.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace clustermark {

namespace {

nb::list cluster_sizes(const std::vector<ClusterSize>& sizes) {
    nb::list list;
    for (const ClusterSize& row : sizes) {
        list.append(nb::make_tuple(row.size, row.clusters, exact_int(row.squares), exact_int(row.largest), row.cells));
    }
    return list;
}

nb::object profile_of(const Cells& cells) {
    auto profile = run_without_gil([&] { return compute_profile(cells); });
    nb::list sizes;
    for (const CellSize& row : profile.cells) sizes.append(nb::make_tuple(row.size, row.cells));
    return nb::make_tuple(sizes, cluster_sizes(profile.rows), cluster_sizes(profile.columns));
}

nb::object pair_weights_of(const Cells& cells) {
    auto result = run_without_gil([&] { return compute_pair_weights(cells); });
    return nb::make_tuple(result.yy, result.yn, result.ny, result.nn);
}

Overlaps overlaps_of(const Cells& cells, nb::handle row_ranks, nb::handle unscored) {
    const OptionalArray rank_array(row_ranks, "row_ranks", "a one-dimensional array of int32");
    const OptionalArray flag_array(unscored, "unscored", "a one-dimensional array of bool");
    std::optional<StridedView<std::int32_t>> ranks;
    std::optional<StridedView<std::uint8_t>> flags;
    if (rank_array) ranks = rank_array->int32s();
    if (flag_array) flags = flag_array->bools();
    return run_without_gil([&] { return compute_overlaps(cells, ranks, flags); });
}

nb::object totals_of(const Overlaps& overlaps) {
    const auto total = [&](int i) { return number_of(overlaps.totals[i], overlaps.weighted); };
    return nb::make_tuple(total(0), total(1), total(2));
}

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
    return run_without_gil([&] { return compute_joint(cells); });
}

nb::object best_of(const Cells& cells) {
    auto result = run_without_gil([&] { return compute_best(cells); });
    return nb::make_tuple(result.first, result.second);
}

// A property that views one of two arrays: that of plain points or that of weighted cells.
auto view_of_either(Buffer<std::int64_t> OverlapAmounts<std::int64_t>::*points,
                    Buffer<double> OverlapAmounts<double>::*weights) {
    return [points, weights](nb::handle_t<Overlaps> self) -> nb::object {
        const auto& overlaps = nb::cast<const Overlaps&>(self);
        if (overlaps.weighted) return borrowed_array(overlaps.weights.*weights, self);
        return borrowed_array(overlaps.points.*points, self);
    };
}

constexpr const char* integers = "a one-dimensional array of integers";
constexpr const char* int32_array = "a one-dimensional array of int32";

template <class Class>
nb::object found_classes(const Cells& cells, const CodedSide& rows, const CodedSide& columns,
                         const StridedView<std::int32_t>& classes, int threads) {
    auto found = run_without_gil([&] { return classes_of_points<Class>(cells, rows, columns, classes, threads); });
    return owned_array(std::move(found));
}

nb::object classes_of(const Cells& cells, nb::handle y_true, nb::handle y_pred, nb::handle true_clusters,
                      nb::handle pred_clusters, nb::handle classes, int threads) {
    if (threads < 0) throw std::invalid_argument("threads must not be negative");
    const HeldArray true_codes(y_true, "y_true", integers), pred_codes(y_pred, "y_pred", integers);
    const HeldArray true_numbers(true_clusters, "true_clusters", int32_array);
    const HeldArray pred_numbers(pred_clusters, "pred_clusters", int32_array);
    const HeldArray class_array(classes, "classes", int32_array);
    const CodedSide rows{true_codes.integers(), true_numbers.int32s()};
    const CodedSide columns{pred_codes.integers(), pred_numbers.int32s()};
    const StridedView<std::int32_t> of_entry = class_array.int32s();
    if (rows.codes.size != columns.codes.size) throw std::invalid_argument("y_true and y_pred must have the same length");
    if (of_entry.size != cells.size()) throw std::invalid_argument("classes must have one for each entry of the cells");
    std::int32_t most = 0;
    for (std::size_t i = 0; i < of_entry.size; ++i) {
        if (of_entry[i] < 0) throw std::invalid_argument("classes must not be negative");
        most = std::max(most, of_entry[i]);
    }
    if (most <= UINT8_MAX) return found_classes<std::uint8_t>(cells, rows, columns, of_entry, threads);
    if (most <= UINT16_MAX) return found_classes<std::uint16_t>(cells, rows, columns, of_entry, threads);
    return found_classes<std::int32_t>(cells, rows, columns, of_entry, threads);
}

nb::object products_of(nb::sequence classes, nb::sequence values, nb::handle counts, int threads) {
    if (threads < 0) throw std::invalid_argument("threads must not be negative");
    if (nb::len(classes) != nb::len(values)) throw std::invalid_argument("classes and values must have the same length");
    if (nb::len(classes) == 0) throw std::invalid_argument("classes must not be empty");
    std::deque<HeldArray> held;  // a deque, because its elements do not move
    std::vector<ClassValues> lists;
    for (std::size_t i = 0; i < nb::len(classes); ++i) {
        const IntView of = held.emplace_back(classes[i], "classes", integers).integers();
        const HeldArray list(values[i], "values", "a one-dimensional array of float64");
        const StridedView<double> doubles = list.doubles();
        Buffer<double> copied(doubles.size);
        for (std::size_t k = 0; k < doubles.size; ++k) copied[k] = doubles[k];
        lists.push_back({of, std::move(copied)});
        if (of.size != lists[0].classes.size) throw std::invalid_argument("classes must have the same length");
    }
    const OptionalArray count_array(counts, "counts", "a one-dimensional array of int64");
    std::optional<StridedView<std::int64_t>> times;
    if (count_array) times = count_array->int64s();
    if (times && times->size != lists[0].classes.size) throw std::invalid_argument("counts must have one for each point");
    auto found = run_without_gil([&] { return add_products(lists, times, threads); });
    return nb::make_tuple(owned_array(std::move(found.products)), owned_array(std::move(found.sums)));
}

nb::object alike_of(const Cells& cells) {
    auto alike = run_without_gil([&] { return group_alike(cells); });
    if (!alike) return nb::none();
    return nb::make_tuple(owned_array(std::move(alike->classes)), owned_array(std::move(alike->n)),
                          owned_array(std::move(alike->a)), owned_array(std::move(alike->b)),
                          owned_array(std::move(alike->true_squares)), owned_array(std::move(alike->pred_squares)),
                          owned_array(std::move(alike->times)));
}

void bind_overlaps(nb::module_& module) {
    using Points = OverlapAmounts<std::int64_t>;
    using Weights = OverlapAmounts<double>;
    nb::class_<Overlaps>(module, "Overlaps", nb::is_final(), "The best true cluster of each predicted cluster, and sums.")
        .def_prop_ro("sizes", view_of_either(&Points::sizes, &Weights::sizes))
        .def_prop_ro("cells", view_of(&Overlaps::cells))
        .def_prop_ro("best_rows", view_of(&Overlaps::best_rows))
        .def_prop_ro("intersections", view_of_either(&Points::intersections, &Weights::intersections))
        .def_prop_ro("unions", view_of_either(&Points::unions, &Weights::unions))
        .def_prop_ro("max_jaccard", view_of(&Overlaps::max_jaccard))
        .def_prop_ro("concentration", view_of(&Overlaps::concentration))
        .def_prop_ro("score", view_of(&Overlaps::score))
        .def_prop_ro("n_scored",
                     [](const Overlaps& o) -> nb::object {
                         if (o.weighted) return nb::float_(o.weight_scored);
                         return nb::int_(o.n_scored);
                     })
        .def_prop_ro("totals", &totals_of);
}

}  // namespace

void bind_statistics(nb::module_& module) {
    nb::class_<Joint>(module, "Joint", nb::is_final(), "Sums over all cells that need both sizes.")
        .def_ro("exact", &Joint::exact)
        .def_ro("exact_singletons", &Joint::exact_singletons)
        .def_prop_ro("size_products", &size_products_of)
        .def_prop_ro("shares", fraction_of(&Joint::shares))
        .def_prop_ro("of_larger", fraction_of(&Joint::of_larger))
        .def_prop_ro("of_smaller", fraction_of(&Joint::of_smaller))
        .def_prop_ro("f", fraction_of(&Joint::f))
        .def_prop_ro("jaccard", fraction_of(&Joint::jaccard));
    nb::class_<Best>(module, "Best", nb::is_final(), "Sums of the best cells of clusters.")
        .def_ro("clusters", &Best::clusters)
        .def_prop_ro("jaccard", fraction_of(&Best::jaccard))
        .def_prop_ro("sized_jaccard", fraction_of(&Best::sized_jaccard))
        .def_prop_ro("f", fraction_of(&Best::f))
        .def_prop_ro("sized_f", fraction_of(&Best::sized_f))
        .def_prop_ro("of_larger", fraction_of(&Best::of_larger))
        .def_prop_ro("weakest_pairs", &weakest_pairs_of);
    bind_overlaps(module);
    module.def("joint", &joint_of, "cells"_a);
    module.def("best", &best_of, "cells"_a);
    module.def("overlaps", &overlaps_of, "cells"_a, "row_ranks"_a.none() = nb::none(),
               "unscored"_a.none() = nb::none());
    module.def("profile", &profile_of, "cells"_a);
    module.def("pair_weights", &pair_weights_of, "cells"_a);
    module.def("classes_of_points", &classes_of, "cells"_a, "y_true"_a.none(), "y_pred"_a.none(),
               "true_clusters"_a.none(), "pred_clusters"_a.none(), "classes"_a.none(), "threads"_a = 0);
    module.def("group_alike", &alike_of, "cells"_a);
    module.def("add_products", &products_of, "classes"_a, "values"_a, "counts"_a.none() = nb::none(), "threads"_a = 0);
}

}  // namespace clustermark
