// The Python module: argument checks, release of the interpreter lock, results as NumPy arrays.
#include <nanobind/nanobind.h>

#include <optional>
#include <stdexcept>
#include <string>

#include "core/cell_collector.hpp"
#include "core/crosstab.hpp"
#include "core/hash_encode.hpp"
#include "core/margins.hpp"
#include "core/overlaps.hpp"
#include "core/pair_weights.hpp"
#include "core/profile.hpp"
#include "python/arrays.hpp"
#include "python/bind.hpp"
#include "python/encode_objects.hpp"
#include "python/inputs.hpp"
#include "python/released.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace clustermark {

namespace {

template <class T>
nb::object values_as(const SideValues& values, std::size_t size) {
    Buffer<T> labels(size);
    for (std::size_t i = 0; i < size; ++i) labels[i] = static_cast<T>(values.word(i));
    auto* kept = new Buffer<T>(std::move(labels));
    nb::capsule owner(kept, [](void* memory) noexcept { delete static_cast<Buffer<T>*>(memory); });
    return borrowed_array(*kept, owner);
}

nb::object values_array(const SideValues& values, std::size_t size) {
    switch (values.kind) {
        case IntKind::i8: return values_as<std::int8_t>(values, size);
        case IntKind::i16: return values_as<std::int16_t>(values, size);
        case IntKind::i32: return values_as<std::int32_t>(values, size);
        case IntKind::i64: return values_as<std::int64_t>(values, size);
        case IntKind::u8: return values_as<std::uint8_t>(values, size);
        case IntKind::u16: return values_as<std::uint16_t>(values, size);
        case IntKind::u32: return values_as<std::uint32_t>(values, size);
        case IntKind::u64: return values_as<std::uint64_t>(values, size);
    }
    throw std::logic_error("unknown integer type");
}

constexpr const char* label_array = "a one-dimensional array of integers";

Cells crosstab_arrays(nb::handle y_true, nb::handle y_pred, nb::handle counts, nb::handle weights, int threads) {
    if (threads < 0) throw std::invalid_argument("threads must not be negative");
    const HeldArray rows(y_true, "y_true", label_array);
    const HeldArray columns(y_pred, "y_pred", label_array);
    const OptionalArray count_array(counts, "counts", "a one-dimensional array of int64");
    const OptionalArray weight_array(weights, "weights", "a one-dimensional array of float64");
    const IntView row_labels = rows.integers();
    const IntView column_labels = columns.integers();
    if (row_labels.size != column_labels.size) {
        throw std::invalid_argument("y_true and y_pred must have the same length, not " +
                                    std::to_string(row_labels.size) + " and " + std::to_string(column_labels.size));
    }
    Payloads payloads;
    if (count_array) payloads.counts = count_array->int64s();
    if (weight_array) payloads.weights = weight_array->doubles();
    if (payloads.counts && payloads.counts->size != row_labels.size) {
        throw std::invalid_argument("counts must have the same length as the labels");
    }
    if (payloads.weights && payloads.weights->size != row_labels.size) {
        throw std::invalid_argument("weights must have the same length as the labels");
    }
    const Released released;
    return crosstab(row_labels, column_labels, payloads, threads);
}

// The same of plain points, or None where a side has to be read in another way, or something is wrong with it.
nb::object crosstab_codes(nb::handle y_true, nb::handle y_pred, int threads) {
    constexpr std::size_t few = 4096;  // are counted before anybody could ask for the interpreter lock
    const HeldCodes rows(y_true);
    const HeldCodes columns(y_pred);
    if (!rows.view() || !columns.view() || rows.view()->size == 0 || rows.view()->size != columns.view()->size) {
        return nb::none();
    }
    Cells cells = [&] {
        std::optional<Released> released;
        if (rows.view()->size > few) released.emplace();
        return crosstab(*rows.view(), *columns.view(), {}, threads);
    }();
    return nb::cast(std::move(cells));
}

std::size_t cluster_number(std::int64_t value, const char* name) {
    if (value < 0 || value > static_cast<std::int64_t>(most_clusters)) {
        throw std::invalid_argument(std::string(name) + " must be in [0, 2^31)");
    }
    return static_cast<std::size_t>(value);
}

Cells cells_from_entries(nb::handle rows, nb::handle columns, nb::handle counts, nb::handle weights, nb::handle pairs,
                         std::int64_t n_rows, std::int64_t n_columns) {
    const HeldArray row_array(rows, "rows", "a one-dimensional array of int32");
    const HeldArray column_array(columns, "columns", "a one-dimensional array of int32");
    const HeldArray count_array(counts, "counts", "a one-dimensional array of int64");
    const OptionalArray weight_array(weights, "weights", "a one-dimensional array of float64");
    const OptionalArray pair_array(pairs, "pairs", "a one-dimensional array of float64");
    EntryViews entries{row_array.int32s(), column_array.int32s(), count_array.int64s(), {}, {}};
    if (weight_array) entries.weights = weight_array->doubles();
    if (pair_array) entries.pairs = pair_array->doubles();
    const std::size_t row_count = cluster_number(n_rows, "n_rows");
    const std::size_t column_count = cluster_number(n_columns, "n_columns");
    const Released released;
    return build_cells(entries, row_count, column_count);
}

nb::object squares_of(Cells& cells) {
    if (!cells.squares) {
        Squares computed;
        {
            const Released released;
            computed = compute_squares(cells);
        }
        cells.squares = computed;  // under the lock again; whoever comes second writes the same
    }
    const Squares& squares = *cells.squares;
    return nb::make_tuple(exact_int(squares.points), exact_int(squares.cells), exact_int(squares.rows),
                          exact_int(squares.columns));
}

nb::list cluster_sizes(const std::vector<ClusterSize>& sizes) {
    nb::list list;
    for (const ClusterSize& row : sizes) {
        list.append(nb::make_tuple(row.size, row.clusters, exact_int(row.squares), exact_int(row.largest), row.cells));
    }
    return list;
}

nb::object profile_of(const Cells& cells) {
    Profile profile;
    {
        const Released released;
        profile = compute_profile(cells);
    }
    nb::list sizes;
    for (const CellSize& row : profile.cells) sizes.append(nb::make_tuple(row.size, row.cells));
    return nb::make_tuple(sizes, cluster_sizes(profile.rows), cluster_sizes(profile.columns));
}

template <class Compute>
nb::object two_arrays(Compute&& compute) {
    auto [rows, columns] = [&] {
        const Released released;
        return compute();
    }();
    return nb::make_tuple(owned_array(std::move(rows)), owned_array(std::move(columns)));
}

nb::object margins_of(const Cells& cells) {
    if (cells.weighted) {
        return two_arrays([&] {
            return std::pair(weigh_side(cells.rows, cells.weights, cells.n_rows),
                             weigh_side(cells.columns, cells.weights, cells.n_columns));
        });
    }
    return two_arrays([&] {
        return std::pair(count_side(cells.rows, cells.counts, cells.n_rows),
                         count_side(cells.columns, cells.counts, cells.n_columns));
    });
}

nb::object pair_weights_of(const Cells& cells) {
    PairWeights result;
    {
        const Released released;
        result = compute_pair_weights(cells);
    }
    return nb::make_tuple(result.yy, result.yn, result.ny, result.nn);
}

Overlaps overlaps_of(const Cells& cells, nb::handle row_ranks, nb::handle unscored) {
    const OptionalArray rank_array(row_ranks, "row_ranks", "a one-dimensional array of int32");
    const OptionalArray flag_array(unscored, "unscored", "a one-dimensional array of bool");
    std::optional<StridedView<std::int32_t>> ranks;
    std::optional<StridedView<std::uint8_t>> flags;
    if (rank_array) ranks = rank_array->int32s();
    if (flag_array) flags = flag_array->bools();
    const Released released;
    return compute_overlaps(cells, ranks, flags);
}

nb::object totals_of(const Overlaps& overlaps) {
    const auto total = [&](int i) { return number_of(overlaps.totals[i], overlaps.weighted); };
    return nb::make_tuple(total(0), total(1), total(2));
}

// Codes fit int32, whatever their sign in the core.
nb::object encoding_arrays(Encoding&& encoding) {
    Buffer<std::int32_t> codes(encoding.codes.size());
    for (std::size_t i = 0; i < codes.size(); ++i) codes[i] = static_cast<std::int32_t>(encoding.codes[i]);
    encoding.codes = {};
    return nb::make_tuple(owned_array(std::move(codes)), owned_array(std::move(encoding.firsts)));
}

nb::object encode_integer_array(nb::handle labels) {
    const HeldArray array(labels, "labels", label_array);
    const IntView view = array.integers();
    Encoding encoding;
    {
        const Released released;
        encoding = encode_integers(view);
    }
    return encoding_arrays(std::move(encoding));
}

nb::object encode_record_array(nb::handle labels) {
    const HeldArray array(labels, "labels", "an array of uint8", 2);
    std::size_t width = 0;
    const unsigned char* records = array.bytes(width);
    Encoding encoding;
    {
        const Released released;
        encoding = encode_records(records, array.size(), width);
    }
    return encoding_arrays(std::move(encoding));
}

nb::object encode_object_labels(nb::handle labels, nb::handle inspect) {
    ObjectEncoding encoding = encode_objects(labels, inspect);
    return nb::make_tuple(owned_array(std::move(encoding.codes)), encoding.labels);
}

// A property that views one of two arrays: weighted cells have another one.
auto view_of_either(Buffer<std::int64_t> OverlapAmounts<std::int64_t>::*points,
                    Buffer<double> OverlapAmounts<double>::*weights) {
    return [points, weights](nb::handle_t<Overlaps> self) -> nb::object {
        const auto& overlaps = nb::cast<const Overlaps&>(self);
        if (overlaps.weighted) return borrowed_array(overlaps.weights.*weights, self);
        return borrowed_array(overlaps.points.*points, self);
    };
}

auto view_if_weighted(Buffer<double> Cells::*member) {
    return [member](nb::handle_t<Cells> self) -> nb::object {
        const auto& cells = nb::cast<const Cells&>(self);
        if (!cells.weighted) return nb::none();
        return borrowed_array(cells.*member, self);
    };
}

void bind_cells(nb::module_& module) {
    nb::class_<Cells>(module, "Cells", nb::is_final(), "The non-empty cells of a table; immutable.")
        .def(
            "__init__",
            [](Cells* self, nb::handle rows, nb::handle columns, nb::handle counts, nb::handle weights,
               nb::handle pairs, std::int64_t n_rows, std::int64_t n_columns) {
                new (self) Cells(cells_from_entries(rows, columns, counts, weights, pairs, n_rows, n_columns));
            },
            "rows"_a, "columns"_a, "counts"_a, "weights"_a.none(), "pairs"_a.none(), "n_rows"_a, "n_columns"_a)
        .def("__len__", &Cells::size)
        .def_prop_ro("rows", view_of(&Cells::rows))
        .def_prop_ro("columns", view_of(&Cells::columns))
        .def_prop_ro("counts", view_of(&Cells::counts))
        .def_prop_ro("weights", view_if_weighted(&Cells::weights))
        .def_prop_ro("pairs", view_if_weighted(&Cells::pairs))
        .def_ro("n_rows", &Cells::n_rows)
        .def_ro("n_columns", &Cells::n_columns)
        .def_prop_ro("row_values", [](const Cells& cells) { return values_array(cells.row_values, cells.n_rows); })
        .def_prop_ro("column_values",
                     [](const Cells& cells) { return values_array(cells.column_values, cells.n_columns); })
        .def("squares", &squares_of);
}

// A range from the smallest to the largest label, each a Python integer of at most 64 bits, signed or not.
WordRange range_of(nb::int_ low, nb::int_ high) {
    const std::uint64_t first = PyLong_AsUnsignedLongLongMask(low.ptr());
    return {first, PyLong_AsUnsignedLongLongMask(high.ptr()) - first};
}

void bind_collector(nb::module_& module) {
    nb::class_<CellCollector>(module, "CellCollector", nb::is_final(), "Makes Cells of cells that come in parts.")
        .def(
            "__init__",
            [](CellCollector* self, std::size_t cells, nb::int_ low_row, nb::int_ high_row, nb::int_ low_column,
               nb::int_ high_column) {
                new (self) CellCollector(cells, range_of(low_row, high_row), range_of(low_column, high_column));
            },
            "cells"_a, "low_row"_a, "high_row"_a, "low_column"_a, "high_column"_a)
        .def(
            "add",
            [](CellCollector& self, nb::handle rows, nb::handle columns, nb::handle counts) {
                const HeldArray row_array(rows, "rows", label_array);
                const HeldArray column_array(columns, "columns", label_array);
                const HeldArray count_array(counts, "counts", label_array);
                const IntView views[] = {row_array.integers(), column_array.integers(), count_array.integers()};
                const nb::gil_scoped_release released;
                self.add(views[0], views[1], views[2]);
            },
            "rows"_a, "columns"_a, "counts"_a)
        .def("finish", [](CellCollector& self) {
            const nb::gil_scoped_release released;
            return self.finish();
        });
}

void bind_overlaps(nb::module_& module) {
    using Points = OverlapAmounts<std::int64_t>;
    using Weights = OverlapAmounts<double>;
    nb::class_<Overlaps>(module, "Overlaps", nb::is_final(), "Each predicted cluster's best true cluster, and sums.")
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

}  // namespace clustermark

NB_MODULE(_kernel, module) {
    using namespace clustermark;
    nb::set_leak_warnings(false);  // tables that live to the end of the process are not worth a message
    module.doc() = "The compiled kernel: encoding, cross-tabulation, sums over cells.";
    module.attr("LONE") = lone;
    module.attr("ABSENT") = absent;
    nb::register_exception_translator([](const std::exception_ptr& thrown, void*) {
        try {
            std::rethrow_exception(thrown);
        } catch (const Interrupted&) {
            // the handler of the signal has set the error
        }
    });
    bind_cells(module);
    bind_collector(module);
    bind_overlaps(module);
    bind_shares(module);
    bind_information(module);
    bind_ranking(module);
    bind_sampling(module);
    bind_sweep(module);
    bind_geometry(module);
    bind_trees(module);
    module.def("crosstab", &crosstab_arrays, "y_true"_a, "y_pred"_a, "counts"_a.none() = nb::none(),
               "weights"_a.none() = nb::none(), "threads"_a = 0);
    module.def("crosstab_codes", &crosstab_codes, "y_true"_a, "y_pred"_a, "threads"_a = 0);
    module.def("profile", &profile_of, "cells"_a);
    module.def("margins", &margins_of, "cells"_a);
    module.def("pair_weights", &pair_weights_of, "cells"_a);
    module.def("overlaps", &overlaps_of, "cells"_a, "row_ranks"_a.none() = nb::none(),
               "unscored"_a.none() = nb::none());
    module.def("encode_integers", &encode_integer_array, "labels"_a);
    module.def("encode_records", &encode_record_array, "labels"_a);
    module.def("encode_objects", &encode_object_labels, "labels"_a, "inspect"_a);
}
