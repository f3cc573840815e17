// The `tpu` dialect in C++: semaphore types, layout and memory-space attributes, operations.
//
//   context.loadDialect<tpu::TpuDialect>();
//   auto start = tpu::EnqueueDMAOp::create(builder, location, source, {}, target, semaphore, {}, {}, {}, 0, false);
//   tpu::memorySpaceOf(referenceType)  ->  MemorySpace::Hbm
#pragma once

#include "layouts/tpu/TiledMemoryLayout.h"

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"

#include "core/tpu/ir/TpuDialect.h.inc"
#include "core/tpu/ir/TpuEnums.h.inc"
#define GET_TYPEDEF_CLASSES
#include "core/tpu/ir/TpuTypes.h.inc"
#define GET_ATTRDEF_CLASSES
#include "core/tpu/ir/TpuAttributes.h.inc"
#define GET_OP_CLASSES
#include "core/tpu/ir/TpuOps.h.inc"

namespace lanescope::core::tpu {

/// The attribute of a function that names the core that runs it.
inline constexpr llvm::StringLiteral kCoreType = "tpu.core_type";

/// The core that runs an operation: the one that the nearest enclosing function names, else the TensorCore.
CoreType coreTypeOf(mlir::Operation *op);

/// The memory of a reference; nothing if its type does not name it.
std::optional<MemorySpace> memorySpaceOf(mlir::MemRefType type);
/// The core that owns the memory, if the type names it: `#tpu.memory_space<semaphore_mem, sc_vector_subcore>`.
std::optional<CoreType> ownerOf(mlir::MemRefType type);
bool isIn(mlir::MemRefType type, MemorySpace space);

/// The direction of an indirect copy. A gather reads HBM or VMEM_SHARED by offsets into VMEM; a scatter writes them
/// from VMEM. Nothing for any other pair of memories.
enum class IndirectCopy { Gather, Scatter };
std::optional<IndirectCopy> indirectCopyOf(mlir::MemRefType source, mlir::MemRefType target);

/// The dimensions of size one that a squeeze drops, found from the minor end; nothing if it is not a squeeze.
std::optional<llvm::SmallVector<unsigned>> squeezedDimensions(llvm::ArrayRef<int64_t> from, llvm::ArrayRef<int64_t> to);

/// Convert between attribute and layout.
layouts::TiledMemoryLayout toLayout(TiledLayoutAttr attribute);
TiledLayoutAttr toAttribute(mlir::MLIRContext *context, const layouts::TiledMemoryLayout &layout);

} // namespace lanescope::core::tpu
