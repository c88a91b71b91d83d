#include "core/numeric/order_free_sum.hpp"

#include <stdexcept>
#include <vector>

#include "core/execution/interruption.hpp"

namespace clustermark {

namespace {

// Adds values[i] to sums[group_of(i)].
template <class GroupOf>
void add_to(OrderFreeAdder::Sum* sums, const StridedView<double>& values, GroupOf&& group_of) {
    double largest = 0.0;
    StepCounter counter;
    for (std::size_t i = 0; i < values.size; ++i, counter.step()) {
        const double size = std::fabs(values[i]);
        if (!(size <= largest)) largest = size;
    }
    const OrderFreeAdder adder(values.size, largest);
    for (std::size_t i = 0; i < values.size; ++i, counter.step()) adder.add(sums[group_of(i)], values[i]);
}

}  // namespace

double add_all(const StridedView<double>& values) {
    OrderFreeAdder::Sum sum;
    add_to(&sum, values, [](std::size_t) { return std::size_t{0}; });
    return sum.value();
}

Buffer<double> add_by(const StridedView<double>& values, const StridedView<std::int64_t>& groups,
                      std::size_t n_groups) {
    StepCounter counter;
    for (std::size_t i = 0; i < groups.size; ++i, counter.step()) {
        if (groups[i] < 0 || static_cast<std::size_t>(groups[i]) >= n_groups) {
            throw std::invalid_argument("groups must be numbers from 0 to n_groups - 1");
        }
    }
    std::vector<OrderFreeAdder::Sum> parts(n_groups);
    add_to(parts.data(), values, [&](std::size_t i) { return static_cast<std::size_t>(groups[i]); });
    Buffer<double> sums(n_groups);
    for (std::size_t group = 0; group < n_groups; ++group) sums[group] = parts[group].value();
    return sums;
}

}  // namespace clustermark
