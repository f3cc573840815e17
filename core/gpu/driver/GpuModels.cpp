#include "core/gpu/driver/GpuModels.h"

#include <algorithm>
#include <array>

namespace lanescope::core::driver {

namespace {

constexpr int64_t kGiB = int64_t{1} << 30;
constexpr int kMiB = 1 << 20, kKiB = 1 << 10;

constexpr std::array kModels = {
    GpuModel{.name = "h100",
             .title = "NVIDIA H100 80GB HBM3",
             .major = 9,
             .multiprocessors = 132,
             .memoryBytes = 80 * kGiB,
             .sharedPerBlock = 227 * kKiB,
             .sharedPerMultiprocessor = 228 * kKiB,
             .clockKilohertz = 1980000,
             .memoryKilohertz = 2619000,
             .memoryBusBits = 5120,
             .l2Bytes = 50 * kMiB},
    GpuModel{.name = "h200",
             .title = "NVIDIA H200",
             .major = 9,
             .multiprocessors = 132,
             .memoryBytes = 141 * kGiB,
             .sharedPerBlock = 227 * kKiB,
             .sharedPerMultiprocessor = 228 * kKiB,
             .clockKilohertz = 1980000,
             .memoryKilohertz = 3201000,
             .memoryBusBits = 6144,
             .l2Bytes = 60 * kMiB},
    GpuModel{.name = "b200",
             .title = "NVIDIA B200",
             .major = 10,
             .multiprocessors = 148,
             .memoryBytes = 180 * kGiB,
             .sharedPerBlock = 227 * kKiB,
             .sharedPerMultiprocessor = 228 * kKiB,
             .clockKilohertz = 1965000,
             .memoryKilohertz = 3996000,
             .memoryBusBits = 8192,
             .l2Bytes = 126 * kMiB},
    GpuModel{.name = "b300",
             .title = "NVIDIA B300",
             .major = 10,
             .minor = 3,
             .multiprocessors = 148,
             .memoryBytes = 270 * kGiB,
             .sharedPerBlock = 227 * kKiB,
             .sharedPerMultiprocessor = 228 * kKiB,
             .clockKilohertz = 1920000,
             .memoryKilohertz = 3996000,
             .memoryBusBits = 8192,
             .l2Bytes = 126 * kMiB},
    GpuModel{.name = "a100",
             .title = "NVIDIA A100-SXM4-80GB",
             .major = 8,
             .multiprocessors = 108,
             .memoryBytes = 80 * kGiB,
             .sharedPerBlock = 163 * kKiB,
             .sharedPerMultiprocessor = 164 * kKiB,
             .clockKilohertz = 1410000,
             .memoryKilohertz = 1593000,
             .memoryBusBits = 5120,
             .l2Bytes = 40 * kMiB},
    GpuModel{.name = "rtx4090",
             .title = "NVIDIA GeForce RTX 4090",
             .major = 8,
             .minor = 9,
             .multiprocessors = 128,
             .memoryBytes = 24 * kGiB,
             .sharedPerBlock = 99 * kKiB,
             .sharedPerMultiprocessor = 100 * kKiB,
             .threadsPerMultiprocessor = 1536,
             .blocksPerMultiprocessor = 24,
             .clockKilohertz = 2520000,
             .memoryKilohertz = 10501000,
             .memoryBusBits = 384,
             .l2Bytes = 72 * kMiB},
    GpuModel{.name = "rtx5090",
             .title = "NVIDIA GeForce RTX 5090",
             .major = 12,
             .multiprocessors = 170,
             .memoryBytes = 32 * kGiB,
             .sharedPerBlock = 99 * kKiB,
             .sharedPerMultiprocessor = 100 * kKiB,
             .threadsPerMultiprocessor = 1536,
             .blocksPerMultiprocessor = 24,
             .clockKilohertz = 2407000,
             .memoryKilohertz = 14001000,
             .memoryBusBits = 512,
             .l2Bytes = 96 * kMiB},
};

} // namespace

std::span<const GpuModel> gpuModels() { return kModels; }

const GpuModel *findGpuModel(std::string_view name) {
  auto found = std::ranges::find(kModels, name, &GpuModel::name);
  return found == kModels.end() ? nullptr : &*found;
}

std::string gpuModelNames() {
  std::string out;
  for (size_t n = 0; n < kModels.size(); ++n)
    out += std::string(n == 0 ? "" : n + 1 == kModels.size() ? " and " : ", ") + std::string(kModels[n].name);
  return out;
}

} // namespace lanescope::core::driver
