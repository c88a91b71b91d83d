// The number of points of each true label in a cluster, for many clusters that merge; stored in blocks of one pool.
#pragma once

#include <array>
#include <cstdint>
#include <new>
#include <vector>

#include "core/memory/hashing.hpp"

namespace clustermark {

struct LabelCount {
    std::int32_t label;
    std::int32_t count;
};

// The counts of one cluster. One label needs no block; up to 16 labels are a list, more labels a table of open addressing.
struct LabelBlock {
    std::int32_t place = 0;   // position of the block, in blocks of the smallest size; or the only label
    std::int32_t labels = 0;  // number of labels
    std::int32_t only = 0;    // the count of the only label
    std::uint8_t bits = 0;    // the block has 2^bits entries
};

class LabelCounts {
public:
    // Adds to the count of a label, and returns the count before.
    std::int32_t add(LabelBlock& block, std::int32_t label, std::int32_t count) {
        if (block.labels == 0) {
            block.place = label;
            block.only = count;
            block.labels = 1;
            return 0;
        }
        if (block.labels == 1) {
            if (block.place == label) {
                block.only += count;
                return block.only - count;
            }
            const LabelCount first{block.place, block.only};
            block.bits = smallest;
            block.place = take(smallest);
            block.labels = 2;
            entries_of(block)[0] = first;
            entries_of(block)[1] = {label, count};
            return 0;
        }
        return block.bits <= list_bits ? add_to_list(block, label, count) : add_to_table(block, label, count);
    }

    template <class Visit>
    void visit(const LabelBlock& block, Visit&& tell) const {
        if (block.labels == 1) {
            tell(LabelCount{block.place, block.only});
        } else if (block.labels > 1) {
            const LabelCount* entries = entries_of(block);
            if (block.bits <= list_bits) {
                for (std::int32_t i = 0; i < block.labels; ++i) tell(entries[i]);
            } else {
                for (std::size_t i = 0; i < std::size_t{1} << block.bits; ++i) {
                    if (entries[i].label >= 0) tell(entries[i]);
                }
            }
        }
    }

    // Returns the counts of a block and frees the block; the counts are valid until the next call.
    const std::vector<LabelCount>& empty(LabelBlock& block) {
        emptied_.clear();
        visit(block, [&](const LabelCount& entry) { emptied_.push_back(entry); });
        if (block.labels > 1) free_[block.bits].push_back(block.place);
        block.labels = 0;
        return emptied_;
    }

private:
    static constexpr std::uint8_t smallest = 2;
    static constexpr std::uint8_t list_bits = 4;

    LabelCount* entries_of(const LabelBlock& block) {
        return pool_.data() + (static_cast<std::size_t>(block.place) << smallest);
    }
    const LabelCount* entries_of(const LabelBlock& block) const {
        return pool_.data() + (static_cast<std::size_t>(block.place) << smallest);
    }

    std::int32_t take(std::uint8_t bits) {
        if (!free_[bits].empty()) {
            const std::int32_t place = free_[bits].back();
            free_[bits].pop_back();
            return place;
        }
        const std::size_t place = pool_.size() >> smallest;
        if (place >= std::size_t{1} << 31) throw std::bad_alloc();
        pool_.resize(pool_.size() + (std::size_t{1} << bits));
        return static_cast<std::int32_t>(place);
    }

    std::int32_t add_to_list(LabelBlock& block, std::int32_t label, std::int32_t count) {
        LabelCount* entries = entries_of(block);
        for (std::int32_t i = 0; i < block.labels; ++i) {
            if (entries[i].label == label) {
                entries[i].count += count;
                return entries[i].count - count;
            }
        }
        if (block.labels == std::int32_t{1} << block.bits) {
            if (block.bits == list_bits) {
                grow(block, list_bits + 2);
                return add_to_table(block, label, count);
            }
            grow(block, static_cast<std::uint8_t>(block.bits + 1));
            entries = entries_of(block);
        }
        entries[block.labels++] = {label, count};
        return 0;
    }

    std::int32_t add_to_table(LabelBlock& block, std::int32_t label, std::int32_t count) {
        LabelCount& entry = *find(block, label);
        if (entry.label == label) {
            entry.count += count;
            return entry.count - count;
        }
        entry = {label, count};
        if (++block.labels > std::int32_t{1} << (block.bits - 1)) grow(block, static_cast<std::uint8_t>(block.bits + 1));
        return 0;
    }

    LabelCount* find(const LabelBlock& block, std::int32_t label) {
        LabelCount* entries = entries_of(block);
        const std::size_t mask = (std::size_t{1} << block.bits) - 1;
        std::size_t i = mix(static_cast<std::uint64_t>(label), seed_) & mask;
        while (entries[i].label >= 0 && entries[i].label != label) i = (i + 1) & mask;
        return entries + i;
    }

    void grow(LabelBlock& block, std::uint8_t bits) {
        std::vector<LabelCount> entries;  // not `emptied_`, which may contain the counts of another cluster
        entries.reserve(static_cast<std::size_t>(block.labels));
        visit(block, [&](const LabelCount& entry) { entries.push_back(entry); });
        free_[block.bits].push_back(block.place);
        block.bits = bits;
        block.place = take(bits);
        LabelCount* fresh = entries_of(block);
        if (bits <= list_bits) {
            for (std::size_t i = 0; i < entries.size(); ++i) fresh[i] = entries[i];
            return;
        }
        for (std::size_t i = 0; i < std::size_t{1} << bits; ++i) fresh[i].label = -1;
        for (const LabelCount& entry : entries) *find(block, entry.label) = entry;
    }

    std::vector<LabelCount> pool_;
    std::vector<LabelCount> emptied_;
    std::array<std::vector<std::int32_t>, 40> free_;
    std::uint64_t seed_ = process_seed();
};

}  // namespace clustermark
