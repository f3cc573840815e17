// Shared-memory operands of wgmma as matrix descriptors (PTX ISA, "Asynchronous Warpgroup Level Matrix Shared Memory
// Layout" and "Matrix Descriptor Format").
//
//   b of (K, N) = (64, 128), f16, tiles of (8, 64), swizzle 128, stored row by row of tiles:
//     the tile's rows run along N, so the operand is N-major (transposed); leading offset: 1024 bytes, from one 64
//     columns to the next; stride offset: 2048 bytes, from one 8 rows of K to the next; an instruction of depth 16
//     starts 2 * 2048 bytes after the one before.
#pragma once

#include "core/gpu/lowering/thread/KernelLowering.h"

#include "layouts/fragments/MatrixInstruction.h"

namespace lanescope::core {

struct WgmmaOperand {
  bool transposed = false; // rows of the tile run along M or N, not along K
  mlir::Value low;         // i32, low word of the descriptor of element (0, 0): address and leading offset
  uint32_t high = 0;       // high word: stride offset and swizzle
  int64_t tileK = 0;       // elements of K in one tile
  /// Bytes from one instruction's K to the next: within a tile if not transposed, everywhere if transposed.
  int64_t stepBytes = 0;
  int64_t tileKBytes = 0;  // bytes from one tile to the next along K
  int64_t mnTile = 0;      // elements of M or N in one tile
  int64_t mnTileBytes = 0; // bytes from one tile to the next along M or N

  /// The bytes from element (0, 0) to the data of instruction `step` along K. Each instruction takes `depth` elements.
  int64_t offset(int64_t step, int64_t depth) const;
};

/// `instruction`: the `wgmma` that reads the operand. `mn` and `k` are the dimensions of `ref` along M (or N) and K.
/// Fails at `op` if no descriptor fits the reference's layout in memory; `what` names it: "the right operand".
mlir::FailureOr<WgmmaOperand> wgmmaOperand(KernelLowering &k, mlir::Operation *op,
                                           const layouts::MatrixInstruction &instruction, const Ref &ref,
                                           const RefDim &mn, const RefDim &depth, llvm::StringRef what);

} // namespace lanescope::core
