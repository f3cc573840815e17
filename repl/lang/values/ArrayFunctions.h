// Functions that arrays of the host and of kernels share, declared once: the name, the parameters with their defaults,
// and the documentation. Both evaluators bind a call's arguments by the declaration, so keywords and messages are the
// same.
//
//   hostFunction("exp", call)                    a builtin of the host (lang/builtins)
//   {"exp", kDeclared, kDeclared, math<Exp>}     a primitive of kernels (kernel/functions)
//
// The implementations, and the functions that only one side has, are elsewhere.
#pragma once

#include "repl/lang/values/Builtin.h"

#include <span>
#include <string_view>

namespace lanescope::repl {

struct ArrayFunction {
  enum class Kind : uint8_t {
    Elements,  // computes each element from one element, or from elements that broadcasting matches
    Reduction, // reduces axes
    Shape,     // creates, repeats or joins arrays
  };
  std::string_view name, signature, doc;
  Kind kind = Kind::Elements;
};

std::span<const ArrayFunction> arrayFunctions();
/// The function of that name; null if there is none.
const ArrayFunction *arrayFunction(std::string_view name);

/// The builtin for the host's part of a declared function.
Builtin hostFunction(std::string_view name, BuiltinCall call);

// --- argument checks that both sides share

/// Checks `broadcast_in_dim(x, shape, broadcast_dimensions)` for an operand of shape `from`.
Result<void> checkBroadcastDimensions(const BoundArguments &args, const layouts::Shape &from,
                                      const layouts::Shape &shape, const std::vector<int64_t> &dims);
/// Argument `index` as a dimension of a shape, counted from the front.
Result<int64_t> dimensionArgument(const BoundArguments &args, size_t index, const layouts::Shape &shape);

} // namespace lanescope::repl
