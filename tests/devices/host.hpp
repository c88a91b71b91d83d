// What kernels need beside C++, on the host: blocks run one after another, each with one thread of the system a thread.
#include <barrier>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

typedef unsigned long long u64;
typedef unsigned int u32;
typedef long long i64;

struct Index {
    unsigned x = 0;
};
static thread_local Index threadIdx, blockIdx;
static Index blockDim, gridDim;
static std::vector<u64> dynamic_memory;
static std::barrier<> *block_barrier;

#define __global__
#define __device__
#define __launch_bounds__(...)
#define __shared__ static
#define SHARED_MEMORY(type, name) type *name = (type *)dynamic_memory.data()

inline void __syncthreads() { block_barrier->arrive_and_wait(); }
constexpr u32 WARP = 1;
inline u64 sum_warp(u64 value) { return value; }
inline void __threadfence() {}
inline u64 __umul64hi(u64 a, u64 b) { return u64((unsigned __int128)a * b >> 64); }
template <typename T> T volatile_read(const T *place) { return __atomic_load_n(place, __ATOMIC_RELAXED); }
template <typename T, typename U> T atomicAdd(T *place, U more) {
    T old = volatile_read(place), next;
    do next = old + more;
    while (!__atomic_compare_exchange(place, &old, &next, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED));
    return old;
}
inline double atomicAdd(double *place, double more) {
    u64 old = volatile_read((u64 *)place), next;
    double sum;
    do {
        std::memcpy(&sum, &old, 8);
        sum += more;
        std::memcpy(&next, &sum, 8);
    } while (!__atomic_compare_exchange((u64 *)place, &old, &next, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED));
    return sum - more;
}
template <typename T> T atomicCAS(T *place, T expected, T wanted) {
    __atomic_compare_exchange(place, &expected, &wanted, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
    return expected;
}
template <typename T> T atomicMin(T *place, T value) {
    T old = volatile_read(place);
    while (value < old && !__atomic_compare_exchange(place, &old, &value, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {}
    return old;
}
template <typename T> T atomicMax(T *place, T value) {
    T old = volatile_read(place);
    while (value > old && !__atomic_compare_exchange(place, &old, &value, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {}
    return old;
}

template <typename T> T argument(u64 bits) {
    T value;
    std::memcpy(&value, &bits, sizeof value);
    return value;
}

template <typename... Args, std::size_t... I>
void run(void (*kernel)(Args...), const u64 *bits, unsigned grid, unsigned block, u64 shared, std::index_sequence<I...>) {
    std::tuple<Args...> given(argument<Args>(bits[I])...);
    gridDim.x = grid, blockDim.x = block;
    for (unsigned b = 0; b < grid; ++b) {
        dynamic_memory.assign((shared + 7) / 8, 0xA5A5A5A5A5A5A5A5ull);
        std::barrier<> barrier(block);
        block_barrier = &barrier;
        std::vector<std::thread> threads;
        for (unsigned t = 0; t < block; ++t) {
            threads.emplace_back([&, b, t] {
                threadIdx.x = t, blockIdx.x = b;
                std::apply(kernel, given);
            });
        }
        for (auto &thread : threads) thread.join();
    }
}

#define KERNEL(name)                                                                                            \
    extern "C" void run_##name(const u64 *bits, unsigned grid, unsigned block, u64 shared) {                     \
        run_kernel(name, bits, grid, block, shared);                                                            \
    }
template <typename... Args>
void run_kernel(void (*kernel)(Args...), const u64 *bits, unsigned grid, unsigned block, u64 shared) {
    run(kernel, bits, grid, block, shared, std::index_sequence_for<Args...>{});
}
