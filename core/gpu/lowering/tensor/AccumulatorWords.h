// An accumulator in registers, as 32-bit words, which is the form that the tensor cores' instructions take.
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
  /// The constraint of a word in inline PTX.
  const char *constraint() const;
  /// `results`: one value per word; `model`: the array that the words came from.
  RegisterArray array(ThreadBuilder &t, const RegisterArray &model, llvm::ArrayRef<mlir::Value> results) const;
};

/// A list of operands for inline PTX: "{$4,$5,$6}".
std::string operandList(size_t first, size_t count);

} // namespace lanescope::core
