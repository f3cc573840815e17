// An accumulator in registers in the form of the tensor cores' instructions: words of 32 bits.
//
//   AccumulatorWords sum(t, array, element);       // f32, i32: each element a word; f16: each pair
//   … sum.words[i] = …;
//   k.set(result, sum.array(t, array, sum.words));
#pragma once

#include "core/gpu/lowering/thread/KernelLowering.h"

namespace lanescope::core {

struct AccumulatorWords {
  llvm::SmallVector<mlir::Value> words;
  mlir::Type word;

  AccumulatorWords(ThreadBuilder &t, const RegisterArray &array, mlir::Type element);
  /// The constraint for inline PTX.
  const char *constraint() const;
  /// `results`: one value per word; `model`: the array that the words came from.
  RegisterArray array(ThreadBuilder &t, const RegisterArray &model, llvm::ArrayRef<mlir::Value> results) const;
};

/// "{$4,$5,$6}": operands of inline PTX.
std::string operandList(size_t first, size_t count);

} // namespace lanescope::core
