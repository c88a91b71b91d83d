// Tables of two labelings: encoding, cross-tabulation, cells and random tables.
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "core/table/cell_collector.hpp"
#include "core/table/cluster_sizes.hpp"
#include "core/table/crosstab.hpp"
#include "core/table/hash_encoding.hpp"
#include "core/table/random_tables.hpp"
#include "python/arrays.hpp"
#include "python/bind.hpp"
#include "python/encode_objects.hpp"
#include "python/inputs.hpp"
#include "python/interruptible_call.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace clustermark {

namespace {

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
    return run_without_gil([&] { return crosstab(row_labels, column_labels, payloads, threads); });
}

// The same for plain points, or None if a side must be read in another way or is invalid.
nb::object crosstab_codes(nb::handle y_true, nb::handle y_pred, int threads) {
    const HeldCodes rows(y_true);
    const HeldCodes columns(y_pred);
    if (!rows.view() || !columns.view() || rows.view()->size == 0 || rows.view()->size != columns.view()->size) {
        return nb::none();
    }
    return nb::cast(run_without_gil_if_long(
        rows.view()->size, [&] { return crosstab(*rows.view(), *columns.view(), {}, threads); }));
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
    return run_without_gil([&] { return build_cells(entries, row_count, column_count); });
}

nb::object squares_of(Cells& cells) {
    if (!cells.squares) {
        cells.squares = run_without_gil([&] { return compute_squares(cells); });  // set with the lock held
    }
    const Squares& squares = *cells.squares;
    return nb::make_tuple(exact_int(squares.points), exact_int(squares.cells), exact_int(squares.rows),
                          exact_int(squares.columns));
}

template <class Compute>
nb::object two_arrays(Compute&& compute) {
    auto [rows, columns] = run_without_gil(compute);
    return nb::make_tuple(owned_array(std::move(rows)), owned_array(std::move(columns)));
}

nb::object margins_of(const Cells& cells) {
    if (cells.weighted) {
        return two_arrays([&] {
            return std::pair(weigh_cluster_sizes(cells.rows, cells.weights, cells.n_rows),
                             weigh_cluster_sizes(cells.columns, cells.weights, cells.n_columns));
        });
    }
    return two_arrays([&] {
        return std::pair(count_cluster_sizes(cells.rows, cells.counts, cells.n_rows),
                         count_cluster_sizes(cells.columns, cells.counts, cells.n_columns));
    });
}

// Codes fit into int32, although they are unsigned in the core.
nb::object encoding_arrays(Encoding&& encoding) {
    Buffer<std::int32_t> codes(encoding.codes.size());
    for (std::size_t i = 0; i < codes.size(); ++i) codes[i] = static_cast<std::int32_t>(encoding.codes[i]);
    encoding.codes = {};
    return nb::make_tuple(owned_array(std::move(codes)), owned_array(std::move(encoding.firsts)));
}

nb::object encode_integer_array(nb::handle labels) {
    const HeldArray array(labels, "labels", label_array);
    const IntView view = array.integers();
    auto encoding = run_without_gil([&] { return encode_integers(view); });
    return encoding_arrays(std::move(encoding));
}

nb::object encode_record_array(nb::handle labels) {
    const HeldArray array(labels, "labels", "an array of uint8", 2);
    std::size_t width = 0;
    const unsigned char* records = array.bytes(width);
    auto encoding = run_without_gil([&] { return encode_records(records, array.size(), width); });
    return encoding_arrays(std::move(encoding));
}

nb::object encode_object_labels(nb::handle labels, nb::handle inspect) {
    ObjectEncoding encoding = encode_objects(labels, inspect);
    return nb::make_tuple(owned_array(std::move(encoding.codes)), encoding.labels);
}

template <class T>
nb::object values_as(const SideValues& values, std::size_t size) {
    Buffer<T> labels(size);
    for (std::size_t i = 0; i < size; ++i) labels[i] = static_cast<T>(values.word(i));
    return owned_array<T, const T>(std::move(labels));
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

auto view_if_weighted(Buffer<double> Cells::*member) {
    return [member](nb::handle_t<Cells> self) -> nb::object {
        const auto& cells = nb::cast<const Cells&>(self);
        if (!cells.weighted) return nb::none();
        return borrowed_array(cells.*member, self);
    };
}

nb::object draw_table_of(nb::handle true_sizes, nb::handle pred_sizes, std::uint64_t seed, std::uint64_t number) {
    const std::vector<std::int64_t> rows = int64_list(true_sizes, "true_sizes");
    const std::vector<std::int64_t> columns = int64_list(pred_sizes, "pred_sizes");
    auto table = run_without_gil([&] { return draw_table(rows, columns, seed, number); });
    return nb::make_tuple(owned_array(std::move(table.rows)), owned_array(std::move(table.columns)),
                          owned_array(std::move(table.counts)));
}

nb::object draw_half_of(nb::handle counts, std::uint64_t seed, std::uint64_t number) {
    const std::vector<std::int64_t> numbers = int64_list(counts, "counts");
    auto half = run_without_gil([&] { return draw_half(numbers, seed, number); });
    return owned_array(std::move(half));
}

nb::object sample_pairs_of(nb::handle true_sizes, nb::handle pred_sizes, std::int64_t samples, std::uint64_t seed,
                           std::uint64_t first) {
    if (samples < 0) throw std::invalid_argument("samples must not be negative");
    const std::vector<std::int64_t> rows = int64_list(true_sizes, "true_sizes");
    const std::vector<std::int64_t> columns = int64_list(pred_sizes, "pred_sizes");
    auto pairs = run_without_gil([&] { return sample_pairs(rows, columns, static_cast<std::size_t>(samples), seed, first); });
    return owned_array(std::move(pairs));
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
    nb::class_<CellCollector>(module, "CellCollector", nb::is_final(), "Makes Cells from cells that arrive in parts.")
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
                run_without_gil([&] { self.add(views[0], views[1], views[2]); });
            },
            "rows"_a, "columns"_a, "counts"_a)
        .def("finish", [](CellCollector& self) { return run_without_gil([&] { return self.finish(); }); });
}

}  // namespace

void bind_table(nb::module_& module) {
    bind_cells(module);
    bind_collector(module);
    module.def("crosstab", &crosstab_arrays, "y_true"_a, "y_pred"_a, "counts"_a.none() = nb::none(),
               "weights"_a.none() = nb::none(), "threads"_a = 0);
    module.def("crosstab_codes", &crosstab_codes, "y_true"_a, "y_pred"_a, "threads"_a = 0);
    module.def("margins", &margins_of, "cells"_a);
    module.def("encode_integers", &encode_integer_array, "labels"_a);
    module.def("encode_records", &encode_record_array, "labels"_a);
    module.def("encode_objects", &encode_object_labels, "labels"_a, "inspect"_a);
    module.def("draw_table", &draw_table_of, "true_sizes"_a.none(), "pred_sizes"_a.none(), "seed"_a, "number"_a);
    module.def("draw_half", &draw_half_of, "counts"_a.none(), "seed"_a, "number"_a);
    module.def("sample_pairs", &sample_pairs_of, "true_sizes"_a.none(), "pred_sizes"_a.none(), "samples"_a, "seed"_a,
               "first"_a = 0);
}

}  // namespace clustermark
