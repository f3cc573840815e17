// Properties of GPU architectures for the compiler, the emulator and the checks, in one place.
//
//   const GpuTarget &target = *findGpuTarget("sm_100a");
//   target.wgmma                 ->  false
//   target.sharedBytesPerBlock   ->  232448
//
// Not here: a GPU in this machine (core/gpu/runtime/Gpu.h), which reports its own number of multiprocessors.
// Sources: CUDA C++ Programming Guide, "Compute Capabilities"; PTX ISA, "Target ISA Notes" of each instruction.
#pragma once

#include "core/Target.h"

#include <cstdint>
#include <span>
#include <string>

namespace lanescope::core {

/// Ten times the PTX ISA version that our code needs; CUDA 12.7 and later assemble it.
inline constexpr int kPtxIsa = 86;

/// Rates of one product per cycle of a multiprocessor's clock. GpuTarget.cpp names their sources.
struct GpuSpeeds {
  int dramBytes = 0, l2Bytes = 0; // to all multiprocessors together
  // Products of `mma` on one multiprocessor: of 16-bit elements that are summed as f16, of those summed as f32 (GeForce
  // halves this rate), and of f64. Elements of half the width go twice as fast.
  int products = 0, floatProducts = 0, doubleProducts = 0;
};

struct GpuTarget : Target {
  int major = 0, minor = 0; // compute capability
  int capability() const { return 10 * major + minor; }
  int threadsPerWarp = 0;          // 32 for all of our targets
  int64_t sharedBytesPerBlock = 0; // static and dynamic together, with opt-in
  int64_t sharedBytesPerMultiprocessor = 0;
  int registersPerMultiprocessor = 0; // 32-bit registers
  int threadsPerMultiprocessor = 0, blocksPerMultiprocessor = 0;
  int multiprocessors = 0; // those of one product, which the emulator imitates: A100, H200, RTX 4090, …
  GpuSpeeds speeds;        // the same product's

  bool knownFunctions = false; // the emulator has the exact results of `sin`, `rsqrt` and the like
  bool eightBitFloats = false; // conversions and products of e4m3 and e5m2
  // The additions of sm_90: TMA and bulk copies, mbarriers that count bytes, clusters, `elect.sync`, `stmatrix`,
  // `griddepcontrol`, `multimem`.
  bool tma = false;
  bool setmaxnreg = false;       // registers move from one warpgroup to another
  bool wgmma = false;            // products by a warpgroup, accumulators in registers
  bool tcgen05 = false;          // products by one thread, accumulators in tensor memory
  bool byteTransposes = false;   // `ldmatrix` and `stmatrix` transpose 8-bit elements
  bool tmaGather = false;        // TMA copies to shared memory of rows selected by indices
  bool tmaScatter = false;       // TMA copies from shared memory to rows selected by indices
  bool pairedCopies = false;     // copies that the first of two blocks counts for both (`.cta_group::2`)
  bool launchControl = false;    // a cluster takes over the work of a cluster that has not begun
  bool controlMulticast = false; // the answer about that cluster arrives in all blocks of a cluster
  bool narrowFloats = false;     // conversions of f4e2m1fn and f8e8m0fnu
  bool narrowMma = false;        // `mma` of 6- and 4-bit floats, and with block scales (`.kind::`)
  bool tensorIntegers = false;   // tcgen05 for 8-bit integers
  bool tensorShift = false;      // `tcgen05.shift`, and block scales of tcgen05 named by `.scale_vec`
  bool tensorReductions = false; // loads of tensor memory that also return each row's minimum or maximum
  int ptxIsa = kPtxIsa;          // the version that PTX for this target states
};

/// The targets that we compile for, in the order of their compute capabilities. Of the targets of one capability, the
/// last one has the most features: sm_100, sm_100f, sm_100a (PTX ISA, ".target": baseline, family- and
/// architecture-specific).
std::span<const GpuTarget> gpuTargets();
const GpuTarget &defaultGpuTarget();
/// Finds a target by name, "sm_90a", or the one with the most features by compute capability; null if there is none.
const GpuTarget *findGpuTarget(std::string_view name);
const GpuTarget *findGpuTarget(int major, int minor);
/// A target with the feature, for messages: that of `own`'s compute capability if it has the feature, or else the first
/// one that does.
const GpuTarget &targetWith(bool GpuTarget::*feature, const GpuTarget &own);
/// The newest baseline target (without `a` or `f`) whose PTX runs on a GPU of this compute capability; null if the GPU
/// is older than all targets.
const GpuTarget *baselineFor(int major, int minor);
/// The machine that the emulator imitates for PTX with this `.target`: the target itself, or the newest target that is
/// not newer than the `.target`, with the same suffix if there is one, or else the oldest one. Any text that is no
/// architecture has the default machine.
const GpuTarget &machineFor(std::string_view ptxTarget);
/// The names of all targets, for messages: "`sm_80` (Ampere), … and `sm_121a` (Blackwell, GB10)".
std::string gpuTargetsText();
/// The error text for an architecture that is not one of these.
std::string noGpuTargetText(std::string_view name);

} // namespace lanescope::core
