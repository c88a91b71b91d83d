// Matrices in the memory of the caller: single or double precision, any strides.
#pragma once

#include <cstddef>
#include <cstring>

namespace clustermark {

struct MatrixView {
    const char* data;
    std::size_t rows;
    std::size_t columns;
    std::ptrdiff_t row_stride;
    std::ptrdiff_t column_stride;
    bool single;

    double at(std::size_t row, std::size_t column) const {
        const char* place = data + static_cast<std::ptrdiff_t>(row) * row_stride +
                            static_cast<std::ptrdiff_t>(column) * column_stride;
        return single ? static_cast<double>(load<float>(place)) : load<double>(place);
    }

    void read_row(std::size_t row, double* out) const {
        const char* place = data + static_cast<std::ptrdiff_t>(row) * row_stride;
        if (single) {
            read<float>(place, out);
        } else {
            read<double>(place, out);
        }
    }

private:
    template <class T>
    static T load(const char* place) {
        T value;
        std::memcpy(&value, place, sizeof(T));
        return value;
    }

    template <class T>
    void read(const char* place, double* out) const {
        if (column_stride == static_cast<std::ptrdiff_t>(sizeof(T))) {
            for (std::size_t j = 0; j < columns; ++j) out[j] = static_cast<double>(load<T>(place + j * sizeof(T)));
        } else {
            for (std::size_t j = 0; j < columns; ++j, place += column_stride) out[j] = static_cast<double>(load<T>(place));
        }
    }
};

}  // namespace clustermark
