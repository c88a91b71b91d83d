// Count pairs of labels on a device, exactly. TRUE_LABEL and PRED_LABEL are the types of the labels; every argument of a
// kernel has 8 bytes. Labels are stored with a stride in elements. A label minus the lowest label of its side is its code;
// a cell is the code of the true label times the number of predicted codes, plus the code of the predicted label.

#ifndef TRUE_LABEL
#define TRUE_LABEL i64
#define PRED_LABEL i64
#endif
typedef TRUE_LABEL TrueLabel;
typedef PRED_LABEL PredLabel;

// The head of the results: what the host reads in one copy.
struct Head {
    u64 below_true, high_true;  // the complement of the lowest label, and the highest, as ordered bits
    u64 below_pred, high_pred;
    u64 outside;                // points whose labels lie outside these ranges
    u64 full;                   // 1 if a table was too small
    u64 cells, true_clusters, pred_clusters;
    u64 cell_squares[4], true_squares[4], pred_squares[4];  // sums of 32-bit limbs, the lowest first
    u64 listed;
    u64 finished;               // blocks of `add_up_small` that have ended
    u64 true_noise, pred_noise;  // points with the label -1, which looks like noise
};

// Bits whose unsigned order is that of the labels.
template <typename Label> __device__ inline u64 order(Label label) {
    return Label(-1) < Label(0) ? u64(i64(label)) ^ (u64(1) << 63) : u64(label);
}

struct Codes {
    u64 low_true, n_true, low_pred, n_pred;

    template <typename Cell> __device__ bool find(u64 row, u64 column, Cell &cell) const {
        u64 a = row - low_true, b = column - low_pred;
        cell = Cell(a) * Cell(n_pred) + Cell(b);
        return a < n_true && b < n_pred;
    }
};

// The range of one side, wider by an eighth if only a sample was read, whose range misses some labels.
__device__ inline void find_range(u64 below, u64 high, bool sampled, u64 &low, u64 &n) {
    low = ~below;
    if (sampled) {
        u64 more = (high - low) / 8 + 2;
        low = low > more ? low - more : 0;
        high = high + more > high ? high + more : ~u64(0);
    }
    n = high - low + 1;
}

// Return the codes of the ranges that `find_ranges` found, and whether a table of at most `most` cells has all of them.
__device__ inline bool find_codes(const Head *head, bool sampled, u64 most, Codes &codes) {
    u64 below_true = volatile_read(&head->below_true), high_true = volatile_read(&head->high_true);
    u64 below_pred = volatile_read(&head->below_pred), high_pred = volatile_read(&head->high_pred);
    find_range(below_true, high_true, sampled, codes.low_true, codes.n_true);
    find_range(below_pred, high_pred, sampled, codes.low_pred, codes.n_pred);
    return codes.n_true - 1 < most && codes.n_pred - 1 < most && codes.n_true * codes.n_pred <= most;
}

// Call `take(row, column, place)` for the ordered bits of both labels of every point; AHEAD loads are in flight at once.
template <int AHEAD, typename Take>
__device__ inline void for_each_point(
    const TrueLabel *rows, u64 row_stride, const PredLabel *columns, u64 column_stride, u64 n, Take take
) {
    u64 step = u64(gridDim.x) * blockDim.x;
    u64 place = u64(blockIdx.x) * blockDim.x + threadIdx.x;
    for (; place + (AHEAD - 1) * step < n; place += AHEAD * step) {
        TrueLabel row[AHEAD];
        PredLabel column[AHEAD];
#pragma unroll
        for (int i = 0; i < AHEAD; ++i) {
            row[i] = rows[(place + i * step) * row_stride];
            column[i] = columns[(place + i * step) * column_stride];
        }
#pragma unroll
        for (int i = 0; i < AHEAD; ++i) take(order(row[i]), order(column[i]), place + i * step);
    }
    for (; place < n; place += step) {
        take(order(rows[place * row_stride]), order(columns[place * column_stride]), place);
    }
}

