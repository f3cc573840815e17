#include "repl/kernel/gpu/specs/GpuSpecs.h"

#include "repl/kernel/gpu/tensor/Accumulators.h"
#include "repl/kernel/gpu/tmem/TmemSpec.h"

#include "layouts/support/Text.h"
#include "layouts/support/Try.h"
#include "repl/kernel/gpu/trace/ValueRules.h"
#include "repl/kernel/trace/Traced.h"
#include "repl/lang/values/LayoutObjects.h"

#include <algorithm>

namespace lanescope::repl {

using layouts::Dtype;
using layouts::Shape;

namespace {

Result<Dtype> memoryDtype(const BoundArguments &args, size_t index) {
  Dtype dtype = LANESCOPE_TRY(args.dtype(index));
  if (!isKernelDtype(dtype))
    return args.wrongValue(index,
                           Message("memory of kernels does not hold {dtype}; use f32, which tensor cores read as {}",
                                   name(dtype), name(dtype)));
  return dtype;
}

Result<Value> tilingTransform(Context &, const BoundArguments &args) {
  Shape tile = LANESCOPE_TRY(args.shape(0));
  if (tile.empty() || std::ranges::any_of(tile, [](int64_t size) { return size < 1; }))
    return args.wrongValue(0, Message("a tile has sizes above 0, not {tile}", layouts::tupleText(tile)));
  auto spec = std::make_shared<TransformSpec>();
  spec->transform = std::move(tile);
  return Value(std::move(spec));
}

Result<Value> swizzleTransform(Context &, const BoundArguments &args) {
  int64_t bytes = LANESCOPE_TRY(args.integer(0));
  if (bytes != 32 && bytes != 64 && bytes != 128)
    return args.wrongValue(0, Message("a swizzle is 32, 64 or 128 bytes, not {bytes}", bytes));
  auto spec = std::make_shared<TransformSpec>();
  spec->transform = static_cast<int>(bytes);
  return Value(std::move(spec));
}

/// Error unless tiles divide the buffer and a swizzle's row of bytes is the last stored dimension.
Result<void> checkTransforms(const BoundArguments &args, const BufferSpec &spec) {
  const auto &tiling = spec.transforms.tiling;
  if (tiling) {
    if (tiling->size() > spec.shape.size())
      return args.wrongValue(2, Message("a tile of {dimensions} dimensions does not fit a buffer of shape {shape}",
                                        tiling->size(), layouts::tupleText(spec.shape)));
    size_t skip = spec.shape.size() - tiling->size();
    for (size_t i = 0; i < tiling->size(); ++i)
      if (spec.shape[skip + i] % (*tiling)[i] != 0)
        return args.wrongValue(2, Message("the tile {tile} does not divide the shape {shape}",
                                          layouts::tupleText(*tiling), layouts::tupleText(spec.shape)));
  }
  if (spec.transforms.swizzle) {
    int64_t elements = tiling ? tiling->back() : spec.shape.back();
    int bits = spec.dtype == Dtype::I1 ? 8 : layouts::bitwidth(spec.dtype); // a truth value takes a byte
    int64_t row = elements * bits / 8;
    if (row != spec.transforms.swizzle)
      return args.wrongValue(2, Message("a swizzle of {bytes} bytes needs rows of as many, and the last dimension of "
                                        "{} takes {other_bytes} bytes; make it {elements} elements",
                                        spec.transforms.swizzle, tiling ? "the tile" : "the buffer", row,
                                        spec.transforms.swizzle * 8 / bits));
  }
  return {};
}

Result<Value> bufferSpec(Context &context, const BoundArguments &args) {
  auto spec = std::make_shared<BufferSpec>();
  spec->span = context.evaluator.snippetPlace(context.span);
  spec->shape = LANESCOPE_TRY(args.shape(0));
  if (spec->shape.empty() || std::ranges::find(spec->shape, 0) != spec->shape.end())
    return args.wrongValue(
        0, Message("a buffer has sizes above 0, not the shape {shape}", layouts::tupleText(spec->shape)));
  spec->dtype = LANESCOPE_TRY(memoryDtype(args, 1));
  if (args.has(2))
    spec->transforms = LANESCOPE_TRY(transformsArgument(context, args, 2));
  LANESCOPE_CHECK(checkTransforms(args, *spec));
  return Value(std::move(spec));
}

/// Reads `num_arrivals` and `num_barriers`, which `Barrier` and `ClusterBarrier` both take.
Result<void> barrierCounts(const BoundArguments &args, size_t arrivals, size_t count, BarrierSpec &spec) {
  spec.arrivals = LANESCOPE_TRY(args.integerOr(arrivals, 1));
  if (args.has(count))
    spec.shape = LANESCOPE_TRY(args.shape(count));
  constexpr int64_t kMaxArrivals = ((1 << 20) - 1) / layouts::kThreadsPerWarpgroup; // an mbarrier counts 20 bits
  constexpr int64_t kMaxBarriers = 32; // limit for a group, since its phases are the bits of one register
  if (spec.arrivals < 1 || spec.arrivals > kMaxArrivals)
    return args.wrongValue(arrivals,
                           Message("a barrier takes from 1 to {limit} arrivals, not {}", kMaxArrivals, spec.arrivals));
  int64_t all = layouts::elementCount(spec.shape);
  if (all < 1 || all > kMaxBarriers)
    return args.wrongValue(count, Message("a group has from 1 to {limit} barriers, not {}", kMaxBarriers, all));
  return {};
}

Result<Value> barrierSpec(Context &context, const BoundArguments &args) {
  auto spec = std::make_shared<BarrierSpec>();
  spec->span = context.evaluator.snippetPlace(context.span);
  LANESCOPE_CHECK(barrierCounts(args, 0, 1, *spec));
  spec->ordersTensorCore = LANESCOPE_TRY(args.booleanOr(2, false));
  return Value(std::move(spec));
}

std::vector<Value> itemsOf(const Value &value) {
  return value.asTuple() ? *value.asTuple() : value.asList() ? value.asList()->items : std::vector{value};
}

Result<Value> clusterBarrierSpec(Context &context, const BoundArguments &args) {
  auto spec = std::make_shared<BarrierSpec>();
  spec->span = context.evaluator.snippetPlace(context.span);
  spec->collective.emplace();
  for (const Value &entry : itemsOf(args[0].value)) {
    std::vector<std::string> &group = spec->collective->emplace_back();
    for (const Value &name : itemsOf(entry)) {
      if (!name.asStr())
        return args.wrongType(0, "names of the cluster's axes, or groups of names");
      group.push_back(*name.asStr());
    }
  }
  if (spec->collective->empty())
    return args.wrongValue(0, "a barrier of the cluster connects blocks along one of its axes at least");
  LANESCOPE_CHECK(barrierCounts(args, 1, 2, *spec));
  spec->ordersTensorCore = LANESCOPE_TRY(args.booleanOr(3, false));
  spec->leaderTracked = LANESCOPE_TRY(args.booleanOr(4, false));
  if (spec->leaderTracked && (spec->collective->size() != 1 || spec->collective->front().size() != 1))
    return args.wrongValue(4, "a barrier that only the first block keeps connects blocks along one axis");
  return Value(std::move(spec));
}

Result<Value> semaphoreSpec(Context &context, const BoundArguments &args) {
  constexpr int64_t kMost = 1 << 16;
  auto spec = std::make_shared<SemaphoreSpec>();
  spec->span = context.evaluator.snippetPlace(context.span);
  if (args.has(0))
    spec->shape = args[0].value.plain().asInt() ? Shape{LANESCOPE_TRY(args.integer(0))} : LANESCOPE_TRY(args.shape(0));
  if (spec->shape.empty())
    spec->shape = {1};
  int64_t count = 1;
  for (int64_t size : spec->shape) {
    if (size < 1 || size > kMost || (count *= size) > kMost)
      return args.wrongValue(0, Message("there are from 1 to {limit} semaphores, not {}", kMost,
                                        spec->shape.size() == 1 ? text(size) : layouts::tupleText(spec->shape)));
  }
  return Value(std::move(spec));
}

Result<Value> unionSpec(Context &context, const BoundArguments &args) {
  auto spec = std::make_shared<UnionSpec>();
  spec->span = context.evaluator.snippetPlace(context.span);
  const Object *first = nullptr;
  for (const Arg &member : args.rest()) {
    for (const Value &part : itemsOf(member.value)) {
      if (!part.as<BufferSpec>() && !part.as<TmemSpec>())
        return error("type", member.span,
                     part.as<BarrierSpec>()
                         ? "barriers have memory of their own, for the whole kernel: put them in `scratch`"
                         : Message("a union's members are `SMEM(…)` or `TMEM(…)`, or tuples of them, not `{type}`",
                                   part.typeName()));
      if (first && first->typeName() != part.typeName())
        return error("type", member.span,
                     "a union's members share one memory: they are `SMEM(…)` all, or `TMEM(…)` all");
      first = part.asObject();
    }
    if (itemsOf(member.value).empty())
      return error("value", member.span, "a union's member holds one buffer at least");
    spec->members.push_back(member.value);
  }
  if (spec->members.empty())
    return context.fail("value", "a union has one member at least");
  return Value(std::move(spec));
}

Result<Value> cancelResultSpec(Context &context, const BoundArguments &args) {
  auto spec = std::make_shared<BufferSpec>();
  spec->span = context.evaluator.snippetPlace(context.span);
  spec->dtype = Dtype::I8;
  if (args.has(0) && !args[0].value.isNone()) {
    int64_t results = LANESCOPE_TRY(args.integer(0));
    constexpr int64_t kMost = 1 << 10;
    if (results < 1 || results > kMost)
      return args.wrongValue(0, Message("there are from 1 to {limit} results, not {}", kMost, results));
    spec->shape.push_back(results);
  }
  spec->shape.push_back(16); // PTX ISA, `clusterlaunchcontrol.try_cancel`: the response has 16 bytes
  return Value(std::move(spec));
}

} // namespace

Result<core::SmemTransforms> transformsArgument(Context &context, const BoundArguments &args, size_t index) {
  core::SmemTransforms out;
  const Arg &given = args[index];
  std::vector<Value> transforms =
      LANESCOPE_TRY(given.value.as<TransformSpec>() ? Result<std::vector<Value>>(std::vector{given.value})
                                                    : context.evaluator.iterate(given.value, given.span));
  for (const Value &value : transforms) {
    auto *transform = value.as<TransformSpec>();
    if (!transform)
      return args.wrongType(index, "a tuple of `TilingTransform(…)` and `SwizzleTransform(…)`");
    const Shape *tile = std::get_if<Shape>(&transform->transform);
    if (out.swizzle || (tile && out.tiling))
      return args.wrongValue(index, "a buffer takes one tiling and then one swizzle, and nothing else");
    if (tile)
      out.tiling = *tile;
    else
      out.swizzle = std::get<int>(transform->transform);
  }
  return out;
}

std::string TransformSpec::typeName() const {
  return std::holds_alternative<int>(transform) ? "SwizzleTransform" : "TilingTransform";
}

std::string TransformSpec::repr() const {
  if (const int *bytes = std::get_if<int>(&transform))
    return text("SwizzleTransform(", *bytes, ")");
  return text("TilingTransform(", layouts::tupleText(std::get<Shape>(transform)), ")");
}

std::string BufferSpec::repr() const {
  std::string parts;
  if (transforms.tiling)
    parts += text("TilingTransform(", layouts::tupleText(*transforms.tiling), ")");
  if (transforms.swizzle)
    parts += text(parts.empty() ? "" : ", ", "SwizzleTransform(", transforms.swizzle, ")");
  return text("SMEM(", layouts::tupleText(shape), ", ", name(dtype),
              parts.empty() ? std::string()
                            : text(", transforms=(", parts, transforms.tiling && transforms.swizzle ? ")" : ",)"),
              ")");
}

Result<std::optional<Value>> BufferSpec::applyBuiltin(Context &context, const std::string &name,
                                                      const Arguments &arguments) {
  if (name != "smem_map")
    return std::nullopt;
  if (arguments.positional.size() != 1 || !arguments.keyword.empty())
    return context.fail("arguments",
                        "the buffer says its shape, dtype and transforms: `smem_map(SMEM(…))` takes no more");
  auto map = layouts::SmemMap::of(shape, bitwidth(dtype), transforms.tiling.value_or(layouts::Shape{}),
                                  transforms.swizzle > 0 ? std::optional(transforms.swizzle) : std::nullopt);
  if (!map)
    return at(context.span, std::move(map.error()));
  return Value(std::make_shared<SmemMapObject>(*std::move(map), dtype));
}

std::string BarrierSpec::repr() const {
  std::string counts =
      text("num_arrivals=", arrivals, ", num_barriers=",
           shape.size() == 1 ? text(shape[0])
           : shape.empty()   ? "1"
                             : layouts::tupleText(shape),
           ordersTensorCore ? ", orders_tensor_core=True" : "", leaderTracked ? ", leader_tracked=True" : "", ")");
  if (!collective)
    return text("Barrier(", counts);
  std::vector<std::string> groups;
  for (const std::vector<std::string> &group : *collective) {
    std::vector<std::string> names;
    for (const std::string &name : group)
      names.push_back(text("\"", name, "\""));
    groups.push_back(names.size() == 1 ? names[0] : text("(", joined(names, ", "), ")"));
  }
  return text("ClusterBarrier(collective_axes=(", joined(groups, ", "), groups.size() == 1 ? ",), " : "), ", counts);
}

std::string SemaphoreSpec::repr() const {
  return text("Semaphore(count=", shape.size() == 1 ? text(shape[0]) : layouts::tupleText(shape), ")");
}

Result<Value> SemaphoreSpec::call(Context &context, const Arguments &arguments) {
  return context.evaluator.call(*context.evaluator.builtin("Semaphore"), arguments, context.span);
}

std::string UnionSpec::repr() const {
  std::vector<std::string> parts;
  for (const Value &member : members)
    parts.push_back(lanescope::repl::repr(member));
  return text("Union(", joined(parts, ", "), ")");
}

Builtins specBuiltins() {
  Builtins table = {
      {.name = "SMEM",
       .signature = "SMEM(shape, dtype, transforms=())",
       .doc =
           "A buffer in shared memory, for `scratch`; `transforms=(TilingTransform(…), SwizzleTransform(…))`.\n\n"
           "Without transforms its rows lie one after the other, as smem_map(shape, dtype, tiling=None, swizzle=None) "
           "has them; the defaults of smem_map are transforms=(TilingTransform((8, 64)), SwizzleTransform(128)). "
           "smem_map(SMEM(…)) shows where the buffer has its elements.",
       .call = bufferSpec},
      {.name = "Barrier",
       .signature = "Barrier(num_arrivals=1, num_barriers=1, orders_tensor_core=False)",
       .doc =
           "A barrier, or a group of them, for `scratch`. A phase ends after `num_arrivals` arrivals of warpgroups; a "
           "copy counts as one.\n\n`orders_tensor_core=True` (sm_100a): products and copies of the tensor core arrive "
           "at it, and a warpgroup that waits sees their results, and those of loads and stores of tensor memory "
           "before the arrival.",
       .call = barrierSpec},
      {.name = "ClusterBarrier",
       .signature = "ClusterBarrier(collective_axes, num_arrivals=1, num_barriers=1, orders_tensor_core=False, "
                    "leader_tracked=False)",
       .doc = "A barrier, or a group of them, at which warpgroups of several blocks of the cluster arrive.\n\nA block "
              "arrives at its own barrier and at those of the blocks that differ only in one of `collective_axes` (a "
              "tuple of names is one axis); a phase ends after `num_arrivals` arrivals from each of them. "
              "`orders_tensor_core` is as for `Barrier`; with `leader_tracked=True` all arrive only at the barrier of "
              "the first block along the axis, and that block waits for them.",
       .call = clusterBarrierSpec},
      {.name = "Semaphore",
       .signature = "Semaphore(count=1)",
       .doc = "Counters in global memory for `scratch`, zero when the kernel starts, that all blocks see.",
       .call = semaphoreSpec},
      {.name = "Union",
       .signature = "Union(*members)",
       .doc = "Buffers for `scratch` that share memory: each member is an `SMEM(…)` or a tuple of them (or all are "
              "`TMEM(…)`), and all members begin at one place. The kernel unpacks it: `a, (b, c) = u`.",
       .call = unionSpec},
      {.name = "TilingTransform",
       .signature = "TilingTransform(tiling)",
       .doc = "Stores a shared-memory buffer tile by tile. `tiling` is the shape of a tile, of the last dimensions, "
              "and divides their sizes.",
       .call = tilingTransform},
      {.name = "SwizzleTransform",
       .signature = "SwizzleTransform(swizzle)",
       .doc = "Swizzles a shared-memory buffer, so that columns are read without bank conflicts. `swizzle` is 32, 64 "
              "or 128 bytes, the length of a row of a tile.",
       .call = swizzleTransform},
  };
  table.push_back(accumulatorBuiltin());
  table.push_back(tmemBuiltin());
  table.push_back({.name = "TryClusterCancelResult",
                   .signature = "TryClusterCancelResult(num_results=None)",
                   .doc = "Shared memory for what `try_cluster_cancel` answers, for `scratch`: 16 bytes, or several "
                          "times as much, which is indexed.",
                   .call = cancelResultSpec});
  return table;
}

} // namespace lanescope::repl
