// Finds the entry of a cell by its key: open addressing over a list of entries that the caller stores.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <stdexcept>

#include "core/memory/buffer.hpp"
#include "core/memory/hashing.hpp"
#include "core/numeric/integers.hpp"

namespace clustermark {

class CellIndex {
public:
    // Forgets all entries. `expected` is a bound for small lists; large ones grow as needed.
    void clear(std::size_t expected) {
        const std::size_t wanted = power_at_least(std::clamp<std::size_t>(2 * expected, 16, largest_start));
        if (slots_.size() < wanted) slots_ = Buffer<std::uint32_t>(wanted);
        use(wanted);
    }

    // The same with space for all of `expected` entries, so that the index never grows.
    void reserve(std::size_t expected) {
        if (expected >= most_entries) throw std::overflow_error("too many cells in one table");
        const std::size_t wanted = power_at_least(std::max<std::size_t>(2 * expected + 2, 16));
        slots_ = Buffer<std::uint32_t>(wanted);
        use(wanted);
    }

    // Prefetches the memory that a search for `key` reads first.
    void prefetch(std::uint64_t key) const { __builtin_prefetch(&slots_[mix(key, seed_) >> shift_]); }

    // Entry number of `key`, or `used` when it is new and now belongs to entry `used`.
    // key_of(i) is the key of entry i < used.
    template <class KeyOf>
    std::size_t find_or_add(std::uint64_t key, std::size_t used, KeyOf&& key_of) {
        std::size_t place = mix(key, seed_) >> shift_;
        for (std::uint32_t slot; (slot = slots_[place]) != 0; place = (place + 1) & mask_) {
            if (key_of(slot - 1) == key) return slot - 1;
        }
        slots_[place] = static_cast<std::uint32_t>(used + 1);
        if (2 * (used + 1) > mask_) grow(key, used, key_of);
        return used;
    }

private:
    static constexpr std::size_t largest_start = std::size_t{1} << 15;
    static constexpr std::size_t most_entries = 0xFFFFFFF0;

    void use(std::size_t size) {
        mask_ = size - 1;
        shift_ = 65 - bit_length(static_cast<std::uint64_t>(size));
        std::memset(slots_.data(), 0, size * sizeof(std::uint32_t));
    }

    template <class KeyOf>
    void grow(std::uint64_t newest, std::size_t used, KeyOf&& key_of) {
        if (used >= most_entries) throw std::overflow_error("too many cells in one table");
        const std::size_t size = 4 * (mask_ + 1);
        if (slots_.size() < size) slots_ = Buffer<std::uint32_t>(size);
        use(size);
        for (std::size_t i = 0; i <= used; ++i) {
            std::size_t place = mix(i < used ? key_of(i) : newest, seed_) >> shift_;
            while (slots_[place] != 0) place = (place + 1) & mask_;
            slots_[place] = static_cast<std::uint32_t>(i + 1);
        }
    }

    Buffer<std::uint32_t> slots_;
    std::size_t mask_ = 0;
    unsigned shift_ = 0;
    std::uint64_t seed_ = process_seed();
};

inline std::uint64_t cell_key(std::uint32_t row, std::uint32_t column) {
    return (static_cast<std::uint64_t>(row) << 32) | column;
}

}  // namespace clustermark
