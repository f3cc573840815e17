// From a call's arguments to compiled stages: frame, trace, compile.
#include "repl/kernel/KernelFunction.h"

#include "layouts/support/Text.h"
#include "repl/kernel/Accumulators.h"
#include "repl/kernel/Barriers.h"
#include "repl/kernel/Refs.h"
#include "repl/lang/Try.h"

#include <algorithm>
#include <cassert>

namespace lanescope::repl {

namespace {

constexpr int64_t kProfileEntries = 1024;  // words per warpgroup, header of 3 included
constexpr int64_t kMinProfileEntries = 16; // six events
constexpr size_t kMaxGridRank = 3;

Result<void> setGrid(core::KernelFrame &frame, const Arg &setting, const Value &value, const AxisNames &axes) {
  std::vector<Value> dims = value.asTuple()  ? *value.asTuple()
                            : value.asList() ? value.asList()->items
                                             : std::vector{value};
  if (dims.empty())
    dims.emplace_back(1);
  if (dims.size() > kMaxGridRank)
    return error("kernel", setting.span, text("a grid has at most 3 dimensions, not ", dims.size()));
  constexpr int64_t kMaxX = std::numeric_limits<int32_t>::max(), kMaxYz = 65535;
  for (size_t i = 0; i < dims.size(); ++i) {
    const int64_t *size = dims[i].asInt();
    if (!size)
      return error("type", setting.span, text("`grid` must be a tuple of ints, not of `", dims[i].typeName(), "`"));
    size_t axis = dims.size() - 1 - i; // the last dimension is x
    if (*size < 1 || *size > (axis == 0 ? kMaxX : kMaxYz))
      return error(
          "kernel", setting.span,
          text("the size ", *size, " of grid dimension ", i, " is not between 1 and ", axis == 0 ? kMaxX : kMaxYz));
    frame.grid[axis] = *size;
  }
  if (!axes.grid.empty() && axes.grid.size() != dims.size())
    return error("kernel", setting.span,
                 text("`grid` has ", dims.size(), dims.size() == 1 ? " dimension" : " dimensions",
                      ", and `grid_names` ", axes.grid.size(), axes.grid.size() == 1 ? " name" : " names"));
  return {};
}

} // namespace

Result<Value> KernelFunction::setting(Context &context, const Arg &setting, const Sizes &sizes) {
  auto function = setting.value.functionRef();
  if (!function)
    return setting.value;
  return context.evaluator.call(Value(withSizes(*function, sizes)), {}, setting.span);
}

Result<core::KernelFrame> KernelFunction::frame(Context &context, const Call &call, const CompileRequest &request) {
  core::KernelFrame frame;
  frame.name = name();
  for (char &c : frame.name) // PTX names are ASCII; Python's need not be
    if (static_cast<unsigned char>(c) >= 128)
      c = '_';
  // Names that the device's runtime library takes.
  if (frame.name.starts_with("__") || frame.name == "vprintf" || frame.name == "malloc" || frame.name == "free")
    frame.name = "kernel_" + frame.name;
  frame.span = span();
  frame.warpgroups = settings_.warpgroups;
  LANESCOPE_CHECK(
      setGrid(frame, settings_.grid, LANESCOPE_TRY(setting(context, settings_.grid, call.sizes)), settings_.axes));

  Value scratch = LANESCOPE_TRY(setting(context, settings_.scratch, call.sizes));
  bool single = scratch.as<BufferSpec>() || scratch.as<BarrierSpec>() || scratch.as<AccumulatorSpec>();
  std::vector<Value> specs =
      single ? std::vector{scratch} : LANESCOPE_TRY(context.evaluator.iterate(scratch, settings_.scratch.span));
  size_t next = 0;
  for (size_t i = 0; i < slots_.size(); ++i) {
    const Slot &slot = slots_[i];
    const std::string &parameter = slot.syntax->name;
    if (slot.role == Role::Array)
      frame.arguments.push_back({parameter, slot.kind, call.dtypes[i], call.shapes[i], parameterSpan(slot)});
    if (slot.role != Role::Scratch)
      continue;
    if (next == specs.size())
      return error("kernel", parameterSpan(slot),
                   text("`", parameter, "` has no annotation and nothing in `scratch` to stand for: `scratch` has ",
                        specs.size(), specs.size() == 1 ? " entry" : " entries"),
                   {{settings_.scratch.span, "`scratch` is given here"}});
    const Value &spec = specs[next++];
    if (auto *buffer = spec.as<BufferSpec>())
      frame.buffers.push_back({parameter, buffer->dtype, buffer->shape, buffer->transforms, buffer->span});
    else if (auto *barrier = spec.as<BarrierSpec>())
      frame.barriers.push_back({parameter, barrier->arrivals, barrier->count, barrier->span});
    else if (auto *accumulator = spec.as<AccumulatorSpec>())
      frame.accumulators.push_back({parameter, accumulator->dtype, accumulator->shape, accumulator->span});
    else
      return error("kernel", settings_.scratch.span,
                   text("`scratch` holds `SMEM(…)`, `Barrier(…)` and `ACC(…)`, not `", spec.typeName(), "`"));
  }
  if (next != specs.size())
    return error("kernel", settings_.scratch.span,
                 text("`scratch` has ", specs.size(), specs.size() == 1 ? " entry" : " entries", ", and kernel `",
                      name(), "` has ", next, next == 1 ? " parameter" : " parameters", " without annotation"),
                 {{span(), text("kernel `", name(), "` is defined here")}});

  if (request.profile) {
    int64_t room = (core::kMaxSharedBytes - core::KernelBuilder::sharedBytes(frame) - 8) / 4 / frame.warpgroups;
    frame.profileEntries =
        request.profileEntries ? request.profileEntries : std::max(kMinProfileEntries, std::min(kProfileEntries, room));
    frame.profileEntries -= frame.profileEntries % 2;
  }
  return frame;
}

Result<core::KernelModule> KernelFunction::trace(Context &context, const Call &call, const core::KernelFrame &frame) {
  auto builder = LANESCOPE_TRY(core::KernelBuilder::make(runtime_->compiler(), frame));
  AxisNames axes = settings_.axes;
  axes.gridRank = axes.grid.size();
  if (axes.grid.empty()) { // unnamed: as many as `grid` has
    Value grid = LANESCOPE_TRY(setting(context, settings_.grid, call.sizes));
    axes.gridRank = grid.asTuple()  ? std::max<size_t>(1, grid.asTuple()->size())
                    : grid.asList() ? std::max<size_t>(1, grid.asList()->items.size())
                                    : 1;
  }
  Tracer tracer(context.evaluator, *builder, std::move(axes));

  Arguments values;
  size_t argument = 0, buffer = 0, barrier = 0, accumulator = 0;
  // Buffers and barriers stand in `scratch` in one order; in the frame, each kind has its own.
  for (size_t i = 0; i < slots_.size(); ++i) {
    const Slot &slot = slots_[i];
    const std::string &parameter = slot.syntax->name;
    Value value;
    if (slot.role == Role::Static) {
      value = call.given[i]->value;
    } else if (slot.role == Role::Array) {
      value = std::make_shared<RefValue>(parameter, builder->argument(argument++), slot.kind != core::ArgumentKind::In,
                                         tracer.id(), parameterSpan(slot));
    } else if (buffer < frame.buffers.size() && frame.buffers[buffer].name == parameter) {
      value =
          std::make_shared<RefValue>(parameter, builder->buffer(buffer), true, tracer.id(), frame.buffers[buffer].span);
      ++buffer;
    } else if (accumulator < frame.accumulators.size() && frame.accumulators[accumulator].name == parameter) {
      value = std::make_shared<AccumulatorValue>(parameter, builder->accumulator(accumulator), tracer.id(),
                                                 frame.accumulators[accumulator].span);
      ++accumulator;
    } else {
      assert(barrier < frame.barriers.size() && "the frame was made from these parameters");
      const auto &group = frame.barriers[barrier];
      value = std::make_shared<BarrierValue>(parameter, barrier, group.count, tracer.id(), group.span);
      ++barrier;
    }
    if (slot.syntax->form == Parameter::Form::KeywordOnly)
      values.keyword.push_back({parameter, parameterSpan(slot), std::move(value), parameterSpan(slot)});
    else
      values.positional.push_back({std::move(value), parameterSpan(slot)});
  }
  Value result;
  {
    StagingScope staging(context.evaluator, &tracer);
    result = LANESCOPE_TRY(context.evaluator.call(Value(withSizes(*function_, call.sizes)), values, context.span));
  }
  if (!result.isNone())
    return error("kernel", span(),
                 text("kernel `", name(), "` returns a value; a kernel gives results through its `Out(…)` arguments"));
  builder->setPlace(span());
  return builder->finish();
}

Result<Specialisation> KernelFunction::specialise(Context &context, const Arguments &arguments,
                                                  const CompileRequest &request) {
  if (context.evaluator.staging())
    return context.fail("staging", text("kernel `", name(), "` cannot be called inside a kernel"));
  Call call = LANESCOPE_TRY(bind(context, arguments));
  Specialisation out;
  out.signature = call.key;
  for (size_t i = 0; i < slots_.size(); ++i)
    if (slots_[i].role == Role::Array)
      out.inputs.push_back(slots_[i].kind == core::ArgumentKind::Out
                               ? core::Array::zeros(call.dtypes[i], call.shapes[i])
                               : *call.given[i]->value.asArray());

  const KernelOptions &options = runtime_->options();
  bool keepTexts = request.keepTexts || options.keepTexts;
  std::string key = text(call.key, "arch=", options.arch, request.profile ? ", profiled " : "", request.profileEntries,
                         keepTexts ? ", texts" : "");
  if (auto found = cache_.find(key); found != cache_.end()) {
    out.stages = last_ = found->second;
    return out;
  }
  core::KernelFrame shape = LANESCOPE_TRY(frame(context, call, request));
  core::KernelModule module = LANESCOPE_TRY(trace(context, call, shape));
  core::CompileOptions how;
  how.arch = options.arch;
  how.keepTexts = keepTexts;
  auto stages = std::make_shared<core::Stages>(runtime_->compiler().compile(std::move(module), how));
  out.stages = last_ = stages;
  constexpr size_t kMaxCached = 64;
  if (cache_.size() >= kMaxCached)
    cache_.clear();
  cache_.emplace(std::move(key), std::move(stages));
  return out;
}

} // namespace lanescope::repl
