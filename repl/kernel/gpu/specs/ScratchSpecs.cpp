#include "repl/kernel/gpu/specs/ScratchSpecs.h"

#include "layouts/support/Text.h"
#include "layouts/support/Try.h"
#include "repl/kernel/gpu/memory/GpuRefs.h"
#include "repl/kernel/gpu/specs/GpuSpecs.h"
#include "repl/kernel/gpu/tensor/Accumulators.h"
#include "repl/kernel/gpu/threads/GpuAxes.h"
#include "repl/kernel/gpu/threads/GpuBarriers.h"
#include "repl/kernel/gpu/threads/GpuSemaphores.h"
#include "repl/kernel/gpu/tmem/TmemSpec.h"

#include <algorithm>

namespace lanescope::repl {

namespace {

/// `Union(…)` in a kernel; it can be unpacked into its members.
class UnionValue final : public Object {
public:
  UnionValue(std::string name, std::vector<Value> members, Span origin)
      : name_(std::move(name)), members_(std::move(members)), origin_(std::move(origin)) {}
  std::string typeName() const override { return "union of references"; }
  std::string repr() const override { return text("<union ", name_, " of ", members_.size(), ">"); }
  Result<std::vector<Value>> iterate(Context &) override { return members_; }
  Result<int64_t> length(Context &) override { return static_cast<int64_t>(members_.size()); }
  Result<Value> getItem(Context &, const Arg &index) override {
    const int64_t *known = index.value.asInt();
    if (!known)
      return refused(index.span);
    if (*known < 0 || *known >= static_cast<int64_t>(members_.size()))
      return error("out-of-bounds", index.span, Message("`{name}` has {count} members", name_, members_.size()),
                   {declared()});
    return members_[static_cast<size_t>(*known)];
  }
  Result<void> setItem(Context &, const Arg &index, const Arg &) override { return refused(index.span); }

private:
  Note declared() const { return {origin_, text("`", name_, "` is declared here")}; }
  std::unexpected<Diagnostics> refused(const Span &span) const {
    return error("type", span,
                 Message("`{name}` is a union: unpack it (`a, b = {}`) and use one of its members", name_, name_),
                 {declared()});
  }

  std::string name_;
  std::vector<Value> members_;
  Span origin_;
};

class Adder {
public:
  Adder(core::KernelFrame &frame, const AxisNames &axes, const core::KernelFrame::TensorBuffer *first)
      : frame_(frame), axes_(axes), first_(first) {}