__device__ inline void find_ranges_of(
    const TrueLabel *rows, u64 row_stride, const PredLabel *columns, u64 column_stride, u64 n, u64 every, Head *head
) {
    __shared__ u64 range[4];
    if (threadIdx.x < 4) range[threadIdx.x] = threadIdx.x % 2 ? 0 : ~u64(0);
    __syncthreads();
    u64 low_true = ~u64(0), high_true = 0, low_pred = ~u64(0), high_pred = 0;
    for_each_point<4>(rows, row_stride * every, columns, column_stride * every, (n + every - 1) / every,
                      [&](u64 row, u64 column, u64) {
                          low_true = row < low_true ? row : low_true;
                          high_true = row > high_true ? row : high_true;
                          low_pred = column < low_pred ? column : low_pred;
                          high_pred = column > high_pred ? column : high_pred;
                      });
    atomicMin(range + 0, low_true), atomicMax(range + 1, high_true);
    atomicMin(range + 2, low_pred), atomicMax(range + 3, high_pred);
    __syncthreads();
    if (threadIdx.x == 0) {
        atomicMax(&head->below_true, ~range[0]), atomicMax(&head->high_true, range[1]);
        atomicMax(&head->below_pred, ~range[2]), atomicMax(&head->high_pred, range[3]);
    }
}

// Find the ranges of the labels of every `every`-th point.
extern "C" __global__ void __launch_bounds__(1024) find_ranges(
    const TrueLabel *rows, u64 row_stride, const PredLabel *columns, u64 column_stride, u64 n, u64 every, Head *head
) {
    find_ranges_of(rows, row_stride, columns, column_stride, n, every, head);
}

// Count into tables in shared memory, which are then added to the table of all cells; warps share `copies` tables.
__device__ inline void count_shared_of(
    const TrueLabel *rows, u64 row_stride, const PredLabel *columns, u64 column_stride, u64 n, const Codes &codes,
    u64 most, u64 *table, Head *head
) {
    SHARED_MEMORY(u32, own);
    u32 size = u32(codes.n_true * codes.n_pred), copies = u32(most) / size;
    u64 worth = 1 + n / gridDim.x / (4 * size);  // more copies take longer to clear and to add than they save
    copies = copies < 32 ? copies : 32;
    copies = copies < worth ? copies : u32(worth);
    for (u32 i = threadIdx.x; i < size * copies; i += blockDim.x) own[i] = 0;
    __syncthreads();
    u32 *mine = own + threadIdx.x / 32 % copies * size;
    u64 outside = 0;
    for_each_point<8>(rows, row_stride, columns, column_stride, n, [&](u64 row, u64 column, u64) {
        u32 cell;
        if (codes.find(row, column, cell)) atomicAdd(mine + cell, 1u);
        else ++outside;
    });
    if (outside) atomicAdd(&head->outside, outside);
    __syncthreads();
    for (u32 cell = threadIdx.x; cell < size; cell += blockDim.x) {
        u64 sum = 0;
        for (u32 copy = 0; copy < copies; ++copy) sum += own[copy * size + cell];
        if (sum) atomicAdd(table + cell, sum);
    }
}

// Count if the table of the ranges that were found fits into shared memory.
extern "C" __global__ void __launch_bounds__(1024) count_shared(
    const TrueLabel *rows, u64 row_stride, const PredLabel *columns, u64 column_stride, u64 n, u64 sampled, u64 most,
    u64 *table, Head *head
) {
    Codes codes;
    if (find_codes(head, sampled, most, codes)) {
        count_shared_of(rows, row_stride, columns, column_stride, n, codes, most, table, head);
    } else if (blockIdx.x == 0 && threadIdx.x == 0) {
        head->full = 1;
    }
}

__device__ inline u64 mix(u64 key) {
    key = (key ^ (key >> 31)) * 0x9E3779B97F4A7C15ull;
    return key ^ (key >> 29);
}

constexpr u64 EMPTY = ~u64(0);

// A cache of counters in shared memory: a slot belongs to the cell that came first, the other cells are counted elsewhere.
template <typename Cell> struct Cache {
    static constexpr Cell NOBODY = ~Cell(0);
    Cell *owners;
    u32 *counts;
    u32 slots;

    __device__ void clear() {
        for (u32 i = threadIdx.x; i < slots; i += blockDim.x) owners[i] = NOBODY, counts[i] = 0;
        __syncthreads();
    }
    __device__ bool add(Cell cell) {
        u32 slot = u32(cell * Cell(0x9E3779B97F4A7C15ull) >> (8 * sizeof(Cell) - 20)) & (slots - 1);
        Cell owner = volatile_read(owners + slot);
        if (owner == NOBODY) {
            owner = atomicCAS(owners + slot, NOBODY, cell);
            if (owner == NOBODY) owner = cell;
        }
        if (owner != cell) return false;
        atomicAdd(counts + slot, 1u);
        return true;
    }
    template <typename Add> __device__ void flush(Add add) {
        __syncthreads();
        for (u32 i = threadIdx.x; i < slots; i += blockDim.x) {
            if (counts[i]) add(owners[i], counts[i]);
        }
    }
};

