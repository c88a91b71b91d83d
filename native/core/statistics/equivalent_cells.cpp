#include "core/statistics/equivalent_cells.hpp"

#include <stdexcept>
#include <vector>

#include "core/execution/interruption.hpp"
#include "core/memory/hashing.hpp"
#include "core/table/entry_scan.hpp"

namespace clustermark {

namespace {

// The grouping ends after this many entries, or a multiple, if there are more classes than a fourth of the entries: then
// scoring by classes costs more than it saves.
constexpr std::size_t first_look = std::size_t{1} << 14;
constexpr std::int64_t most_points = std::int64_t{1} << 31;  // squares of sizes fit into 64 bits

struct Cluster {
    std::int64_t size = 0;
    std::int64_t squares = 0;
};

struct Kind {
    std::int64_t n;
    Cluster row, column;

    bool operator==(const Kind& other) const {
        return n == other.n && row.size == other.row.size && column.size == other.column.size &&
               row.squares == other.row.squares && column.squares == other.column.squares;
    }

    std::uint64_t hash(std::uint64_t seed) const {
        std::uint64_t hash = mix(static_cast<std::uint64_t>(n), seed);
        for (const std::int64_t number : {row.size, column.size, row.squares, column.squares}) {
            hash = mix(hash ^ static_cast<std::uint64_t>(number), seed + 0x9E3779B97F4A7C15ULL);
        }
        return hash;
    }
};

// The clusters of one side; empty if one has too many points for its squares.
Buffer<Cluster> sum_clusters(const Buffer<std::int32_t>& numbers, const Buffer<std::int32_t>& others,
                             const Buffer<std::int64_t>& counts, std::size_t clusters) {
    auto sums = Buffer<Cluster>::zeros(clusters);
    StepCounter counter;
    for (std::size_t i = 0; i < numbers.size(); ++i) {
        counter.step();
        if (numbers[i] == lone) continue;
        Cluster& cluster = sums[static_cast<std::size_t>(numbers[i])];
        if (counts[i] >= most_points || cluster.size >= most_points - counts[i]) return {};
        cluster.size += counts[i];
        cluster.squares += others[i] == lone ? counts[i] : counts[i] * counts[i];
    }
    return sums;
}

// The kinds of cells, in order of first appearance.
class Kinds {
public:
    Kinds() : slots_(1024, 0) {}

    std::uint32_t number(const Kind& kind) {
        for (std::size_t place = kind.hash(seed_) & (slots_.size() - 1);; place = (place + 1) & (slots_.size() - 1)) {
            if (slots_[place] == 0) return add(kind, place);
            if (kinds_[slots_[place] - 1] == kind) return slots_[place] - 1;
        }
    }

    const std::vector<Kind>& all() const { return kinds_; }

private:
    std::uint32_t add(const Kind& kind, std::size_t place) {
        kinds_.push_back(kind);
        slots_[place] = static_cast<std::uint32_t>(kinds_.size());
        if (2 * kinds_.size() > slots_.size()) grow();
        return static_cast<std::uint32_t>(kinds_.size() - 1);
    }

    void grow() {
        slots_.assign(4 * slots_.size(), 0);
        for (std::size_t i = 0; i < kinds_.size(); ++i) {
            std::size_t place = kinds_[i].hash(seed_) & (slots_.size() - 1);
            while (slots_[place] != 0) place = (place + 1) & (slots_.size() - 1);
            slots_[place] = static_cast<std::uint32_t>(i + 1);
        }
    }

    std::vector<Kind> kinds_;
    std::vector<std::uint32_t> slots_;
    std::uint64_t seed_ = process_seed();
};

template <class Field>
Buffer<std::int64_t> collect(const std::vector<Kind>& kinds, Field&& field) {
    Buffer<std::int64_t> values(kinds.size());
    for (std::size_t i = 0; i < kinds.size(); ++i) values[i] = field(kinds[i]);
    return values;
}

}  // namespace

std::optional<EquivalentCells> group_alike(const Cells& cells) {
    if (cells.weighted || cells.has_absent()) throw std::invalid_argument("the cells must be of plain points");
    const Buffer<Cluster> rows = sum_clusters(cells.rows, cells.columns, cells.counts, cells.n_rows);
    const Buffer<Cluster> columns = sum_clusters(cells.columns, cells.rows, cells.counts, cells.n_columns);
    if (rows.size() < cells.n_rows || columns.size() < cells.n_columns) return std::nullopt;
    EquivalentCells alike{Buffer<std::int32_t>(cells.size()), {}, {}, {}, {}, {}, {}};
    std::vector<std::int64_t> times;
    Kinds kinds;
    const ClusterLookup<Cluster> row_lookups{rows, cells.rows};
    const ClusterLookup<Cluster> column_lookups{columns, cells.columns};
    StepCounter counter;
    for (std::size_t i = 0; i < cells.size(); ++i) {
        counter.step();
        row_lookups.prefetch_ahead(i);
        column_lookups.prefetch_ahead(i);
        const std::int32_t row = cells.rows[i], column = cells.columns[i];
        const bool single = row == lone || column == lone;  // `times` cells of one point each
        const Kind kind{single ? 1 : cells.counts[i], row == lone ? Cluster{1, 1} : rows[static_cast<std::size_t>(row)],
                        column == lone ? Cluster{1, 1} : columns[static_cast<std::size_t>(column)]};
        const std::uint32_t number = kinds.number(kind);
        if (number == times.size()) times.push_back(0);
        times[number] += single ? cells.counts[i] : 1;
        alike.classes[i] = static_cast<std::int32_t>(number);
        if ((i + 1) % first_look == 0 && 4 * times.size() > i + 1) return std::nullopt;
    }
    const std::vector<Kind>& all = kinds.all();
    alike.n = collect(all, [](const Kind& kind) { return kind.n; });
    alike.a = collect(all, [](const Kind& kind) { return kind.row.size; });
    alike.b = collect(all, [](const Kind& kind) { return kind.column.size; });
    alike.true_squares = collect(all, [](const Kind& kind) { return kind.row.squares; });
    alike.pred_squares = collect(all, [](const Kind& kind) { return kind.column.squares; });
    alike.times = Buffer<std::int64_t>(times.size());
    for (std::size_t i = 0; i < times.size(); ++i) alike.times[i] = times[i];
    return alike;
}

}  // namespace clustermark
