#include "repl/layouts/LayoutArguments.h"

#include "layouts/DefaultArray.h"
#include "layouts/MapCoverage.h"
#include "layouts/notation/mosaic/MosaicShared.h"
#include "layouts/support/Text.h"
#include "layouts/support/Try.h"
#include "layouts/support/Words.h"
#include "repl/lang/evaluate/Evaluator.h"
#include "repl/lang/values/LayoutArgument.h"
#include "repl/lang/values/LayoutObjects.h"

#include <algorithm>
#include <memory>

namespace lanescope::repl {

using layouts::Layout;
using layouts::Memory;
using layouts::Shape;

Result<Layout> layoutArgument(const BoundArguments &args, size_t index, Diagnostics *remarks) {
  const Value &value = args[index].value;
  if (const Layout *layout = value.asLayout())
    return *layout;
  if (const std::string *written = value.asStr())
    return layoutOfText(*written, args[index].span, remarks);
  if (const auto *memory = value.as<SmemMapObject>())
    return Layout(layouts::Foreign(std::make_shared<layouts::MosaicShared>(
        memory->map.tiling(), memory->map.swizzle(), memory->map.transpose(), memory->map.shape(), memory->dtype)));
  return args.wrongType(index, "a layout such as `WGMMA`, a layout's text or a smem_map");
}

Result<Layout> layoutArgument(Context &context, const BoundArguments &args, size_t index) {
  Diagnostics remarks;
  auto layout = layoutArgument(args, index, &remarks);
  for (Diagnostic &remark : remarks)
    context.evaluator.remark(std::move(remark));
  return layout;
}

Result<std::optional<Memory>> memoryArgument(const BoundArguments &args, size_t index) {
  if (!args.has(index) || args[index].value.isNone())
    return std::nullopt;
  std::string name = LANESCOPE_TRY(args.text(index));
  if (std::optional<Memory> memory = layouts::memoryNamed(name))
    return memory;
  return args.wrongValue(index, Message("`{name}` is not a memory; \"registers\", \"shared\" and \"tmem\" are", name));
}

void remarkReading(Context &context, const Span &span, std::string note) {
  if (!note.empty())
    context.evaluator.remark({Severity::Note, "layout-reading", span, std::move(note), {}});
}

void remarkCoverage(Context &context, const Span &span, const layouts::Placement &placed) {
  if (std::string note = coverageNote(placed); !note.empty())
    context.evaluator.remark({Severity::Note, "layout-coverage", span, std::move(note), {}});
}

Result<layouts::Reading> readingArgument(Context &context, const BoundArguments &args, size_t index,
                                         const Layout &layout, std::optional<Shape> shape,
                                         std::optional<size_t> memory) {
  layouts::ReadingRequest request{.shape = std::move(shape)};
  if (memory)
    request.memory = LANESCOPE_TRY(memoryArgument(args, *memory));
  auto reading = layouts::readingOf(layout, request);
  if (!reading)
    return at(args[request.memory ? *memory : index].span, std::move(reading.error()));
  remarkReading(context, args[index].span, guessNote(layout, *reading));
  return reading;
}

Result<LayoutArguments> layoutArguments(Context &context, const BoundArguments &args, size_t layout, size_t shape,
                                        size_t dtype, std::optional<size_t> memory) {
  LayoutArguments out{.layout = LANESCOPE_TRY(layoutArgument(context, args, layout)), .shape = {}};
  std::optional<Shape> given;
  if (args.has(shape) && !args[shape].value.isNone())
    given = LANESCOPE_TRY(args.shape(shape));
  layouts::Reading reading =
      LANESCOPE_TRY(readingArgument(context, args, layout, out.layout, std::move(given), memory));
  if (!reading.shape)
    return error("arguments", args[layout].span,
                 Message("`{function}` needs the shape of the array: the layout does not say one", args.function));
  out.shape = *std::move(reading.shape);
  out.memory = reading.memory;
  out.layout = layouts::layoutIn(out.layout, out.memory);
  out.dtype = layouts::defaultDtype(out.layout);
  if (args.has(dtype) && !args[dtype].value.isNone())
    out.dtype = LANESCOPE_TRY(args.dtype(dtype));
  return out;
}

Result<layouts::Placement> placementOf(Context &context, const BoundArguments &args, size_t shapeIndex,
                                       const LayoutArguments &given) {
  auto placed = layouts::placement(given.layout, given.shape, layouts::bitwidth(given.dtype), given.memory);
  if (!placed)
    return at(args.has(shapeIndex) ? args[shapeIndex].span : args.call, std::move(placed.error()));
  remarkCoverage(context, args.has(shapeIndex) ? args[shapeIndex].span : args.call, *placed);
  return placed;
}

Value coordinates(int64_t element, const Shape &shape) { return Value::shape(layouts::unravelIndex(element, shape)); }

Result<Shape> indexArgument(const BoundArguments &args, size_t index, const Shape &shape) {
  auto given = LANESCOPE_TRY(args.integers(index));
  if (given.size() != shape.size())
    return args.wrongValue(
        index, Message("the index has {}, and the array has rank {rank}", counted(given.size(), "part"), shape.size()));
  for (size_t d = 0; d < shape.size(); ++d)
    if (given[d] < 0 || given[d] >= shape[d])
      return args.wrongValue(index,
                             Message("{} is outside dimension {dimension} of size {size}", given[d], d, shape[d]));
  return given;
}

} // namespace lanescope::repl
