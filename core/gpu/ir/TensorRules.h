// The rules on combinations of operands in `tcgen05_mma`: their shapes, dtypes, layouts and block scales. Messages use
// the words of snippets.
//
//   Tcgen05Product product{.acc = {"acc", F32, {128, 256}, layout}, .a = …, .b = …};
//   checkTcgen05(product)   ->   nothing, or the error and its operand
//
// The language checks a snippet's values with these rules, and the verifier (TensorProducts.h) checks an operation with
// them. The lowering checks the rules that depend on swizzles and tiles, because layout inference may choose these. No
// MLIR appears here. Sources: PTX ISA, "Matrix Shape", "Valid Combinations of Type-Size, Major-ness and Swizzling",
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
  bool collective = false; // two blocks compute the product; `b` is half of the columns
};

struct Tcgen05Problem {
  /// The operand at fault; Call: the combination of operands.
  enum class Part : uint8_t { Call, Acc, A, B, AScale, BScale, Metadata };
  Part part = Part::Call;
  std::string kind, message;
};

/// The number of elements of K of which a sparse product keeps two. For 4-bit elements, it keeps two pairs of
/// neighbours.
int64_t sparseGroup(layouts::Dtype dtype);

std::optional<Tcgen05Problem> checkTcgen05(const Tcgen05Product &product);

} // namespace lanescope::core
