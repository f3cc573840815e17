// A kernel's use of a multiprocessor, and how many of its blocks fit: registers and spills as reported by ptxas, if it
// is installed, shared memory, threads.
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
  int threads = 0;                        // per block
  int64_t sharedBytes = 0;                // per block
  std::optional<AssemblyReport> assembly; // nothing if ptxas is missing or refuses the kernel
  Occupancy occupancy;
};
/// Runs ptxas, which takes a tenth of a second or more.
KernelResources resourcesOf(const CompiledKernel &kernel);

/// The resources in one line.
std::string resourceWords(const KernelResources &resources);
/// A note on a kernel that spills much; nothing for others.
std::optional<Diagnostic> spillNote(const std::string &kernel, const KernelResources &resources);

} // namespace lanescope::core