  /// Adds `spec` to the frame. `place`: the member of `name`, such as "[1]"; empty for the whole.
  Result<ScratchItem> add(const Value &spec, const std::string &name, const Span &span, const std::string &place = "") {
    using Kind = ScratchItem::Kind;
    ScratchItem item{.kind = Kind::Tuple, .name = name, .span = span};
    if (auto *buffer = spec.as<BufferSpec>()) {
      item = {.kind = Kind::Buffer, .name = name, .span = buffer->span, .index = frame_.buffers.size()};
      const bool open = frame_.infersTransforms && buffer->transforms == core::SmemTransforms{};
      frame_.buffers.push_back({name, buffer->dtype, buffer->shape,
                                open ? std::nullopt : std::optional(buffer->transforms), buffer->span, overlay_,
                                member_});
    } else if (auto *tensor = spec.as<TmemSpec>()) {
      item = {.kind = Kind::Tensor, .name = name, .span = tensor->span, .index = frame_.tensorBuffers.size()};
      core::KernelFrame::TensorBuffer buffer{name + place, tensor->dtype, tensor->shape, tensor->place,
                                             tensor->span, overlay_,      member_};
      const auto *first = first_ ? first_ : frame_.tensorBuffers.empty() ? nullptr : &frame_.tensorBuffers.front();
      LANESCOPE_CHECK(checkTensorBuffer(buffer, *frame_.target, axes_.clusterShape, first));
      frame_.tensorBuffers.push_back(std::move(buffer));
    } else if (auto *barrier = spec.as<BarrierSpec>()) {
      const std::string &called = barrier->name.empty() ? name : barrier->name;
      item = {.kind = Kind::Barriers,
              .name = called,
              .span = barrier->span,
              .index = frame_.barriers.size(),
              .shape = barrier->shape,
              .barrier = {barrier->collective.has_value(), barrier->ordersTensorCore}};
      if (barrier->ordersTensorCore && !frame_.target->tcgen05)
        return error(
            "unsupported", barrier->span,
            Message("barriers that order the tensor core are for {target}, whose tensor cores arrive at them; on {}{}",
                    core::targetWith(&core::GpuTarget::tcgen05, *frame_.target).name, frame_.target->name,
                    frame_.target->wgmma ? " wait with `wgmma_wait`" : " `mma` needs none"));
      core::KernelFrame::BarrierGroup group{called, barrier->arrivals, layouts::elementCount(barrier->shape),
                                            barrier->span};
      group.ordersTensorCore = barrier->ordersTensorCore;
      group.leaderTracked = barrier->leaderTracked;
      if (barrier->collective)
        group.collective = LANESCOPE_TRY(groups(*barrier));
      frame_.barriers.push_back(std::move(group));
    } else if (auto *semaphores = spec.as<SemaphoreSpec>()) {
      item = {.kind = Kind::Semaphores, .name = name, .span = semaphores->span, .shape = semaphores->shape};
      for (const auto &argument : frame_.arguments)
        item.index += argument.kind == core::ArgumentKind::Scratch;
      frame_.arguments.push_back({name,
                                  core::ArgumentKind::Scratch,
                                  layouts::Dtype::I32,
                                  {layouts::elementCount(semaphores->shape)},
                                  semaphores->span});
    } else if (auto *accumulator = spec.as<AccumulatorSpec>()) {
      item = {.kind = Kind::Accumulator, .name = name, .span = accumulator->span, .index = frame_.accumulators.size()};
      frame_.accumulators.push_back({name, accumulator->dtype, accumulator->shape, accumulator->span});
    } else if (auto *both = spec.as<UnionSpec>()) {
      item.kind = Kind::Union;
      item.span = both->span;
      // A number that no other union has.
      overlay_ = static_cast<int64_t>(frame_.buffers.size() + frame_.tensorBuffers.size()) + 1;
      for (const Value &member : both->members) {
        item.items.push_back(LANESCOPE_TRY(add(member, name, span, text(place, "[", item.items.size(), "]"))));
        ++member_;
      }
      overlay_ = member_ = 0;
    } else if (spec.asTuple() || spec.asList()) {
      const std::vector<Value> &parts = spec.asTuple() ? *spec.asTuple() : spec.asList()->items;
      for (const Value &part : parts)
        item.items.push_back(LANESCOPE_TRY(add(part, name, span, text(place, "[", item.items.size(), "]"))));
    } else if (spec.isNone()) { // an empty tree, as in JAX
      item.kind = Kind::None;
    } else {
      return error("kernel", span,
                   Message("scratch is `SMEM(…)`, `TMEM(…)`, `Barrier(…)`, `ClusterBarrier(…)`, `ACC(…)`, "
                           "`Semaphore(…)`, `Union(…)` and tuples of them, not `{type}`",
                           spec.typeName()));
    }
    return item;
  }

private:
  Result<std::vector<std::vector<int64_t>>> groups(const BarrierSpec &barrier) {
    std::vector<std::vector<int64_t>> groups;
    std::vector<int64_t> seen;
    for (const std::vector<std::string> &names : *barrier.collective) {
      std::vector<int64_t> &dims = groups.emplace_back();
      for (const std::string &axis : names) {
        int64_t dim = LANESCOPE_TRY(clusterAxis(axes_, axis, barrier.span));
        if (std::ranges::find(seen, dim) != seen.end())
          return error("value", barrier.span, Message("the axis `{axis}` is named twice", axis));
        dims.push_back(dim);
        seen.push_back(dim);
      }
    }
    return groups;
  }

