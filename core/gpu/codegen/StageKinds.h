// The stages of a compilation for the GPU, in order, by the names that `--emit`, `--dump` and `ir(kernel, stage=…)`
// take.
#pragma once

#include "core/Stages.h"

namespace lanescope::core {

inline constexpr StageKind kIrStage{"ir", "IR", ".ir.mlir"};
inline constexpr StageKind kLaidOutStage{"laid-out", "Laid-out IR", ".laid-out.mlir"};
inline constexpr StageKind kNvvmStage{"nvvm", "NVVM", ".nvvm.mlir"};
inline constexpr StageKind kLlvmStage{"llvm", "LLVM IR", ".ll"};
inline constexpr StageKind kPtxStage{"ptx", "PTX", ".ptx"};
/// Machine code. It is not among Stages::stages: it is made on request (Sass.h), by tools that may not be installed.
inline constexpr StageKind kSassStage{"sass", "SASS", ".sass"};

inline constexpr StageKind kGpuStages[] = {kIrStage, kLaidOutStage, kNvvmStage, kLlvmStage, kPtxStage, kSassStage};

} // namespace lanescope::core
