#include "repl/kernel/launch/Results.h"

#include "core/gpu/codegen/Sass.h"
#include "core/gpu/emulator/EmulatorDevice.h"
#include "core/gpu/emulator/PtxCosts.h"
#include "core/Links.h"
#include "layouts/support/Text.h"
#include "layouts/support/Try.h"
#include "layouts/support/Words.h"
#include "repl/kernel/trace/Traced.h"

#include <algorithm>
#include <cstdio>

namespace lanescope::repl {

namespace {

std::string timeText(double microseconds) {
  char buffer[48];
  std::snprintf(buffer, sizeof buffer, "%.1f us", microseconds);
  return buffer;
}

/// The kernel argument of a builtin.
Result<std::shared_ptr<Kernel>> kernelArgument(const BoundArguments &args) {
  auto kernel = args[0].value.ref<Kernel>();
  if (!kernel)
    return args.wrongType(0, "a kernel");
  return kernel;
}

/// The arguments of a builtin that follow the kernel, which are the kernel's own.
Arguments kernelArguments(const BoundArguments &args) { return {args.rest(), args.keywords()}; }

/// Runs a file of the user. The names that it defines become the session's names.
Result<Value> runFile(const SnippetFiles &files, Context &context, const BoundArguments &args,
                      const std::string &file) {
  if (!file.ends_with(".py")) // the error for another kind of file would show the file's text
    return args.wrongValue(0, "only `.py` files are run");
  auto source = files.readSource(file, core::FileRole::Snippet);
  if (!source)
    return at(args[0].span, std::move(source.error()));
  LANESCOPE_CHECK(context.evaluator.run(*source));
  return Value();
}

Result<Value> run(const SnippetFiles &files, Context &context, const BoundArguments &args) {
  enum : size_t { kKernel, kArguments, kDevice, kProfile, kTimeout, kRepeat, kCoverage };
  if (const std::string *file = args[kKernel].value.asStr())
    return runFile(files, context, args, *file);
  auto kernel = LANESCOPE_TRY(kernelArgument(args));
  const KernelOptions &options = kernel->runtime().options();
  std::string device = options.device;
  // A session that only inspects (`compile`) must not run kernels because the snippet says so.
  if (args.has(kDevice) && !args[kDevice].value.isNone() && device != "none")
    device = LANESCOPE_TRY(args.text(kDevice));
  CompileRequest request{.profile = options.profile};
  if (args.has(kProfile) && !args[kProfile].value.isNone()) {
    if (const int64_t *entries = args[kProfile].value.asInt()) {
      constexpr int64_t kFewest = 8, kMost = 1 << 15;
      if (*entries < kFewest || *entries > kMost)
        return args.wrongValue(kProfile,
                               Message("a trace has from {} to {limit} words, not {}", kFewest, kMost, *entries));
      request = {.profile = true, .profileEntries = *entries};
    } else {
      request.profile = LANESCOPE_TRY(args.booleanOr(kProfile, false));
    }
  }
  constexpr int64_t kMostRepeats = 1000;
  int64_t repeat = LANESCOPE_TRY(args.integerOr(kRepeat, 1));
  if (repeat < 1 || repeat > kMostRepeats)
    return args.wrongValue(kRepeat, Message("`repeat` is from 1 to {limit}", kMostRepeats));
  request.repeat = static_cast<uint32_t>(repeat);
  double timeout = options.timeoutSeconds;
  if (args.has(kTimeout) && !args[kTimeout].value.isNone()) {
    timeout = LANESCOPE_TRY(args.number(kTimeout));
    if (!(timeout > 0))
      return args.wrongValue(kTimeout, "a time limit is a number of seconds above 0");
  }
  std::shared_ptr<core::Coverage> coverage;
  if (LANESCOPE_TRY(args.booleanOr(kCoverage, false)) && device != "none") {
    if (device == "gpu")
      return args.wrongValue(kCoverage, "the emulator measures what a run has shown; run it with "
                                        "`device=\"emulator\"`");
    coverage = std::make_shared<core::Coverage>();
    device = "emulator with coverage";
    kernel->runtime().setDevice(device, core::makeEmulatorDevice(coverage.get()));
  }
  auto launched = kernel->launch(context, kernelArguments(args), request, device, timeout);
  if (coverage) // drop the device that refers to `coverage`, which may be gone when this device is requested again
    kernel->runtime().setDevice(device, core::makeEmulatorDevice());
  KernelLaunch launch = LANESCOPE_TRY(std::move(launched));
  std::vector<Value> outputs = outputValues(launch);
  return Value(std::make_shared<KernelResult>(std::move(launch), std::move(outputs), std::move(coverage)));
}

Result<std::shared_ptr<const core::KernelStages>> stagesFor(Context &context, Kernel &kernel,
                                                            const Arguments &arguments, bool keepTexts) {
  bool none = arguments.positional.empty() && arguments.keyword.empty();
  auto made = kernel.stages(context, arguments, keepTexts);
  if (made)
    return made;
  // Without arguments, a kernel with named sizes shows the stages of its last call.
  if (none && kernel.last())
    return kernel.last();
  return std::unexpected(std::move(made.error()));
}

/// A stage of the kernel's compilation. Machine code is generated here, the other stages exist already.
Result<core::Stage> stageFor(Context &context, const BoundArguments &args, std::string_view id, bool origins) {
  auto kernel = LANESCOPE_TRY(kernelArgument(args));
  // PTX and machine code can be made without the texts of other stages.
  bool last = id == core::kPtxStage.id || id == core::kSassStage.id;
  auto stages = LANESCOPE_TRY(stagesFor(context, *kernel, kernelArguments(args), origins || !last));
  bool made = id == core::kSassStage.id;
  const core::Stage *stage = stages->find(made ? core::kPtxStage.id : id);
  if (stage && (!origins || !stage->origins.empty())) {
    if (made)
      return core::disassembled(*stages);
    return *stage;
  }
  if (hasErrors(stages->diagnostics))
    return std::unexpected(stages->diagnostics);
  if (!stages->kernel) // the target has no such stage
    return std::unexpected(noStage({.kernel = kernel->name(), .call = context.span, .stages = stages}, id));
  return context.fail("kernel", Message("kernel `{kernel}` was compiled without keeping the text of `{}` and its "
                                        "links; give the kernel's arguments, too",
                                        kernel->name(), id));
}

Result<Value> stageText(Context &context, const BoundArguments &args, std::string_view id) {
  core::Stage stage = LANESCOPE_TRY(stageFor(context, args, id, false));
  return Value(std::make_shared<CodeText>(std::string(id), stage.text()));
}

Result<Value> ptx(Context &context, const BoundArguments &args) { return stageText(context, args, core::kPtxStage.id); }

Result<Value> sass(Context &context, const BoundArguments &args) {
  return stageText(context, args, core::kSassStage.id);
}

/// The stage that `stage=` names.
Result<std::string> stageArgument(const BoundArguments &args, const core::StageKind &standard) {
  enum : size_t { kStage = 2 };
  std::string wanted(standard.id);
  if (args.has(kStage))
    wanted = LANESCOPE_TRY(args.text(kStage));
  if (std::ranges::find(core::kGpuStages, wanted, &core::StageKind::id) != std::end(core::kGpuStages))
    return wanted;
  return args.wrongValue(kStage, "a stage is \"ir\", \"laid-out\", \"nvvm\", \"llvm\", \"ptx\" or \"sass\"");
}

Result<Value> ir(Context &context, const BoundArguments &args) {
  return stageText(context, args, LANESCOPE_TRY(stageArgument(args, core::kIrStage)));
}

Result<Value> links(Context &context, const BoundArguments &args) {
  auto kernel = LANESCOPE_TRY(kernelArgument(args));
  std::string id = LANESCOPE_TRY(stageArgument(args, core::kPtxStage));
  core::Stage stage = LANESCOPE_TRY(stageFor(context, args, id, true));
  return Value(std::make_shared<CodeText>("links", core::withOrigins(stage, kernel->span().source)));
}

/// The costs of the lines of a kernel's source, or of one of its stages: counted in its PTX, and in a run on the
/// emulator.
Result<Value> costs(Context &context, const BoundArguments &args) {
  enum : size_t { kStage = 2, kRun };
  auto kernel = LANESCOPE_TRY(kernelArgument(args));
  std::string id(core::kSourceStage.id);
  if (args.has(kStage) && args[kStage].value.asStr() && *args[kStage].value.asStr() != id)
    id = LANESCOPE_TRY(stageArgument(args, core::kPtxStage));
  core::Stage ptx = LANESCOPE_TRY(stageFor(context, args, core::kPtxStage.id, true));
  core::RunRecord record;
  if (LANESCOPE_TRY(args.booleanOr(kRun, false))) {
    constexpr const char *kDevice = "emulator with costs";
    kernel->runtime().setDevice(kDevice, core::makeEmulatorDevice(nullptr, &record));
    auto launched =
        kernel->launch(context, kernelArguments(args), {}, kDevice, kernel->runtime().options().timeoutSeconds);
    // The former device refers to `record`, which ends with this function.
    kernel->runtime().setDevice(kDevice, core::makeEmulatorDevice());
    LANESCOPE_CHECK(std::move(launched));
  }
  core::LineCosts counted = LANESCOPE_TRY(core::ptxCosts(ptx.source, &record));
  if (id == ptx.kind.id)
    return Value(std::make_shared<CodeText>("costs", core::costTable(counted, *ptx.source)));
  core::Stage seen = id == core::kSourceStage.id ? core::sourceStage(kernel->span().source)
                                                 : LANESCOPE_TRY(stageFor(context, args, id, true));
  core::LinkTable links(std::vector<const core::Stage *>{&ptx, &seen});
  core::LineCosts own = core::costsFrom(counted, links, 0, 1, seen.origins.size());
  return Value(std::make_shared<CodeText>("costs", core::costTable(own, *seen.source)));
}

} // namespace

std::string TraceValue::repr() const {
  std::string summary = core::summarize(trace_);
  while (!summary.empty() && summary.back() == '\n')
    summary.pop_back();
  return summary;
}

std::vector<std::string> KernelResult::members() const {
  return {"coverage", "device", "diagnostics", "note", "outputs", "printed", "resources", "time_us", "trace"};
}

const std::optional<core::KernelResources> &KernelResult::resources() const {
  if (!resources_ && launch_.stages && launch_.stages->kernel)
    resources_ = core::resourcesOf(*launch_.stages->kernel);
  return resources_;
}

/// The kernel's resources as a dict. Values that only ptxas knows are None if there is no ptxas.
static Value resourceTable(const core::KernelResources &resources) {
  const auto &assembly = resources.assembly;
  auto counted = [&](int64_t core::AssemblyReport::*field) { return assembly ? Value((*assembly).*field) : Value(); };
  return Value::dict({{"threads", Value(int64_t{resources.threads})},
                      {"registers", counted(&core::AssemblyReport::registers)},
                      {"spill_store_bytes", counted(&core::AssemblyReport::spillStoreBytes)},
                      {"spill_load_bytes", counted(&core::AssemblyReport::spillLoadBytes)},
                      {"shared_bytes", Value(resources.sharedBytes)},
                      {"blocks_per_multiprocessor", Value(int64_t{resources.occupancy.blocks})},
                      {"limited_by", Value(std::string(resources.occupancy.limit))}});
}

Result<Value> KernelResult::attribute(Context &context, const std::string &name) {
  if (name == "outputs")
    return Value::tuple(outputs_);
  const core::RunResult *result = launch_.result.get();
  if (name == "trace")
    return result && result->trace ? Value(std::make_shared<TraceValue>(*result->trace)) : Value();
  if (name == "coverage")
    return coverage_ ? Value(std::make_shared<CodeText>("coverage", coverage_->report())) : Value();
  if (name == "time_us")
    return Value(result ? result->timeUs : 0.0);
  if (name == "device")
    return Value(result ? result->device : launch_.device);
  if (name == "printed")
    return Value(result ? result->printed : std::string());
  if (name == "resources")
    return resources() ? resourceTable(*resources()) : Value();
  if (name == "note")
    return Value(result ? result->note : std::string());
  if (name == "diagnostics") {
    std::vector<Value> messages;
    if (result)
      for (const Diagnostic &diagnostic : result->diagnostics)
        messages.emplace_back(diagnostic.message);
    return Value::list(std::move(messages));
  }
  return context.fail("no-attribute", Message("a kernel's result has no attribute `{attribute}`, it has {}", name,
                                              joined(members(), ", ")));
}

std::string KernelResult::repr() const {
  if (!launch_.result)
    return text("kernel ", launch_.kernel, ": compiled, not run");
  std::string out =
      text("kernel ", launch_.kernel, " on ", launch_.result->device, ": ", timeText(launch_.result->timeUs));
  for (size_t i = 0; i < outputs_.size(); ++i)
    if (const core::Array *array = outputs_[i].asArray())
      out += text("\n  outputs[", i, "]  ", typeText(array->dtype, array->shape));
  if (launch_.result->trace)
    out += text("\n  trace  ", counted(launch_.result->trace->tracks.size(), "track"));
  if (!launch_.result->note.empty())
    out += text("\n  ", launch_.result->note);
  if (const auto &taken = resources()) {
    out += text("\n  ", core::resourceWords(*taken));
    if (auto spills = core::spillNote(launch_.kernel, *taken))
      out += text("\n  note: ", spills->message);
  }
  return out;
}

Result<Value> CodeText::attribute(Context &context, const std::string &name) {
  if (name == "text")
    return Value(text_);
  return context.fail("no-attribute", Message("a stage's text has no attribute `{attribute}`; `.text` is a str", name));
}

Result<std::vector<Value>> CodeText::iterate(Context &context) {
  std::vector<Value> lines;
  std::string_view rest = text_;
  while (!rest.empty()) {
    size_t end = std::min(rest.find('\n'), rest.size());
    lines.emplace_back(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return lines;
}

Result<Value> Kernel::attribute(Context &context, const std::string &attribute) {
  if (attribute == "name")
    return Value(name());
  return context.fail("no-attribute", Message("a kernel has no attribute `{}`", attribute));
}

Result<Value> Kernel::call(Context &context, const Arguments &arguments) {
  const KernelOptions &options = runtime().options();
  KernelLaunch done =
      LANESCOPE_TRY(launch(context, arguments, {.profile = options.profile}, options.device, options.timeoutSeconds));
  std::vector<Value> outputs = takeOutputs(std::move(done));
  return outputs.size() == 1 ? outputs.front() : outputs.empty() ? Value() : Value::tuple(std::move(outputs));
}

std::vector<Value> outputValues(const KernelLaunch &launch) {
  std::vector<Value> outputs;
  if (launch.result)
    for (const core::Array &array : launch.result->outputs)
      outputs.emplace_back(array);
  return outputs;
}

std::vector<Value> takeOutputs(KernelLaunch launch) {
  if (launch.result.use_count() != 1)
    return outputValues(launch);
  std::vector<Value> outputs;
  // The result was created as a mutable value, and no other reference to it exists.
  for (core::Array &array : std::const_pointer_cast<core::RunResult>(launch.result)->outputs)
    outputs.emplace_back(std::move(array));
  return outputs;
}

Builtins runBuiltins(const std::shared_ptr<SnippetFiles> &files) {
  Builtins out = {
      {.name = "run",
       .signature =
           "run(kernel, *arguments, device=None, profile=None, timeout=None, repeat=1, coverage=False, **named)",
       .doc = "Runs a kernel, or a file: `run(\"file.py\")`. Of a kernel it gives a result with `.outputs`, `.trace`, "
              "`.time_us` and `.diagnostics`.\n\n`device` is "
              "\"gpu\", \"emulator\" or \"auto\"; `profile=True` traces its regions (a number: words per warpgroup); "
              "`timeout` is in seconds. On a GPU `repeat=20` times the kernel alone: `.time_us` is the median of 20 "
              "samples of "
              "launches one after the other in a CUDA graph, without what a launch costs. A kernel that changes what "
              "it reads "
              "(`InOut`, semaphores) is launched from the same contents each time, and its launch counts. "
              "`coverage=True` runs it on the "
              "emulator, and `.coverage` says what the run has not shown: waits that never had to wait, buffers that "
              "were never used again.",
       .call = [files](Context &context, const BoundArguments &args) { return run(*files, context, args); }},
      {.name = "ptx",
       .signature = "ptx(kernel, *arguments, **named)",
       .doc = "The PTX of a kernel, for these arguments or for the last call's. Nothing runs.",
       .call = ptx},
      {.name = "sass",
       .signature = "sass(kernel, *arguments, **named)",
       .doc = "The machine code of a kernel, for these arguments or for the last call's; by NVIDIA's `ptxas` and "
              "`nvdisasm`, which must be installed.",
       .call = sass},
      {.name = "ir",
       .signature = "ir(kernel, *arguments, stage=\"ir\", **named)",
       .doc = "A kernel's text at a stage of its compilation: \"ir\", \"laid-out\", \"nvvm\", \"llvm\", \"ptx\" or "
              "\"sass\".",
       .call = ir},
      {.name = "links",
       .signature = "links(kernel, *arguments, stage=\"ptx\", **named)",
       .doc = "A kernel's text at a stage of its compilation, as `ir` gives it, with the lines of the snippet that "
              "each line comes from in front of it.\n\n`-` marks what the compiler made by itself: the kernel's start "
              "and end, its "
              "parameters, what belongs to no line. Directives and labels come from nowhere.",
       .call = links},
      {.name = "costs",
       .signature = "costs(kernel, *arguments, stage=\"source\", run=False, **named)",
       .doc = "The cost of each line of a kernel, in front of the line: PTX instructions, live registers, shuffles, "
              "accesses "
              "of shared and global memory, matrix products, copies, waits.\n\n`run=True` runs it on the emulator and "
              "adds "
              "what happened there: warp instructions, cycles of its model, bank conflicts, bytes of loads and stores. "
              "`stage` is \"source\", or a stage as `ir` takes it; a line of such a stage has the costs of all PTX of "
              "its source line, a line of \"sass\" those of its own PTX. Registers are PTX's own, of 32 bits.",
       .call = costs},
  };
  for (Builtin &builtin : out)
    builtin.worksIn = WorksIn::Host;
  return out;
}

Result<std::shared_ptr<const core::KernelStages>> stagesOf(Context &context, const Value &kernel,
                                                           const Arguments &arguments) {
  auto *function = kernel.as<Kernel>();
  if (!function)
    return context.fail("type", Message("a kernel was expected, not `{type}`", kernel.typeName()));
  return stagesFor(context, *function, arguments, true);
}

bool isKernel(const Value &value) { return value.as<Kernel>() != nullptr; }

} // namespace lanescope::repl
