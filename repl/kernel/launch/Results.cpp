#include "repl/kernel/launch/Results.h"

#include "core/gpu/codegen/Sass.h"
#include "core/Links.h"
#include "core/data/Files.h"
#include "layouts/support/Text.h"
#include "layouts/support/Try.h"
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

/// The kernel that a builtin is called with.
Result<std::shared_ptr<Kernel>> kernelArgument(const BoundArguments &args) {
  auto kernel = args[0].value.ref<Kernel>();
  if (!kernel)
    return args.wrongType(0, "a kernel");
  return kernel;
}

/// What is left over for the kernel.
Arguments kernelArguments(const BoundArguments &args) { return {args.rest(), args.keywords()}; }

Result<Value> run(Context &context, const BoundArguments &args) {
  enum : size_t { kKernel, kArguments, kDevice, kProfile, kTimeout };
  if (const std::string *file = args[kKernel].value.asStr()) { // a file of the user's: its names are the session's then
    auto source = core::readSource(*file);
    if (!source)
      return at(args[kKernel].span, std::move(source.error()));
    LANESCOPE_CHECK(context.evaluator.run(*source));
    return Value();
  }
  auto kernel = LANESCOPE_TRY(kernelArgument(args));
  const KernelOptions &options = kernel->runtime().options();
  std::string device = options.device;
  // A session that only looks (`compile`) is not made to run by the snippet.
  if (args.has(kDevice) && !args[kDevice].value.isNone() && device != "none")
    device = LANESCOPE_TRY(args.text(kDevice));
  CompileRequest request{.profile = options.profile};
  if (args.has(kProfile) && !args[kProfile].value.isNone()) {
    if (const int64_t *entries = args[kProfile].value.asInt()) {
      constexpr int64_t kFewest = 8, kMost = 1 << 15;
      if (*entries < kFewest || *entries > kMost)
        return args.wrongValue(kProfile, text("a trace has from ", kFewest, " to ", kMost, " words, not ", *entries));
      request = {.profile = true, .profileEntries = *entries};
    } else {
      request.profile = LANESCOPE_TRY(args.booleanOr(kProfile, false));
    }
  }
  double timeout = options.timeoutSeconds;
  if (args.has(kTimeout) && !args[kTimeout].value.isNone()) {
    timeout = LANESCOPE_TRY(args.number(kTimeout));
    if (!(timeout > 0))
      return args.wrongValue(kTimeout, "a time limit is a number of seconds above 0");
  }
  auto launch = LANESCOPE_TRY(kernel->launch(context, kernelArguments(args), request, device, timeout));
  std::vector<Value> outputs = outputValues(context, launch);
  return Value(std::make_shared<KernelResult>(std::move(launch), std::move(outputs)));
}

Result<Value> traceOf(Context &context, const BoundArguments &args) {
  if (args[0].value.as<TraceValue>())
    return args[0].value;
  if (auto *result = args[0].value.as<KernelResult>()) {
    Value found = LANESCOPE_TRY(result->attribute(context, "trace"));
    if (found.isNone())
      return args.wrongValue(0, "the kernel was run without a trace; run it with `profile=True`");
    return found;
  }
  return args.wrongType(0, "what `run(…, profile=True)` gives");
}

Result<std::shared_ptr<const core::KernelStages>> stagesFor(Context &context, Kernel &kernel,
                                                            const Arguments &arguments, bool keepTexts) {
  bool none = arguments.positional.empty() && arguments.keyword.empty();
  auto made = kernel.stages(context, arguments, keepTexts);
  if (made)
    return made;
  // Without arguments, a kernel whose sizes are named shows what its last call compiled.
  if (none && kernel.last())
    return kernel.last();
  return std::unexpected(std::move(made.error()));
}

/// A stage of the kernel's compilation; machine code is made here.
Result<core::Stage> stageFor(Context &context, const BoundArguments &args, std::string_view id, bool origins) {
  auto kernel = LANESCOPE_TRY(kernelArgument(args));
  bool last = id == core::kPtxStage.id || id == core::kSassStage.id; // these need no texts of others
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
  if (!stages->kernel) // its last stage was reached
    return std::unexpected(noStage({.kernel = kernel->name(), .call = context.span, .stages = stages}, id));
  return context.fail("kernel", text("kernel `", kernel->name(), "` was compiled without keeping the text of `", id,
                                     "` and its links; give the kernel's arguments, too"));
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

} // namespace

