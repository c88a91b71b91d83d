// The payload of a point (nothing, a count, or a count and a weight) and the sums over the points of a cell.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <stdexcept>

#include "core/memory/strided_view.hpp"
#include "core/numeric/double_double.hpp"
#include "core/table/cells.hpp"
#include "core/table/label_codes.hpp"
#include "core/table/label_view.hpp"

namespace clustermark {

struct Payloads {
    std::optional<StridedView<std::int64_t>> counts;
    std::optional<StridedView<double>> weights;
};

// Plain points, added up in Counter (32 bits suffice for fewer than 2^32 points).
template <class Counter>
struct PlainPoints {
    static constexpr bool plain = true;
    static constexpr bool weighted = false;
    struct Payload {};
    template <class Key>
    struct Record {
        Key key;
        Payload payload() const { return {}; }
    };
    struct Sum {
        Counter count;
        void add(Payload) { ++count; }
        void add(const Sum& other) { count += other.count; }
        std::int64_t points() const { return static_cast<std::int64_t>(count); }
    };
    template <class Key>
    static Record<Key> record(Key key, Payload) {
        return {key};
    }
};

struct CountedPoints {
    static constexpr bool plain = false;
    static constexpr bool weighted = false;
    struct Payload {
        std::int64_t count;
    };
    template <class Key>
    struct Record {
        Key key;
        std::int64_t count;
        Payload payload() const { return {count}; }
    };
    struct Sum {
        std::int64_t count;
        void add(Payload payload) { count += payload.count; }
        void add(const Sum& other) { count += other.count; }
        std::int64_t points() const { return count; }
    };
    template <class Key>
    static Record<Key> record(Key key, Payload payload) {
        return {key, payload.count};
    }

    // False for a row that stands for no point.
    static bool read(const Payloads& payloads, std::size_t i, Payload& payload) {
        payload.count = (*payloads.counts)[i];
        if (payload.count < 0) reject_change();
        return payload.count != 0;
    }
};

struct WeightedPoints {
    static constexpr bool plain = false;
    static constexpr bool weighted = true;
    struct Payload {
        std::int64_t count;
        double weight;
    };
    template <class Key>
    struct Record {
        Key key;
        std::int64_t count;
        double weight;
        Payload payload() const { return {count, weight}; }
    };
    struct Sum {
        std::int64_t count;
        DoubleDouble weight;
        DoubleDouble pairs;

        // Only products of positive numbers are added to the pairs, so nothing cancels; one point gives exactly 0.
        void add(Payload payload) {
            if (payload.count == 1) {
                if (count != 0) pairs += weight * payload.weight;
                weight += payload.weight;
                count += 1;
                return;
            }
            const DoubleDouble together = DoubleDouble::of(payload.count) * payload.weight;
            pairs += weight * together;
            pairs += pairs_of(payload.count) * DoubleDouble::product(payload.weight, payload.weight);
            weight += together;
            count += payload.count;
        }
        std::int64_t points() const { return count; }
    };
    template <class Key>
    static Record<Key> record(Key key, Payload payload) {
        return {key, payload.count, payload.weight};
    }

    static bool read(const Payloads& payloads, std::size_t i, Payload& payload) {
        payload.count = payloads.counts ? (*payloads.counts)[i] : 1;
        payload.weight = (*payloads.weights)[i];
        if (payload.count < 0 || !(payload.weight >= 0.0) || std::isinf(payload.weight)) reject_change();
        return payload.count != 0 && payload.weight != 0.0;
    }
};

// The arrays of the result, made when the number of cells is known.
template <class Points>
void allocate_entries(Cells& cells, std::size_t size) {
    cells.rows = Buffer<std::int32_t>(size);
    cells.columns = Buffer<std::int32_t>(size);
    cells.counts = Buffer<std::int64_t>(size);
    cells.weighted = Points::weighted;
    if constexpr (Points::weighted) {
        cells.weights = Buffer<double>(size);
        cells.pairs = Buffer<double>(size);
    }
}

template <class Points>
void store_entry(Cells& cells, std::size_t entry, std::int32_t row, std::int32_t column,
                 const typename Points::Sum& sum) {
    cells.rows[entry] = row;
    cells.columns[entry] = column;
    cells.counts[entry] = sum.points();
    if constexpr (Points::weighted) {
        cells.weights[entry] = sum.weight.value();
        cells.pairs[entry] = sum.pairs.value();
        if (!std::isfinite(cells.pairs[entry])) {
            throw std::overflow_error("products of weights add up to more than a double holds");
        }
    }
}

// Reads blocks of points: codes of both sides and the payload, leaving out rows that stand for no point.
template <class Points>
struct Block {
    std::uint32_t rows[block_size];
    std::uint32_t columns[block_size];
    typename Points::Payload payloads[Points::plain ? 1 : block_size];
    std::size_t size = 0;
    std::uint64_t row_bits = 0;  // all row codes or-ed together, before they were cut to 32 bits
    std::uint64_t column_bits = 0;

    void read(const Side& row_side, const Side& column_side, const Payloads& payload_views, std::size_t begin,
              std::size_t count) {
        row_bits = load_codes(row_side.view, begin, count, row_side.base, rows);
        column_bits = load_codes(column_side.view, begin, count, column_side.base, columns);
        size = count;
        if constexpr (!Points::plain) keep_points(payload_views, begin);
    }

    bool fits(const Side& row_side, const Side& column_side) const {
        return are_below(row_side.width, row_bits, rows, size) && are_below(column_side.width, column_bits, columns, size);
    }

    typename Points::Payload payload(std::size_t i) const { return payloads[Points::plain ? 0 : i]; }

private:
    void keep_points(const Payloads& payload_views, std::size_t begin) {
        std::size_t kept = 0;
        for (std::size_t i = 0; i < size; ++i) {
            if (!Points::read(payload_views, begin + i, payloads[kept])) continue;
            rows[kept] = rows[i];
            columns[kept++] = columns[i];
        }
        size = kept;
    }
};

}  // namespace clustermark
