// Arguments that several layout builtins take: a layout with its shape and type, read as one of its memories.
#pragma once

#include "layouts/Placement.h"
#include "repl/lang/values/Builtin.h"

namespace lanescope::repl {

struct LayoutArguments {
  layouts::Layout layout;
  layouts::Shape shape;
  layouts::Dtype dtype = layouts::Dtype::F32;
  std::optional<layouts::Memory> memory; // asked for; the layout's first otherwise
};
/// Reads them from four positions of the signature. The shape may be left out (or None) where the layout says its own;
/// the type where it does or where 32 bits are the rule. `memory` is "registers", "shared" or "tmem".
Result<LayoutArguments> layoutArguments(const BoundArguments &args, size_t layout, size_t shape, size_t dtype,
                                        std::optional<size_t> memory = std::nullopt);

/// A layout, a text that is one in any notation, or a `smem_map(…)`.
Result<layouts::Layout> layoutArgument(const BoundArguments &args, size_t index);
Result<std::optional<layouts::Memory>> memoryArgument(const BoundArguments &args, size_t index);

/// The placement in the memory asked for, or in the first of the layout's memories that fits the shape. Errors are at
/// the layout's argument.
Result<layouts::Placement> placementOf(const BoundArguments &args, size_t shapeIndex, const LayoutArguments &given);

/// Coordinates of a row-major element as a tuple.
Value coordinates(int64_t element, const layouts::Shape &shape);
/// An index into an array of `shape`, as coordinates.
Result<layouts::Shape> indexArgument(const BoundArguments &args, size_t index, const layouts::Shape &shape);

} // namespace lanescope::repl
