// Points in space and their clusters, for Python.
#include <stdexcept>
#include <string>

#include "core/geometry/centers.hpp"
#include "core/geometry/density.hpp"
#include "core/geometry/distance_ranks.hpp"
#include "core/geometry/distance_sums.hpp"
#include "python/arrays.hpp"
#include "python/bind.hpp"
#include "python/inputs.hpp"
#include "python/interruptible_call.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace clustermark {

namespace {

constexpr const char* a_matrix = "a two-dimensional array of float32 or float64";
constexpr const char* doubles = "a one-dimensional array of float64";

class CenterInput {
public:
    CenterInput(nb::handle X, nb::handle codes, nb::handle weights, std::size_t clusters)
        : X_(X, "X", a_matrix, 2), points{X_.reals(), nullptr, nullptr, clusters} {
        const std::size_t n = points.points.rows;
        check_table(clusters, points.points.columns);
        codes_ = copy_of(HeldArray(codes, "codes", "a one-dimensional array of int32").int32s(), n, "codes");
        points.codes = codes_.data();
        for (const std::int32_t code : codes_) {
            if (static_cast<std::size_t>(code) >= clusters) throw std::invalid_argument("codes out of range");
        }
        const OptionalArray weight_array(weights, "weights", doubles);
        if (!weight_array) return;
        weights_ = copy_of(weight_array->doubles(), n, "weights");
        points.weights = weights_.data();
    }

private:
    // Tables have a number for each feature of each cluster, and of all points as one additional cluster.
    static void check_table(std::size_t clusters, std::size_t features) {
        constexpr std::size_t most = std::size_t{1} << 48;
        if (clusters >= most || (features != 0 && clusters >= most / features)) {
            throw std::invalid_argument("clusters are too many");
        }
    }

    HeldArray X_;
    Buffer<std::int32_t> codes_;
    Buffer<double> weights_;

public:
    ClusteredPoints points;
};

class PairInput {
public:
    PairInput(nb::handle matrix, const char* measure, nb::handle order, nb::handle starts)
        : matrix_(matrix, "X", a_matrix, 2), clusters{matrix_.reals(), read(measure), nullptr, nullptr, 0} {
        const std::size_t n = clusters.matrix.rows;
        const HeldArray order_array(order, "order", "a one-dimensional array of int64");
        const HeldArray start_array(starts, "starts", "a one-dimensional array of int64");
        if (start_array.size() < 2) throw std::invalid_argument("order and starts are inconsistent");
        if (clusters.measure == Measure::given && clusters.matrix.columns != n) {
            throw std::invalid_argument("distances must be square");
        }
        order_ = copy_of(order_array.int64s(), n, "order");
        starts_ = start_array.int64s().copy();
        clusters.order = order_.data();
        clusters.starts = starts_.data();
        clusters.clusters = starts_.size() - 1;
        bool sound = clusters.starts[0] == 0 && clusters.points() == n;
        for (std::size_t k = 0; k < clusters.clusters; ++k) sound &= clusters.starts[k] < clusters.starts[k + 1];
        for (std::size_t i = 0; i < n; ++i) sound &= static_cast<std::size_t>(clusters.order[i]) < n;
        if (!sound) throw std::invalid_argument("order and starts are inconsistent");
    }

private:
    static Measure read(const std::string& name) {
        if (name == "euclidean") return Measure::euclidean;
        if (name == "sqeuclidean") return Measure::squared;
        if (name == "manhattan") return Measure::manhattan;
        if (name == "precomputed") return Measure::given;
        throw std::invalid_argument("unknown measure " + name);
    }

