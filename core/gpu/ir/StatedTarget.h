// The target in a module's attributes.
//
//   module attributes {mosaic_gpu.arch_major = 10 : i32, mosaic_gpu.arch_minor = 0 : i32}
//   statedCapability(module)  ->  {10, 0}
//   machineOf(module).name    ->  "sm_100a"
#pragma once

#include "core/gpu/kernel/GpuTarget.h"

#include "mlir/IR/BuiltinOps.h"

#include <optional>

namespace lanescope::core {

struct ComputeCapability {
  int major = 0, minor = 0;
};

/// JAX's attributes. Nothing if the module has none, or if they are not numbers.
std::optional<ComputeCapability> statedCapability(mlir::ModuleOp module);

/// The target for choosing layouts, which every module has: that of the stated capability, the newest one before it if
/// it is not in our table, or the default.
const GpuTarget &machineOf(mlir::ModuleOp module);

} // namespace lanescope::core
