// Trees over the same leaves, for Python.
#include <stdexcept>

#include "../core/trees.hpp"
#include "arrays.hpp"
#include "bind.hpp"
#include "inputs.hpp"
#include "released.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace clustermark {

namespace {

constexpr const char* integers = "a one-dimensional array of int64";
constexpr const char* doubles = "a one-dimensional array of float64";

class TreeInput {
public:
    TreeInput(nb::handle starts, nb::handle children)
        : starts_(starts, "starts", integers), children_(children, "children", integers) {
        // each node but the root is a child: so many leaves there are beside the branches
        if (starts_.size() < 2 || children_.size() + 2 <= starts_.size()) throw std::invalid_argument("this is no tree");
        tree.branches = starts_.size() - 1;
        tree.leaves = children_.size() + 1 - tree.branches;
        tree.starts = contiguous(starts_.int64s(), tree.branches + 1, "starts");
        tree.children = contiguous(children_.int64s(), children_.size(), "children");
        if (!is_tree(tree)) throw std::invalid_argument("this is no tree");
    }

private:
    HeldArray starts_;
    HeldArray children_;

public:
    TreeView tree{};
};

nb::object wide(WideIntegers&& numbers) {
    return nb::make_tuple(owned_array(std::move(numbers.high)), owned_array(std::move(numbers.low)));
}

nb::object arrange_of(nb::handle starts, nb::handle children) {
    const TreeInput input(starts, children);
    Arrangement drawn;
    {
        const Released released;
        drawn = arrange(input.tree);
    }
    return nb::make_tuple(owned_array(std::move(drawn.parents)), owned_array(std::move(drawn.sizes)),
                          owned_array(std::move(drawn.places)));
}

nb::object sum_joined_of(nb::handle starts, nb::handle children, nb::handle other_starts, nb::handle other_children,
                         nb::handle values) {
    const TreeInput one(starts, children), other(other_starts, other_children);
    if (one.tree.leaves != other.tree.leaves) throw std::invalid_argument("the trees have different numbers of leaves");
    const HeldArray held(values, "values", integers);
    const std::int64_t* numbers = contiguous(held.int64s(), other.tree.branches, "values");
    WideIntegers sums(0);
    {
        const Released released;
        sums = sum_joined(one.tree, other.tree, numbers);
    }
    return wide(std::move(sums));
}

class StepsInput {
public:
    StepsInput(nb::handle left, nb::handle right, std::size_t leaves)
        : left_(left, "left", integers), right_(right, "right", integers),
          steps{contiguous(left_.int64s(), leaves - 1, "left"), contiguous(right_.int64s(), leaves - 1, "right")} {
        for (std::size_t i = 0; i + 1 < leaves; ++i) {
            if (static_cast<std::uint64_t>(steps.left[i]) >= leaves || static_cast<std::uint64_t>(steps.right[i]) >= leaves) {
                throw std::invalid_argument("leaves out of range");
            }
        }
    }

private:
    HeldArray left_;
    HeldArray right_;

public:
    Steps steps;
};

nb::object count_together_of(std::size_t leaves, nb::handle left, nb::handle right, nb::handle other_left,
                             nb::handle other_right) {
    if (leaves == 0) throw std::invalid_argument("there must be leaves");
    const StepsInput one(left, right, leaves), other(other_left, other_right, leaves);
    Buffer<std::int64_t> counts;
    {
        const Released released;
        counts = count_together(leaves, one.steps, other.steps);
    }
    return owned_array(std::move(counts));
}

nb::object tabulate_classes_of(nb::handle starts, nb::handle children, nb::handle codes, std::size_t classes) {
    const TreeInput input(starts, children);
    const HeldArray held(codes, "codes", "a one-dimensional array of int32");
    const std::int32_t* numbers = contiguous(held.int32s(), input.tree.leaves, "codes");
    for (std::size_t leaf = 0; leaf < input.tree.leaves; ++leaf) {
        if (static_cast<std::size_t>(numbers[leaf]) >= classes) throw std::invalid_argument("codes out of range");
    }
    ClassTables tables{WideIntegers(0), {}};
    {
        const Released released;
        tables = tabulate_classes(input.tree, numbers, classes);
    }
    return nb::make_tuple(wide(std::move(tables.joined)), owned_array(std::move(tables.best)));
}

double mean_difference_of(nb::handle a, nb::handle b) {
    const HeldArray one(a, "a", doubles), other(b, "b", doubles);
    if (one.size() == 0 || other.size() == 0) throw std::invalid_argument("there must be numbers");
    const double* first = contiguous(one.doubles(), one.size(), "a");
    const double* second = contiguous(other.doubles(), other.size(), "b");
    const Released released;
    return mean_difference(first, one.size(), second, other.size());
}

}  // namespace

void bind_trees(nb::module_& module) {
    module.def("arrange_tree", &arrange_of, "starts"_a, "children"_a);
    module.def("sum_joined", &sum_joined_of, "starts"_a, "children"_a, "other_starts"_a, "other_children"_a, "values"_a);
    module.def("count_together", &count_together_of, "leaves"_a, "left"_a, "right"_a, "other_left"_a, "other_right"_a);
    module.def("tabulate_classes", &tabulate_classes_of, "starts"_a, "children"_a, "codes"_a, "classes"_a);
    module.def("mean_difference", &mean_difference_of, "a"_a, "b"_a);
}

}  // namespace clustermark
