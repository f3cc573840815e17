// Marks a function that processes all lanes of an access. The compiler emits it for several vector widths, and the
// loader picks the widest one that the host supports.
//
//   LANESCOPE_WIDE bool areInRow(const uint64_t *values, uint64_t stride) { … }   // a function of its own
#pragma once

#if defined(__x86_64__)
#define LANESCOPE_WIDE __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define LANESCOPE_WIDE
#endif
