// The way from a call's arguments to the frame of a kernel: its grid or mesh, and a block or the whole of each array.
#include "repl/kernel/tpu/launch/TpuKernel.h"

#include "layouts/support/Try.h"
#include "layouts/support/Words.h"

#include <algorithm>

namespace lanescope::repl {

using core::TpuMemory;
using core::TpuSemantics;
using layouts::Shape;

namespace {

std::vector<Value> itemsOf(const Value &value) {
  return value.isNone()    ? std::vector<Value>{}
         : value.asTuple() ? *value.asTuple()
         : value.asList()  ? value.asList()->items
                           : std::vector{value};
}

/// Error for a block that a SparseCore's kernel cannot have.
Result<void> checkBlock(const Span &span, const Shape &block, const Shape &array, const std::string &name) {
  if (block.size() != array.size())
    return error("shape-mismatch", span,
                 Message("the block of `{name}` has {dimensions} dimensions, and the array has {count}", name,
                         block.size(), array.size()));
  if (block.size() > 1 && block.back() % 8 != 0)
    return error(
        "kernel", span,
        Message("the last dimension of a block must be a multiple of 8, and that of `{name}` has the shape {shape}",
                name, layouts::tupleText(block)));
  return {};
}

/// Sets the grid of a mesh on the frame's chip.
Result<void> onMesh(const SubcoreMesh &mesh, core::TpuFrame &frame, TpuAxes &axes) {
  frame.core = mesh.core;
  frame.bounds = LANESCOPE_TRY(mesh.sizes(*frame.target));
  frame.semantics = {TpuSemantics::CoreParallel};
  axes.names = {mesh.coreAxis};
  if (mesh.core == core::TpuCore::VectorSubcore) {
    frame.semantics.push_back(TpuSemantics::SubcoreParallel);
    axes.names.push_back(mesh.subcoreAxis);
  }
  axes.sizes = frame.bounds;
  axes.core = mesh.coreAxis;
  axes.subcore = mesh.subcoreAxis;
  return {};
}

} // namespace

const core::TpuTarget &TpuKernel::target() const {
  const core::TpuTarget *found = settings_.target ? settings_.target : core::findTpuTarget(runtime_->options().arch);
  return found ? *found : core::defaultTpuTarget();
}

/// The part of a frame that kernels of every form share: the chip, the operands in order, scratch.
Result<TpuKernel::Framed> TpuKernel::sharedFrame(Context &context, const Call &call) const {
  Framed framed;
  framed.frame.span = span();
  framed.frame.target = &target();
  // Operands: inputs first, then the outputs that the call makes.
  for (bool outputs : {false, true})
    for (size_t i = 0; i < parameters_.slots().size(); ++i)
      if (const Slot &slot = parameters_.slots()[i];
          slot.role == Role::Array && (slot.kind == core::ArgumentKind::Out) == outputs)
        framed.operandSlots.push_back(i);
  Value scratch = LANESCOPE_TRY(parameters_.setting(context, settings_.scratch, call.sizes));
  framed.scratch = itemsOf(scratch);
  LANESCOPE_CHECK(parameters_.checkScratch(framed.scratch.size(), settings_.scratch.span));
  return framed;
}

Result<TpuKernel::Framed> TpuKernel::frame(Context &context, const Call &call) const {
  Framed framed = LANESCOPE_TRY(sharedFrame(context, call));
  LANESCOPE_CHECK(settings_.mesh ? meshFrame(call, framed) : gridFrame(context, call, framed));
  return framed;
}

Result<void> TpuKernel::gridFrame(Context &context, const Call &call, Framed &framed) const {
  core::TpuFrame &frame = framed.frame;
  frame.core = settings_.core;
  constexpr int64_t kMost = std::numeric_limits<int32_t>::max();
  for (const Value &size : itemsOf(LANESCOPE_TRY(parameters_.setting(context, settings_.grid, call.sizes)))) {
    const int64_t *known = size.asInt();
    if (!known || *known < 1 || *known > kMost)
      return error("kernel", settings_.grid.span, "`grid` is a tuple of ints above 0");
    frame.bounds.push_back(*known);
  }
  framed.axes.asked = !frame.bounds.empty();
  if (!framed.axes.asked)
    frame.bounds = {1};
  if (settings_.semantics && settings_.semantics->size() != frame.bounds.size())
    return error("kernel", settings_.span,
                 Message("`dimension_semantics` has {entries} entries, and the grid has {}",
                         settings_.semantics->size(), counted(frame.bounds.size(), "dimension")));
  frame.semantics = settings_.semantics.value_or(std::vector(frame.bounds.size(), TpuSemantics::Arbitrary));
  framed.axes.sizes = frame.bounds;
  framed.axes.names = settings_.gridNames;
  if (!framed.axes.names.empty() && framed.axes.names.size() != frame.bounds.size())
    return error("kernel", settings_.span,
                 Message("`grid` has {dimensions} dimensions, and `grid_names` {count} names", frame.bounds.size(),
                         framed.axes.names.size()));

  std::vector<Value> ins = itemsOf(LANESCOPE_TRY(parameters_.setting(context, settings_.inSpecs, call.sizes)));
  std::vector<Value> outs = itemsOf(LANESCOPE_TRY(parameters_.setting(context, settings_.outSpecs, call.sizes)));
  size_t inputs = 0;
  for (size_t slot : framed.operandSlots)
    inputs += parameters_.slots()[slot].kind != core::ArgumentKind::Out;
  for (auto [specs, count, setting, what] :
       {std::tuple(&ins, inputs, &settings_.inSpecs, "in_specs"),
        std::tuple(&outs, framed.operandSlots.size() - inputs, &settings_.outSpecs, "out_specs")})
    if (!specs->empty() && specs->size() != count)
      return error("kernel", setting->span,
                   Message("`{function}` has {}, and the kernel has {count}{}", what,
                           counted(specs->size(), "entry", "entries"), count, *what == 'i' ? " inputs" : " outputs"));
  for (size_t k = 0; k < framed.operandSlots.size(); ++k) {
    size_t index = framed.operandSlots[k];
    const Slot &slot = parameters_.slots()[index];
    const Shape &array = call.shapes[index];
    const std::vector<Value> &specs = k < inputs ? ins : outs;
    Value given = specs.empty() ? Value() : specs[k < inputs ? k : k - inputs];
    const Span &place = (k < inputs ? settings_.inSpecs : settings_.outSpecs).span;
    std::optional<TpuBlock> spec;
    if (!given.isNone())
      spec = LANESCOPE_TRY(blockOf(given, place));
    core::TpuFrame::Operand operand{.name = slot.syntax->name,
                                    .type = {.dtype = call.dtypes[index], .shape = array},
                                    .span = parameters_.spanOf(slot)};
    if (spec) {
      operand.type.shape = spec->shape.value_or(array);
      operand.type.memory = spec->memory.value_or(TpuMemory::Vmem);
      operand.type.element = spec->element;
      bool semaphores = spec->element != core::TpuElement::Number;
      if (semaphores && (call.dtypes[index] != layouts::Dtype::I32 || operand.type.shape != array))
        return error(
            "kernel", place,
            Message("`{name}` is semaphores: an i32 array of what each counts, as a whole", slot.syntax->name));
      operand.indexedBy = spec->indexedBy;
      operand.indexedDim = spec->indexedDim;
      LANESCOPE_CHECK(checkBlock(place, operand.type.shape, array, slot.syntax->name));
      bool whole = operand.type.shape == array;
      if ((operand.type.memory == TpuMemory::Hbm || operand.type.memory == TpuMemory::Host) && !whole)
        return error(
            "unsupported", place,
            Message("blocks of `{name}` are brought to VMEM; in HBM and in the host's memory it is the whole array",
                    slot.syntax->name));
    }
    framed.indexMaps.push_back(spec ? spec->indexMap : std::nullopt);
    frame.operands.push_back(std::move(operand));
  }
  // The function's last parameters are scratch.
  size_t next = 0;
  for (const Slot &slot : parameters_.slots()) {
    if (slot.role != Role::Scratch)
      continue;
    core::TpuMemoryType type = LANESCOPE_TRY(memoryTypeOf(framed.scratch[next++], settings_.scratch.span));
    if (!type.tiles.empty())
      return error("unsupported", settings_.scratch.span,
                   Message("tiled memory is not supported as a scratch operand of a kernel with a grid: allocate "
                           "`{name}` in its body, `run_scoped(…)`",
                           slot.syntax->name));
    frame.operands.push_back(
        {.name = slot.syntax->name, .type = type, .window = false, .span = parameters_.spanOf(slot)});
  }
  return {};
}

/// The memory of an array in a kernel with a mesh, which gets the whole array.
core::TpuMemoryType TpuKernel::arrayType(const Call &call, size_t slot) const {
  auto found = settings_.places.find(slot);
  TpuPlace place = found == settings_.places.end() ? TpuPlace{} : found->second;
  return {.element = place.element, .dtype = call.dtypes[slot], .shape = call.shapes[slot], .memory = place.memory};
}

Result<void> TpuKernel::meshFrame(const Call &call, Framed &framed) const {
  core::TpuFrame &frame = framed.frame;
  const SubcoreMesh &mesh = *settings_.mesh;
  LANESCOPE_CHECK(onMesh(mesh, framed.frame, framed.axes));
  // As in JAX, each output is two operands: the first is read and written in place, and the second is unused.
  for (bool again : {false, true})
    for (size_t index : framed.operandSlots) {
      const Slot &slot = parameters_.slots()[index];
      if (again && slot.kind == core::ArgumentKind::In)
        continue;
      frame.operands.push_back({.name = again ? slot.syntax->name + "_result" : slot.syntax->name,
                                .type = arrayType(call, index),
                                .span = parameters_.spanOf(slot)});
      framed.indexMaps.emplace_back();
    }
  return {};
}

/// The frame of one of the functions that run side by side. All of them take the same references: first arrays, then
/// scratch.
Result<TpuKernel::Framed> TpuKernel::partFrame(Context &context, const Call &call, const TpuPart &part) const {
  Framed framed = LANESCOPE_TRY(sharedFrame(context, call));
  core::TpuFrame &frame = framed.frame;
  frame.name = part.parameters.kernel();
  frame.span = part.parameters.span();
  frame.sideBySide = true;
  LANESCOPE_CHECK(onMesh(*part.mesh, frame, framed.axes));
  for (const TpuPart &other : parts_)
    if (other.mesh->core == core::TpuCore::VectorSubcore)
      framed.axes.subcore = other.mesh->subcoreAxis;
  for (size_t index : framed.operandSlots)
    frame.operands.push_back({.name = parameters_.slots()[index].syntax->name,
                              .type = arrayType(call, index),
                              .span = parameters_.spanOf(parameters_.slots()[index])});
  size_t next = 0;
  for (const Slot &slot : parameters_.slots()) {
    if (slot.role != Role::Scratch)
      continue;
    core::TpuMemoryType type = LANESCOPE_TRY(memoryTypeOf(framed.scratch[next++], settings_.scratch.span));
    if (!type.owner && type.memory != TpuMemory::VmemShared)
      return error("kernel", settings_.scratch.span,
                   Message("functions side by side run on several kinds of subcores: say whose memory `{name}` is, "
                           "`{memory}(…) @ mesh`",
                           slot.syntax->name, memoryName(type.memory)));
    frame.operands.push_back(
        {.name = slot.syntax->name, .type = type, .window = false, .span = parameters_.spanOf(slot)});
  }
  return framed;
}

} // namespace lanescope::repl
