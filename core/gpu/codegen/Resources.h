// What a kernel takes of a multiprocessor, and how many of its blocks fit: registers and spills as ptxas counts them
// where it is installed, shared memory, threads.
//
//   KernelResources r = resourcesOf(kernel);
//   r.assembly->registers        40
//   r.blocks, r.limit            12, "registers"
//   resourceWords(r)             "128 threads of 40 registers, no spills; 33 KiB of shared memory; 6 blocks fit …"
#pragma once

#include "core/gpu/codegen/Assembler.h"
#include "core/gpu/kernel/CompiledKernel.h"
#include "core/gpu/kernel/Occupancy.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace lanescope::core {

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
