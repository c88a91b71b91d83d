// What kernels need beside C++, on CUDA.

typedef unsigned long long u64;
typedef unsigned int u32;
typedef long long i64;

extern __shared__ u64 dynamic_memory[];
#define SHARED_MEMORY(type, name) type *name = (type *)dynamic_memory

template <typename T> __device__ inline T volatile_read(const T *place) { return *(const volatile T *)place; }

constexpr u32 WARP = 32;
// Return the sum over the threads of a warp, to its first thread.
__device__ inline u64 sum_warp(u64 value) {
    for (u32 away = WARP / 2; away; away /= 2) value += __shfl_down_sync(~0u, value, away);
    return value;
}
