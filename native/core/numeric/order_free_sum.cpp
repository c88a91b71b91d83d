#include "core/numeric/order_free_sum.hpp"

#include <algorithm>
#include <stdexcept>
#include <vector>

#include "core/execution/interruption.hpp"

namespace clustermark {

namespace {

// The largest absolute value, or NaN if there is a NaN. Not inlined: GCC then keeps the branch, which is predicted and
// three times as fast as a chain of maxima.
[[gnu::noinline]] double find_largest(const StridedView<double>& values, std::size_t begin, std::size_t end, double largest) {
    for (std::size_t i = begin; i < end; ++i) {
        const double size = std::fabs(values[i]);
        if (!(size <= largest)) largest = size;
    }
    return largest;
}

// Adds values[i] to sums[group_of(i)].
template <class GroupOf>
void add_to(OrderFreeAdder::Sum* sums, StridedView<double> values, GroupOf group_of) {
    constexpr std::size_t block = std::size_t{1} << 16;
    double largest = 0.0;
    StepCounter counter;
    for (std::size_t begin = 0; begin < values.size; begin += block) {
        const std::size_t end = std::min(begin + block, values.size);
        largest = find_largest(values, begin, end, largest);
        counter.step(end - begin);
    }
    const OrderFreeAdder adder(values.size, largest);
    // captured by value, so that the compiler does not read the variables again after each store to a sum
    for_each_step(0, values.size, [=](std::size_t i) { adder.add(sums[group_of(i)], values[i]); });
}

}  // namespace

double add_all(const StridedView<double>& values) {
    OrderFreeAdder::Sum sum;
    add_to(&sum, values, [](std::size_t) { return std::size_t{0}; });
    return sum.value();
}

Buffer<double> add_by(const StridedView<double>& values, const StridedView<std::int64_t>& groups,
                      std::size_t n_groups) {
    std::vector<OrderFreeAdder::Sum> parts(n_groups);
    add_to(parts.data(), values, [groups, n_groups](std::size_t i) {
        const auto group = static_cast<std::uint64_t>(groups[i]);  // read once: the caller may change it
        if (group >= n_groups) throw std::invalid_argument("groups must be numbers from 0 to n_groups - 1");
        return static_cast<std::size_t>(group);
    });
    Buffer<double> sums(n_groups);
    for (std::size_t group = 0; group < n_groups; ++group) sums[group] = parts[group].value();
    return sums;
}

}  // namespace clustermark
