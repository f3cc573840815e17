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

/// A function's attribute that says which core runs it.
inline constexpr llvm::StringLiteral kCoreType = "tpu.core_type";

/// The core that runs an operation: what the nearest function around it says, the TensorCore where none does.
CoreType coreTypeOf(mlir::Operation *op);

/// The memory that a reference is in; nothing where its type does not say.
std::optional<MemorySpace> memorySpaceOf(mlir::MemRefType type);
/// The core that owns the memory, where the type says so: `#tpu.memory_space<semaphore_mem, sc_vector_subcore>`.
std::optional<CoreType> ownerOf(mlir::MemRefType type);
bool isIn(mlir::MemRefType type, MemorySpace space);

/// Which way an indirect copy goes. A gather reads HBM or VMEM_SHARED by offsets into VMEM, a scatter writes them from
/// VMEM; nothing for any other pair of memories.
enum class IndirectCopy { Gather, Scatter };
std::optional<IndirectCopy> indirectCopyOf(mlir::MemRefType source, mlir::MemRefType target);

/// Dimensions of size one that a squeeze drops, found from the minor end; nothing when it is no squeeze.
std::optional<llvm::SmallVector<unsigned>> squeezedDimensions(llvm::ArrayRef<int64_t> from, llvm::ArrayRef<int64_t> to);

/// Attribute <-> layout.
layouts::TiledMemoryLayout toLayout(TiledLayoutAttr attribute);
TiledLayoutAttr toAttribute(mlir::MLIRContext *context, const layouts::TiledMemoryLayout &layout);

} // namespace lanescope::core::tpu
