#include "core/table/label_view.hpp"

#include <algorithm>
#include <stdexcept>
#include <type_traits>

namespace clustermark {

namespace {

// Calls body(T{}) with the C++ type of `kind`.
template <class Body>
auto with_type(IntKind kind, Body&& body) {
    switch (kind) {
        case IntKind::i8: return body(std::int8_t{});
        case IntKind::i16: return body(std::int16_t{});
        case IntKind::i32: return body(std::int32_t{});
        case IntKind::i64: return body(std::int64_t{});
        case IntKind::u8: return body(std::uint8_t{});
        case IntKind::u16: return body(std::uint16_t{});
        case IntKind::u32: return body(std::uint32_t{});
        case IntKind::u64: return body(std::uint64_t{});
    }
    throw std::logic_error("unknown integer type");
}

template <class T>
T read(const char* place) {
    T value;
    std::memcpy(&value, place, sizeof(T));
    return value;
}

template <class T>
std::uint64_t word_of(T value) {
    if constexpr (std::is_signed_v<T>) return static_cast<std::uint64_t>(static_cast<std::int64_t>(value));
    return static_cast<std::uint64_t>(value);
}

// Calls store(i, word) for each label. Contiguous labels have a separate loop, which is vectorised.
template <class T, class Store>
void for_each_word(const IntView& view, std::size_t begin, std::size_t count, Store&& store) {
    const char* place = view.data + static_cast<std::ptrdiff_t>(begin) * view.stride;
    if (view.stride == static_cast<std::ptrdiff_t>(sizeof(T))) {
        for (std::size_t i = 0; i < count; ++i) store(i, word_of(read<T>(place + i * sizeof(T))));
    } else {
        for (std::size_t i = 0; i < count; ++i) {
            store(i, word_of(read<T>(place + static_cast<std::ptrdiff_t>(i) * view.stride)));
        }
    }
}

template <class T>
WordRange find_range_as(const IntView& view, std::size_t begin, std::size_t end, std::size_t step) {
    const char* place = view.data + static_cast<std::ptrdiff_t>(begin) * view.stride;
    T smallest = read<T>(place);
    T largest = smallest;
    auto see = [&](T value) {
        smallest = std::min(smallest, value);
        largest = std::max(largest, value);
    };
    if (step == 1 && view.stride == static_cast<std::ptrdiff_t>(sizeof(T))) {
        for (std::size_t i = 0; i < end - begin; ++i) see(read<T>(place + i * sizeof(T)));
    } else {
        const auto jump = static_cast<std::ptrdiff_t>(step) * view.stride;
        const auto count = static_cast<std::ptrdiff_t>((end - begin - 1) / step + 1);
        for (std::ptrdiff_t i = 0; i < count; ++i) see(read<T>(place + i * jump));
    }
    return {word_of(smallest), word_of(largest) - word_of(smallest)};
}

}  // namespace

std::uint64_t load_codes(const IntView& view, std::size_t begin, std::size_t count, std::uint64_t base,
                         std::uint32_t* out) {
    return with_type(view.kind, [&](auto tag) {
        std::uint64_t seen = 0;
        for_each_word<decltype(tag)>(view, begin, count, [&](std::size_t i, std::uint64_t word) {
            const std::uint64_t code = word - base;
            seen |= code;
            out[i] = static_cast<std::uint32_t>(code);
        });
        return seen;
    });
}

void load_words(const IntView& view, std::size_t begin, std::size_t count, std::uint64_t* out) {
    with_type(view.kind, [&](auto tag) {
        for_each_word<decltype(tag)>(view, begin, count, [&](std::size_t i, std::uint64_t word) { out[i] = word; });
    });
}

WordRange find_range(const IntView& view, std::size_t begin, std::size_t end, std::size_t step) {
    return with_type(view.kind, [&](auto tag) { return find_range_as<decltype(tag)>(view, begin, end, step); });
}

WordRange join_ranges(const WordRange& first, const WordRange& second, IntKind kind) {
    // Flipping the top bit makes signed order the order of unsigned words.
    const std::uint64_t flip = is_signed(kind) ? std::uint64_t{1} << 63 : 0;
    const std::uint64_t low = std::min(first.base ^ flip, second.base ^ flip);
    const std::uint64_t high = std::max((first.base + first.span) ^ flip, (second.base + second.span) ^ flip);
    return {low ^ flip, high - low};
}

IntView view_of_codes(const Buffer<std::uint32_t>& codes) {
    return {reinterpret_cast<const char*>(codes.data()), codes.size(), sizeof(std::uint32_t), IntKind::u32};
}

std::size_t int_size(IntKind kind) {
    return with_type(kind, [](auto tag) { return sizeof(tag); });
}

bool is_signed(IntKind kind) { return kind <= IntKind::i64; }

void reject_change() {
    throw std::runtime_error("the labels changed while they were read; do not write to arrays during a call");
}

void require_32_bits(const IntView& view, const char* message) {
    if (int_size(view.kind) > sizeof(std::int32_t)) throw std::invalid_argument(message);
}

}  // namespace clustermark
