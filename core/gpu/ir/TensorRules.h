// Which operands go together in `tcgen05_mma`: shapes, dtypes, layouts and block scales, in the words of snippets.
//
//   Tcgen05Product product{.acc = {"acc", F32, {128, 256}, layout}, .a = …, .b = …};
//   checkTcgen05(product)   ->   nothing, or what is wrong and with which operand
//
// The one home of these rules: the language asks with what a snippet says, the verifier (TensorProducts.h) with what
// the operation has. What depends on how operands are swizzled and tiled, which layout inference may choose, the
// lowering says. No MLIR shows here. Sources: PTX ISA, "Matrix Shape", "Valid Combinations of Type-Size, Major-ness and
// Swizzling", "Block Scaling for tcgen05.mma", "Sparse Matrices" (all under "TensorCore 5th Generation Family
// Instructions"), by way of the table of matrix instructions (layouts/fragments).
#pragma once

#include "layouts/Dtype.h"
#include "layouts/TmemLayout.h"

#include <optional>
#include <string>

namespace lanescope::core {

struct Tcgen05Operand {
  std::string name; // as the snippet says it
  layouts::Dtype dtype = layouts::Dtype::F32;
  layouts::Shape shape{};                         // of rank 2
  bool inTensor = false;                          // in tensor memory; else in shared memory
  std::optional<layouts::TMEMLayout> layout = {}; // in tensor memory, where that is known yet
  std::optional<bool> collective = {};            // allocated so, where that is known
  std::optional<bool> transposed = {};            // in shared memory, where that is known: dimension 1 is slower there
};

struct Tcgen05Product {
  Tcgen05Operand acc, a, b;
  std::optional<Tcgen05Operand> aScale = {}, bScale = {}, metadata = {};
  bool collective = false; // by two blocks: `b` is half of the columns
};

struct Tcgen05Problem {
  /// The operand at fault; Call: how they go together.
  enum class Part : uint8_t { Call, Acc, A, B, AScale, BScale, Metadata };
  Part part = Part::Call;
  std::string kind, message;
};

/// Elements of K, two of which are kept in a sparse product (of 4 bits: two pairs of neighbours).
int64_t sparseGroup(layouts::Dtype dtype);

std::optional<Tcgen05Problem> checkTcgen05(const Tcgen05Product &product);

} // namespace lanescope::core
