// Cross-tabulation by cutting the points into pieces and counting each piece in a small hash table.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <type_traits>
#include <vector>

#include "core/table/point_pieces.hpp"

namespace clustermark {

// Counts records with keys of one type.
template <class Points, class Key>
class PieceTable {
public:
    using Record = typename Points::template Record<Key>;
    using Sum = typename Points::Sum;

    PieceTable(const Side& rows, const Side& columns, bool by_row, const KeyFormat& format, unsigned threads)
        : rows_(rows), columns_(columns), by_row_(by_row), format_(format), threads_(threads), row_used_(rows.width),
          column_used_(columns.width) {}

    // For few points: one piece, in the order of the input.
    void take_whole(const LabelSource<Points>& source) {
        records_ = Buffer<Record>(source.size());
        std::size_t size = 0;
        source.template visit_records<Key>(0, source.size(), format_,
                                           [&](std::uint32_t, const Record& record) { records_[size++] = record; });
        pieces_.push_back({0, size, 0, 0});
    }

    void take(const LabelSource<Points>& source, PartitionPlan& plan) {
        records_ = Buffer<Record>(plan.points);
        make_pages(records_, threads_);
        scatter(source, plan, threads_, format_, records_.data());
        pieces_ = std::move(plan.pieces);
    }

    // One cluster may hold most of the points; its piece is cut again by the clusters of the other side.
    void split_large_pieces(std::size_t target) {
        const std::uint64_t width = by_row_ ? columns_.width : rows_.width;
        if (width < 2) return;
        std::vector<Piece> all;
        for (const Piece& piece : pieces_) {
            if (piece.size() <= 4 * target) {
                all.push_back(piece);
            } else {
                split(piece, width, target, all);
            }
        }
        pieces_ = std::move(all);
    }

    Cells build() {
        count_pieces();
        row_used_.number();
        column_used_.number();
        return collect();
    }

private:
    struct Codes {
        std::uint32_t row, column;
    };

    Codes codes_of(Key key, const Piece& piece) const {
        const std::uint32_t major = format_.major(key, piece);
        const std::uint32_t minor = format_.minor(key);
        return by_row_ ? Codes{major, minor} : Codes{minor, major};
    }

    void split(const Piece& piece, std::uint64_t width, std::size_t target, std::vector<Piece>& all) {
        Record* records = records_.data() + piece.begin;
        const RecordSource<Record> source(records, piece.size(), width);
        const unsigned threads = std::min(threads_, choose_threads(0, piece.size()));
        const PartitionPlan plan = plan_partition(source, threads, target);
        Buffer<Record> moved(piece.size());
        scatter(source, plan, threads, format_, moved.data());
        std::memcpy(static_cast<void*>(records), moved.data(), piece.size() * sizeof(Record));
        for (const Piece& part : plan.pieces) {
            all.push_back({piece.begin + part.begin, piece.begin + part.end, 0, piece.first});
        }
    }

    void count_pieces() {
        std::size_t largest = 0;
        for (const Piece& piece : pieces_) largest = std::max(largest, piece.size());
        sums_.resize(pieces_.size());
        std::atomic<std::size_t> next{0};
        run_parallel(threads_, [&](unsigned) {
            CellIndex index;
            // Space for one cell for each point. Only pages that are touched take memory, so they must be small ones.
            Buffer<Sum> sums(largest, PageSize::small);
            StepCounter counter;
            for (std::size_t i; (i = next.fetch_add(1)) < pieces_.size();) {
                count_piece(pieces_[i], index, sums.data());
                sums_[i] = Buffer<Sum>(pieces_[i].cells);
                std::copy_n(sums.data(), pieces_[i].cells, sums_[i].data());
                counter.step(pieces_[i].size());
            }
        });
    }

    // The records of a piece are overwritten by the keys of its cells, in order of first appearance.
    void count_piece(Piece& piece, CellIndex& index, Sum* sums) {
        Record* records = records_.data() + piece.begin;
        std::size_t used = 0;
        index.clear(piece.size());
        auto key_of = [records](std::size_t i) { return records[i].key; };
        for (std::size_t i = 0; i < piece.size(); ++i) {
            const Record record = records[i];
            const std::size_t entry = index.find_or_add(record.key, used, key_of);
            if (entry == used) {
                records[used].key = record.key;
                sums[used++] = Sum{};
            }
            sums[entry].add(record.payload());
        }
        for (std::size_t i = 0; i < used; ++i) {
            const Codes codes = codes_of(records[i].key, piece);
            row_used_.mark(codes.row);
            column_used_.mark(codes.column);
        }
        piece.cells = used;
    }

