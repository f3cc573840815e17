// Refuses instructions that the target does not have, before the back end or ptxas would. The lowering chooses by the
// target what it emits; code of the user's (`inline_ptx`, per-thread operations of a dump) is as it was written.
//
//   if (failed(checkInstructions(module, target))) …   // at the instruction: "`elect.sync` needs sm_90 or newer, …"
//
// Source: PTX ISA, "Target ISA Notes" of each instruction; each row was tried with ptxas of CUDA 13.0.
#pragma once

#include "core/gpu/kernel/GpuTarget.h"

#include "mlir/IR/BuiltinOps.h"

namespace lanescope::core {

/// Replaces what JAX's modules for Hopper hold in any case, if the target is older. JAX does so itself on such a GPU.
/// - `fence.mbarrier_init.release.cluster` goes: without clusters, no other block reads a block's mbarriers.
/// - `elect.sync` of a whole warp elects lane 0.
void replaceSm90Operations(mlir::ModuleOp module, const GpuTarget &target);

/// `module` has one llvm.func, in the LLVM and NVVM dialects.
mlir::LogicalResult checkInstructions(mlir::ModuleOp module, const GpuTarget &target);

} // namespace lanescope::core
