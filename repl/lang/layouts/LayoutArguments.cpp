#include "repl/lang/layouts/LayoutArguments.h"

#include "layouts/DefaultArray.h"
#include "layouts/notation/mosaic/MosaicShared.h"
#include "layouts/support/Text.h"
#include "layouts/support/Try.h"
#include "repl/lang/values/LayoutObjects.h"
#include "repl/lang/values/LayoutText.h"

#include <algorithm>
#include <memory>

namespace lanescope::repl {

using layouts::Layout;
using layouts::Memory;
using layouts::Shape;

Result<Layout> layoutArgument(const BoundArguments &args, size_t index) {
  const Value &value = args[index].value;
  if (const Layout *layout = value.asLayout())
    return *layout;
  if (const std::string *written = value.asStr())
    return layoutOfText(*written, args[index].span);
  if (const auto *memory = value.as<SmemMapObject>())
    return Layout(layouts::Foreign(std::make_shared<layouts::MosaicShared>(
        memory->map.tiling(), memory->map.swizzle(), memory->map.transpose(), memory->map.shape(), memory->dtype)));
  return args.wrongType(index, "a layout such as `WGMMA`, a layout's text or a smem_map");
}

Result<std::optional<Memory>> memoryArgument(const BoundArguments &args, size_t index) {
  if (!args.has(index) || args[index].value.isNone())
    return std::nullopt;
  std::string name = LANESCOPE_TRY(args.text(index));
  if (name == "registers")
    return Memory::Registers;
  if (name == "shared" || name == "smem")
    return Memory::Shared;
  if (name == "tmem")
    return Memory::Tmem;
  return args.wrongValue(index, text("`", name, "` is not a memory; \"registers\", \"shared\" and \"tmem\" are"));
}

Result<LayoutArguments> layoutArguments(const BoundArguments &args, size_t layout, size_t shape, size_t dtype,
                                        std::optional<size_t> memory) {
  LayoutArguments out{LANESCOPE_TRY(layoutArgument(args, layout)), {}, layouts::Dtype::F32, std::nullopt};
  if (args.has(shape) && !args[shape].value.isNone())
    out.shape = LANESCOPE_TRY(args.shape(shape));
  else if (auto own = layouts::ownShape(out.layout))
    out.shape = *own;
  else
    return error("arguments", args[layout].span,
                 text("`", args.function, "` needs the shape of the array: the layout does not say one"));
  out.dtype = layouts::defaultDtype(out.layout);
  if (args.has(dtype) && !args[dtype].value.isNone())
    out.dtype = LANESCOPE_TRY(args.dtype(dtype));
  if (memory)
    out.memory = LANESCOPE_TRY(memoryArgument(args, *memory));
  return out;
}

Result<layouts::Placement> placementOf(const BoundArguments &args, size_t shapeIndex, const LayoutArguments &given) {
  std::vector<Memory> memories = {given.memory.value_or(layouts::memoryOf(given.layout))};
  if (const auto *foreign = std::get_if<layouts::Foreign>(&given.layout); foreign && !given.memory)
    memories = (*foreign)->memories();
  if (memories.empty())
    memories = {Memory::Registers};
  Diagnostics failure;
  for (Memory memory : memories) {
    auto placed = layouts::placement(given.layout, given.shape, layouts::bitwidth(given.dtype), memory);
    if (placed)
      return placed;
    if (failure.empty())
      failure = std::move(placed.error());
  }
  return at(args.has(shapeIndex) ? args[shapeIndex].span : args.call, std::move(failure));
}

Value coordinates(int64_t element, const Shape &shape) { return Value::shape(layouts::unravelIndex(element, shape)); }

Result<Shape> indexArgument(const BoundArguments &args, size_t index, const Shape &shape) {
  auto given = LANESCOPE_TRY(args.integers(index));
  if (given.size() != shape.size())
    return args.wrongValue(index, text("an index of ", given.size(), given.size() == 1 ? " part" : " parts",
                                       " into an array of rank ", shape.size()));
  for (size_t d = 0; d < shape.size(); ++d)
    if (given[d] < 0 || given[d] >= shape[d])
      return args.wrongValue(index, text(given[d], " is outside dimension ", d, " of size ", shape[d]));
  return given;
}

} // namespace lanescope::repl
