// What this machine offers, as data for `lanescope doctor`.
#pragma once

#include "core/gpu/runtime/Gpu.h"

#include <string>
#include <vector>

namespace lanescope::core {

struct Finding {
  std::string name; // "lanescope", "GPU", "peers", "CUDA driver", "worker", "ptxas", "Python", "JAX", "display", …
  bool found = false;
  std::string detail;   // "NVIDIA H200, sm_90, 132 SMs, 141 GB", or why there is none
  std::string howToGet; // where it is missing
};

/// `workerCommand`: as for makeWorkerDevice. Takes as long as the worker needs to say hello.
/// Beside the GPU also how Lanescope is installed, and what it uses where it is there.
std::vector<Finding> examineMachine(const std::string &workerCommand = "");
/// What a machine with several GPUs says of them: which reach each other's memory, and how, and on which kernels run.
Finding peersFinding(const GpuInfo &gpu);
/// The findings as aligned lines.
std::string findingsText(const std::vector<Finding> &findings);

} // namespace lanescope::core
