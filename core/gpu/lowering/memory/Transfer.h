// Loads and stores between one thread's registers and a reference, in any strided or tiled layout.
//
// The address of an element is the sum of a part for the lane, a part for the warp, and a constant for each register.
// layouts::tileNestedShapeStrides computes these by applying the layout's tiling to the reference's nested shape. The
// XOR of a swizzle becomes part of the constants where the bits allow this. Accesses are as wide as contiguity and
// alignment permit, at most 16 bytes. For tiled layouts in shared memory, layouts::chooseTransfer decides: ldmatrix and
// stmatrix, or staggered accesses. In staggered accesses, half of the lanes access their registers in another order, to
// avoid bank conflicts.
#pragma once

#include "core/gpu/lowering/thread/KernelLowering.h"

#include "layouts/cost/SmemTransfer.h"

namespace lanescope::core {

/// The offset of position 0 of a register, relative to the thread's own part.
struct RegisterOffset {
  int64_t known = 0;
  mlir::Value computed; // only if the thread's part differs between registers
};

/// Offsets of all elements that a thread holds: each is the sum of the thread's part, the register's part and the
/// position's part, in the unit of the strides.
struct OffsetPattern {
  mlir::Value threadOffset;     // i32, lanes and warps; null: none
  mlir::Value wideThreadOffset; // i64, a further part that may exceed 32 bits; null: none
  int64_t threadMax = 0;        // largest threadOffset
  int64_t threadBits = 0;       // bits that threadOffset may have set; -1: any
  int64_t alignment = 0;        // a number that divides the thread's and the registers' parts; 0: all parts are 0
  std::vector<RegisterOffset> registers;
  std::vector<int64_t> positions; // offset of each vector position
  /// Entries of `registers` per register of the layout: 1, or the vector length if each position needs its own.
  int64_t entriesPerRegister = 1;

  /// The sum of threadOffset and wideThreadOffset; null if both are null.
  mlir::Value thread(ThreadBuilder &t, unsigned bits) const;
};

/// `dims` are the array's dimensions, with strides in any unit; a stride may be 0.
mlir::FailureOr<OffsetPattern> offsetsOf(KernelLowering &k, mlir::Operation *op, const std::vector<RefDim> &dims,
                                         const layouts::RegisterLayout &layout);

/// The offset of index `index` of a dimension made of sub-dims.
int64_t nestedOffset(int64_t index, const layouts::Shape &sizes, const layouts::Shape &strides);

/// The addresses that lanes pass to the instructions of `set`, in bytes: one register and position for each of its
/// groups. `dims` have strides of which `packing` are a byte; those of warps are whole bytes.
OffsetPattern matrixOffsets(KernelLowering &k, const std::vector<RefDim> &dims, const layouts::TiledLayout &layout,
                            int64_t packing, const layouts::MatrixTransfer &matrix, const layouts::MatrixSet &set);

/// One access: `count` consecutive elements of a register, starting at `position`; for 4-bit elements, both count
/// bytes.
struct Access {
  int64_t reg = 0, position = 0, count = 1;
  mlir::Value address;
  int64_t other = 0; // the register that lanes with TransferInstructions::odd move instead
};

/// One ldmatrix or stmatrix: one 32-bit register per matrix.
struct MatrixAccess {
  llvm::SmallVector<int64_t, 4> registers;
  mlir::Value base;
  int64_t known = 0; // bytes from base
};

struct TransferInstructions {
  std::vector<Access> accesses;
  unsigned alignment = 1;             // bytes, of every access
  mlir::Value odd;                    // i1, in a staggered plan: true if this lane moves `other`; else null
  std::vector<MatrixAccess> matrices; // instead of accesses
  bool transposed = false;            // the matrices
  /// The cost of the transfer, if known: for tiled layouts in shared memory.
  std::optional<layouts::SmemTransfer> cost;
};

/// The plan of an atomic update is that of a plain store, without stmatrix or staggered accesses.
enum class TransferKind { Load, Store, Atomic };

/// Fails (with an error at `op`) if the layout does not fit the reference's tiling in memory.
mlir::FailureOr<TransferInstructions> planTransfer(KernelLowering &k, mlir::Operation *op, const Ref &ref,
                                                   const layouts::RegisterLayout &layout, TransferKind kind);

/// The layout of the shared memory of `ref`, for the choice of instructions.
layouts::TransferMemory memoryOf(const Ref &ref);

/// Reports bank conflicts of a load or store: as an error if `optimized` is true, as a note if it is not given.
mlir::LogicalResult reportConflicts(mlir::Operation *op, const Ref &ref, const layouts::RegisterLayout &layout,
                                    const TransferInstructions &plan, std::optional<bool> optimized);

/// A `vector_store` with `atomic_type` of an array that is not a splat: combines each element with the one in memory.
mlir::LogicalResult storeAtomically(KernelLowering &k, mlir::Operation *op, const Ref &ref, const RegisterArray &array);

/// The address of one element by its coordinates (i64 or known), for scalar accesses.
mlir::Value elementAddress(KernelLowering &k, const Ref &ref, llvm::ArrayRef<mlir::Value> indices);

} // namespace lanescope::core
