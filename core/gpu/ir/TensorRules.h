// The rules on which operands go together in `tcgen05_mma`: shapes, dtypes, layouts and block scales, in snippets'
// terms.
//
//   Tcgen05Product product{.acc = {"acc", F32, {128, 256}, layout}, .a = …, .b = …};
//   checkTcgen05(product)   ->   nothing, or the error and its operand
//
// These rules exist only here: the language checks a snippet's values with them, the verifier (TensorProducts.h) an
// operation's. The lowering checks what depends on the operands' swizzles and tiles, which layout inference may choose.
// No MLIR appears here. Sources: PTX ISA, "Matrix Shape", "Valid Combinations of Type-Size, Major-ness and Swizzling",
// "Block Scaling for tcgen05.mma", "Sparse Matrices" (all under "TensorCore 5th Generation Family Instructions"),
// through the table of matrix instructions (layouts/fragments).
#pragma once

#include "layouts/Dtype.h"
#include "layouts/TmemLayout.h"

#include <optional>
#include <string>

namespace lanescope::core {

struct Tcgen05Operand {
  std::string name; // its name in the snippet
  layouts::Dtype dtype = layouts::Dtype::F32;
  layouts::Shape shape{};                         // two dimensions
  bool inTensor = false;                          // true: in tensor memory; false: in shared memory
  std::optional<layouts::TMEMLayout> layout = {}; // in tensor memory, if already known
  std::optional<bool> collective = {};            // its allocation's `collective`, if known
  std::optional<bool> transposed = {};            // in shared memory, if known: dimension 1 varies slower
};

struct Tcgen05Product {
  Tcgen05Operand acc, a, b;
  std::optional<Tcgen05Operand> aScale = {}, bScale = {}, metadata = {};
  bool collective = false; // computed by two blocks; `b` is half of the columns
};

struct Tcgen05Problem {
  /// The operand at fault; Call: the combination of operands.
  enum class Part : uint8_t { Call, Acc, A, B, AScale, BScale, Metadata };
  Part part = Part::Call;
  std::string kind, message;
};

/// Number of elements of K of which a sparse product keeps two (for 4 bits: two pairs of neighbours).
int64_t sparseGroup(layouts::Dtype dtype);

std::optional<Tcgen05Problem> checkTcgen05(const Tcgen05Product &product);

} // namespace lanescope::core
