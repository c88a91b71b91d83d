// Collects cells that arrive in parts, each cell once, as from a GROUP BY. No cell is looked up or merged.
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>

#include "core/table/cells.hpp"
#include "core/table/label_codes.hpp"
#include "core/table/label_view.hpp"

namespace clustermark {

class CellCollector {
public:
    // All labels lie in these ranges, of at most 2^32 values each.
    CellCollector(std::size_t cells, const WordRange& rows, const WordRange& columns);

    // The labels and the number of points of some cells. Throws std::invalid_argument for cells that were not announced.
    void add(const IntView& rows, const IntView& columns, const IntView& counts);

    // Returns all cells, with clusters numbered in the order of their labels. To be called once, after all were added.
    Cells finish();

private:
    struct Line {
        Side side;  // without labels, which are not kept
        UsedCodes used;
        bool known = false;  // whether the type of the labels is
    };

    static Line line_of(const WordRange& range);
    std::int64_t read(const IntView& rows, const IntView& columns, const IntView& counts, std::size_t begin,
                      std::size_t end);
    static void read_codes(Line& line, const IntView& labels, std::size_t at, std::size_t count, std::uint32_t* out);
    static void renumber(const UsedCodes& used, Buffer<std::int32_t>& codes);

    Cells cells_;
    Line rows_;
    Line columns_;
    std::size_t added_ = 0;
    std::int64_t points_ = 0;
    bool finished_ = false;
    std::mutex busy_;  // several threads may add parts
};

}  // namespace clustermark