    HeldArray matrix_;
    Buffer<std::int64_t> order_;
    Buffer<std::int64_t> starts_;

public:
    SortedClusters clusters;
};

nb::object sum_points_of(nb::handle X, nb::handle codes, nb::handle weights, std::size_t clusters, int threads) {
    const CenterInput input(X, codes, weights, clusters);
    auto table = run_without_gil([&] { return sum_points(input.points, threads); });
    return nb::make_tuple(owned_array(std::move(table.high)), owned_array(std::move(table.low)));
}

class CenterArrays {
public:
    CenterArrays(nb::handle high, nb::handle low, std::size_t size)
        : high_(copy_of(HeldArray(high, "high", doubles).doubles(), size, "high")),
          low_(copy_of(HeldArray(low, "low", doubles).doubles(), size, "low")), centers{high_.data(), low_.data()} {}

private:
    Buffer<double> high_;
    Buffer<double> low_;

public:
    Centers centers;
};

nb::object spread_of(nb::handle X, nb::handle codes, nb::handle weights, nb::handle high, nb::handle low,
                     std::size_t clusters, int threads) {
    const CenterInput input(X, codes, weights, clusters);
    const CenterArrays arrays(high, low, (clusters + 1) * input.points.points.columns);
    auto spread = run_without_gil([&] { return spread_about(input.points, arrays.centers, threads); });
    return nb::make_tuple(owned_array(std::move(spread.squares)), owned_array(std::move(spread.distances)),
                          spread.total_distance);
}

nb::object nearest_of(nb::handle X, nb::handle codes, nb::handle high, nb::handle low, nb::handle offsets,
                      std::size_t clusters, int threads, nb::handle progress) {
    const CenterInput input(X, codes, nb::none(), clusters);
    const CenterArrays arrays(high, low, clusters * input.points.points.columns);
    const Buffer<double> extra = copy_of(HeldArray(offsets, "offsets", doubles).doubles(), clusters, "offsets");
    auto nearest = run_without_gil([&] { return nearest_centers(input.points, arrays.centers, extra.data(), threads); }, progress);
    return nb::make_tuple(owned_array(std::move(nearest.own)), owned_array(std::move(nearest.other)),
                          owned_array(std::move(nearest.neighbours)));
}

nb::object point_sums_of(nb::handle X, const char* measure, nb::handle order, nb::handle starts, int threads,
                         nb::handle progress, nb::handle chosen) {
    const PairInput input(X, measure, order, starts);
    const OptionalArray held(chosen, "chosen", "a one-dimensional array of int64");
    Buffer<std::int64_t> places;
    if (held) places = held->int64s().copy();
    for (const std::int64_t place : places) {
        if (static_cast<std::size_t>(place) >= input.clusters.points()) throw std::invalid_argument("chosen");
    }
    auto sums = run_without_gil([&] { return held ? sum_distances_of(input.clusters, places.data(), places.size(), threads)
                             : sum_distances(input.clusters, threads); }, progress);
    return nb::make_tuple(owned_array(std::move(sums.own)), owned_array(std::move(sums.other)),
                          owned_array(std::move(sums.neighbours)));
}

nb::object sums_from(nb::handle points, nb::handle X, const char* measure, nb::handle order, nb::handle starts,
                     int threads) {
    const PairInput input(X, measure, order, starts);
    const HeldArray held(points, "points", a_matrix, 2);
    const MatrixView view = held.reals();
    if (input.clusters.measure == Measure::given || view.columns != input.clusters.matrix.columns) {
        throw std::invalid_argument("points must have the features of X");
    }
    auto sums = run_without_gil([&] { return sum_distances_from(input.clusters, view, threads); });
    return owned_array(std::move(sums));
}

nb::object pair_tables_of(nb::handle X, const char* measure, nb::handle order, nb::handle starts, int threads,
                          nb::handle progress) {
    const PairInput input(X, measure, order, starts);
    auto tables = run_without_gil([&] { return tabulate_pairs(input.clusters, threads); }, progress);
    return nb::make_tuple(owned_array(std::move(tables.sums)), owned_array(std::move(tables.least)),
                          owned_array(std::move(tables.largest)), owned_array(std::move(tables.farthest)),
                          owned_array(std::move(tables.squares)));
}

nb::object ranks_of(nb::handle X, const char* measure, nb::handle order, nb::handle starts, nb::handle progress) {
    const PairInput input(X, measure, order, starts);
    auto ranks = run_without_gil([&] { return rank_distances(input.clusters); }, progress);
    return nb::make_tuple(ranks.within, ranks.between, ranks.concordant, ranks.discordant, ranks.within_sum,
                          ranks.least_sum, ranks.largest_sum);
}

DensityVariant read_variant(const std::string& name) {
    if (name == "exact") return DensityVariant::exact;
    if (name == "matlab") return DensityVariant::matlab;
    if (name == "hdbscan") return DensityVariant::hdbscan;
    throw std::invalid_argument("unknown variant " + name);
}

nb::object density_of(nb::handle X, const char* measure, nb::handle order, nb::handle starts, const char* variant,
                      int threads, nb::handle progress) {
    const PairInput input(X, measure, order, starts);
    const DensityVariant chosen = read_variant(variant);
    auto density = run_without_gil([&] { return find_density(input.clusters, chosen, threads); }, progress);
    return nb::make_tuple(owned_array(std::move(density.sparseness)), owned_array(std::move(density.separation)));
}

nb::object reach_tree_of(nb::handle X, const char* measure, nb::handle order, nb::handle starts, std::size_t neighbour,
                         int threads, nb::handle progress) {
    const PairInput input(X, measure, order, starts);
    if (neighbour < 1 || neighbour >= input.clusters.points()) {
        throw std::invalid_argument("neighbour must be at least 1 and below the number of points");
    }
    auto tree = run_without_gil([&] { return span_reachability(input.clusters, neighbour, threads); }, progress);
    return nb::make_tuple(owned_array(std::move(tree.from)), owned_array(std::move(tree.to)),
                          owned_array(std::move(tree.lengths)));
}

}  // namespace

void bind_geometry(nb::module_& module) {
    module.def("sum_points", &sum_points_of, "X"_a, "codes"_a, "weights"_a.none(), "clusters"_a, "threads"_a = 0);
    module.def("spread_about", &spread_of, "X"_a, "codes"_a, "weights"_a.none(), "high"_a, "low"_a, "clusters"_a,
               "threads"_a = 0);
    module.def("nearest_centers", &nearest_of, "X"_a, "codes"_a, "high"_a, "low"_a, "offsets"_a, "clusters"_a,
               "threads"_a = 0, "progress"_a.none() = nb::none());
    module.def("sum_distances", &point_sums_of, "X"_a, "measure"_a, "order"_a, "starts"_a, "threads"_a = 0,
               "progress"_a.none() = nb::none(), "chosen"_a.none() = nb::none());
    module.def("sum_distances_from", &sums_from, "points"_a, "X"_a, "measure"_a, "order"_a, "starts"_a,
               "threads"_a = 0);
    module.def("tabulate_pairs", &pair_tables_of, "X"_a, "measure"_a, "order"_a, "starts"_a, "threads"_a = 0,
               "progress"_a.none() = nb::none());
    module.def("rank_distances", &ranks_of, "X"_a, "measure"_a, "order"_a, "starts"_a, "progress"_a.none() = nb::none());
    module.def("find_density", &density_of, "X"_a, "measure"_a, "order"_a, "starts"_a, "variant"_a = "exact",
               "threads"_a = 0, "progress"_a.none() = nb::none());
    module.def("span_reachability", &reach_tree_of, "X"_a, "measure"_a, "order"_a, "starts"_a, "neighbour"_a,
               "threads"_a = 0, "progress"_a.none() = nb::none());
}

}  // namespace clustermark
