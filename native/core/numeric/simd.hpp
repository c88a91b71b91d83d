// Four doubles at once. The bits of results do not depend on the vector units of the machine.
#pragma once

// The function is compiled for AVX2 too, and the version for the machine is chosen when the kernel is loaded.
#if defined(__x86_64__) && defined(__linux__) && defined(__GNUC__) && !defined(__clang__)
#define CLUSTERMARK_VECTORISED __attribute__((target_clones("avx2", "default")))
#else
#define CLUSTERMARK_VECTORISED
#endif

// Four products of 32-bit numbers at once with AVX2; compilers do not generate these instructions.
#if defined(__x86_64__) && defined(__GNUC__)
#define CLUSTERMARK_HAS_AVX2
#include <immintrin.h>
#endif

namespace clustermark {

typedef double FourDoubles __attribute__((vector_size(32)));
// The same in memory that is aligned to 16 bytes, as `Buffer` guarantees at even positions. Declared for 8 bytes, but
// without AVX GCC 12 reads such an operand by instructions that need 16. It is a separate type, because an alignment is
// ignored beside a size.
typedef FourDoubles FourDoublesUnaligned __attribute__((aligned(8), may_alias));

}  // namespace clustermark
