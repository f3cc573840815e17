// What the compiler, the emulator and the checks ask about a GPU architecture, in one place.
//
//   const GpuTarget &target = *findGpuTarget("sm_100a");
//   target.wgmma                 ->  false
//   target.sharedBytesPerBlock   ->  232448
//
// Not here: a GPU that is there (core/gpu/runtime/Gpu.h), which says itself how many multiprocessors it has.
// Sources: CUDA C++ Programming Guide, "Compute Capabilities"; PTX ISA, "Target ISA Notes" of each instruction.
#pragma once

#include "core/Target.h"

#include <cstdint>
#include <span>
#include <string>

namespace lanescope::core {

/// Ten times the version of the PTX ISA that our code needs; CUDA 12.7 and later assemble it.
inline constexpr int kPtxIsa = 86;

struct GpuTarget : Target {
  int major = 0, minor = 0;           // compute capability
  int threadsPerWarp = 0;             // of NVIDIA's GPUs
  int64_t sharedBytesPerBlock = 0;    // static and dynamic together, what a kernel may opt in to
  int registersPerMultiprocessor = 0; // of 32 bits
  int multiprocessors = 0;            // of the product that the emulator stands for: H200, B200, B300

  bool wgmma = false;            // matrices by a warpgroup, accumulators in registers
  bool tcgen05 = false;          // matrices by one thread, accumulators in tensor memory
  bool tmaGather = false;        // TMA copies of rows that indices choose
  bool pairedCopies = false;     // copies that the first of two blocks counts for both (`.cta_group::2`)
  bool narrowFloats = false;     // conversions of f4e2m1fn and f8e8m0fnu
  bool tensorIntegers = false;   // tcgen05 of 8-bit integers
  bool tensorReductions = false; // loads of tensor memory that also give each row's smallest or largest
  int ptxIsa = kPtxIsa;          // what is written for it
};

/// What kernels are compiled for, the default first.
std::span<const GpuTarget> gpuTargets();
const GpuTarget &defaultGpuTarget();
/// By its name, "sm_90a", or its compute capability; null where there is none.
const GpuTarget *findGpuTarget(std::string_view name);
const GpuTarget *findGpuTarget(int major, int minor);
/// The machine that the emulator is for PTX with this `.target`: the newest of ours that is not newer, or the oldest.
const GpuTarget &machineFor(std::string_view ptxTarget);
/// "`sm_90a` (Hopper), `sm_100a` (Blackwell) and `sm_103a` (Blackwell Ultra)".
std::string gpuTargetsText();
/// What is said to who asks for an architecture that is none of these.
std::string noGpuTargetText(std::string_view name);

} // namespace lanescope::core
