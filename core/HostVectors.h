// Marks a function that passes over all lanes of each access: compiled for several vector widths; the program chooses
// the host's widest when it is loaded.
//
//   LANESCOPE_WIDE bool areInRow(const uint64_t *values, uint64_t stride) { … }   // a function of its own
#pragma once

#if defined(__x86_64__)
#define LANESCOPE_WIDE __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define LANESCOPE_WIDE
#endif
