#include "python/inputs.hpp"

#include <bit>
#include <string>

namespace nb = nanobind;

namespace clustermark {

namespace {

void raise(PyObject* type, const std::string& text) {
    PyErr_SetString(type, text.c_str());
    throw nb::python_error();
}

std::string kind_of(nb::handle object) { return Py_TYPE(object.ptr())->tp_name; }

// The format letter of the element's type in native byte order, or 0.
char letter_of(const Py_buffer& buffer) {
    const char* format = buffer.format == nullptr ? "B" : buffer.format;
    constexpr char foreign = std::endian::native == std::endian::little ? '>' : '<';
    constexpr char native = std::endian::native == std::endian::little ? '<' : '>';
    if (*format == foreign || (*format == '!' && foreign == '>')) {
        if (buffer.itemsize > 1) return 0;
        ++format;
    } else if (*format == native || *format == '@' || *format == '=' || *format == '^' || *format == '!') {
        ++format;
    }
    return format[0] != '\0' && format[1] == '\0' ? format[0] : '\0';
}

std::optional<IntView> integers_of(const Py_buffer& buffer) {
    const char mine = letter_of(buffer);
    const bool is_signed = mine != 0 && std::strchr("bhilqn", mine) != nullptr;
    const bool is_unsigned = mine != 0 && std::strchr("BHILQN", mine) != nullptr;
    if (!is_signed && !is_unsigned) return std::nullopt;
    IntKind kind = IntKind::i64;
    switch (buffer.itemsize) {
        case 1: kind = is_signed ? IntKind::i8 : IntKind::u8; break;
        case 2: kind = is_signed ? IntKind::i16 : IntKind::u16; break;
        case 4: kind = is_signed ? IntKind::i32 : IntKind::u32; break;
        case 8: kind = is_signed ? IntKind::i64 : IntKind::u64; break;
        default: return std::nullopt;
    }
    return IntView{static_cast<const char*>(buffer.buf), static_cast<std::size_t>(buffer.shape[0]), stride_of(buffer, 0),
                   kind};
}

}  // namespace

HeldArray::HeldArray(nb::handle object, const char* name, const char* wanted, int dimensions) : name_(name) {
    if (PyObject_GetBuffer(object.ptr(), &buffer_, PyBUF_RECORDS_RO) != 0) {
        if (PyErr_ExceptionMatches(PyExc_MemoryError)) throw nb::python_error();
        PyErr_Clear();
        raise(PyExc_TypeError, std::string(name) + " must be " + wanted + ", not " + kind_of(object));
    }
    if (buffer_.ndim != dimensions) {
        const int found = buffer_.ndim;
        PyBuffer_Release(&buffer_);
        raise(PyExc_ValueError, std::string(name) + " must be " + wanted + " of " + std::to_string(dimensions) +
                                    " dimension(s), not " + std::to_string(found));
    }
}

char HeldArray::letter() const { return letter_of(buffer_); }

void HeldArray::reject_type(const char* wanted) const {
    raise(PyExc_TypeError, std::string(name_) + " must be an array of " + wanted +
                               " in native byte order, not of format '" +
                               (buffer_.format == nullptr ? "B" : buffer_.format) + "'");
    throw nb::python_error();
}

IntView HeldArray::integers() const {
    const std::optional<IntView> view = integers_of(buffer_);
    if (!view) reject_type("integers");
    return *view;
}

HeldCodes::HeldCodes(nb::handle object)
    : held_(PyObject_GetBuffer(object.ptr(), &buffer_, PyBUF_RECORDS_RO) == 0) {
    if (!held_) PyErr_Clear();
    if (!held_ || buffer_.ndim != 1) return;
    view_ = integers_of(buffer_);
    if (!view_) return;
    const auto places = reinterpret_cast<std::uintptr_t>(buffer_.buf) | static_cast<std::uintptr_t>(stride_of(buffer_, 0));
    if (places % static_cast<std::uintptr_t>(buffer_.itemsize) != 0) view_.reset();
}

MatrixView HeldArray::reals() const {
    const char mine = letter();
    const bool single = mine == 'f';
    if (!single && mine != 'd') reject_type("float32 or float64");
    return {static_cast<const char*>(buffer_.buf), size(), static_cast<std::size_t>(buffer_.shape[1]),
            stride_of(buffer_, 0), stride_of(buffer_, 1), single};
}

const unsigned char* HeldArray::bytes(std::size_t& width) const {
    if (letter() != 'B') reject_type("uint8");
    width = static_cast<std::size_t>(buffer_.shape[1]);
    if (PyBuffer_IsContiguous(&buffer_, 'C') == 0) {
        raise(PyExc_ValueError, std::string(name_) + " must be C-contiguous");
    }
    return static_cast<const unsigned char*>(buffer_.buf);
}

std::vector<std::int64_t> int64_list(nb::handle object, const char* name) {
    const HeldArray array(object, name, "a one-dimensional array of int64");
    const StridedView<std::int64_t> view = array.int64s();
    std::vector<std::int64_t> numbers(view.size);
    for (std::size_t i = 0; i < view.size; ++i) numbers[i] = view[i];
    return numbers;
}

}  // namespace clustermark
