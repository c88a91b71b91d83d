// Python arguments as views of the core. Arrays are read through the buffer protocol, which costs far less per call than
// making array objects, and which every array library for Python offers.
#pragma once

#include <nanobind/nanobind.h>

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "core/memory/matrix_view.hpp"
#include "core/memory/strided_view.hpp"
#include "core/table/label_view.hpp"

namespace clustermark {

// The distance in bytes from one item of a dimension to the next. Some exporters, such as ctypes, leave it out.
inline std::ptrdiff_t stride_of(const Py_buffer& buffer, int dimension) {
    if (buffer.strides != nullptr) return buffer.strides[dimension];
    std::ptrdiff_t stride = buffer.itemsize;
    for (int inner = buffer.ndim - 1; inner > dimension; --inner) stride *= buffer.shape[inner];
    return stride;
}

// A held buffer of one or two dimensions; released at the end of its life, so keep it while its view is read.
class HeldArray {
public:
    HeldArray(nanobind::handle object, const char* name, const char* wanted, int dimensions = 1);
    ~HeldArray() { PyBuffer_Release(&buffer_); }
    HeldArray(const HeldArray&) = delete;
    HeldArray& operator=(const HeldArray&) = delete;

    std::size_t size() const { return static_cast<std::size_t>(buffer_.shape[0]); }
    IntView integers() const;
    StridedView<std::int32_t> int32s() const { return view<std::int32_t>("bhilqn", "int32"); }
    StridedView<std::int64_t> int64s() const { return view<std::int64_t>("bhilqn", "int64"); }
    StridedView<double> doubles() const { return view<double>("d", "float64"); }
    StridedView<std::uint8_t> bools() const { return view<std::uint8_t>("?", "bool"); }
    StridedView<PyObject*> objects() const { return view<PyObject*>("O", "object"); }
    // Rows of float32 or float64 of an array of two dimensions.
    MatrixView reals() const;
    // Rows of bytes of a C-contiguous array of shape (n, width).
    const unsigned char* bytes(std::size_t& width) const;

private:
    char letter() const;
    [[noreturn]] void reject_type(const char* wanted) const;

    template <class T>
    StridedView<T> view(const char* letters, const char* wanted) const {
        const char mine = letter();
        if (mine == 0 || std::strchr(letters, mine) == nullptr || buffer_.itemsize != sizeof(T)) reject_type(wanted);
        return {static_cast<const char*>(buffer_.buf), size(), stride_of(buffer_, 0)};
    }

    Py_buffer buffer_;
    const char* name_;
};

// Labels that can be read in place: aligned integers in native byte order, in one dimension. Other labels have no view,
// which is no error.
class HeldCodes {
public:
    explicit HeldCodes(nanobind::handle object);
    ~HeldCodes() {
        if (held_) PyBuffer_Release(&buffer_);
    }
    HeldCodes(const HeldCodes&) = delete;
    HeldCodes& operator=(const HeldCodes&) = delete;

    const std::optional<IntView>& view() const { return view_; }

private:
    Py_buffer buffer_;
    bool held_;
    std::optional<IntView> view_;
};

// An array that may be None.
class OptionalArray {
public:
    OptionalArray(nanobind::handle object, const char* name, const char* wanted) {
        if (!object.is_none()) array_.emplace(object, name, wanted);
    }
    explicit operator bool() const { return array_.has_value(); }
    const HeldArray* operator->() const { return &*array_; }

private:
    std::optional<HeldArray> array_;
};

// A copy of an array that must have this length.
template <class T>
Buffer<T> copy_of(const StridedView<T>& view, std::size_t size, const char* name) {
    if (view.size != size) throw std::invalid_argument(std::string(name) + " has the wrong length");
    return view.copy();
}

// A copy of a one-dimensional array of int64.
std::vector<std::int64_t> int64_list(nanobind::handle object, const char* name);

}  // namespace clustermark
