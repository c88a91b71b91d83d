// Cells that are alike, the classes of points, and how their values vary together, for Python.
#include <algorithm>
#include <cstdint>
#include <deque>
#include <optional>
#include <stdexcept>
#include <utility>
#include <vector>

#include "../core/alike.hpp"
#include "../core/point_classes.hpp"
#include "arrays.hpp"
#include "bind.hpp"
#include "inputs.hpp"
#include "released.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace clustermark {

namespace {

constexpr const char* integers = "a one-dimensional array of integers";
constexpr const char* int32_array = "a one-dimensional array of int32";

template <class Class>
nb::object found_classes(const Cells& cells, const CodedSide& rows, const CodedSide& columns,
                         const StridedView<std::int32_t>& classes, int threads) {
    Buffer<Class> found;
    {
        const Released released;
        found = classes_of_points<Class>(cells, rows, columns, classes, threads);
    }
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
    if (nb::len(classes) != nb::len(values)) throw std::invalid_argument("classes and values must be as many");
    if (nb::len(classes) == 0) throw std::invalid_argument("classes: there is none");
    std::deque<HeldArray> held;  // arrays that stay where they are
    std::vector<ValuedPoints> lists;
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
    Products found;
    {
        const Released released;
        found = add_products(lists, times, threads);
    }
    return nb::make_tuple(owned_array(std::move(found.products)), owned_array(std::move(found.sums)));
}

nb::object alike_of(const Cells& cells) {
    std::optional<AlikeCells> alike;
    {
        const Released released;
        alike = group_alike(cells);
    }
    if (!alike) return nb::none();
    return nb::make_tuple(owned_array(std::move(alike->classes)), owned_array(std::move(alike->n)),
                          owned_array(std::move(alike->a)), owned_array(std::move(alike->b)),
                          owned_array(std::move(alike->true_squares)), owned_array(std::move(alike->pred_squares)),
                          owned_array(std::move(alike->times)));
}

}  // namespace

void bind_ranking(nb::module_& module) {
    module.def("classes_of_points", &classes_of, "cells"_a, "y_true"_a.none(), "y_pred"_a.none(),
               "true_clusters"_a.none(), "pred_clusters"_a.none(), "classes"_a.none(), "threads"_a = 0);
    module.def("group_alike", &alike_of, "cells"_a);
    module.def("add_products", &products_of, "classes"_a, "values"_a, "counts"_a.none() = nb::none(), "threads"_a = 0);
}

}  // namespace clustermark
