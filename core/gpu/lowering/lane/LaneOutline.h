// Outlines a module in Lane form as one kernel: the body of its launch becomes a `gpu.func` with one parameter block,
// and the launch gets a description.
//
//   gpu.launch blocks(…) in (%c1, …) threads(…) in (%c128, …) dynamic_shared_memory_size %c24584 { … }
//   -> gpu.module @k { gpu.func @k_mosaic_gpu_kernel(%block: !llvm.ptr) kernel { … } }
//
// The block holds the TMA descriptors of the host's scratch memory, then a pointer for each argument. Host values that
// the body uses are recreated inside: constants, descriptors of memrefs, pointers.
#pragma once

#include "core/gpu/lowering/thread/LoweredKernel.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/BuiltinOps.h"

namespace lanescope::core {

/// Fills `result`; everything else of `module` is erased. Operations without a launch become a kernel of one warpgroup.
mlir::FailureOr<mlir::gpu::GPUModuleOp> outlineLanes(mlir::ModuleOp module, LoweredKernel &result);

} // namespace lanescope::core
