// One-dimensional arrays of any stride in the memory of the caller.
#pragma once

#include <cstddef>
#include <cstring>

#include "core/memory/buffer.hpp"

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

    // Numbers that are used as positions, or that are read more than once, are copied before they are checked: other threads,
    // and the progress function of the caller, may write to the array during the call.
    Buffer<T> copy() const {
        Buffer<T> numbers(size);
        for (std::size_t i = 0; i < size; ++i) numbers[i] = (*this)[i];
        return numbers;
    }
};

}  // namespace clustermark