  core::KernelFrame &frame_;
  const AxisNames &axes_;
  const core::KernelFrame::TensorBuffer *first_;
  int64_t overlay_ = 0, member_ = 0;
};

} // namespace

Result<ScratchItem> addScratch(core::KernelFrame &frame, const AxisNames &axes, const Value &spec,
                               const std::string &name, const Span &span,
                               const core::KernelFrame::TensorBuffer *first) {
  return Adder(frame, axes, first).add(spec, name, span);
}

Value scratchValue(const GpuTracer &tracer, const ScratchItem &item, const ScratchPlaces &places) {
  using Kind = ScratchItem::Kind;
  TraceId trace = tracer.id();
  switch (item.kind) {
  case Kind::Buffer: return std::make_shared<RefValue>(item.name, places.buffers[item.index], true, trace, item.span);
  case Kind::Tensor:
    return std::make_shared<RefValue>(item.name, places.tensorBuffers[item.index], true, trace, item.span);
  case Kind::Barriers:
    return std::make_shared<BarrierValue>(item.name, places.barriers[item.index], item.shape, item.barrier, trace,
                                          item.span);
  case Kind::Semaphores:
    return std::make_shared<SemaphoreValue>(item.name, places.semaphores[item.index], item.shape, trace, item.span);
  case Kind::Accumulator:
    return std::make_shared<AccumulatorValue>(item.name, places.accumulators[item.index], trace, item.span);
  case Kind::None: return Value();
  case Kind::Tuple:
  case Kind::Union: break;
  }
  std::vector<Value> items;
  for (const ScratchItem &part : item.items)
    items.push_back(scratchValue(tracer, part, places));
  if (item.kind == Kind::Union)
    return std::make_shared<UnionValue>(item.name, std::move(items), item.span);
  return Value::tuple(std::move(items));
}

//===------------------------------------ run_scoped --------------------------------------------------------------===//

namespace {

/// Temporary memory: allocated when the scope is opened, freed at its end.
class Scope {
public:
  /// Opens a scope with memory for `specs`. `names`: the snippet's names for the pieces; names that are missing are
  /// unknown.
  static Result<Scope> open(GpuTracer &tracer, const std::vector<Arg> &specs, const std::vector<std::string> &names,
                            const Span &span) {
    Scope scope;
    core::GpuBuilder &builder = tracer.at(span);
    core::KernelFrame more;
    more.target = &tracer.target();
    more.infersTransforms = tracer.infersTransforms;
    std::vector<ScratchItem> items;
    for (size_t i = 0; i < specs.size(); ++i)
      items.push_back(
          LANESCOPE_TRY(addScratch(more, tracer.axes(), specs[i].value, i < names.size() ? names[i] : "run_scoped",
                                   specs[i].span, tracer.firstTensorBuffer())));
    for (const auto &buffer : more.tensorBuffers)
      tracer.sawTensorBuffer(buffer);
    if (tracer.warpAxis() && !more.accumulators.empty())
      return error("warp-level", more.accumulators.front().span,
                   "an accumulator lies in the registers of a whole warpgroup; allocate it outside of "
                   "`core_map(WarpMesh(…))`");
    scope.mark_ = builder.openScope();
    ScratchPlaces places;
    places.buffers = builder.allocate(more.buffers);
    places.tensorBuffers = builder.allocate(more.tensorBuffers);
    for (const auto &semaphores : more.arguments)
      places.semaphores.push_back(builder.addScratch(semaphores));
    for (const auto &group : more.barriers)
      places.barriers.push_back(builder.allocateBarriers(group));
    for (const auto &accumulator : more.accumulators)
      places.accumulators.push_back(builder.variable(accumulator.dtype, accumulator.shape));
    for (const ScratchItem &item : items)
      scope.values.push_back(scratchValue(tracer, item, places));
    return scope;
  }
  void close(GpuTracer &tracer) const {
    if (!tracer.warpAxis()) // in warp-level code, another warp may still use the memory
      tracer.builder().closeScope(mark_);
  }

