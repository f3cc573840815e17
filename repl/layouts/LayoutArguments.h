// Arguments that several builtins about layouts share: a layout with its shape and type, read for one memory.
#pragma once

#include "layouts/Placement.h"
#include "layouts/Reading.h"
#include "repl/lang/values/Builtin.h"

namespace lanescope::repl {

struct LayoutArguments {
  layouts::Layout layout;
  layouts::Shape shape;
  layouts::Dtype dtype = layouts::Dtype::F32;
  layouts::Memory memory = layouts::Memory::Registers; // the memory that the layout is read for: layouts/Reading.h
};
/// Reads these arguments from four positions of the signature. The shape may be left out (or None) if the layout states
/// its own; the type may be left out if the layout states it or if 32 bits are the default. `memory` is "registers",
/// "shared" or "tmem". Guesses become remarks of the session.
Result<LayoutArguments> layoutArguments(Context &context, const BoundArguments &args, size_t layout, size_t shape,
                                        size_t dtype, std::optional<size_t> memory = std::nullopt);
/// The reading of argument `layout`; the arguments at `shape` and `memory`, if any, are the request. A guess becomes a
/// remark. An error is at the layout, or at the memory argument if the layout cannot be in that memory.
Result<layouts::Reading> readingArgument(Context &context, const BoundArguments &args, size_t index,
                                         const layouts::Layout &layout, std::optional<layouts::Shape> shape,
                                         std::optional<size_t> memory);
/// Adds a note on how an argument was read.
void remarkReading(Context &context, const Span &span, std::string note);
/// Adds a note on a tile that repeats over the array, and on elements without an owner: layouts/MapCoverage.h.
void remarkCoverage(Context &context, const Span &span, const layouts::Placement &placed);

/// The layout of an argument, which is a layout, a text that is one in any notation, or a `smem_map(…)`.
Result<layouts::Layout> layoutArgument(const BoundArguments &args, size_t index, Diagnostics *remarks = nullptr);
/// A layout in one of these forms. Remarks on the reading of a text become remarks of the session.
Result<layouts::Layout> layoutArgument(Context &context, const BoundArguments &args, size_t index);
Result<std::optional<layouts::Memory>> memoryArgument(const BoundArguments &args, size_t index);

/// The placement in the memory that the layout is read for. A remark reports elements that the placement does not
/// cover. Errors are at the shape's argument.
Result<layouts::Placement> placementOf(Context &context, const BoundArguments &args, size_t shapeIndex,
                                       const LayoutArguments &given);

/// The coordinates, as a tuple, of an element that is counted in row-major order.
Value coordinates(int64_t element, const layouts::Shape &shape);
/// The coordinates that an argument gives, as an index into an array of `shape`.
Result<layouts::Shape> indexArgument(const BoundArguments &args, size_t index, const layouts::Shape &shape);

} // namespace lanescope::repl
