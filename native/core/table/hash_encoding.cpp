#include "core/table/hash_encoding.hpp"

#include <algorithm>
#include <stdexcept>
#include <vector>

#include "core/execution/interruption.hpp"
#include "core/memory/hashing.hpp"
#include "core/numeric/integers.hpp"

namespace clustermark {

namespace {

constexpr std::uint32_t empty = 0xFFFFFFFF;

// A growing list in pieces of fixed size: it neither copies elements nor keeps unused capacity.
class PositionList {
public:
    void push(std::int64_t position) {
        if (size_ % piece == 0) pieces_.emplace_back(piece);
        pieces_.back()[size_++ % piece] = position;
    }
    std::int64_t operator[](std::size_t i) const { return pieces_[i / piece][i % piece]; }
    std::size_t size() const { return size_; }
    Buffer<std::int64_t> joined() const {
        Buffer<std::int64_t> all(size_);
        StepCounter counter;
        for (std::size_t i = 0; i < size_; ++i, counter.step()) all[i] = (*this)[i];
        return all;
    }

private:
    static constexpr std::size_t piece = 1024;
    std::vector<Buffer<std::int64_t>> pieces_;
    std::size_t size_ = 0;
};

struct Slot {
    std::uint64_t word;  // the label itself, or for records its hash
    std::uint32_t code;
};

// Open addressing with linear probing, at most half full.
class Table {
public:
    explicit Table(std::size_t expected) { reset(power_at_least(std::max<std::size_t>(64, 2 * expected))); }

    std::size_t start(std::uint64_t hash) const { return hash >> shift_; }
    std::size_t next(std::size_t place) const { return (place + 1) & (slots_.size() - 1); }
    Slot& operator[](std::size_t place) { return slots_[place]; }
    void prefetch(std::uint64_t hash) const { __builtin_prefetch(&slots_[start(hash)]); }
    bool full(std::size_t used) const { return 2 * used >= slots_.size(); }

    template <class HashOf>
    void grow(HashOf&& hash_of) {
        Buffer<Slot> old = std::move(slots_);
        reset(4 * old.size());
        StepCounter counter;
        for (const Slot& slot : old) {
            counter.step();
            if (slot.code == empty) continue;
            std::size_t place = start(hash_of(slot.word));
            while (slots_[place].code != empty) place = next(place);
            slots_[place] = slot;
        }
    }

private:
    void reset(std::size_t size) {
        slots_ = Buffer<Slot>(size);
        StepCounter counter;  // for many labels the table takes gigabytes
        for (std::size_t begin = 0; begin < size; begin += block) {
            const std::size_t count = std::min(block, size - begin);
            std::fill_n(slots_.data() + begin, count, Slot{0, empty});
            counter.step(count);
        }
        shift_ = 65 - bit_length(static_cast<std::uint64_t>(size));
    }

    static constexpr std::size_t block = std::size_t{1} << 16;
    Buffer<Slot> slots_;
    unsigned shift_ = 0;
};

// The distinct labels seen so far; finds codes or assigns new ones.
class Coder {
public:
    explicit Coder(std::size_t count) : table_(std::min<std::size_t>(count, 4096)) {}

    void prefetch(std::uint64_t hash) const { table_.prefetch(hash); }

    // same(first_position) returns whether the label at that position is this one, given equal words.
    template <class Same, class HashOf>
    std::uint32_t code(std::uint64_t word, std::uint64_t hash, std::size_t position, Same&& same, HashOf&& hash_of) {
        std::size_t place = table_.start(hash);
        for (;; place = table_.next(place)) {
            const Slot& slot = table_[place];
            if (slot.code == empty) break;
            if (slot.word == word && same(firsts_[slot.code])) return slot.code;
        }
        if (firsts_.size() >= most_clusters) throw std::overflow_error("more than 2147483647 distinct labels");
        const auto fresh = static_cast<std::uint32_t>(firsts_.size());
        table_[place] = {word, fresh};
        firsts_.push(static_cast<std::int64_t>(position));
        if (table_.full(firsts_.size())) table_.grow(hash_of);
        return fresh;
    }

    Buffer<std::int64_t> firsts() const { return firsts_.joined(); }

private:
    Table table_;
    PositionList firsts_;
};

}  // namespace

Encoding encode_integers(const IntView& labels) {
    const std::uint64_t seed = process_seed();
    auto hash_of = [seed](std::uint64_t word) { return mix(word, seed); };
    auto always = [](std::int64_t) { return true; };
    constexpr std::size_t batch = 256;  // hashed ahead, so that the cache lines of the table can be prefetched
    std::uint64_t words[batch];
    std::uint64_t hashes[batch];
    Encoding result{Buffer<std::uint32_t>(labels.size), {}};
    Coder coder(labels.size);
    StepCounter counter;
    for (std::size_t begin = 0; begin < labels.size; begin += batch) {
        counter.step(batch);
        const std::size_t count = std::min(batch, labels.size - begin);
        load_words(labels, begin, count, words);
        for (std::size_t i = 0; i < count; ++i) coder.prefetch(hashes[i] = hash_of(words[i]));
        for (std::size_t i = 0; i < count; ++i) {
            result.codes[begin + i] = coder.code(words[i], hashes[i], begin + i, always, hash_of);
        }
    }
    result.firsts = coder.firsts();
    return result;
}

Encoding encode_records(const unsigned char* records, std::size_t count, std::size_t width) {
    const std::uint64_t seed = process_seed();
    auto itself = [](std::uint64_t word) { return word; };  // the word of a record is its hash
    constexpr std::size_t batch = 64;
    std::uint64_t hashes[batch];
    Encoding result{Buffer<std::uint32_t>(count), {}};
    Coder coder(count);
    StepCounter counter;
    for (std::size_t begin = 0; begin < count; begin += batch) {
        counter.step(batch);
        const std::size_t size = std::min(batch, count - begin);
        const unsigned char* block = records + begin * width;
        for (std::size_t i = 0; i < size; ++i) coder.prefetch(hashes[i] = mix_bytes(block + i * width, width, seed));
        for (std::size_t i = 0; i < size; ++i) {
            auto same = [&](std::int64_t first) {
                return std::memcmp(records + static_cast<std::size_t>(first) * width, block + i * width, width) == 0;
            };
            result.codes[begin + i] = coder.code(hashes[i], hashes[i], begin + i, same, itself);
        }
    }
    result.firsts = coder.firsts();
    return result;
}

}  // namespace clustermark
