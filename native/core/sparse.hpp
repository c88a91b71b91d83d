// Cross-tabulation by cutting the points into pieces and counting each piece in a small hash table.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "partition.hpp"

namespace clustermark {

template <class Points>
class SparseTable {
public:
    using Record = typename Points::Record;
    using Sum = typename Points::Sum;

    // Takes away the codes of sides encoded by hash once they have been read.
    SparseTable(Side& rows, Side& columns, const Payloads& payloads, unsigned threads)
        : rows_(rows), columns_(columns), payloads_(payloads), threads_(threads), row_used_(rows.width),
          column_used_(columns.width) {}

    Cells build() {
        target_ = std::max(piece_target, rows_.view.size / 2048);
        if (rows_.view.size <= 2 * piece_target) {
            take_whole();
        } else {
            partition();
        }
        count_pieces();
        row_used_.number();
        column_used_.number();
        return collect();
    }

private:
    // Few points: one piece, as they come.
    void take_whole() {
        records_ = Buffer<Record>(rows_.view.size);
        std::size_t size = 0;
        LabelSource<Points> source(rows_, columns_, payloads_, true);
        source.visit_records(0, source.size(), [&](const Record& record) { records_[size++] = record; });
        pieces_.push_back({0, size, 0});
    }

    void partition() {
        // By row, unless the rows are too few to make pieces of and the columns are more.
        const bool by_row = rows_.width >= columns_.width || rows_.width >= 2 * (rows_.view.size / target_);
        {
            LabelSource<Points> source(rows_, columns_, payloads_, by_row);
            PartitionPlan plan = plan_partition(source, threads_, target_);
            records_ = Buffer<Record>(plan.points);
            make_pages(records_, threads_);
            scatter(source, plan, threads_, records_.data());
            pieces_ = std::move(plan.pieces);
        }
        rows_.encoded = {};
        columns_.encoded = {};
        split_large_pieces(!by_row);
    }

    // One cluster may hold most of the points; its piece is cut again by the clusters of the other side.
    void split_large_pieces(bool by_row) {
        const std::uint64_t width = by_row ? rows_.width : columns_.width;
        if (width < 2) return;
        std::vector<Piece> all;
        for (const Piece& piece : pieces_) {
            if (piece.size() <= 4 * target_) {
                all.push_back(piece);
            } else {
                split(piece, width, by_row, all);
            }
        }
        pieces_ = std::move(all);
    }

    void split(const Piece& piece, std::uint64_t width, bool by_row, std::vector<Piece>& all) {
        Record* records = records_.data() + piece.begin;
        RecordSource<Points> source(records, piece.size(), width, by_row);
        const unsigned threads = std::min(threads_, choose_threads(0, piece.size()));
        const PartitionPlan plan = plan_partition(source, threads, target_);
        Buffer<Record> moved(piece.size());
        scatter(source, plan, threads, moved.data());
        std::memcpy(static_cast<void*>(records), moved.data(), piece.size() * sizeof(Record));
        for (const Piece& part : plan.pieces) all.push_back({piece.begin + part.begin, piece.begin + part.end, 0});
    }

    void count_pieces() {
        // Room for a cell a point; only what is touched is taken, so the pages must be small ones.
        sums_ = Buffer<Sum>(records_.size(), PageSize::small);
        std::atomic<std::size_t> next{0};
        run_parallel(threads_, [&](unsigned) {
            CellIndex index;
            Pace pace;
            for (std::size_t i; (i = next.fetch_add(1)) < pieces_.size();) {
                count_piece(pieces_[i], index);
                pace.step(pieces_[i].size());
            }
        });
    }

    // The records of a piece are overwritten by the keys of its cells, in order of first appearance.
    void count_piece(Piece& piece, CellIndex& index) {
        Record* records = records_.data() + piece.begin;
        Sum* sums = sums_.data() + piece.begin;
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
            row_used_.mark(static_cast<std::uint32_t>(records[i].key >> 32));
            column_used_.mark(static_cast<std::uint32_t>(records[i].key));
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
            Pace pace;
            for (std::size_t i = begin; i < end; ++i) {
                store_piece(pieces_[i], starts[i], cells);
                pace.step(pieces_[i].cells);
            }
        });
        cells.n_rows = row_used_.used();
        cells.n_columns = column_used_.used();
        cells.row_values = row_used_.values(rows_);
        cells.column_values = column_used_.values(columns_);
        return cells;
    }

    void store_piece(const Piece& piece, std::size_t start, Cells& cells) const {
        for (std::size_t i = 0; i < piece.cells; ++i) {
            const std::uint64_t key = records_[piece.begin + i].key;
            store_entry<Points>(cells, start + i, row_used_.number_of(static_cast<std::uint32_t>(key >> 32)),
                                column_used_.number_of(static_cast<std::uint32_t>(key)), sums_[piece.begin + i]);
        }
    }

    Side& rows_;
    Side& columns_;
    const Payloads& payloads_;
    unsigned threads_;
    UsedCodes row_used_;
    UsedCodes column_used_;
    std::size_t target_ = piece_target;
    Buffer<Record> records_;
    Buffer<Sum> sums_;
    std::vector<Piece> pieces_;
};

}  // namespace clustermark
