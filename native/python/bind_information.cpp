// Mutual information of random tables, for Python.
#include <cmath>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "core/information/mutual_information.hpp"
#include "python/arrays.hpp"
#include "python/bind.hpp"
#include "python/inputs.hpp"
#include "python/interruptible_call.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace clustermark {

namespace {

[[noreturn]] void reject_type(const char* name, const char* wanted) {
    PyErr_Format(PyExc_TypeError, "%s must be %s", name, wanted);
    throw nb::python_error();
}

constexpr const char* wanted_sizes = "a sequence of pairs of integers (size, clusters)";

std::int64_t whole_number(nb::handle object, const char* name) {
    const nb::object index = nb::steal(PyNumber_Index(object.ptr()));
    if (!index.is_valid()) {
        PyErr_Clear();
        reject_type(name, wanted_sizes);
    }
    int overflow = 0;
    const long long value = PyLong_AsLongLongAndOverflow(index.ptr(), &overflow);
    if (overflow > 0) throw std::invalid_argument(std::string(name) + " add up to 2^63 points or more");
    return overflow < 0 ? -1 : value;  // refused later, like all numbers below 1
}

// A tuple with the same elements; reading one of them can run code that changes the original.
nb::object as_tuple(nb::handle object, const char* name) {
    const bool is_text = PyUnicode_Check(object.ptr()) || PyBytes_Check(object.ptr());
    nb::object tuple;
    if (!is_text && PySequence_Check(object.ptr())) tuple = nb::steal(PySequence_Tuple(object.ptr()));
    if (!tuple.is_valid()) {
        PyErr_Clear();
        reject_type(name, wanted_sizes);
    }
    return tuple;
}

std::vector<SizeGroup> size_groups(nb::handle object, const char* name) {
    const nb::object pairs = as_tuple(object, name);
    std::vector<SizeGroup> groups;
    groups.reserve(static_cast<std::size_t>(PyTuple_GET_SIZE(pairs.ptr())));
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(pairs.ptr()); ++i) {
        const nb::object pair = as_tuple(PyTuple_GET_ITEM(pairs.ptr(), i), name);
        if (PyTuple_GET_SIZE(pair.ptr()) != 2) reject_type(name, wanted_sizes);
        groups.push_back({whole_number(PyTuple_GET_ITEM(pair.ptr(), 0), name),
                          whole_number(PyTuple_GET_ITEM(pair.ptr(), 1), name)});
    }
    return groups;
}

TablePlan plan_of(nb::handle true_sizes, nb::handle pred_sizes) {
    return plan_tables(size_groups(true_sizes, "true_sizes"), size_groups(pred_sizes, "pred_sizes"));
}

double expected_mutual_information(nb::handle true_sizes, nb::handle pred_sizes, int threads) {
    if (threads < 0) throw std::invalid_argument("threads must not be negative");
    const TablePlan plan = plan_of(true_sizes, pred_sizes);
    return run_without_gil([&] { return expected_information(plan, threads); });
}

nb::object mutual_information_variance(nb::handle true_sizes, nb::handle pred_sizes, double limit) {
    if (std::isnan(limit)) throw std::invalid_argument("limit must be a number");
    const TablePlan plan = plan_of(true_sizes, pred_sizes);
    auto variance = run_without_gil([&] { return information_variance(plan, limit); });
    if (!variance) return nb::none();
    return nb::float_(*variance);
}

nb::object sample_mutual_information(nb::handle true_sizes, nb::handle pred_sizes, std::int64_t samples,
                                     std::uint64_t seed, std::uint64_t first) {
    if (samples < 0) throw std::invalid_argument("samples must not be negative");
    const TablePlan plan = plan_of(true_sizes, pred_sizes);
    auto values = run_without_gil([&] { return sample_information(plan, static_cast<std::size_t>(samples), seed, first); });
    return owned_array(std::move(values));
}

nb::object expected_excesses_of(nb::handle true_sizes, nb::handle pred_sizes, std::int64_t points, int threads) {
    if (threads < 0) throw std::invalid_argument("threads must not be negative");
    const std::vector<std::int64_t> rows = int64_list(true_sizes, "true_sizes");
    const std::vector<std::int64_t> columns = int64_list(pred_sizes, "pred_sizes");
    for (const std::vector<std::int64_t>* sizes : {&rows, &columns}) {
        for (const std::int64_t size : *sizes) {
            if (size < 0 || size > points) throw std::invalid_argument("sizes must be between 0 and the points");
        }
    }
    auto terms = run_without_gil([&] { return expected_excesses(rows, columns, points, threads); });
    return owned_array(std::move(terms));
}

}  // namespace

void bind_information(nb::module_& module) {
    // None is accepted so that our own error message is raised.
    module.def("expected_mutual_information", &expected_mutual_information, "true_sizes"_a.none(),
               "pred_sizes"_a.none(), "threads"_a = 0);
    module.def("mutual_information_variance", &mutual_information_variance, "true_sizes"_a.none(),
               "pred_sizes"_a.none(), "limit"_a);
    module.def("sample_mutual_information", &sample_mutual_information, "true_sizes"_a.none(),
               "pred_sizes"_a.none(), "samples"_a, "seed"_a, "first"_a = 0);
    module.def("expected_excesses", &expected_excesses_of, "true_sizes"_a.none(), "pred_sizes"_a.none(), "points"_a,
               "threads"_a = 0);
}

}  // namespace clustermark
