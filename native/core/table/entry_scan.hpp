// Loops over the entries of a table, which can be interrupted and prefetch the data of the clusters that they read.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "core/execution/interruption.hpp"
#include "core/memory/buffer.hpp"

namespace clustermark {

// An array with an element for each cluster of one side. Entries name clusters in any order, so most reads of a large array
// miss the cache.
template <class T>
struct ClusterLookup {
    const Buffer<T>& clusters;
    const Buffer<std::int32_t>& numbers;  // of the cluster, by entry
    std::int32_t begin = 0;               // only clusters from here on are looked up,
    std::int32_t end = INT32_MAX;         // and before this one

    // Prefetching an array that fits into the cache only costs time.
    bool are_far() const { return clusters.size() > near / sizeof(T); }

    // Always inlined: GCC removes calls of a function that does nothing but prefetch.
    [[gnu::always_inline]] void prefetch_ahead(std::size_t i) const {
        if (i + ahead >= numbers.size()) return;
        const std::int32_t number = numbers[i + ahead];
        if (number < begin || number >= end) return;
        const T* cluster = &clusters[static_cast<std::size_t>(number)];
        __builtin_prefetch(cluster);
        if constexpr (64 % sizeof(T) != 0) __builtin_prefetch(reinterpret_cast<const char*>(cluster + 1) - 1);
    }

private:
    static constexpr std::size_t near = std::size_t{1} << 17;  // bytes, about half of a second-level cache
    static constexpr std::size_t ahead = 24;  // entries of a few ns each: about the time of a read from memory
};

// Flattened, so that all functions that the body calls are inlined; GCC does not inline them into two instances by itself.
template <bool fetching, class Body, class... T>
[[gnu::flatten]] void scan_block(std::size_t begin, std::size_t end, Body& body, const ClusterLookup<T>&... lookups) {
    for (std::size_t i = begin; i < end; ++i) {
        if constexpr (fetching) (lookups.prefetch_ahead(i), ...);
        body(i);
    }
}

// Calls body(i) for the entries from begin to end, in order; `lookups` are the arrays that it reads.
template <class Body, class... T>
void scan_entries(std::size_t begin, std::size_t end, Body&& body, const ClusterLookup<T>&... lookups) {
    constexpr std::size_t block = 4096;
    const bool far = (lookups.are_far() || ...);
    StepCounter counter;
    for (std::size_t at = begin; at < end; at += block) {
        const std::size_t until = std::min(at + block, end);
        if (far) {
            scan_block<true>(at, until, body, lookups...);
        } else {
            scan_block<false>(at, until, body, lookups...);
        }
        counter.step(until - at);
    }
}

}  // namespace clustermark
