#include "core/geometry/tiled_points.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "core/numeric/simd.hpp"

namespace clustermark {

namespace {

constexpr std::size_t at_once = 16;

template <bool Manhattan>
__attribute__((always_inline)) inline void fill(const double* rows, std::size_t count, std::size_t p,
                                                const double* tile, double* out) {
    for (std::size_t r = 0; r < count; ++r) {
        const double* x = rows + r * p;
        for (std::size_t c = 0; c < TiledPoints::width; c += at_once) {
            FourDoubles sums[4] = {};
            for (std::size_t f = 0; f < p; ++f) {
                const auto* y = reinterpret_cast<const FourDoublesUnaligned*>(tile + f * TiledPoints::width + c);
                const FourDoubles mine = {x[f], x[f], x[f], x[f]};
                for (std::size_t part = 0; part < 4; ++part) {
                    const FourDoubles away = mine - y[part];
                    if constexpr (Manhattan) {
                        sums[part] += away < 0.0 ? -away : away;
                    } else {
                        sums[part] += away * away;
                    }
                }
            }
            auto* place = reinterpret_cast<FourDoublesUnaligned*>(out + r * TiledPoints::width + c);
            for (std::size_t part = 0; part < 4; ++part) place[part] = sums[part];
        }
    }
}

CLUSTERMARK_VECTORISED void fill_squared(const double* rows, std::size_t count, std::size_t p, const double* tile,
                                    double* out) {
    fill<false>(rows, count, p, tile, out);
}

CLUSTERMARK_VECTORISED void fill_manhattan(const double* rows, std::size_t count, std::size_t p, const double* tile,
                                      double* out) {
    fill<true>(rows, count, p, tile, out);
}

CLUSTERMARK_VECTORISED void take_roots(double* numbers, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) numbers[i] = std::sqrt(numbers[i]);
}

CLUSTERMARK_VECTORISED double sum_tile(const double* numbers) {
    const auto* lanes = reinterpret_cast<const FourDoublesUnaligned*>(numbers);
    FourDoubles sums[2] = {};
    for (std::size_t i = 0; i < TiledPoints::width / 4; i += 2) {
        sums[0] += lanes[i];
        sums[1] += lanes[i + 1];
    }
    const FourDoubles sum = sums[0] + sums[1];
    return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

}  // namespace

TiledPoints::TiledPoints(const MatrixView& matrix, Measure measure, const std::int64_t* order, std::size_t size)
    : matrix_(matrix), measure_(measure), order_(order), size_(size), features_(0) {
    if (measure == Measure::given) return;
    features_ = matrix.columns;
    rows_ = Buffer<double>(size * features_);
    columns_ = Buffer<double>::zeros(tiles() * features_ * width);
    for (std::size_t i = 0; i < size; ++i) {
        double* row = rows_.data() + i * features_;
        matrix.read_row(static_cast<std::size_t>(order[i]), row);
        if (!std::all_of(row, row + features_, [](double x) { return std::isfinite(x); })) {
            throw std::invalid_argument(no_number);
        }
        double* tile = columns_.data() + i / width * features_ * width + i % width;
        for (std::size_t f = 0; f < features_; ++f) tile[f * width] = row[f];
    }
}

void TiledPoints::measure(std::size_t first, std::size_t count, const TiledPoints& other, std::size_t tile, double* out) const {
    if (measure_ == Measure::given) {
        const std::size_t points = other.tile_size(tile);
        for (std::size_t r = 0; r < count; ++r) {
            const auto row = static_cast<std::size_t>(order_[first + r]);
            for (std::size_t c = 0; c < points; ++c) {
                // adding 0 converts -0 to 0, whose bits are the smallest when distances are sorted by their bits
                const double distance = matrix_.at(row, static_cast<std::size_t>(other.order_[tile * width + c])) + 0.0;
                if (std::isnan(distance)) throw std::invalid_argument(no_number);
                out[r * width + c] = distance;
            }
            for (std::size_t c = points; c < width; ++c) out[r * width + c] = 0.0;
        }
        return;
    }
    const double* rows = rows_.data() + first * features_;
    const double* columns = other.columns_.data() + tile * features_ * width;
    if (measure_ == Measure::manhattan) {
        fill_manhattan(rows, count, features_, columns, out);
        return;
    }
    fill_squared(rows, count, features_, columns, out);
    if (measure_ == Measure::euclidean) take_roots(out, count * width);
}

double sum_of(const double* numbers, std::size_t count) {
    if (count == TiledPoints::width) return sum_tile(numbers);
    double sum = 0.0;
    for (std::size_t i = 0; i < count; ++i) sum += numbers[i];
    return sum;
}

}  // namespace clustermark
