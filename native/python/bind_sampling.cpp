// Random tables, for Python.
#include <charconv>
#include <cstring>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "../core/departures.hpp"
#include "../core/information.hpp"
#include "../core/md5.hpp"
#include "../core/order_free.hpp"
#include "../core/sample_tables.hpp"
#include "../core/threads.hpp"
#include "arrays.hpp"
#include "bind.hpp"
#include "inputs.hpp"
#include "released.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace clustermark {

namespace {

// All terms in one group.
struct Together {
    std::size_t operator[](std::size_t) const { return 0; }
};

std::vector<std::int64_t> numbers_of(nb::handle object, const char* name) {
    const HeldArray array(object, name, "a one-dimensional array of int64");
    const StridedView<std::int64_t> view = array.int64s();
    std::vector<std::int64_t> numbers(view.size);
    for (std::size_t i = 0; i < view.size; ++i) numbers[i] = view[i];
    return numbers;
}

nb::object draw_table_of(nb::handle true_sizes, nb::handle pred_sizes, std::uint64_t seed, std::uint64_t number) {
    const std::vector<std::int64_t> rows = numbers_of(true_sizes, "true_sizes");
    const std::vector<std::int64_t> columns = numbers_of(pred_sizes, "pred_sizes");
    DrawnTable table;
    {
        const nb::gil_scoped_release released;
        table = draw_table(rows, columns, seed, number);
    }
    return nb::make_tuple(owned_array(std::move(table.rows)), owned_array(std::move(table.columns)),
                          owned_array(std::move(table.counts)));
}

nb::object draw_half_of(nb::handle counts, std::uint64_t seed, std::uint64_t number) {
    const std::vector<std::int64_t> numbers = numbers_of(counts, "counts");
    Buffer<std::int64_t> half;
    {
        const nb::gil_scoped_release released;
        half = draw_half(numbers, seed, number);
    }
    return owned_array(std::move(half));
}

nb::object sample_pairs_of(nb::handle true_sizes, nb::handle pred_sizes, std::int64_t samples, std::uint64_t seed,
                           std::uint64_t first) {
    if (samples < 0) throw std::invalid_argument("samples must not be negative");
    const std::vector<std::int64_t> rows = numbers_of(true_sizes, "true_sizes");
    const std::vector<std::int64_t> columns = numbers_of(pred_sizes, "pred_sizes");
    Buffer<std::int64_t> pairs;
    {
        const nb::gil_scoped_release released;
        pairs = sample_pairs(rows, columns, static_cast<std::size_t>(samples), seed, first);
    }
    return owned_array(std::move(pairs));
}

nb::object departures_of(nb::handle values, nb::handle times, double score) {
    const HeldArray value_array(values, "values", "a one-dimensional array of float64");
    const HeldArray time_array(times, "times", "a one-dimensional array of int64");
    const StridedView<double> value_view = value_array.doubles();
    const StridedView<std::int64_t> time_view = time_array.int64s();
    if (value_view.size != time_view.size) throw std::invalid_argument("values and times must have the same length");
    Departures found;
    {
        const nb::gil_scoped_release released;
        found = add_departures(value_view, time_view, score);
    }
    return nb::make_tuple(found.sum, found.squares, found.least, found.most);
}

nb::object add_by_of(nb::handle groups, nb::handle values, std::int64_t n_groups) {
    const HeldArray group_array(groups, "groups", "a one-dimensional array of int64");
    const HeldArray value_array(values, "values", "a one-dimensional array of float64");
    const StridedView<std::int64_t> group_view = group_array.int64s();
    const StridedView<double> value_view = value_array.doubles();
    if (group_view.size != value_view.size) throw std::invalid_argument("groups and values must have the same length");
    if (n_groups < 0) throw std::invalid_argument("n_groups must not be negative");
    Buffer<double> sums(static_cast<std::size_t>(n_groups));
    {
        const nb::gil_scoped_release released;
        for (std::size_t i = 0; i < group_view.size; ++i) {
            if (group_view[i] < 0 || group_view[i] >= n_groups) {
                throw std::invalid_argument("groups must be numbers from 0 to n_groups - 1");
            }
        }
        std::vector<OrderFree::Sum> parts(sums.size());
        add_by(value_view, group_view, parts.data());
        for (std::size_t group = 0; group < parts.size(); ++group) sums[group] = parts[group].value();
    }
    return owned_array(std::move(sums));
}

double add_of(nb::handle values) {
    const HeldArray array(values, "values", "a one-dimensional array of float64");
    const StridedView<double> view = array.doubles();
    const nb::gil_scoped_release released;
    OrderFree::Sum sum;
    add_by(view, Together{}, &sum);
    return sum.value();
}

nb::object expected_excesses_of(nb::handle true_sizes, nb::handle pred_sizes, std::int64_t points, int threads) {
    if (threads < 0) throw std::invalid_argument("threads must not be negative");
    const std::vector<std::int64_t> rows = numbers_of(true_sizes, "true_sizes");
    const std::vector<std::int64_t> columns = numbers_of(pred_sizes, "pred_sizes");
    for (const std::vector<std::int64_t>* sizes : {&rows, &columns}) {
        for (const std::int64_t size : *sizes) {
            if (size < 0 || size > points) throw std::invalid_argument("sizes must be between 0 and the points");
        }
    }
    Buffer<double> terms;
    {
        const Released released;
        terms = expected_excesses(rows, columns, points, threads);
    }
    return owned_array(std::move(terms));
}

nb::object digest_integers_of(const nb::bytes& bytes, nb::handle values, int threads) {
    if (threads < 0) throw std::invalid_argument("threads must not be negative");
    const std::string prefix(bytes.c_str(), bytes.size());
    if (prefix.size() + 20 > ShortMd5::longest) throw std::invalid_argument("prefix must have at most 35 bytes");
    const HeldArray array(values, "values", "a one-dimensional array of int64");
    const StridedView<std::int64_t> view = array.int64s();
    Buffer<std::uint64_t> heads(view.size);
    {
        const Released released;
        const unsigned workers = choose_threads(threads, view.size * 64);
        run_parallel(workers, [&](unsigned index) {
            ShortMd5 digest;
            Pace pace;
            const auto [first, last] = share(view.size, index, workers);
            for (std::size_t i = first; i < last; ++i) {
                std::memcpy(digest.text(), prefix.data(), prefix.size());
                char* const begin = digest.text() + prefix.size();
                char* const end = std::to_chars(begin, begin + 20, view[i]).ptr;
                heads[i] = digest.head(static_cast<std::size_t>(end - digest.text()));
                pace.step(64);
            }
        });
    }
    return owned_array(std::move(heads));
}

}  // namespace

void bind_sampling(nb::module_& module) {
    module.def("draw_table", &draw_table_of, "true_sizes"_a.none(), "pred_sizes"_a.none(), "seed"_a, "number"_a);
    module.def("draw_half", &draw_half_of, "counts"_a.none(), "seed"_a, "number"_a);
    module.def("sample_pairs", &sample_pairs_of, "true_sizes"_a.none(), "pred_sizes"_a.none(), "samples"_a, "seed"_a,
               "first"_a = 0);
    module.def("departures", &departures_of, "values"_a.none(), "times"_a.none(), "score"_a);
    module.def("add_by", &add_by_of, "groups"_a.none(), "values"_a.none(), "n_groups"_a);
    module.def("add", &add_of, "values"_a.none());
    module.def("expected_excesses", &expected_excesses_of, "true_sizes"_a.none(), "pred_sizes"_a.none(), "points"_a,
               "threads"_a = 0);
    module.def("digest_integers", &digest_integers_of, "prefix"_a, "values"_a.none(), "threads"_a = 0);
}

}  // namespace clustermark
