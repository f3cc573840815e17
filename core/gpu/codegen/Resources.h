// What a kernel takes of a multiprocessor, and how many of its blocks fit: registers and spills as ptxas counts them
// where it is installed, shared memory, threads.
//
//   KernelResources r = resourcesOf(kernel);
//   r.assembly->registers        40
//   r.blocks, r.limit            12, "registers"
//   resourceWords(r)             "128 threads of 40 registers, no spills; 33 KiB of shared memory; 6 blocks fit …"
//
// Sources: CUDA C++ Programming Guide, "Compute Capabilities" (9.0 to 10.3); the occupancy calculator's granularities.
#pragma once

#include "core/gpu/codegen/Assembler.h"
#include "core/gpu/kernel/CompiledKernel.h"
#include "core/gpu/kernel/GpuTarget.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace lanescope::core {

struct Occupancy {
  int blocks = 0;         // of one multiprocessor at once; 0: not even one fits
  std::string_view limit; // what there is too little of for one more: "registers", "shared memory", "threads", "blocks"
};
/// `registers` of a thread, 0: not known, and then no limit. `sharedBytes` of a block.
Occupancy occupancyOf(const GpuTarget &target, int threads, int registers, int64_t sharedBytes);

struct KernelResources {
  int threads = 0;                        // of a block
  int64_t sharedBytes = 0;                // of a block
  std::optional<AssemblyReport> assembly; // nothing without ptxas, or where it refuses the kernel
  Occupancy occupancy;
};
/// Runs ptxas, which takes from a tenth of a second up.
KernelResources resourcesOf(const CompiledKernel &kernel);

/// One line.
std::string resourceWords(const KernelResources &resources);
/// What to say of a kernel that spills much; nothing of others.
std::optional<Diagnostic> spillNote(const std::string &kernel, const KernelResources &resources);

} // namespace lanescope::core
