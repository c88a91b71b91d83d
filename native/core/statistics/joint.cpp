#include "core/statistics/joint.hpp"

#include <vector>

#include "core/statistics/cell_fractions.hpp"
#include "core/statistics/sized_cells.hpp"

namespace clustermark {

namespace {

struct ExactMatches {
    std::int64_t all = 0;
    std::int64_t singletons = 0;

    void add(const SizedCell<std::int64_t>& cell) {
        if (cell.n != cell.a || cell.n != cell.b) return;
        all += cell.times;
        if (cell.n == 1) singletons += cell.times;
    }
};

template <class Amounts>
struct Fractions {
    typename Amounts::Sum shares, of_larger, of_smaller, f, jaccard;

    // `amount` is the amount of all cells of the entry together.
    void add(const SizedCell<typename Amounts::Number>& cell, typename Amounts::Number amount) {
        shares.add(cell.times, product_of_shares(cell.n, cell.a, cell.b));
        of_larger.add(amount, share_of_larger(cell.n, cell.a, cell.b));
        of_smaller.add(amount, share_of_smaller(cell.n, cell.a, cell.b));
        f.add(amount, f_measure(cell.n, cell.a, cell.b));
        jaccard.add(amount, jaccard_index(cell.n, cell.a, cell.b));
    }

    void store(Joint& joint) const {
        joint.shares += shares;
        joint.of_larger += of_larger;
        joint.of_smaller += of_smaller;
        joint.f += f;
        joint.jaccard += jaccard;
    }
};

struct PlainSums {
    ExactMatches exact;
    ProductSum products;
    Fractions<WholeAmounts> fractions;

    void add(const SizedCells<WholeAmounts>& sized, std::size_t begin, std::size_t end) {
        const Cells& cells = sized.cells();
        sized.pass(begin, end, [&](std::size_t i) {
            if (!is_cell(cells, i)) return;
            const auto cell = sized[i];
            exact.add(cell);
            products.add(cells.counts[i], cell.a, cell.b);
            fractions.add(cell, cells.counts[i]);
        });
    }
};

void join_points(const Cells& cells, Joint& joint) {
    const SizedCells<WholeAmounts> sized(cells);
    const unsigned threads = choose_threads(0, cells.size());
    std::vector<PlainSums> parts(threads);
    run_parallel(threads, [&](unsigned thread) {
        const auto [begin, end] = share(cells.size(), thread, threads);
        PlainSums sums;  // a local variable, because neighbours in the vector share a cache line
        sums.add(sized, begin, end);
        parts[thread] = sums;
    });
    for (const PlainSums& part : parts) {
        joint.exact += part.exact.all;
        joint.exact_singletons += part.exact.singletons;
        joint.size_products += part.products;
        part.fractions.store(joint);
    }
}

void count_exact_matches(const Cells& cells, Joint& joint) {
    const SizedCells<WholeAmounts> sized(cells);
    ExactMatches exact;
    sized.pass(0, cells.size(), [&](std::size_t i) {
        if (is_cell(cells, i)) exact.add(sized[i]);
    });
    joint.exact = exact.all;
    joint.exact_singletons = exact.singletons;
}

void join_weights(const Cells& cells, Joint& joint) {
    count_exact_matches(cells, joint);
    const SizedCells<RealAmounts> sized(cells);
    Fractions<RealAmounts> fractions;
    DoubleDouble products;
    sized.pass(0, cells.size(), [&](std::size_t i) {
        if (!is_cell(cells, i)) return;
        const auto cell = sized[i];
        products += DoubleDouble::product(cell.a, cell.b) * cells.weights[i];
        fractions.add(cell, cells.weights[i]);
    });
    joint.size_product_weights = products.value();
    fractions.store(joint);
}

}  // namespace

Joint compute_joint(const Cells& cells) {
    Joint joint;
    joint.weighted = cells.weighted;
    if (cells.weighted) {
        join_weights(cells, joint);
    } else {
        join_points(cells, joint);
    }
    return joint;
}

}  // namespace clustermark
