// Four doubles at once. Results are the same bits whatever vector units the machine has.
#pragma once

// A function is compiled for AVX2 too, and the version for this machine is chosen when the kernel is loaded.
#if defined(__x86_64__) && defined(__linux__) && defined(__GNUC__) && !defined(__clang__)
#define CLUSTERMARK_VECTORISED __attribute__((target_clones("avx2", "default")))
#else
#define CLUSTERMARK_VECTORISED
#endif

// Four products of 32-bit numbers at once, which compilers do not find by themselves, where the machine has AVX2.
#if defined(__x86_64__) && defined(__GNUC__)
#define CLUSTERMARK_HAS_AVX2
#include <immintrin.h>
#endif

namespace clustermark {

typedef double FourDoubles __attribute__((vector_size(32)));
// The same in memory that is aligned to 16 bytes, which is what `Buffer` promises for even places. It is declared for 8,
// but without AVX GCC 12 reads such an operand by instructions that need 16. A type of its own, because an alignment is
// ignored beside a size.
typedef FourDoubles FourDoublesUnaligned __attribute__((aligned(8), may_alias));

}  // namespace clustermark
