// The target to compile for if the user asks for the GPU's own: `--arch auto`.
//
//   targetOf(gpu)          // sm_89 for compute capability 8.9; sm_103 and a note for 10.7
//
// A GPU that no target is made for takes the nearest baseline, because a GPU runs PTX for older ones (PTX ISA,
// ".target").
#pragma once

#include "core/gpu/kernel/GpuTarget.h"
#include "core/gpu/runtime/Gpu.h"

#include <string>

namespace lanescope::core {

/// The name that stands for the GPU's own architecture, where others are named.
inline constexpr std::string_view kOwnArch = "auto";

struct OwnTarget {
  const GpuTarget *target = nullptr;
  std::string note; // for the user; empty if the target is made for this GPU
};

/// Errors: "arch", if the GPU is older than all targets.
Result<OwnTarget> targetOf(const GpuInfo &gpu);
/// Asks the worker that `command` starts, or the one beside this program if it is empty. Errors: those of
/// WorkerClient::hello(), "no-gpu".
Result<OwnTarget> targetOfWorker(const std::string &command);

} // namespace lanescope::core
