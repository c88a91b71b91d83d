// Distances between points, a tile of 64 points at a time: from differences of features, or read from a matrix.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/memory/buffer.hpp"
#include "core/memory/matrix_view.hpp"

namespace clustermark {

enum class Measure { euclidean, squared, manhattan, given };

// Some points in a chosen order, in a memory layout for the computation of distances.
class TiledPoints {
public:
    static constexpr std::size_t width = 64;   // points in a tile
    static constexpr std::size_t height = 16;  // rows of distances that are computed at once

    static constexpr const char* no_number = "X must hold finite numbers, and no distances that are NaN";

    // Throws std::invalid_argument with this message; distances are sorted for densities, and NaN has no order.
    // order: the numbers of `size` points; with `given` distances the matrix has a row and a column for each point.
    TiledPoints(const MatrixView& matrix, Measure measure, const std::int64_t* order, std::size_t size);

    std::size_t size() const { return size_; }
    std::size_t tiles() const { return (size_ + width - 1) / width; }
    std::size_t tile_size(std::size_t tile) const { return tile + 1 < tiles() ? width : size_ - tile * width; }
    // The cost of one distance, in steps of a few nanoseconds.
    std::size_t steps() const { return 1 + features_ / 8; }

    // out[r * width + c] is the distance of point first + r of these and point c of a tile of the other object.
    void measure(std::size_t first, std::size_t count, const TiledPoints& other, std::size_t tile, double* out) const;

private:
    MatrixView matrix_;
    Measure measure_;
    const std::int64_t* order_;
    std::size_t size_;
    std::size_t features_;
    Buffer<double> rows_;     // each point's features
    Buffer<double> columns_;  // for each tile and feature, the numbers of its points
};

// The sum of `count` numbers, in an order that depends on the count alone.
double sum_of(const double* numbers, std::size_t count);

}  // namespace clustermark
