// The cost model: simple, deterministic, the same for every chip. It orders what happens plausibly; it does not predict
// a SparseCore's time, for which nothing public has the numbers. All numbers are cycles, and a cycle is a nanosecond of
// the trace. They are assumed, but for what follows from the sizes of the machine (docs of JAX, "SparseCore"):
//
// - A subcore does one thing after the other; a vector operation handles `lanes` 32-bit words at once.
// - Loads and stores of VMEM and SMEM take a few cycles; no operation waits for another of the same subcore.
// - A copy ends a start-up time after it was started plus its bytes over the bandwidth of the slower of its two
// memories;
//   an indirect one pays for each row besides. Copies do not hold up one another.
// - Who waits goes on when the last copy, signal or arrival that it needs is there.
#pragma once

#include <cstdint>

namespace lanescope::core::sparsecore::cost {

inline constexpr uint32_t kLanes = 16; // words of a register; chips with 8 take two turns, which the model leaves out
inline constexpr double kScalar = 1;
inline constexpr double kVector = 2;    // each register of `lanes` words
inline constexpr double kCrossLane = 8; // scan, sort, gather: each register
inline constexpr double kFunction = 8;  // exp, division, …: each register
inline constexpr double kMemory = 3;
inline constexpr double kIssue = 10; // of a copy or a signal
inline constexpr double kBarrier = 20;
inline constexpr double kWake = 5;      // from a signal to the waiter
inline constexpr double kRemote = 1000; // to another device

inline constexpr double kCopyStart = 500;      // HBM
inline constexpr double kLocalCopyStart = 100; // within a core
inline constexpr double kHbmBytes = 32;        // a cycle, of each copy
inline constexpr double kLocalBytes = 64;
inline constexpr double kRow = 4; // of an indirect copy

} // namespace lanescope::core::sparsecore::cost