std::string TraceValue::repr() const {
  std::string summary = core::summarize(trace_);
  while (!summary.empty() && summary.back() == '\n')
    summary.pop_back();
  return summary;
}

std::vector<std::string> KernelResult::members() const {
  return {"device", "diagnostics", "note", "outputs", "printed", "time_us", "trace"};
}

Result<Value> KernelResult::attribute(Context &context, const std::string &name) {
  if (name == "outputs")
    return Value::tuple(outputs_);
  const core::RunResult *result = launch_.result.get();
  if (name == "trace")
    return result && result->trace ? Value(std::make_shared<TraceValue>(*result->trace)) : Value();
  if (name == "time_us")
    return Value(result ? result->timeUs : 0.0);
  if (name == "device")
    return Value(result ? result->device : launch_.device);
  if (name == "printed")
    return Value(result ? result->printed : std::string());
  if (name == "note")
    return Value(result ? result->note : std::string());
  if (name == "diagnostics") {
    std::vector<Value> messages;
    if (result)
      for (const Diagnostic &diagnostic : result->diagnostics)
        messages.emplace_back(diagnostic.message);
    return Value::list(std::move(messages));
  }
  return context.fail("no-attribute",
                      text("a kernel's result has no attribute `", name, "`, it has ", joined(members(), ", ")));
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
    out += text("\n  trace  ", launch_.result->trace->tracks.size(),
                launch_.result->trace->tracks.size() == 1 ? " track" : " tracks");
  if (!launch_.result->note.empty())
    out += text("\n  ", launch_.result->note);
  return out;
}

Result<Value> CodeText::attribute(Context &context, const std::string &name) {
  if (name == "text")
    return Value(text_);
  return context.fail("no-attribute",
                      lanescope::text("a stage's text has no attribute `", name, "`; `.text` is a str"));
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
  return context.fail("no-attribute", text("a kernel has no attribute `", attribute, "`"));
}

Result<Value> Kernel::call(Context &context, const Arguments &arguments) {
  const KernelOptions &options = runtime().options();
  KernelLaunch done =
      LANESCOPE_TRY(launch(context, arguments, {.profile = options.profile}, options.device, options.timeoutSeconds));
  std::vector<Value> outputs = outputValues(context, done);
  return outputs.size() == 1 ? outputs.front() : outputs.empty() ? Value() : Value::tuple(std::move(outputs));
}

std::vector<Value> outputValues(Context &, const KernelLaunch &launch) {
  std::vector<Value> outputs;
  if (launch.result)
    for (const core::Array &array : launch.result->outputs)
      outputs.emplace_back(array);
  return outputs;
}

Builtins runBuiltins() {
  return {
      {.name = "run",
       .signature = "run(kernel, *arguments, device=None, profile=None, timeout=None, **named)",
       .doc =
           "Runs a kernel, or a file: `run(\"file.py\")`. Of a kernel it gives a result with `.outputs`, `.trace`, `.time_us` and `.diagnostics`.\n\n`device` is "
           "\"gpu\", \"emulator\" or \"auto\"; `profile=True` traces its regions (a number: words per warpgroup); "
           "`timeout` is in seconds.",
       .call = run},
      {.name = "trace",
       .signature = "trace(result)",
       .doc = "The trace of a kernel that was run with `profile=True`.",
       .call = traceOf},
      {.name = "ptx",
       .signature = "ptx(kernel, *arguments, **named)",
       .doc = "The PTX of a kernel, for these arguments or for the last call's.",
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
       .doc =
           "A kernel's text at a stage of its compilation, as `ir` gives it, each line behind the lines of the snippet "
           "that it comes from.\n\n`-` marks what the compiler made by itself: the kernel's start and end, its "
           "parameters, what belongs to no line. Directives and labels come from nowhere.",
       .call = links},
  };
}

Result<std::shared_ptr<const core::KernelStages>> stagesOf(Context &context, const Value &kernel,
                                                           const Arguments &arguments) {
  auto *function = kernel.as<Kernel>();
  if (!function)
    return context.fail("type", text("a kernel was expected, not `", kernel.typeName(), "`"));
  return stagesFor(context, *function, arguments, true);
}

bool isKernel(const Value &value) { return value.as<Kernel>() != nullptr; }

} // namespace lanescope::repl
