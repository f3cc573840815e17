// The way from a call's arguments to compiled stages: frame, trace, compile.
#include "repl/kernel/gpu/launch/KernelFunction.h"

#include "core/gpu/codegen/Fingerprint.h"
#include "layouts/support/Text.h"
#include "layouts/support/Try.h"
#include "layouts/support/Words.h"
#include "repl/kernel/gpu/launch/GpuPrimitives.h"
#include "repl/kernel/gpu/memory/GpuRefs.h"

#include <algorithm>

namespace lanescope::repl {

namespace {

constexpr int64_t kProfileEntries = 1024; // words per warpgroup, including the header of 3

/// Sets the sizes of the kernel's grid, and from them the GPU's grid: the last dimension becomes x, the one before it
/// y, and all others share z.
Result<void> setGrid(core::KernelFrame &frame, AxisNames &axes, const Arg &setting, const Value &value) {
  std::vector<Value> dims = value.asTuple()  ? *value.asTuple()
                            : value.asList() ? value.asList()->items
                                             : std::vector{value};
  if (dims.empty())
    dims.emplace_back(1);
  constexpr int64_t kMaxX = std::numeric_limits<int32_t>::max(), kMaxYz = 65535;
  axes.gridShape.clear();
  frame.grid = frame.cluster;
  for (size_t i = 0; i < dims.size(); ++i) {
    const int64_t *size = dims[i].asInt();
    if (!size)
      return error("type", setting.span,
                   Message("`grid` must be a tuple of ints, not of `{type}`", dims[i].typeName()));
    size_t axis = std::min<size_t>(dims.size() - 1 - i, 2);
    int64_t most = (axis == 0 ? kMaxX : kMaxYz) / frame.grid[axis];
    if (*size < 1 || *size > most)
      return error(
          "kernel", setting.span,
          Message("the size {size} of grid dimension {dimension} is not between 1 and {limit}{}", *size, i, most,
                  dims.size() > 3 && axis == 2 ? " (the dimensions before the last two share one of the GPU's)" : ""));
    frame.grid[axis] *= *size;
    axes.gridShape.push_back(*size);
  }
  if (!axes.grid.empty() && axes.grid.size() != dims.size())
    return error("kernel", setting.span,
                 Message("`grid` has {}, and `grid_names` {}", counted(dims.size(), "dimension"),
                         counted(axes.grid.size(), "name")));
  return {};
}

} // namespace

Result<KernelFunction::Framed> KernelFunction::frame(Context &context, const Call &call,
                                                     const CompileRequest &request) {
  Framed framed{.frame = {}, .axes = settings_.axes, .scratch = {}};
  core::KernelFrame &frame = framed.frame;
  frame.name = name();
  for (char &c : frame.name) // names in PTX are ASCII; Python allows other characters
    if (static_cast<unsigned char>(c) >= 128)
      c = '_';
  // The device's runtime library uses these names.
  if (frame.name.starts_with("__") || frame.name == "vprintf" || frame.name == "malloc" || frame.name == "free")
    frame.name = "kernel_" + frame.name;
  frame.span = span();
  frame.target = core::findGpuTarget(runtime_->options().arch);
  if (!frame.target)
    return context.fail("arch", core::noGpuTargetText(runtime_->options().arch));
  frame.infersTransforms = settings_.infersTransforms;
  frame.warpgroups = framed.axes.warpgroups = settings_.warpgroups;
  if (!framed.axes.mesh.none())
    frame.devices = framed.axes.mesh.devices();
  const layouts::Shape &cluster = framed.axes.clusterShape;
  for (size_t i = 0; i < cluster.size(); ++i)
    frame.cluster[cluster.size() - 1 - i] = cluster[i];
  LANESCOPE_CHECK(setGrid(frame, framed.axes, settings_.grid,
                          LANESCOPE_TRY(parameters_.setting(context, settings_.grid, call.sizes))));

  Value scratch = LANESCOPE_TRY(parameters_.setting(context, settings_.scratch, call.sizes));
  bool several = scratch.asTuple() || scratch.asList();
  std::vector<Value> specs =
      several ? LANESCOPE_TRY(context.evaluator.iterate(scratch, settings_.scratch.span)) : std::vector{scratch};
  const std::vector<Slot> &slots = parameters_.slots();
  for (size_t i = 0; i < slots.size(); ++i)
    if (slots[i].role == Role::Array)
      frame.arguments.push_back(
          {slots[i].syntax->name, slots[i].kind, call.dtypes[i], call.shapes[i], parameters_.spanOf(slots[i])});
  LANESCOPE_CHECK(parameters_.checkScratch(specs.size(), settings_.scratch.span));
  for (const Slot &slot : slots)
    if (slot.role == Role::Scratch)
      framed.scratch.push_back(LANESCOPE_TRY(
          addScratch(frame, framed.axes, specs[framed.scratch.size()], slot.syntax->name, settings_.scratch.span)));

  if (request.profile) {
    frame.profileShrinks = request.profileEntries == 0;
    frame.profileEntries = frame.profileShrinks ? kProfileEntries : request.profileEntries - request.profileEntries % 2;
  }
  return framed;
}

Result<core::KernelModule> KernelFunction::trace(Context &context, const Call &call, Framed framed,
                                                 core::Compiler &compiler, Diagnostics &warnings) {
  const core::KernelFrame &frame = framed.frame;
  auto builder = LANESCOPE_TRY(core::GpuBuilder::make(compiler.context(), frame));
  GpuTracer tracer(context.evaluator, *builder, gpuPrimitives(), std::move(framed.axes), *frame.target);

  tracer.approximate = settings_.approximate;
  tracer.home = span().source;
  tracer.infersTransforms = settings_.infersTransforms;
  tracer.autoBarriers = settings_.autoBarriers && settings_.warpgroups == 1;
  ScratchPlaces places;
  for (size_t i = 0; i < frame.buffers.size(); ++i)
    places.buffers.push_back(builder->buffer(i));
  for (size_t i = 0; i < frame.tensorBuffers.size(); ++i)
    places.tensorBuffers.push_back(builder->tensorBuffer(i));
  if (!frame.tensorBuffers.empty())
    tracer.sawTensorBuffer(frame.tensorBuffers.front());
  for (size_t i = 0; i < frame.barriers.size(); ++i)
    places.barriers.push_back(i);
  for (size_t i = 0; i < frame.accumulators.size(); ++i)
    places.accumulators.push_back(builder->accumulator(i));
  for (size_t i = 0; i < frame.arguments.size(); ++i)
    if (frame.arguments[i].kind == core::ArgumentKind::Scratch)
      places.semaphores.push_back(builder->argument(i));

  std::vector<Value> values;
  size_t argument = 0, scratch = 0;
  const std::vector<Slot> &slots = parameters_.slots();
  for (size_t i = 0; i < slots.size(); ++i) {
    const Slot &slot = slots[i];
    if (slot.role == Role::Static)
      values.push_back(call.given[i]->value);
    else if (slot.role == Role::Array)
      values.push_back(std::make_shared<RefValue>(slot.syntax->name, builder->argument(argument++),
                                                  slot.kind != core::ArgumentKind::In || settings_.writesInputs,
                                                  tracer.id(), parameters_.spanOf(slot)));
    else
      values.push_back(scratchValue(tracer, framed.scratch[scratch++], places));
  }
  {
    StagingScope staging(context.evaluator, &tracer);
    LANESCOPE_CHECK(parameters_.trace(context, call, values));
  }
  builder->setPlace(span());
  warnings = untouchedOutputs(*builder);
  return builder->finish();
}

/// Warnings for outputs that the kernel never writes. In Python, `out = x * 2` binds the name to another array; the
/// author of such a kernel usually means `out[...] = x * 2`.
Diagnostics KernelFunction::untouchedOutputs(const core::GpuBuilder &builder) const {
  Diagnostics out;
  if (!settings_.axes.mesh.none())
    return out; // other devices may write into the outputs; on a mesh of one device, such a kernel may write nothing
  size_t argument = 0;
  for (const Slot &slot : parameters_.slots())
    if (slot.role == Role::Array && !builder.touches(argument++) && slot.kind == core::ArgumentKind::Out)
      out.push_back({Severity::Warning,
                     "unwritten-output",
                     parameters_.spanOf(slot),
                     text("kernel `", name(), "` never writes `", slot.syntax->name,
                          "`, so what it returns is undefined; `", slot.syntax->name, "[...] = value` stores, and `",
                          slot.syntax->name, " = value` only gives a value that name"),
                     {}});
  return out;
}

Result<std::vector<Arguments>> KernelFunction::shards(Context &context, const Arguments &arguments) const {
  if (settings_.axes.mesh.none())
    return std::vector{arguments};
  return parameters_.shards(context, arguments, settings_.axes.mesh);
}

Result<Specialisation> KernelFunction::specialise(Context &context, const std::vector<Arguments> &devices,
                                                  const CompileRequest &request) {
  if (context.evaluator.staging())
    return context.fail("staging", Message("kernel `{kernel}` cannot be called inside a kernel", name()));
  std::vector<Call> calls;
  for (const Arguments &arguments : devices) {
    calls.push_back(LANESCOPE_TRY(parameters_.bind(context, arguments, settings_.axes.mesh)));
    if (calls.back().key != calls.front().key)
      return context.fail(
          "kernel",
          Message("all devices run one kernel: device 0 calls `{name}` with {}and device {device} with {}not the same",
                  name(), calls.front().key, calls.size() - 1, calls.back().key));
  }
  const Call &call = calls.front();
  Specialisation out;
  out.signature = call.key;
  out.inputs =
      settings_.axes.mesh.none() ? parameters_.arrays(call) : LANESCOPE_TRY(parameters_.arrays(context, calls));

  const KernelOptions &options = runtime_->options();
  bool keepTexts = request.keepTexts || options.keepTexts;
  std::string key = cacheKey(call, request, keepTexts);
  // After the arguments comes scratch in global memory, filled with zeros.
  auto addScratch = [&] {
    if (!out.stages->kernel)
      return;
    std::vector<const core::BufferSpec *> buffers = out.stages->kernel->launch.buffers();
    for (size_t i = out.inputs.size(); i + (out.stages->kernel->profiled ? 1 : 0) < buffers.size(); ++i)
      out.inputs.push_back(core::Array::zeros(buffers[i]->dtype, buffers[i]->shape));
  };
  if (auto found = cache_.find(key); found != cache_.end()) {
    if (out.stages = found->second.get(); out.stages) {
      last_ = found->second;
      addScratch();
      return out;
    }
    cache_.erase(found);
  }
  Framed framed = LANESCOPE_TRY(frame(context, call, request));
  Diagnostics warnings;
  core::KernelModule module = LANESCOPE_TRY(trace(context, call, std::move(framed), runtime_->compiler(), warnings));
  core::CompileOptions how;
  how.arch = options.arch;
  how.keepTexts = keepTexts;
  how.markValues = options.markValues;
  // Look for a kernel with equal content from another function or session. Only this session keeps the texts of stages;
  // after an edit, they are found for all kernels that the edit did not change.
  std::string content = keepTexts ? core::placedFingerprint(module, how) : core::fingerprint(module, how);
  std::shared_ptr<const core::KernelStages> stages = runtime_->compiledBefore(content, span().source);
  if (keepTexts && stages) { // move the places, which refer to the text before the edit
    stages = core::movedTo(module, *stages);
    runtime_->keepCompiled(content, stages);
  }
  if (!stages) {
    stages = std::make_shared<core::KernelStages>(runtime_->compiler().compile(std::move(module), how));
    out.fresh = true;
    runtime_->keepCompiled(content, stages);
  }
  out.stages = stages;
  last_ = StagesRef(stages);
  for (Diagnostic &warning : stages->kernel ? warnings : Diagnostics{})
    context.evaluator.remark(std::move(warning));
  addScratch();
  keep(std::move(key), std::move(stages));
  return out;
}

std::string KernelFunction::cacheKey(const Call &call, const CompileRequest &request, bool keepTexts) const {
  return text(call.key, "arch=", runtime_->options().arch, request.profile ? ", profiled " : "", request.profileEntries,
              keepTexts ? ", texts" : "", runtime_->options().markValues ? ", marked" : "");
}

void KernelFunction::keep(std::string key, std::shared_ptr<const core::KernelStages> stages) {
  constexpr size_t kMaxCached = 64;
  if (cache_.size() >= kMaxCached)
    cache_.clear();
  cache_.insert_or_assign(std::move(key), StagesRef(std::move(stages)));
}

class KernelFunction::Pending final : public PendingKernel {
public:
  Pending(KernelFunction &function, std::string key, std::string content, core::KernelModule module,
          core::CompileOptions how, core::Compiler &compiler)
      : function_(function), key_(std::move(key)), content_(std::move(content)), module_(std::move(module)),
        how_(std::move(how)), compiler_(compiler) {}
  void compile() override {
    stages_ = std::make_shared<core::KernelStages>(compiler_.compile(std::move(module_), how_));
  }
  void finish() override {
    function_.runtime_->keepCompiled(content_, stages_);
    function_.keep(std::move(key_), std::move(stages_));
  }

private:
  KernelFunction &function_;
  std::string key_, content_;
  core::KernelModule module_;
  core::CompileOptions how_;
  core::Compiler &compiler_;
  std::shared_ptr<const core::KernelStages> stages_;
};

Result<std::unique_ptr<PendingKernel>> KernelFunction::begin(Context &context, const Arguments &arguments,
                                                             core::Compiler &compiler) {
  const KernelOptions &options = runtime_->options();
  if (options.keepTexts || options.profile || context.evaluator.staging())
    return nullptr;
  std::vector<Arguments> devices = LANESCOPE_TRY(shards(context, arguments));
  Call call = LANESCOPE_TRY(parameters_.bind(context, devices.front(), settings_.axes.mesh));
  std::string key = cacheKey(call, {}, false);
  if (cache_.contains(key))
    return nullptr;
  Framed framed = LANESCOPE_TRY(frame(context, call, {}));
  Diagnostics untold; // dropped: tune compares a candidate's results with the expected ones instead
  core::KernelModule module = LANESCOPE_TRY(trace(context, call, std::move(framed), compiler, untold));
  core::CompileOptions how;
  how.arch = options.arch;
  std::string content = core::fingerprint(module, how);
  if (auto before = runtime_->compiledBefore(content, span().source)) {
    keep(std::move(key), std::move(before));
    return nullptr;
  }
  return std::make_unique<Pending>(*this, std::move(key), std::move(content), std::move(module), how, compiler);
}

Result<std::shared_ptr<const core::KernelStages>> KernelFunction::stages(Context &context, const Arguments &arguments,
                                                                         bool keepTexts) {
  // Before its first call, a kernel is shown with the shapes of its annotations, if they give all sizes.
  bool asAnnotated = arguments.positional.empty() && arguments.keyword.empty() && !last_.get();
  const Arguments &given = asAnnotated ? parameters_.placeholders(context) : arguments;
  return LANESCOPE_TRY(specialise(context, LANESCOPE_TRY(shards(context, given)), {.keepTexts = keepTexts})).stages;
}

} // namespace lanescope::repl
