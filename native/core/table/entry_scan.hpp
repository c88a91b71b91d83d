// Passes over the entries of a table: they can be interrupted, and fetch what is known of clusters in time.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "core/execution/interruption.hpp"
#include "core/memory/buffer.hpp"

namespace clustermark {

// What is known of the clusters of one side. A pass meets them in any order, so of many clusters most is far away.
template <class T>
struct ClusterLookup {
    const Buffer<T>& clusters;
    const Buffer<std::int32_t>& numbers;  // of the cluster, by entry
    std::int32_t begin = 0;               // only clusters from here on are looked up,
    std::int32_t end = INT32_MAX;         // and before this one

    // What is near is not asked for: that would only cost time.
    bool are_far() const { return clusters.size() > near / sizeof(T); }

    // Inlined always: a call that only asks for memory has no effect that GCC knows of, and would be left out.
    [[gnu::always_inline]] void prefetch_ahead(std::size_t i) const {
        if (i + ahead >= numbers.size()) return;
        const std::int32_t number = numbers[i + ahead];
        if (number < begin || number >= end) return;
        const T* cluster = &clusters[static_cast<std::size_t>(number)];
        __builtin_prefetch(cluster);
        if constexpr (64 % sizeof(T) != 0) __builtin_prefetch(reinterpret_cast<const char*>(cluster + 1) - 1);
    }

private:
    static constexpr std::size_t near = std::size_t{1} << 17;
    static constexpr std::size_t ahead = 24;
};

// With all that the body calls in one loop; it stands here twice, so that it would not be inlined otherwise.
template <bool fetching, class Body, class... T>
[[gnu::flatten]] void scan_block(std::size_t begin, std::size_t end, Body& body, const ClusterLookup<T>&... lookups) {
    for (std::size_t i = begin; i < end; ++i) {
        if constexpr (fetching) (lookups.prefetch_ahead(i), ...);
        body(i);
    }
}

// body(i) for the entries from begin to end, in order; `lookups` are what it looks up.
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