    Cells collect() {
        std::vector<std::size_t> starts(pieces_.size());
        std::size_t size = 0;
        for (std::size_t i = 0; i < pieces_.size(); ++i) {
            starts[i] = size;
            size += pieces_[i].cells;
        }
        Cells cells;
        allocate_entries<Points>(cells, size);
        run_parallel(threads_, [&](unsigned thread) {
            const auto [begin, end] = share(pieces_.size(), thread, threads_);
            StepCounter counter;
            for (std::size_t i = begin; i < end; ++i) {
                store_piece(pieces_[i], sums_[i], starts[i], cells);
                counter.step(pieces_[i].cells);
            }
        });
        cells.n_rows = row_used_.used();
        cells.n_columns = column_used_.used();
        cells.row_values = row_used_.values(rows_);
        cells.column_values = column_used_.values(columns_);
        return cells;
    }

    void store_piece(const Piece& piece, const Buffer<Sum>& sums, std::size_t start, Cells& cells) const {
        for (std::size_t i = 0; i < piece.cells; ++i) {
            const Codes codes = codes_of(records_[piece.begin + i].key, piece);
            store_entry<Points>(cells, start + i, row_used_.number_of(codes.row), column_used_.number_of(codes.column),
                                sums[i]);
        }
    }

    const Side& rows_;
    const Side& columns_;
    bool by_row_;
    KeyFormat format_;
    unsigned threads_;
    UsedCodes row_used_;
    UsedCodes column_used_;
    Buffer<Record> records_;
    std::vector<Piece> pieces_;
    std::vector<Buffer<Sum>> sums_;  // of the cells of each piece
};

constexpr std::size_t points_of_one_piece = 2 * piece_target;

// The table of two sides whose codes are below their widths; frees the codes of sides encoded by hash after they have been
// read. Every code is checked. If one does not fit, the result is {} where the widths are guesses (powers of two); otherwise
// the labels have changed, which is an error.
template <class Points>
std::optional<Cells> count_sparse(Side& rows, Side& columns, const Payloads& payloads, unsigned threads, bool guessed) {
    const std::size_t points = rows.view.size;
    const std::size_t target = std::max(piece_target, points / 2048);
    // By row, unless there are too few rows to make pieces and more columns.
    const bool by_row = rows.width >= columns.width || rows.width >= 2 * (points / target);
    const LabelSource<Points> source(rows, columns, payloads, by_row);
    const auto fits = [&] {
        if (!source.fits() && !guessed) reject_change();
        return source.fits();
    };
    const auto count = [&]<class Key>(PieceTable<Points, Key>& table, auto&& take) -> std::optional<Cells> {
        take(table);
        if (!fits()) return std::nullopt;
        rows.encoded = {};
        columns.encoded = {};
        table.split_large_pieces(target);
        return table.build();
    };
    if (points <= points_of_one_piece) {
        PieceTable<Points, std::uint64_t> table(rows, columns, by_row, {}, threads);
        return count(table, [&](auto& whole) { whole.take_whole(source); });
    }
    PartitionPlan plan = plan_partition(source, threads, target);
    if (!fits()) return std::nullopt;
    const auto take = [&](auto& table) { table.take(source, plan); };
    const unsigned minor_bits = bit_length((by_row ? columns.width : rows.width) - 1);
    // Short keys halve the memory traffic, if both codes fit and no piece has to be cut again.
    if constexpr (Points::plain) {
        if (bit_length(plan.widest - 1) + minor_bits <= 32 && plan.largest <= 4 * target) {
            PieceTable<Points, std::uint32_t> table(rows, columns, by_row, {minor_bits}, threads);
            return count(table, take);
        }
    }
    PieceTable<Points, std::uint64_t> table(rows, columns, by_row, {}, threads);
    return count(table, take);
}

}  // namespace clustermark
