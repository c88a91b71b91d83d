// One-dimensional arrays of any stride in the memory of the caller.
#pragma once

#include <cstddef>
#include <cstring>

namespace clustermark {

// An array of one known type; `data` need not be aligned.
template <class T>
struct StridedView {
    const char* data = nullptr;
    std::size_t size = 0;
    std::ptrdiff_t stride = 0;

    T operator[](std::size_t i) const {
        T value;
        std::memcpy(&value, data + static_cast<std::ptrdiff_t>(i) * stride, sizeof(T));
        return value;
    }
};

}  // namespace clustermark