// Count into the table of all cells, frequent cells in shared memory. Counters have 32 bits, so n is below 2^32.
extern "C" __global__ void __launch_bounds__(1024, 2) count_dense(
    const TrueLabel *rows, u64 row_stride, const PredLabel *columns, u64 column_stride, u64 n,
    u64 low_true, u64 n_true, u64 low_pred, u64 n_pred, u64 slots, u32 *table, Head *head
) {
    SHARED_MEMORY(u32, memory);
    Cache<u32> cache{memory, memory + slots, u32(slots)};
    Codes codes{low_true, n_true, low_pred, n_pred};
    cache.clear();
    u64 outside = 0;
    for_each_point<2>(rows, row_stride, columns, column_stride, n, [&](u64 row, u64 column, u64) {
        u32 cell;
        if (!codes.find(row, column, cell)) ++outside;
        else if (!cache.add(cell)) atomicAdd(table + cell, 1u);
    });
    if (outside) atomicAdd(&head->outside, outside);
    cache.flush([&](u32 cell, u32 count) { atomicAdd(table + cell, count); });
}

// Return the slot of a key in a hash table of 2^k slots, or the number of slots if the table is too full. A slot has
// `width` numbers, the first of which is the key plus 1, and 0 if it is empty.
__device__ inline u64 find_slot(u64 *table, u64 slots, u64 width, u64 key) {
    u64 slot = mix(key) & (slots - 1), mark = key + 1;
    for (u32 tried = 0; tried < 512; ++tried, slot = (slot + 1) & (slots - 1)) {
        u64 found = volatile_read(table + slot * width);
        if (found == 0) {
            found = atomicCAS(table + slot * width, u64(0), mark);
            if (found == 0) return slot;
        }
        if (found == mark) return slot;
    }
    return slots;
}

// Count into a hash table with slots of a key and a count, frequent cells in shared memory.
extern "C" __global__ void __launch_bounds__(1024, 2) count_hashed(
    const TrueLabel *rows, u64 row_stride, const PredLabel *columns, u64 column_stride, u64 n,
    u64 low_true, u64 n_true, u64 low_pred, u64 n_pred, u64 slots, u64 *table, u64 n_slots, Head *head
) {
    SHARED_MEMORY(u64, memory);
    Cache<u64> cache{memory, (u32 *)(memory + slots), u32(slots)};
    Codes codes{low_true, n_true, low_pred, n_pred};
    cache.clear();
    u64 outside = 0;
    auto add = [&](u64 cell, u32 count) {
        if (volatile_read(&head->full)) return;
        u64 slot = find_slot(table, n_slots, 2, cell);
        if (slot < n_slots) atomicAdd(table + 2 * slot + 1, u64(count));
        else head->full = 1;
    };
    for_each_point<2>(rows, row_stride, columns, column_stride, n, [&](u64 row, u64 column, u64) {
        u64 cell;
        if (!codes.find(row, column, cell)) ++outside;
        else if (!cache.add(cell)) add(cell, 1);
    });
    if (outside) atomicAdd(&head->outside, outside);
    cache.flush(add);
}

// Count points with counts and weights (either may be null) into a hash table with slots of a key and a count, and for
// weights their sum and that of their squares.
extern "C" __global__ void __launch_bounds__(1024) count_weighted(
    const TrueLabel *rows, u64 row_stride, const PredLabel *columns, u64 column_stride, u64 n,
    u64 low_true, u64 n_true, u64 low_pred, u64 n_pred, const i64 *times, const double *weights,
    u64 *table, u64 width, u64 n_slots, Head *head
) {
    Codes codes{low_true, n_true, low_pred, n_pred};
    u64 outside = 0;
    for_each_point<2>(rows, row_stride, columns, column_stride, n, [&](u64 row, u64 column, u64 place) {
        u64 cell, count = times ? u64(times[place]) : 1;
        double weight = weights ? weights[place] : 1;
        if (!codes.find(row, column, cell)) ++outside;
        else if (count && weight > 0 && !volatile_read(&head->full)) {
            u64 slot = find_slot(table, n_slots, width, cell);
            if (slot >= n_slots) head->full = 1;
            else {
                atomicAdd(table + width * slot + 1, count);
                if (weights) {
                    atomicAdd((double *)(table + width * slot + 2), weight * double(count));
                    atomicAdd((double *)(table + width * slot + 3), weight * weight * double(count));
                }
            }
        }
    });
    if (outside) atomicAdd(&head->outside, outside);
}

