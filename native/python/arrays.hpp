// Results of the core as NumPy arrays and Python numbers.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <memory>
#include <type_traits>
#include <utility>

#include "core/memory/buffer.hpp"
#include "core/numeric/exact_sums.hpp"
#include "core/numeric/wide_integers.hpp"

namespace clustermark {

// NumPy has two 64-bit integer types with different names; users expect the one called int64.
template <class T>
nanobind::object under_usual_name(nanobind::object array) {
    if constexpr (!std::is_integral_v<T> || sizeof(T) != 8) return array;
    else return array.attr("view")(std::is_signed_v<T> ? "int64" : "uint64");
}

// An array of memory that `owner` keeps alive; read-only where Element is const.
template <class Element, class T>
nanobind::object array_over(const Buffer<T>& buffer, nanobind::handle owner) {
    using Array = nanobind::ndarray<nanobind::numpy, Element, nanobind::ndim<1>>;
    static T nothing{};  // an empty array needs an address too
    Element* data = buffer.empty() ? &nothing : const_cast<Element*>(buffer.data());
    return under_usual_name<T>(nanobind::cast(Array(data, {buffer.size()}, owner)));
}

// A read-only view of memory that belongs to `owner`.
template <class T>
nanobind::object borrowed_array(const Buffer<T>& buffer, nanobind::handle owner) {
    return array_over<const T>(buffer, owner);
}

// An array that owns its memory; read-only where Element is const.
template <class T, class Element = T>
nanobind::object owned_array(Buffer<T>&& buffer) {
    auto kept = std::make_unique<Buffer<T>>(std::move(buffer));
    const nanobind::capsule owner(kept.get(), [](void* memory) noexcept { delete static_cast<Buffer<T>*>(memory); });
    const Buffer<T>& owned = *kept.release();  // owned by the capsule, whose constructor did not throw
    return array_over<Element>(owned, owner);
}

// A property that views one of the object's arrays, made on each access.
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

inline nanobind::object exact_int(const ProductSum& sum) {
    return (exact_int(sum.high) << nanobind::int_(64)) + exact_int(u128{sum.low});
}

// A double for weighted cells, else an exact integer.
inline nanobind::object number_of(const FractionSum& sum, bool weighted) {
    if (weighted) return nanobind::float_(sum.real);
    return exact_int(sum.fixed);
}

// The high halves and the low halves of the numbers.
inline nanobind::object halves_of(WideIntegers&& numbers) {
    return nanobind::make_tuple(owned_array(std::move(numbers.high)), owned_array(std::move(numbers.low)));
}

}  // namespace clustermark