  std::vector<Value> values;

private:
  core::GpuBuilder::ScopeMark mark_;
};

/// The value of `run_scoped(…)` in `with run_scoped(…) as (tile, loaded):`.
class ScopeManager final : public Object {
public:
  ScopeManager(std::vector<Arg> specs, TraceId trace) : specs_(std::move(specs)), trace_(trace) {}
  std::string typeName() const override { return "scope"; }
  Result<Value> enter(Context &context) override {
    GpuTracer *tracer = LANESCOPE_TRY(GpuTracer::of(context, trace_));
    scopes_.push_back(LANESCOPE_TRY(Scope::open(*tracer, specs_, {}, context.span)));
    const std::vector<Value> &values = scopes_.back().values;
    return values.size() == 1 ? values.front() : Value::tuple(values);
  }
  Result<void> exit(Context &context) override {
    GpuTracer *tracer = LANESCOPE_TRY(GpuTracer::of(context, trace_));
    if (!scopes_.empty()) {
      scopes_.back().close(*tracer);
      scopes_.pop_back();
    }
    return {};
  }

private:
  std::vector<Arg> specs_;
  TraceId trace_;
  std::vector<Scope> scopes_;
};

/// True if `collective_axes=` names the axis of a block's several warpgroups.
Result<bool> namesThreads(const GpuTracer &tracer, const KeywordArg &axes) {
  const auto *several = axes.value.asTuple();
  const Value &name = several && several->size() == 1 ? several->front() : axes.value;
  if (axes.value.isNone() || (several && several->empty()))
    return false;
  if (!name.asStr() || *name.asStr() != tracer.axes().thread)
    return error("value", axes.span,
                 Message("memory is allocated by all warpgroups of a block together: `collective_axes=` is the axis of "
                         "its threads{}",
                         tracer.axes().thread.empty() ? "" : text(", \"", tracer.axes().thread, "\"")));
  return tracer.axes().warpgroups > 1;
}

Result<Value> runScoped(GpuTracer &tracer, Context &context, const BoundArguments &args) {
  std::vector<Arg> specs = args.rest();
  const Object *object = specs.empty() ? nullptr : specs[0].value.asObject();
  // A kind of semaphore is callable too: the call makes several semaphores. As the first argument here, it is an
  // allocation, not the function to run.
  bool called = !specs.empty() &&
                (specs[0].value.asFunction() || (object && object->callable() && !specs[0].value.as<SemaphoreSpec>()));
  Arg function;
  if (called) {
    function = specs.front();
    specs.erase(specs.begin());
  }
  std::vector<KeywordArg> named;
  bool together = false;
  for (const KeywordArg &keyword : args.keywords()) {
    if (keyword.name == "collective_axes") { // scopes always belong to the whole block
      together = LANESCOPE_TRY(namesThreads(tracer, keyword));
      continue;
    }
    if (!called)
      return error("arguments", keyword.nameSpan, "`with run_scoped(…)` takes its arguments by position");
    specs.push_back({keyword.value, keyword.span});
    named.push_back(keyword);
  }
  if (specs.empty())
    return error("arguments", context.span, "`run_scoped` allocates something: `run_scoped(SMEM(…), Barrier())`");
  if (!called)
    return Value(std::make_shared<ScopeManager>(std::move(specs), tracer.id()));
  std::vector<std::string> names;
  if (const auto &known = function.value.asFunction())
    for (const Parameter &parameter : known->syntax->parameters)
      names.push_back(parameter.name);
  names.resize(specs.size() - named.size(), "run_scoped");
  for (const KeywordArg &keyword : named)
    names.push_back(keyword.name);
  // Wait until the other warpgroups have finished using this memory in an earlier iteration, as JAX does.
  if (together && !tracer.warpAxis())
    tracer.at(context.span).blockBarrier();
  Scope scope = LANESCOPE_TRY(Scope::open(tracer, specs, names, context.span));
  Arguments values;
  size_t positional = scope.values.size() - named.size();
  for (size_t i = 0; i < positional; ++i)
    values.positional.push_back({scope.values[i], specs[i].span});
  for (size_t i = 0; i < named.size(); ++i)
    values.keyword.push_back({named[i].name, named[i].nameSpan, scope.values[positional + i], named[i].span});
  Value result = LANESCOPE_TRY(context.evaluator.call(function.value, values, context.span));
  scope.close(tracer);
  return result;
}

Result<Value> getGlobal(GpuTracer &tracer, Context &context, const BoundArguments &args) {
  if (!args[0].value.as<SemaphoreSpec>())
    return args.wrongType(0, "`Semaphore(count=1)`: other memory is the kernel's `scratch`, or an argument");
  core::KernelFrame more;
  ScratchItem item = LANESCOPE_TRY(addScratch(more, tracer.axes(), args[0].value, "get_global", args[0].span, nullptr));
  ScratchPlaces places;
  places.semaphores = {tracer.at(context.span).addScratch(more.arguments.front())};
  return scratchValue(tracer, item, places);
}

constexpr GpuPrimitive kScopePrimitives[] = {
    {"run_scoped", "run_scoped(*arguments, **named)",
     "Shared and tensor memory, barriers and accumulators for a while: `with run_scoped(SMEM(…), Barrier()) as (tile, "
     "loaded):`, "
     "or `run_scoped(f, SMEM(…), Barrier())`, which calls `f(tile, loaded)`.\n\n"
     "In a kernel of one warpgroup the memory serves again after the scope: wait for copies that use it before the "
     "end. Semaphores are 0 when the kernel begins, and a scope that is entered again finds them as it left them.",
     runScoped},
    {"get_global", "get_global(what)",
     "Semaphores of the whole kernel, `get_global(Semaphore(count=2))`: of their own for each call in the kernel's "
     "text, "
     "the same for all of its blocks and warpgroups.",
     getGlobal},
};

} // namespace

std::span<const GpuPrimitive> scopePrimitives() { return kScopePrimitives; }

} // namespace lanescope::repl
