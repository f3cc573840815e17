// The cost model is simple, deterministic, and the same for every chip. It puts events into a plausible order. It does
// not predict the time of a SparseCore, because there are no public numbers. All numbers are cycles, and a cycle is a
// nanosecond of the trace. They are assumptions, except those that follow from the sizes of the machine (docs of JAX,
// "SparseCore"):
//
// - A subcore executes one operation after another; a vector operation handles `lanes` 32-bit words at once.
// - Loads and stores of VMEM and SMEM take a few cycles; no operation waits for another one of the same subcore.
// - A copy takes a start-up time plus its bytes over the bandwidth of the slower of its two memories; an indirect one
//   also pays for each row. Copies do not slow each other down.
// - A waiting subcore continues after the last copy, signal or arrival that it needs.
#pragma once

#include <cstdint>

namespace lanescope::core::sparsecore::cost {

inline constexpr uint32_t kLanes = 16; // words of a register; chips with 8 need two passes, which the model ignores
inline constexpr double kScalar = 1;
inline constexpr double kVector = 2;    // per register of `lanes` words
inline constexpr double kCrossLane = 8; // scan, sort, gather: per register
inline constexpr double kFunction = 8;  // exp, division, …: per register
inline constexpr double kMemory = 3;
inline constexpr double kIssue = 10; // per copy or signal
inline constexpr double kBarrier = 20;
inline constexpr double kWake = 5;      // from a signal to the waiter
inline constexpr double kRemote = 1000; // to another device

inline constexpr double kCopyStart = 500;      // HBM
inline constexpr double kLocalCopyStart = 100; // within a core
inline constexpr double kHbmBytes = 32;        // bytes per cycle, for each copy
inline constexpr double kLocalBytes = 64;
inline constexpr double kRow = 4; // per row of an indirect copy

} // namespace lanescope::core::sparsecore::cost
