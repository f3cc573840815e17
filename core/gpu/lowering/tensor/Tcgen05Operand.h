// Operands of tcgen05.mma in shared memory as matrix descriptors (PTX ISA, "Canonical Layouts", "Shared memory
// descriptor"). They are like wgmma's (WgmmaOperand.h), but instruction depths and swizzles differ.
//
//   a of (M, K) = (128, 128), f16, tiles of (8, 64), swizzle 128, stored row by row of tiles:
//     K is the faster dimension; stride offset: 2048 bytes, from one 8 rows to the next; the instructions along K
//     start 0, 32, 64, 96, 1024, 1056, … bytes after the operand
#pragma once

#include "core/gpu/lowering/thread/KernelLowering.h"

namespace lanescope::core {

struct Tcgen05SmemOperand {
  bool transposed = false; // M or N is the faster dimension, not K
  mlir::Value low;         // i32, low word of the descriptor of element (0, 0)
  uint32_t high = 0;       // the descriptor's high word
  /// Bytes from one instruction's K to the next: within a tile if not transposed, everywhere if transposed.
  int64_t stepBytes = 0;
  int64_t stepsPerTile = 1; // only if not transposed
  int64_t tileKBytes = 0;   // bytes from one tile to the next along K
  int64_t tileK = 0;        // elements of K in one tile
  int64_t mnTile = 0;       // elements of M or N in one tile
  int64_t mnTileBytes = 0;  // bytes from one tile to the next along M or N

  /// Bytes from element (0, 0) to the data of instruction `step` along K.
  int64_t offset(int64_t step) const {
    return transposed ? step * stepBytes : step / stepsPerTile * tileKBytes + step % stepsPerTile * stepBytes;
  }
};

/// Bytes between elements `stride` apart.
int64_t strideBytes(const Ref &ref, int64_t stride);

/// `mn` and `depth` are the dimensions of `ref` along M (or N) and K; `instructionBytes`: the bytes of a row along K
/// per instruction. Fails at `op` if no descriptor fits the reference's layout in memory; `what`: "the right operand".
mlir::FailureOr<Tcgen05SmemOperand> tcgen05Operand(KernelLowering &k, mlir::Operation *op, const Ref &ref,
                                                   const RefDim &mn, const RefDim &depth, int64_t instructionBytes,
                                                   llvm::StringRef what);

/// The low word of a descriptor without the leading offset: the shared address of the reference's first byte.
mlir::Value descriptorStart(ThreadBuilder &t, const Ref &ref, int64_t bytes = 0);

} // namespace lanescope::core
