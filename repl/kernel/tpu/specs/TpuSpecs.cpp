#include "repl/kernel/tpu/specs/TpuSpecs.h"

#include "layouts/support/Text.h"
#include "layouts/support/Try.h"
#include "layouts/tpu/TiledMemoryLayout.h"
#include "repl/kernel/gpu/specs/GpuSpecs.h"
#include "repl/kernel/tpu/trace/TpuTracer.h"
#include "repl/lang/evaluate/Evaluator.h"

#include <algorithm>

namespace lanescope::repl {

using core::TpuElement;
using core::TpuMemory;
using layouts::Dtype;
using layouts::Shape;

std::string TpuMemorySpec::typeName() const {
  return type.element == TpuElement::Number ? std::string(memoryName(type.memory)) : std::string("semaphore");
}

std::string TpuMemorySpec::repr() const {
  if (type.element != TpuElement::Number)
    return text("SemaphoreType.", type.element == TpuElement::DmaSemaphore ? "DMA" : "REGULAR", "(",
                layouts::tupleText(type.shape), ")");
  std::vector<std::string> tiles;
  for (const Shape &tile : type.tiles)
    tiles.push_back(layouts::tupleText(tile));
  return text(memoryName(type.memory), "(", layouts::tupleText(type.shape), ", ", name(type.dtype),
              tiles.empty() ? text() : text(", tiling=[", joined(tiles, ", "), "]"), ")");
}

//===------------------------------------ memory ------------------------------------------------------------------===//

template <TpuMemory memory> static Result<Value> memorySpec(Context &context, const BoundArguments &args) {
  auto spec = std::make_shared<TpuMemorySpec>();
  spec->span = context.evaluator.snippetPlace(context.span);
  spec->type.memory = memory;
  spec->type.shape = LANESCOPE_TRY(args.shape(0));
  if (spec->type.shape.empty() || std::ranges::find(spec->type.shape, 0) != spec->type.shape.end())
    return args.wrongValue(
        0, Message("memory has sizes above 0, not the shape {shape}", layouts::tupleText(spec->type.shape)));
  spec->type.dtype = LANESCOPE_TRY(args.dtype(1));
  if (spec->type.dtype == Dtype::TF32 || layouts::bitwidth(spec->type.dtype) > 32)
    return args.wrongValue(1,
                           Message("a SparseCore holds numbers of up to 32 bits, not {dtype}", name(spec->type.dtype)));
  if (!args.has(2) || args[2].value.isNone())
    return Value(std::move(spec));
  for (const Value &item : LANESCOPE_TRY(context.evaluator.iterate(args[2].value, args[2].span))) {
    Shape tile;
    for (const Value &size : LANESCOPE_TRY(context.evaluator.iterate(item, args[2].span))) {
      const int64_t *known = size.asInt();
      if (!known)
        return args.wrongType(2, "a list of tiles, each a tuple of ints");
      tile.push_back(*known);
    }
    if (tile.size() > spec->type.shape.size())
      return args.wrongValue(2, Message("the rank of the tile {tile} must not exceed that of the shape {shape}",
                                        layouts::tupleText(tile), layouts::tupleText(spec->type.shape)));
    spec->type.tiles.push_back(std::move(tile));
  }
  if (auto layout = layouts::TiledMemoryLayout::packed(spec->type.tiles, spec->type.shape); !layout)
    return args.wrongValue(2, layout.error().front().message);
  return Value(std::move(spec));
}

std::string SemaphoreKind::repr() const {
  return element_ == TpuElement::DmaSemaphore ? "SemaphoreType.DMA" : "SemaphoreType.REGULAR";
}

Value SemaphoreKind::single(const Span &span) const {
  auto spec = std::make_shared<TpuMemorySpec>();
  spec->type = {.element = element_, .shape = {}, .memory = TpuMemory::Semaphore};
  spec->span = span;
  return Value(std::move(spec));
}

Result<Value> SemaphoreKind::call(Context &context, const Arguments &arguments) {
  static const auto kSignature = Signature::parse("SemaphoreType(shape=())");
  auto args = LANESCOPE_TRY(BoundArguments::bind(*kSignature, arguments, context.span));
  auto spec = std::make_shared<TpuMemorySpec>();
  spec->type = {.element = element_, .shape = {}, .memory = TpuMemory::Semaphore};
  spec->span = context.evaluator.snippetPlace(context.span);
  if (args.has(0))
    spec->type.shape = LANESCOPE_TRY(args.shape(0));
  constexpr int64_t kMost = 1 << 10;
  if (layouts::elementCount(spec->type.shape) < 1 || layouts::elementCount(spec->type.shape) > kMost)
    return args.wrongValue(0, Message("there are from 1 to {limit} semaphores in a group", kMost));
  return Value(std::move(spec));
}

namespace {

/// The value of `SemaphoreType`.
class SemaphoreKinds final : public Object {
public:
  std::string typeName() const override { return "SemaphoreType"; }
  std::string repr() const override { return "SemaphoreType"; }
  std::vector<std::string> members() const override { return {"DMA", "REGULAR"}; }
  Result<Value> attribute(Context &context, const std::string &name) override {
    if (name == "DMA" || name == "REGULAR")
      return Value(std::make_shared<SemaphoreKind>(name == "DMA" ? TpuElement::DmaSemaphore : TpuElement::Semaphore));
    return Object::attribute(context, name);
  }
};

} // namespace

Result<TpuPlace> placeOf(const Value &value, const Span &span) {
  if (auto *semaphores = value.as<SemaphoreKind>())
    return TpuPlace{.memory = TpuMemory::Semaphore, .element = semaphores->element()};
  const BuiltinValue *named = value.asBuiltin();
  for (TpuMemory memory :
       {TpuMemory::Hbm, TpuMemory::Vmem, TpuMemory::VmemShared, TpuMemory::Smem, TpuMemory::Semaphore, TpuMemory::Host})
    if (named && named->name == memoryName(memory))
      return TpuPlace{.memory = memory};
  return error("type", span,
               "`memory_space` is `HBM`, `VMEM`, `VMEM_SHARED`, `SMEM`, `HOST`, `SemaphoreType.DMA` or "
               "`SemaphoreType.REGULAR`");
}

Result<core::TpuMemoryType> memoryTypeOf(const Value &spec, const Span &span) {
  if (auto *memory = spec.as<TpuMemorySpec>())
    return memory->type;
  if (auto *kind = spec.as<SemaphoreKind>())
    return kind->single(span).as<TpuMemorySpec>()->type;
  if (auto *buffer = spec.as<BufferSpec>()) {
    if (buffer->transforms.tiling || buffer->transforms.swizzle)
      return error("unsupported", span, "the SMEM of a SparseCore holds scalars, row by row: it takes no transforms");
    return core::TpuMemoryType{.dtype = buffer->dtype, .shape = buffer->shape, .memory = TpuMemory::Smem};
  }
  if (auto *semaphores = spec.as<SemaphoreSpec>())
    return core::TpuMemoryType{.element = TpuElement::Semaphore,
                               .shape = semaphores->shape == Shape{1} ? Shape{} : semaphores->shape,
                               .memory = TpuMemory::Semaphore};
  return error("kernel", span,
               Message("a SparseCore allocates `VMEM(…)`, `VMEM_SHARED(…)`, `SMEM(…)`, `SemaphoreType.DMA`, "
                       "`SemaphoreType.REGULAR` and `Semaphore(…)`, not `{type}`",
                       spec.typeName()));
}

//===------------------------------------ meshes ------------------------------------------------------------------===//

std::string SubcoreMesh::typeName() const {
  return core == core::TpuCore::ScalarSubcore ? "ScalarSubcoreMesh" : "VectorSubcoreMesh";
}

std::string SubcoreMesh::repr() const {
  auto count = [](const std::optional<int64_t> &number) { return number ? text(*number) : std::string("None"); };
  if (core == core::TpuCore::ScalarSubcore)
    return text(typeName(), "(axis_name=\"", coreAxis, "\", num_cores=", count(cores), ")");
  return text(typeName(), "(core_axis_name=\"", coreAxis, "\", subcore_axis_name=\"", subcoreAxis,
              "\", num_cores=", count(cores), ", num_subcores=", count(subcores), ")");
}

std::vector<std::string> SubcoreMesh::members() const { return {"num_cores", "num_subcores"}; }

Result<Value> SubcoreMesh::attribute(Context &context, const std::string &name) {
  if (name == "num_cores")
    return Value(cores.value_or(core::defaultTpuTarget().sparseCores));
  if (name == "num_subcores")
    return Value(core == core::TpuCore::ScalarSubcore ? 1 : subcores.value_or(core::defaultTpuTarget().subcores));
  return Object::attribute(context, name);
}

Result<std::optional<Value>> SubcoreMesh::binary(Context &context, BinaryOp op, const Arg &other, bool reflected) {
  if (op != BinaryOp::MatrixMultiply || !reflected)
    return std::nullopt;
  auto spec = std::make_shared<TpuMemorySpec>();
  spec->type = LANESCOPE_TRY(memoryTypeOf(other.value, other.span));
  spec->span = context.evaluator.snippetPlace(context.span);
  bool scalar = core == core::TpuCore::ScalarSubcore;
  if ((scalar && spec->type.memory == TpuMemory::Vmem) || spec->type.memory == TpuMemory::Hbm ||
      spec->type.memory == TpuMemory::Host)
    return context.fail("value", Message("the subcores of a `{type}` have no {memory} of their own", typeName(),
                                         memoryName(spec->type.memory)));
  // Memory of this kind belongs to the core, whatever subcore runs there.
  if (spec->type.memory != TpuMemory::VmemShared)
    spec->type.owner = core;
  return Value(std::move(spec));
}

Result<Shape> SubcoreMesh::sizes(const core::TpuTarget &target) const {
  int64_t ofCores = cores.value_or(target.sparseCores), ofSubcores = subcores.value_or(target.subcores);
  if (ofCores > target.sparseCores)
    return error(
        "kernel", span,
        Message("the mesh has {} cores, and {target} has {} SparseCores", ofCores, target.name, target.sparseCores));
  if (ofSubcores > target.subcores)
    return error("kernel", span,
                 Message("the mesh has {} subcores, and a SparseCore of {target} has {}", ofSubcores, target.name,
                         target.subcores));
  return core == core::TpuCore::VectorSubcore ? Shape{ofCores, ofSubcores} : Shape{ofCores};
}

static Result<std::optional<int64_t>> countArgument(const BoundArguments &args, size_t index) {
  if (!args.has(index) || args[index].value.isNone())
    return std::nullopt;
  int64_t count = LANESCOPE_TRY(args.integer(index));
  if (count < 1)
    return args.wrongValue(index, Message("a mesh has at least 1, not {count}", count));
  return count;
}

static Result<Value> scalarMesh(Context &context, const BoundArguments &args) {
  auto mesh = std::make_shared<SubcoreMesh>();
  mesh->span = context.evaluator.snippetPlace(context.span);
  mesh->core = core::TpuCore::ScalarSubcore;
  mesh->coreAxis = args.has(0) ? LANESCOPE_TRY(args.text(0)) : "core";
  mesh->cores = LANESCOPE_TRY(countArgument(args, 1));
  return Value(std::move(mesh));
}

static Result<Value> vectorMesh(Context &context, const BoundArguments &args) {
  auto mesh = std::make_shared<SubcoreMesh>();
  mesh->span = context.evaluator.snippetPlace(context.span);
  mesh->coreAxis = args.has(0) ? LANESCOPE_TRY(args.text(0)) : "core";
  mesh->subcoreAxis = args.has(1) ? LANESCOPE_TRY(args.text(1)) : "subcore";
  if (mesh->coreAxis == mesh->subcoreAxis)
    return args.wrongValue(1, Message("the axis `{axis}` is named twice", mesh->coreAxis));
  mesh->cores = LANESCOPE_TRY(countArgument(args, 2));
  mesh->subcores = LANESCOPE_TRY(countArgument(args, 3));
  return Value(std::move(mesh));
}

//===------------------------------------ blocks ------------------------------------------------------------------===//

Result<TpuBlock> blockOf(const Value &spec, const Span &span) {
  const DictData *fields = spec.asDict();
  auto field = [&](const char *name) {
    const Value *found = fields ? fields->find(Value(name)) : nullptr;
    return found ? *found : Value();
  };
  if (!fields || !fields->find(Value("block_shape")))
    return error("type", span, Message("a block is a `BlockSpec(…)`, not `{type}`", spec.typeName()));
  TpuBlock block;
  if (Value shape = field("block_shape"); shape.asTuple()) {
    block.shape.emplace();
    for (const Value &size : *shape.asTuple()) {
      const int64_t *known = size.asInt();
      if (!known)
        return error("unsupported", span,
                     Message("unsupported block dimension type: `{}`; a block's dimensions are ints: make a squeezed "
                             "one 1, and index it",
                             size.isNone() ? "Squeezed" : "Element"));
      if (*known < 1)
        return error("value", span, Message("a block has sizes above 0, not {}", *known));
      block.shape->push_back(*known);
    }
  }
  if (Value map = field("index_map"); map.asFunction())
    block.indexMap = Arg{map, span};
  else if (!map.isNone())
    return error("type", span, "an index map is a function of the grid's indices");
  if (Value memory = field("memory_space"); !memory.isNone()) {
    TpuPlace place = LANESCOPE_TRY(placeOf(memory, span));
    block.memory = place.memory;
    block.element = place.element;
  }
  if (const int64_t *by = field("indexed_by").asInt(), *dim = field("indexed_dim").asInt(); by && dim) {
    block.indexedBy = static_cast<int>(*by);
    block.indexedDim = static_cast<int>(*dim);
  }
  return block;
}

Builtins tpuSpecBuiltins() {
  Builtins table = {
      {.name = "VMEM",
       .signature = "VMEM(shape, dtype, tiling=None)",
       .doc = "Memory of one vector subcore of a SparseCore, for `scratch`, `run_scoped` and `memory_space=`. `tiling` "
              "is a "
              "list of tiles that it is stored in: `[(8, 128), (2, 1)]`.",
       .call = memorySpec<TpuMemory::Vmem>},
      {.name = "VMEM_SHARED",
       .signature = "VMEM_SHARED(shape, dtype, tiling=None)",
       .doc = "Memory that all subcores of a SparseCore share; they copy from and to it.",
       .call = memorySpec<TpuMemory::VmemShared>},
      {.name = "HBM",
       .signature = "HBM(shape, dtype, tiling=None)",
       .doc = "A TPU's large memory: what a kernel's arrays lie in. Copies read and write it.",
       .call = memorySpec<TpuMemory::Hbm>},
      {.name = "HOST",
       .signature = "HOST(shape, dtype, tiling=None)",
       .doc = "The memory of the host, for `memory_space=`; copies of a scalar subcore read and write it.",
       .call = memorySpec<TpuMemory::Host>},
      {.name = "SemaphoreType",
       .doc = "`SemaphoreType.DMA`, which copies count their bytes in, and `SemaphoreType.REGULAR`; with a shape, "
              "`SemaphoreType.DMA((4,))`, as many of them.",
       .constant = Value(std::make_shared<SemaphoreKinds>())},
      {.name = "ScalarSubcoreMesh",
       .signature = "ScalarSubcoreMesh(axis_name=\"core\", num_cores=None)",
       .doc = "The scalar subcores of a chip's SparseCores, for `@sc_kernel(mesh=…)`; all of them without a number.",
       .call = scalarMesh},
      {.name = "VectorSubcoreMesh",
       .signature = "VectorSubcoreMesh(core_axis_name=\"core\", subcore_axis_name=\"subcore\", num_cores=None, "
                    "num_subcores=None)",
       .doc = "The vector subcores of a chip's SparseCores, for `@sc_kernel(mesh=…)`; all of them without numbers.",
       .call = vectorMesh}};
  for (Builtin &builtin : table)
    builtin.group = "SparseCore";
  return table;
}

} // namespace lanescope::repl
