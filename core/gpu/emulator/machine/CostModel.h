// The emulator's cycle model. It is simple and deterministic. The numbers here are the same for every architecture;
// GpuSpeeds (core/gpu/kernel/GpuTarget.h) has those that are not. The model orders events plausibly, but does not
// predict a GPU's time. All numbers are clock cycles. One cycle is one nanosecond of %globaltimer, so that both clocks
// of a trace agree.
//
// - A warp issues in order. An instruction occupies the warp for its issue cost. Warps of a block run side by side.
// - A load's value is ready a latency after the issue. The first instruction that needs the value waits for it.
// - An asynchronous copy takes a start-up time, its bytes over the bandwidth, and a seeded delay.
// - A block starts when its SM has room for it (schedule/ClusterPlacement.h). It ends when the SM's units have finished
// its
//   work and the work of the blocks before it.
#pragma once

#include "core/gpu/kernel/Profile.h"

#include <cstdint>

namespace lanescope::core::emulator::cost {

inline constexpr uint64_t kBlockStart = 500;
inline constexpr uint64_t kBlockEvery = 150; // cycles between two block starts on an SM; measured as below
/// Warp instructions that a multiprocessor issues (CUDA C++ Programming Guide, "Compute Capabilities": four
/// schedulers).
inline constexpr uint64_t kIssuesPerCycle = 4;
// Measured on an H200 (tests/gpu/memory_speeds.cu): the highest rate of the L2 cache to one multiprocessor. GpuSpeeds
// has the rate to all of them.
inline constexpr uint64_t kSmBytesPerCycle = 92;
inline constexpr uint64_t kSectorBytes = 32; // unit of transfers between the L2 cache and a multiprocessor
inline constexpr uint64_t kFirstNanosecond = kEmulatedStart; // %globaltimer when the grid starts

inline constexpr uint16_t kArithmetic = 2;
inline constexpr uint16_t kWideArithmetic = 4;  // 64-bit integers and f64
inline constexpr uint16_t kDivision = 32;       // div, rem, sqrt.rn
inline constexpr uint16_t kSpecialFunction = 8; // ex2, lg2, sin, rcp, …
inline constexpr uint16_t kMemoryIssue = 4;
inline constexpr uint16_t kShuffle = 4;
inline constexpr uint16_t kBranch = 4;
inline constexpr uint16_t kBarrier = 16;
inline constexpr uint16_t kMbarrier = 12;
inline constexpr uint16_t kAsyncIssue = 16;
inline constexpr uint16_t kFence = 20;
inline constexpr uint16_t kPoll = 40; // a test that failed
inline constexpr uint16_t kMma = 16;  // the issue of mma.sync, any shape; TensorRate.h has the tensor core's time
inline constexpr uint16_t kWgmmaColumns = 2; // columns that an SM multiplies per cycle, by 64 rows and 32 bytes of K

// tcgen05: products of 16-bit elements that the tensor core of one SM adds per cycle. 2.25 PFLOP/s of f16 (NVIDIA's
// data sheet of HGX B200, dense) over 148 SMs at 1.85 GHz are 4096. Elements of half the width go twice as fast. The
// other numbers are assumptions: one register of 32 threads per cycle between tensor memory and each warp, and
// latencies like those of shared memory.
inline constexpr uint64_t kTensorProducts = 4096;
inline constexpr uint64_t kTensorCopyBytes = 128; // bytes per cycle of tcgen05.cp: the rate of shared memory
inline constexpr uint64_t kTensorShift = 32;
inline constexpr uint64_t kTensorCommit = 40; // from the last operation's end to the arrival
inline constexpr uint64_t kTmemLatency = 30;
inline constexpr uint64_t kTmemPerRegister = 1;
inline constexpr uint64_t kTmemStoreWait = 30;

inline constexpr uint64_t kGlobalLatency = 480;
inline constexpr uint64_t kSharedLatency = 30;
inline constexpr uint64_t kRemoteLatency = 200; // another block's shared memory
inline constexpr uint64_t kAtomicLatency = 500;

// Links between devices: 450 GB/s in each direction at 1.755 GHz (NVIDIA's data sheet of H100, NVLink 4: 900 GB/s in
// both directions). The latency is assumed.
inline constexpr uint64_t kLinkLatency = 1000;
inline constexpr uint64_t kLinkBytesPerCycle = 256;

inline constexpr uint64_t kBulkStart = 600; // start-up time of TMA and bulk copies
// Measured on an H200 (512 tiles of 64 x 64 f16, with boxes of each width): a row of 32 bytes takes as long as one
// of 64.
inline constexpr uint64_t kBulkRowBytes = 64;
inline constexpr uint64_t kBulkWriteBack = 400; // from the read of shared memory to the visible write of global memory
inline constexpr uint64_t kJitter = 256;        // the delay is seeded, 0 … kJitter-1
inline constexpr uint64_t kWake = 20;           // from the completion of an mbarrier's phase to the waiter
inline constexpr uint64_t kTryWaitTimeout = 10'000;

} // namespace lanescope::core::emulator::cost
