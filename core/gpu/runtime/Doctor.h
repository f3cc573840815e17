// What this machine offers, as data for `lanescope doctor`.
#pragma once

#include <string>
#include <vector>

namespace lanescope::core {

struct Finding {
  std::string name; // "GPU", "CUDA driver", "worker", "ptxas", "nvdisasm", "display"
  bool found = false;
  std::string detail;   // "NVIDIA H200, sm_90, 132 SMs, 141 GB", or why there is none
  std::string howToGet; // where it is missing
};

/// `workerCommand`: as for makeWorkerDevice. Takes as long as the worker needs to say hello.
std::vector<Finding> examineMachine(const std::string &workerCommand = "");
/// The findings as aligned lines.
std::string findingsText(const std::vector<Finding> &findings);

} // namespace lanescope::core
