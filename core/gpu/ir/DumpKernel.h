// Converts a dump's kernel to our form, so that it can be laid out, compiled and run.
//
//   gpu.launch blocks(…) in (…) threads(…) dynamic_shared_memory_size …    ->   func.func @k_kernel(%x: memref<…>, …)
//   host code that makes references to arguments                           ->   its arguments, in their order
//   collective metadata, with several devices                              ->   `lanescope.collective_metadata`
//   `mosaic_gpu.warp_map`, `mosaic_gpu.custom_primitive` without arrays    ->   `lanescope.warps`, its body
//   per-thread statements                                                  ->   unchanged, for core/gpu/lowering
#pragma once

#include "mlir/IR/BuiltinOps.h"

namespace lanescope::core {

/// True if the module already is a kernel of ours, as `--emit ir` prints it.
bool isKernelOfOurs(mlir::ModuleOp module);

/// Rewrites in place a module that JAX dumped before or after layout inference. A kernel of ours is left unchanged;
/// bare operations become a kernel of one warpgroup. On failure the module must be dropped.
mlir::LogicalResult makeKernelOfDump(mlir::ModuleOp module);

} // namespace lanescope::core
