// Sums whose bits do not depend on order, and digests.
#include <stdexcept>
#include <string>

#include "core/numeric/deviations.hpp"
#include "core/numeric/md5.hpp"
#include "core/numeric/mean_difference.hpp"
#include "core/numeric/order_free_sum.hpp"
#include "python/arrays.hpp"
#include "python/bind.hpp"
#include "python/inputs.hpp"
#include "python/interruptible_call.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace clustermark {

namespace {

constexpr const char* doubles = "a one-dimensional array of float64";
constexpr const char* integers = "a one-dimensional array of int64";

nb::object deviations_of(nb::handle values, nb::handle times, double score) {
    const HeldArray value_array(values, "values", doubles);
    const HeldArray time_array(times, "times", integers);
    const StridedView<double> value_view = value_array.doubles();
    const StridedView<std::int64_t> time_view = time_array.int64s();
    if (value_view.size != time_view.size) throw std::invalid_argument("values and times must have the same length");
    auto found = run_without_gil_if_long(value_view.size, [&] { return add_deviations(value_view, time_view, score); });
    return nb::make_tuple(found.sum, found.squares, found.least, found.most);
}

nb::object add_by_of(nb::handle groups, nb::handle values, std::int64_t n_groups) {
    const HeldArray group_array(groups, "groups", integers);
    const HeldArray value_array(values, "values", doubles);
    const StridedView<std::int64_t> group_view = group_array.int64s();
    const StridedView<double> value_view = value_array.doubles();
    if (group_view.size != value_view.size) throw std::invalid_argument("groups and values must have the same length");
    if (n_groups < 0) throw std::invalid_argument("n_groups must not be negative");
    const auto n = static_cast<std::size_t>(n_groups);
    auto sums = run_without_gil_if_long(value_view.size + n, [&] { return add_by(value_view, group_view, n); });
    return owned_array(std::move(sums));
}

double add_of(nb::handle values) {
    const HeldArray array(values, "values", doubles);
    const StridedView<double> view = array.doubles();
    return run_without_gil_if_long(view.size, [&] { return add_all(view); });
}

nb::object digest_integers_of(const nb::bytes& bytes, nb::handle values, int threads) {
    if (threads < 0) throw std::invalid_argument("threads must not be negative");
    const std::string prefix(bytes.c_str(), bytes.size());
    const HeldArray array(values, "values", integers);
    const StridedView<std::int64_t> view = array.int64s();
    auto digests = run_without_gil([&] { return digest_integers(prefix, view, threads); });
    return owned_array(std::move(digests));
}

double mean_difference_of(nb::handle a, nb::handle b) {
    const HeldArray one(a, "a", doubles), other(b, "b", doubles);
    if (one.size() == 0 || other.size() == 0) throw std::invalid_argument("neither array may be empty");
    const Buffer<double> first = one.doubles().copy();
    const Buffer<double> second = other.doubles().copy();
    return run_without_gil([&] { return mean_difference(first.data(), first.size(), second.data(), second.size()); });
}

}  // namespace

void bind_numeric(nb::module_& module) {
    module.def("departures", &deviations_of, "values"_a.none(), "times"_a.none(), "score"_a);
    module.def("add_by", &add_by_of, "groups"_a.none(), "values"_a.none(), "n_groups"_a);
    module.def("add", &add_of, "values"_a.none());
    module.def("digest_integers", &digest_integers_of, "prefix"_a, "values"_a.none(), "threads"_a = 0);
    module.def("mean_difference", &mean_difference_of, "a"_a, "b"_a);
}

}  // namespace clustermark
