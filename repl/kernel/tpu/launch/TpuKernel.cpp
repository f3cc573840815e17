#include "repl/kernel/tpu/launch/TpuKernel.h"

#include "core/gpu/codegen/PrintedStage.h"
#include "core/ir/ModuleText.h"
#include "layouts/support/Text.h"
#include "layouts/support/Try.h"
#include "layouts/support/Words.h"
#include "repl/kernel/tpu/memory/TpuRefs.h"

#include <algorithm>

namespace lanescope::repl {

using core::IrValue;
using core::Offset;

Result<std::shared_ptr<TpuKernel>> TpuKernel::make(Context &context, std::shared_ptr<const Function> function,
                                                   TpuKernelSettings settings, std::shared_ptr<KernelRuntime> runtime) {
  if (settings.name.empty())
    settings.name = function->syntax->name;
  auto parameters = LANESCOPE_TRY(KernelParameters::make(context, std::move(function), settings.name));
  return std::shared_ptr<TpuKernel>(new TpuKernel(std::move(parameters), std::move(settings), std::move(runtime)));
}

std::shared_ptr<TpuKernel> TpuKernel::of(KernelParameters parameters, TpuKernelSettings settings,
                                         std::shared_ptr<KernelRuntime> runtime) {
  return std::shared_ptr<TpuKernel>(new TpuKernel(std::move(parameters), std::move(settings), std::move(runtime)));
}

std::string TpuKernel::repr() const {
  std::vector<std::string> names;
  for (const Slot &slot : parameters_.slots())
    if (slot.role != Role::Scratch)
      names.push_back(slot.syntax->name);
  return text("<SparseCore kernel ", name(), "(", joined(names, ", "), ")>");
}

namespace {

/// The index of the block along each dimension, which the index map gives. Without a map, all are zero.
Result<std::vector<Offset>> blockIndex(Context &context, const TpuTracer &tracer, const std::optional<Arg> &map,
                                       const std::vector<IrValue> &indices, bool asked, size_t rank) {
  std::vector<Offset> out(rank, int64_t{0});
  if (!map)
    return out;
  Arguments arguments;
  if (asked)
    for (const IrValue &index : indices)
      arguments.positional.push_back({TracedValue::make(tracer, index, map->span), map->span});
  Value given = LANESCOPE_TRY(context.evaluator.call(map->value, arguments, map->span));
  std::vector<Value> items = given.asTuple()  ? *given.asTuple()
                             : given.asList() ? given.asList()->items
                                              : std::vector{given};
  if (items.size() != rank)
    return error("kernel", map->span,
                 Message("the index map gives {} for a block of {}", counted(items.size(), "index", "indices"),
                         counted(rank, "dimension")));
  for (size_t d = 0; d < rank; ++d) {
    if (const int64_t *known = items[d].asInt())
      out[d] = *known;
    else if (auto *traced = items[d].as<TracedValue>();
             traced && traced->ir().isScalar() && traced->ir().dtype == layouts::Dtype::I32)
      out[d] = traced->ir();
    else
      return error("type", map->span, Message("an index map gives i32 numbers, not `{type}`", items[d].typeName()));
  }
  return out;
}

/// The references to scratch for a spec or a tuple of specs, in the open region.
Result<Value> scratchValue(TpuTracer &tracer, core::TpuCore core, const Value &spec, const std::string &name,
                           const Span &span) {
  if (spec.asTuple() || spec.asList()) {
    std::vector<Value> parts;
    for (const Value &part : spec.asTuple() ? *spec.asTuple() : spec.asList()->items)
      parts.push_back(LANESCOPE_TRY(scratchValue(tracer, core, part, name, span)));
    return Value::tuple(std::move(parts));
  }
  core::TpuMemoryType type = LANESCOPE_TRY(memoryTypeOf(spec, span));
  if (type.owner && *type.owner != core)
    return error("kernel", span, Message("`{name}` is memory of another kind of subcore than runs this kernel", name));
  type.owner.reset();
  if (auto *memory = spec.as<TpuMemorySpec>()) // an error points to the call that requested the memory
    tracer.builder().setPlace(memory->span);
  return Value(std::make_shared<TpuRefValue>(name, tracer.builder().allocate(type, name), tracer.id(), span));
}

} // namespace

Result<core::KernelModule> TpuKernel::trace(Context &context, const Call &call, Framed framed) {
  auto builder = core::TpuBuilder::make(runtime_->tpuContext(), framed.frame);
  TpuTracer tracer(context.evaluator, *builder, tpuPrimitives(), framed.axes, *framed.frame.target, framed.frame.core,
                   settings_.layoutPasses);
  StagingScope staging(context.evaluator, &tracer);
  for (size_t i = 0; i < framed.indexMaps.size(); ++i) {
    auto map = [&](const std::vector<IrValue> &indices) {
      return blockIndex(context, tracer, framed.indexMaps[i], indices, framed.axes.asked,
                        framed.frame.operands[i].type.shape.size());
    };
    LANESCOPE_CHECK(builder->indexMap(i, map));
  }
  builder->setPlace(span());
  const std::vector<Slot> &slots = parameters_.slots();
  std::vector<Value> values(slots.size());
  auto reference = [&](size_t slot, size_t operand) {
    return Value(std::make_shared<TpuRefValue>(slots[slot].syntax->name, builder->operand(operand), tracer.id(),
                                               parameters_.spanOf(slots[slot])));
  };
  for (size_t k = 0; k < framed.operandSlots.size(); ++k)
    values[framed.operandSlots[k]] = reference(framed.operandSlots[k], k);
  // With a mesh, each subcore allocates its scratch at the kernel's start.
  bool allocates = settings_.mesh != nullptr;
  if (allocates)
    builder->openRegion();
  size_t scratch = 0;
  for (size_t i = 0; i < slots.size(); ++i) {
    if (slots[i].role == Role::Static)
      values[i] = call.given[i]->value;
    else if (slots[i].role == Role::Scratch && allocates)
      values[i] = LANESCOPE_TRY(scratchValue(tracer, framed.frame.core, framed.scratch[scratch++],
                                             slots[i].syntax->name, settings_.scratch.span));
    else if (slots[i].role == Role::Scratch)
      values[i] = reference(i, framed.operandSlots.size() + scratch++);
  }
  builder->setPlace(span());
  LANESCOPE_CHECK(parameters_.trace(context, call, values));
  builder->setPlace(span());
  if (allocates)
    builder->closeRegion({});
  return builder->finish();
}

Result<core::KernelModule> TpuKernel::tracePart(Context &context, const Call &call, const TpuPart &part,
                                                Framed framed) {
  auto builder = core::TpuBuilder::make(runtime_->tpuContext(), framed.frame);
  TpuTracer tracer(context.evaluator, *builder, tpuPrimitives(), framed.axes, *framed.frame.target, framed.frame.core,
                   settings_.layoutPasses);
  StagingScope staging(context.evaluator, &tracer);
  builder->setPlace(part.parameters.span());
  const std::vector<Slot> &slots = parameters_.slots(), &own = part.parameters.slots();
  std::vector<Value> values(slots.size());
  auto reference = [&](size_t slot, size_t operand) {
    values[slot] = Value(std::make_shared<TpuRefValue>(own[slot].syntax->name, builder->operand(operand), tracer.id(),
                                                       part.parameters.spanOf(own[slot])));
  };
  for (size_t k = 0; k < framed.operandSlots.size(); ++k)
    reference(framed.operandSlots[k], k);
  size_t scratch = framed.operandSlots.size();
  for (size_t i = 0; i < slots.size(); ++i) {
    if (slots[i].role == Role::Static)
      values[i] = call.given[i]->value;
    else if (slots[i].role == Role::Scratch)
      reference(i, scratch++);
  }
  LANESCOPE_CHECK(part.parameters.trace(context, call, values));
  builder->setPlace(part.parameters.span());
  return builder->finish();
}

/// The role of each operand of the module. Operands that are read come first, in the order of the parameters. With a
/// mesh, the outputs follow a second time, unused.
std::vector<core::sparsecore::BoundOperand> TpuKernel::boundOperands(const std::vector<size_t> &operandSlots) const {
  std::vector<core::sparsecore::BoundOperand> bound(operandSlots.size());
  std::vector<size_t> outputs; // slots of outputs, in the order of the results
  for (size_t i = 0; i < parameters_.slots().size(); ++i)
    if (const Slot &slot = parameters_.slots()[i]; slot.role == Role::Array && slot.kind != core::ArgumentKind::In)
      outputs.push_back(i);
  for (size_t k = 0; k < operandSlots.size(); ++k) {
    if (parameters_.slots()[operandSlots[k]].kind != core::ArgumentKind::Out)
      bound[k].input = static_cast<int32_t>(k);
    if (auto found = std::ranges::find(outputs, operandSlots[k]); found != outputs.end())
      bound[k].output = static_cast<int32_t>(found - outputs.begin());
  }
  if (settings_.mesh)
    bound.resize(operandSlots.size() + outputs.size());
  return bound;
}

/// Makes the kernel for a call. Records in `made` which operands are its outputs.
Result<core::KernelModule> TpuKernel::module(Context &context, const Call &call, TpuSpecialisation &made) {
  std::vector<size_t> operandSlots;
  std::vector<core::KernelModule> modules;
  for (const TpuPart &part : parts_) {
    Framed framed = LANESCOPE_TRY(partFrame(context, call, part));
    operandSlots = framed.operandSlots;
    modules.push_back(LANESCOPE_TRY(tracePart(context, call, part, std::move(framed))));
  }
  if (parts_.empty()) {
    Framed framed = LANESCOPE_TRY(frame(context, call));
    operandSlots = framed.operandSlots;
    modules.push_back(LANESCOPE_TRY(trace(context, call, std::move(framed))));
  }
  made.operands = boundOperands(operandSlots);
  return modules.size() == 1 ? std::move(modules.front()) : core::joinKernels(std::move(modules));
}

Result<TpuSpecialisation> TpuKernel::specialise(Context &context, const Call &call) {
  std::string key = text(call.key, "arch=", runtime_->options().arch);
  if (auto found = cache_.find(key); found != cache_.end()) {
    last_ = found->second.stages;
    return found->second;
  }
  TpuSpecialisation made;
  made.target = &target();
  made.module = std::make_shared<core::KernelModule>(LANESCOPE_TRY(module(context, call, made)));
  if (settings_.debug)
    context.evaluator.print(text("The module of kernel `", name(), "`:\n", core::textWithNames(*made.module), "\n"));
  made.stages = std::make_shared<core::KernelStages>();
  made.stages->sources = {span().source};
  made.stages->stages.push_back(core::printed(core::kIrStage, name(), *made.module, span()));
  if (settings_.tensorCoreTiles) {
    core::KernelModule laidOut = core::inTensorCoreTiles(*made.module);
    made.stages->stages.push_back(core::printed(core::kLaidOutStage, name(), laidOut, span()));
  }
  last_ = made.stages;
  constexpr size_t kMaxCached = 64;
  if (cache_.size() >= kMaxCached)
    cache_.clear();
  cache_.emplace(std::move(key), made);
  return made;
}

Result<std::shared_ptr<const core::KernelStages>> TpuKernel::stages(Context &context, const Arguments &arguments,
                                                                    bool) {
  if (context.evaluator.staging())
    return context.fail("staging", Message("kernel `{kernel}` cannot be called inside a kernel", name()));
  bool none = arguments.positional.empty() && arguments.keyword.empty();
  Call call = LANESCOPE_TRY(parameters_.bind(context, none ? parameters_.placeholders(context) : arguments));
  return LANESCOPE_TRY(specialise(context, call)).stages;
}

} // namespace lanescope::repl
