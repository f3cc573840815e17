// Examines which parts of Lanescope can work on this machine. `lanescope doctor` prints the findings.
#pragma once

#include "core/gpu/runtime/Gpu.h"

#include <string>
#include <vector>

namespace lanescope::core {

struct Finding {
  std::string name; // "lanescope", "GPU", "peers", "CUDA driver", "worker", "ptxas", "Python", "JAX", "display", …
  bool found = false;
  std::string detail;   // "NVIDIA H200, sm_90, 132 SMs, 141 GB", or the reason why there is none
  std::string howToGet; // instructions, if it is missing
};

/// Examines GPUs, Lanescope's installation, and the optional programs that it uses. `workerCommand`: as for
/// makeWorkerDevice. Takes as long as the worker takes to start.
std::vector<Finding> examineMachine(const std::string &workerCommand = "");
/// Examines a machine with several GPUs: the finding says which GPUs can access each other's memory and by which means,
/// and which GPUs run kernels.
Finding peersFinding(const GpuInfo &gpu);
/// The findings as aligned lines.
std::string findingsText(const std::vector<Finding> &findings);

} // namespace lanescope::core
