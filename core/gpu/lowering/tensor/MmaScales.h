// The block scales of one operand of `mma` in registers, and the selectors by which an instruction names its own: a
// lane's word serves several steps along K, and four neighbouring lanes hold words for several tiles.
//
//   MmaScaleWords scales(t, array, *catalogue::mmaLhsScale(shape, warps), 2);
//   scales.at(row, step)   ->   a 32-bit word, byte 2, thread 1
//
// Source: PTX ISA, "Block Scaling for mma.sync".
#pragma once

#include "core/gpu/lowering/thread/KernelLowering.h"

#include "layouts/Catalogue.h"

namespace lanescope::core {

class MmaScaleWords {
public:
  /// `array` has the layout `places.layout`. An instruction takes `perStep` scales of each row.
  MmaScaleWords(ThreadBuilder &t, const RegisterArray &array, const layouts::catalogue::MmaScaleLayout &places,
                int64_t perStep);

  struct Selected {
    mlir::Value word;
    int64_t byte = 0, thread = 0;
  };
  /// `tile` counts the warp's tiles of rows (of A) or of columns (of B), `step` the instructions along K.
  Selected at(size_t tile, size_t step) const;

private:
  llvm::SmallVector<mlir::Value> words_; // one word for each register, in their order
  int64_t perStep_, neighbours_, tiles_, wordsPerRegister_, registersPerRow_;
};

} // namespace lanescope::core
