// Four doubles worked on at once. Results are the same bits however many lanes the machine has.
#pragma once

#if defined(__x86_64__) && defined(__linux__) && defined(__GNUC__) && !defined(__clang__)
#define CLUSTERMARK_VECTORISED __attribute__((target_clones("avx2", "default")))
#else
#define CLUSTERMARK_VECTORISED
#endif

// ClassProducts of 32-bit numbers, four at once, which compilers do not find by themselves; asked for where the machine has them.
#if defined(__x86_64__) && defined(__GNUC__)
#define CLUSTERMARK_HAS_AVX2
#include <immintrin.h>
#endif

namespace clustermark {

typedef double FourDoubles __attribute__((vector_size(32)));
// the same in memory, wherever it begins; as a type of its own, because an alignment beside a size is passed over
typedef FourDoubles FourDoublesUnaligned __attribute__((aligned(8), may_alias));

}  // namespace clustermark
