// Results of the core as NumPy arrays and Python numbers.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <type_traits>
#include <utility>

#include "../core/buffer.hpp"
#include "../core/sums.hpp"

namespace clustermark {

// NumPy has two 64-bit integer types of different name; users expect the one called int64.
template <class T>
nanobind::object under_usual_name(nanobind::object array) {
    if constexpr (!std::is_integral_v<T> || sizeof(T) != 8) return array;
    else return array.attr("view")(std::is_signed_v<T> ? "int64" : "uint64");
}

// A view of memory that belongs to `owner`.
template <class T>
nanobind::object borrowed_array(const Buffer<T>& buffer, nanobind::handle owner) {
    using ReadOnlyArray = nanobind::ndarray<nanobind::numpy, const T, nanobind::ndim<1>>;
    static const T nothing{};  // an empty array has an address too
    const T* data = buffer.empty() ? &nothing : buffer.data();
    return under_usual_name<T>(nanobind::cast(ReadOnlyArray(data, {buffer.size()}, owner)));
}

// An array that owns its memory.
template <class T>
nanobind::object owned_array(Buffer<T>&& buffer) {
    using NewArray = nanobind::ndarray<nanobind::numpy, T, nanobind::ndim<1>>;
    auto* kept = new Buffer<T>(std::move(buffer));
    nanobind::capsule owner(kept, [](void* memory) noexcept { delete static_cast<Buffer<T>*>(memory); });
    static T nothing{};
    T* data = kept->empty() ? &nothing : kept->data();
    return under_usual_name<T>(nanobind::cast(NewArray(data, {kept->size()}, owner)));
}

// A property that views one of the object's arrays, made only when asked for.
template <class Owner, class T>
auto view_of(Buffer<T> Owner::*member) {
    return [member](nanobind::handle_t<Owner> self) -> nanobind::object {
        return borrowed_array(nanobind::cast<const Owner&>(self).*member, self);
    };
}

inline nanobind::object exact_int(u128 value) {
    const auto low = static_cast<unsigned long long>(value);
    const auto high = static_cast<unsigned long long>(value >> 64);
    nanobind::object result = nanobind::steal(PyLong_FromUnsignedLongLong(low));
    if (high == 0 || !result.is_valid()) return result;
    return (nanobind::int_(high) << nanobind::int_(64)) | result;
}

inline nanobind::object exact_int(const FixedSum& sum) {
    return (exact_int(sum.high) << nanobind::int_(42)) + exact_int(sum.low);
}

inline nanobind::object number_of(const FractionSum& sum, bool weighted) {
    if (weighted) return nanobind::float_(sum.real);
    return exact_int(sum.fixed);
}

inline nanobind::object exact_int(const ProductSum& sum) {
    return (exact_int(sum.high) << nanobind::int_(64)) + exact_int(u128{sum.low});
}

}  // namespace clustermark
