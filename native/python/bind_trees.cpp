// Trees over the same leaves, for Python.
#include <stdexcept>

#include "core/trees/cuts.hpp"
#include "core/trees/joined_leaves.hpp"
#include "core/trees/tree.hpp"
#include "python/arrays.hpp"
#include "python/bind.hpp"
#include "python/inputs.hpp"
#include "python/interruptible_call.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace clustermark {

namespace {

constexpr const char* integers = "a one-dimensional array of int64";

class TreeInput {
public:
    TreeInput(nb::handle starts, nb::handle children) {
        const HeldArray start_array(starts, "starts", integers), child_array(children, "children", integers);
        starts_ = start_array.int64s().copy();
        children_ = child_array.int64s().copy();
        // each node except the root is a child, which determines the number of leaves
        if (starts_.size() < 2 || children_.size() + 2 <= starts_.size()) throw std::invalid_argument("starts and children must form a tree");
        tree.branches = starts_.size() - 1;
        tree.leaves = children_.size() + 1 - tree.branches;
        tree.starts = starts_.data();
        tree.children = children_.data();
        if (!is_tree(tree)) throw std::invalid_argument("starts and children must form a tree");
    }

private:
    Buffer<std::int64_t> starts_;
    Buffer<std::int64_t> children_;

public:
    TreeView tree{};
};

nb::object arrange_of(nb::handle starts, nb::handle children) {
    const TreeInput input(starts, children);
    auto drawn = run_without_gil([&] { return lay_out(input.tree); });
    return nb::make_tuple(owned_array(std::move(drawn.parents)), owned_array(std::move(drawn.sizes)),
                          owned_array(std::move(drawn.places)));
}

nb::object sum_joined_of(nb::handle starts, nb::handle children, nb::handle other_starts, nb::handle other_children,
                         nb::handle values) {
    const TreeInput one(starts, children), other(other_starts, other_children);
    if (one.tree.leaves != other.tree.leaves) throw std::invalid_argument("the trees have different numbers of leaves");
    const Buffer<std::int64_t> numbers = copy_of(HeldArray(values, "values", integers).int64s(), other.tree.branches, "values");
    auto sums = run_without_gil([&] { return sum_joined(one.tree, other.tree, numbers.data()); });
    return halves_of(std::move(sums));
}

nb::object count_cuts_of(nb::handle starts, nb::handle children, nb::handle other_starts, nb::handle other_children) {
    const TreeInput one(starts, children), other(other_starts, other_children);
    if (one.tree.leaves != other.tree.leaves) throw std::invalid_argument("the trees have different numbers of leaves");
    auto cuts = run_without_gil([&] { return count_cuts(one.tree, other.tree); });
    return nb::make_tuple(owned_array(std::move(cuts.together)), owned_array(std::move(cuts.one.pairs)),
                          owned_array(std::move(cuts.other.pairs)), halves_of(std::move(cuts.one.triples)),
                          halves_of(std::move(cuts.other.triples)));
}

class CutInput {
public:
    CutInput(nb::handle pairs, nb::handle triples, std::size_t steps)
        : pairs_(copy_of(HeldArray(pairs, "pairs", integers).int64s(), steps, "pairs")),
          triples_(copy_of(HeldArray(triples, "triples", integers).int64s(), steps, "triples")),
          counts{pairs_.data(), triples_.data()} {}

    // Whether the counts are possible for this number of leaves.
    bool fits(std::size_t leaves, std::size_t steps) const {
        const auto most = static_cast<std::int64_t>(leaves * leaves);
        for (std::size_t i = 0; i < steps; ++i) {
            if (counts.pairs[i] < 1 || counts.pairs[i] > most / 2 || counts.triples[i] < 0) return false;
            if (counts.triples[i] > most * static_cast<std::int64_t>(leaves)) return false;
        }
        return true;
    }

private:
    Buffer<std::int64_t> pairs_;
    Buffer<std::int64_t> triples_;

public:
    CutCounts counts;
};

nb::object find_variances_of(std::size_t leaves, nb::handle pairs, nb::handle triples, nb::handle other_pairs,
                             nb::handle other_triples) {
    if (leaves < 3 || leaves > most_exact_leaves) throw std::invalid_argument("too few leaves, or too many");
    const std::size_t steps = leaves - 1;
    const CutInput one(pairs, triples, steps), other(other_pairs, other_triples, steps);
    if (!one.fits(leaves, steps) || !other.fits(leaves, steps)) throw std::invalid_argument("counts out of range");
    return owned_array(find_variances(leaves, steps, one.counts, other.counts));
}

nb::object read_merges_of(nb::handle linkage) {
    const HeldArray held(linkage, "linkage", "a two-dimensional array of float64", 2);
    const MatrixView view = held.reals();
    if (view.columns != 4 || view.rows == 0) throw std::invalid_argument("a linkage has 4 columns, and rows");
    auto children = run_without_gil([&] { return read_merges(view); });
    return children.size() == 0 ? nb::none() : owned_array(std::move(children));
}

nb::object tabulate_classes_of(nb::handle starts, nb::handle children, nb::handle codes, std::size_t classes) {
    const TreeInput input(starts, children);
    const HeldArray held(codes, "codes", "a one-dimensional array of int32");
    const Buffer<std::int32_t> numbers = copy_of(held.int32s(), input.tree.leaves, "codes");
    for (const std::int32_t code : numbers) {
        if (static_cast<std::size_t>(code) >= classes) throw std::invalid_argument("codes out of range");
    }
    auto tables = run_without_gil([&] { return tabulate_classes(input.tree, numbers.data(), classes); });
    return nb::make_tuple(halves_of(std::move(tables.joined)), owned_array(std::move(tables.best)));
}

}  // namespace

void bind_trees(nb::module_& module) {
    module.def("arrange_tree", &arrange_of, "starts"_a, "children"_a);
    module.def("sum_joined", &sum_joined_of, "starts"_a, "children"_a, "other_starts"_a, "other_children"_a, "values"_a);
    module.def("count_cuts", &count_cuts_of, "starts"_a, "children"_a, "other_starts"_a, "other_children"_a);
    module.def("find_variances", &find_variances_of, "leaves"_a, "pairs"_a, "triples"_a, "other_pairs"_a,
               "other_triples"_a);
    module.def("read_merges", &read_merges_of, "linkage"_a);
    module.def("tabulate_classes", &tabulate_classes_of, "starts"_a, "children"_a, "codes"_a, "classes"_a);
}

}  // namespace clustermark