__device__ inline void add_square(u64 n, u64 &low, u64 &high) {
    u64 product = n * n;
    low += product;
    high += __umul64hi(n, n) + (low < product);
}

// Add the sum over the threads of a block to a place; all threads take part.
__device__ inline void add_block(u64 *place, u64 value) {
    __shared__ u64 parts[1024 / WARP];
    value = sum_warp(value);
    __syncthreads();
    if (threadIdx.x % WARP == 0) parts[threadIdx.x / WARP] = value;
    __syncthreads();
    if (threadIdx.x) return;
    for (u32 i = 1; i < (blockDim.x + WARP - 1) / WARP; ++i) value += parts[i];
    if (value) atomicAdd(place, value);
}

__device__ inline void add_limbs(u64 *limbs, u64 low, u64 high) {
    add_block(limbs + 0, low & 0xFFFFFFFFu), add_block(limbs + 1, low >> 32);
    add_block(limbs + 2, high & 0xFFFFFFFFu), add_block(limbs + 3, high >> 32);
}

// The tables of cells: counters of 32 or 64 bits for all cells, or slots of a hash table.
struct DenseCells {
    const u64 *counts;
    __device__ bool find(u64 i, u64 &cell, u64 &count) const { return cell = i, count = volatile_read(counts + i); }
};
struct NarrowCells {
    const u32 *counts;
    __device__ bool find(u64 i, u64 &cell, u64 &count) const { return cell = i, count = counts[i]; }
};
struct HashedCells {
    const u64 *table;
    u64 width;
    __device__ bool find(u64 i, u64 &cell, u64 &count) const {
        return cell = table[i * width] - 1, count = cell == EMPTY ? 0 : table[i * width + 1];
    }
};

template <typename Cells, typename Take> __device__ inline void for_each_cell(Cells cells, u64 n_slots, Take take) {
    for (u64 i = u64(blockIdx.x) * blockDim.x + threadIdx.x; i < n_slots; i += u64(gridDim.x) * blockDim.x) {
        u64 cell, count;
        if (cells.find(i, cell, count)) take(i, cell, count);
    }
}

// Add the cells up by row and by column, with their number and their squares. A thread takes runs of cells, because those
// of a row lie side by side in a table of all cells, and adding to one row at once would make threads wait.
template <typename Cells>
__device__ inline void add_up(
    Cells cells, u64 n_slots, u64 run, u64 n_pred, u64 *true_sizes, u64 *pred_sizes, Head *head
) {
    u64 found = 0, low = 0, high = 0;
    u64 step = u64(gridDim.x) * blockDim.x * run;
    for (u64 start = (u64(blockIdx.x) * blockDim.x + threadIdx.x) * run; start < n_slots; start += step) {
        u64 end = start + run < n_slots ? start + run : n_slots, last = ~u64(0), sum = 0;
        for (u64 i = start; i < end; ++i) {
            u64 cell, count;
            if (!cells.find(i, cell, count)) continue;
            u64 row = cell / n_pred;
            if (row != last) {
                if (sum) atomicAdd(true_sizes + last, sum);
                last = row, sum = 0;
            }
            sum += count;
            atomicAdd(pred_sizes + cell % n_pred, count);
            ++found;
            add_square(count, low, high);
        }
        if (sum) atomicAdd(true_sizes + last, sum);
    }
    add_block(&head->cells, found);
    add_limbs(head->cell_squares, low, high);
}

// Count the clusters of both sides, and add up the squares of their sizes, from thread `first` of `step` threads.
__device__ inline void add_up_sides(
    const u64 *true_sizes, u64 n_true, const u64 *pred_sizes, u64 n_pred, u64 first, u64 step, Head *head
) {
    for (int side = 0; side < 2; ++side) {
        const u64 *sizes = side ? pred_sizes : true_sizes;
        u64 n = side ? n_pred : n_true, clusters = 0, low = 0, high = 0;
        for (u64 i = first; i < n; i += step) {
            u64 size = volatile_read(sizes + i);
            clusters += size != 0;
            add_square(size, low, high);
        }
        add_block(side ? &head->pred_clusters : &head->true_clusters, clusters);
        add_limbs(side ? head->pred_squares : head->true_squares, low, high);
    }
}

