// The GPUs that the driver can imitate, with the properties that programs query.
//
//   const GpuModel &gpu = *findGpuModel("h100");
//   gpu.multiprocessors    ->  132
//
// Sources: CUDA C++ Programming Guide, "Compute Capabilities"; NVIDIA's data sheets.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace lanescope::core::driver {

struct GpuModel {
  std::string_view name, title;
  int major = 0, minor = 0; // compute capability
  int multiprocessors = 0;
  int64_t memoryBytes = 0;
  int sharedPerBlock = 0;          // the limit for a kernel that opts in
  int sharedPerMultiprocessor = 0; // including 1 KiB per block for the system
  int threadsPerMultiprocessor = 2048, blocksPerMultiprocessor = 32;
  int clockKilohertz = 0, memoryKilohertz = 0, memoryBusBits = 0, l2Bytes = 0;
};

/// The default comes first.
std::span<const GpuModel> gpuModels();
/// Returns null if there is no GPU of this name.
const GpuModel *findGpuModel(std::string_view name);
/// The names of all models, for messages: "a100, b200 and h100".
std::string gpuModelNames();

} // namespace lanescope::core::driver