// Note the number of points with the label -1 of both sides.
__device__ inline void note_noise(const u64 *true_sizes, const u64 *pred_sizes, const Codes &codes, Head *head) {
    u64 row = order(TrueLabel(-1)) - codes.low_true, column = order(PredLabel(-1)) - codes.low_pred;
    if (TrueLabel(-1) < TrueLabel(0) && row < codes.n_true) head->true_noise = volatile_read(true_sizes + row);
    if (PredLabel(-1) < PredLabel(0) && column < codes.n_pred) head->pred_noise = volatile_read(pred_sizes + column);
}

// Add up the table of `count_shared`: the block that ends last adds up the sides.
__device__ inline void add_up_small_of(
    const u64 *table, const Codes &codes, u64 *true_sizes, u64 *pred_sizes, Head *head
) {
    __shared__ u64 rank;
    add_up(DenseCells{table}, codes.n_true * codes.n_pred, 4, codes.n_pred, true_sizes, pred_sizes, head);
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) rank = atomicAdd(&head->finished, u64(1));
    __syncthreads();
    if (rank + 1 < gridDim.x) return;
    __threadfence();
    add_up_sides(true_sizes, codes.n_true, pred_sizes, codes.n_pred, threadIdx.x, blockDim.x, head);
    if (threadIdx.x == 0) note_noise(true_sizes, pred_sizes, codes, head);
}

extern "C" __global__ void __launch_bounds__(1024) add_up_small(
    const u64 *table, u64 sampled, u64 most, u64 *true_sizes, u64 *pred_sizes, Head *head
) {
    Codes codes;
    if (find_codes(head, sampled, most, codes)) add_up_small_of(table, codes, true_sizes, pred_sizes, head);
}

// Do the work of `find_ranges`, `count_shared` and `add_up_small` by one block, for few points.
extern "C" __global__ void __launch_bounds__(1024) count_few(
    const TrueLabel *rows, u64 row_stride, const PredLabel *columns, u64 column_stride, u64 n, u64 most,
    u64 *table, u64 *true_sizes, u64 *pred_sizes, Head *head
) {
    find_ranges_of(rows, row_stride, columns, column_stride, n, 1, head);
    __threadfence();
    __syncthreads();
    Codes codes;
    if (!find_codes(head, false, most, codes)) {
        if (threadIdx.x == 0) head->full = 1;
        return;
    }
    count_shared_of(rows, row_stride, columns, column_stride, n, codes, most, table, head);
    __threadfence();
    __syncthreads();
    add_up_small_of(table, codes, true_sizes, pred_sizes, head);
}

extern "C" __global__ void __launch_bounds__(1024) add_up_dense(
    const u32 *table, u64 n_slots, u64 n_pred, u64 *true_sizes, u64 *pred_sizes, Head *head
) {
    add_up(NarrowCells{table}, n_slots, 8, n_pred, true_sizes, pred_sizes, head);
}

extern "C" __global__ void __launch_bounds__(1024) add_up_hashed(
    const u64 *table, u64 width, u64 n_slots, u64 n_pred, u64 *true_sizes, u64 *pred_sizes, Head *head
) {
    add_up(HashedCells{table, width}, n_slots, 1, n_pred, true_sizes, pred_sizes, head);
}

extern "C" __global__ void __launch_bounds__(1024) add_up_clusters(
    const u64 *true_sizes, u64 low_true, u64 n_true, const u64 *pred_sizes, u64 low_pred, u64 n_pred, Head *head
) {
    u64 first = u64(blockIdx.x) * blockDim.x + threadIdx.x;
    add_up_sides(true_sizes, n_true, pred_sizes, n_pred, first, u64(gridDim.x) * blockDim.x, head);
    if (first == 0) note_noise(true_sizes, pred_sizes, Codes{low_true, n_true, low_pred, n_pred}, head);
}

// List the cells that are not empty, in any order: columns of `room` cells, counts, and for a width of 4 two sums of weights.
extern "C" __global__ void __launch_bounds__(1024) list_hashed(
    const u64 *table, u64 width, u64 n_slots, u64 *listed, u64 room, Head *head
) {
    for_each_cell(HashedCells{table, width}, n_slots, [&](u64 i, u64 cell, u64 count) {
        u64 place = atomicAdd(&head->listed, u64(1));
        listed[place] = cell;
        listed[room + place] = count;
        for (u64 column = 2; column < width; ++column) listed[column * room + place] = table[i * width + column];
    });
}

extern "C" __global__ void __launch_bounds__(1024) list_dense(
    const u32 *table, u64 n_slots, u64 *listed, u64 room, Head *head
) {
    for_each_cell(NarrowCells{table}, n_slots, [&](u64, u64 cell, u64 count) {
        u64 place = atomicAdd(&head->listed, u64(1));
        listed[place] = cell;
        listed[room + place] = count;
    });
}

// Enter the labels of one side into a hash table of distinct labels; that of the bits ~0, which has no mark, has a flag.
extern "C" __global__ void __launch_bounds__(1024) enter_labels(
    const TrueLabel *labels, u64 stride, u64 n, u64 *keys, u64 n_slots, u64 *has_last, Head *head
) {
    for (u64 i = u64(blockIdx.x) * blockDim.x + threadIdx.x; i < n; i += u64(gridDim.x) * blockDim.x) {
        u64 label = order(labels[i * stride]);
        if (label == EMPTY) *has_last = 1;
        else if (find_slot(keys, n_slots, 1, label) >= n_slots) head->full = 1;
    }
}

// Number the distinct labels: `codes` of each slot, and the label of each code.
extern "C" __global__ void __launch_bounds__(1024) number_labels(const u64 *keys, u64 n_slots, u64 has_last, u32 *codes, u64 *names, Head *head) {
    u64 first = u64(blockIdx.x) * blockDim.x + threadIdx.x;
    for (u64 i = first; i < n_slots; i += u64(gridDim.x) * blockDim.x) {
        if (keys[i] == 0) continue;
        u64 code = atomicAdd(&head->listed, u64(1));
        codes[i] = u32(code);
        names[code] = keys[i] - 1;
    }
    if (first == 0 && has_last) {
        u64 code = atomicAdd(&head->listed, u64(1));
        codes[n_slots] = u32(code);
        names[code] = EMPTY;
    }
}

// Replace each label by its number.
extern "C" __global__ void __launch_bounds__(1024) encode_labels(
    const TrueLabel *labels, u64 stride, u64 n, u64 *keys, u64 n_slots, const u32 *codes, u32 *encoded
) {
    for (u64 i = u64(blockIdx.x) * blockDim.x + threadIdx.x; i < n; i += u64(gridDim.x) * blockDim.x) {
        u64 label = order(labels[i * stride]);
        encoded[i] = codes[label == EMPTY ? n_slots : find_slot(keys, n_slots, 1, label)];
    }
}

// Convert counts to 64 bits, and add them up as squares of cells; those that are negative or too large are counted as outside.
extern "C" __global__ void __launch_bounds__(1024) widen_counts(const TrueLabel *counts, u64 stride, u64 n, i64 *wide, Head *head) {
    u64 low = 0, high = 0, bad = 0;
    for (u64 i = u64(blockIdx.x) * blockDim.x + threadIdx.x; i < n; i += u64(gridDim.x) * blockDim.x) {
        TrueLabel count = counts[i * stride];
        wide[i] = i64(count);
        if (count < TrueLabel(0) || i64(count) < 0) ++bad;
        low += u64(i64(count));
        high += low < u64(i64(count));
    }
    if (bad) atomicAdd(&head->outside, bad);
    add_limbs(head->cell_squares, low, high);
}

// Convert weights to doubles; those that are not 0 and not from 1e-35 to 1e35 are counted as outside.
extern "C" __global__ void __launch_bounds__(1024) widen_weights(const TrueLabel *weights, u64 stride, u64 n, double *wide, Head *head) {
    u64 bad = 0;
    for (u64 i = u64(blockIdx.x) * blockDim.x + threadIdx.x; i < n; i += u64(gridDim.x) * blockDim.x) {
        double weight = double(weights[i * stride]);
        wide[i] = weight;
        if (!(weight == 0 || (weight >= 1e-35 && weight <= 1e35))) ++bad;
    }
    if (bad) atomicAdd(&head->outside, bad);
}
