#include "repl/session/Debug.h"

#include "core/gpu/kernel/CompiledKernel.h"
#include "layouts/DefaultArray.h"
#include "layouts/support/Text.h"
#include "layouts/support/Try.h"
#include "repl/session/Render.h"
#include "repl/session/Session.h"
#include "repl/session/Show.h"

namespace lanescope::repl {

Result<DebugTarget> debugTarget(const KernelLaunch &launch, const KernelOptions &options) {
  if (!launch.stages || !launch.stages->kernel)
    return error(
        "debug-command", launch.call,
        Message("`{kernel}` was not compiled to PTX for a GPU, which is what the debugger runs", launch.kernel));
  const core::CompiledKernel &kernel = *launch.stages->kernel;
  DebugTarget target;
  target.name = kernel.name;
  target.ptx = Source::make(kernel.name + ".ptx", kernel.ptx);
  target.launch = kernel.launch;
  target.arrays = launch.inputs;
  std::vector<const core::BufferSpec *> buffers = kernel.launch.buffers();
  if (kernel.profiled && target.arrays.size() + 1 == buffers.size())
    target.arrays.push_back(core::Array::zeros(buffers.back()->dtype, buffers.back()->shape));
  target.snippet = kernel.source;
  target.values = kernel.values;
  target.tensorArrays = kernel.tensorArrays;
  target.seed = options.emulation.seed;
  target.strict = options.emulation.strict;
  return target;
}

DebugPromptOptions debugOptions(const Session &session) {
  DebugPromptOptions options;
  options.render = [&session](const Value &value) {
    return renderValue(session.evaluator(), value, session.terminal());
  };
  options.picture = [&session](const layouts::RegisterLayout &layout, const layouts::Shape &shape) {
    ShownView shown;
    shown.spec.shape = shape;
    shown.layout = layout;
    shown.spec.dtype = layouts::defaultDtype(layout);
    return shownText(shown, session.terminal());
  };
  return options;
}

DebugTranscript debugScript(DebugPrompt &prompt, std::string_view commands) {
  constexpr std::string_view kPrompt = "(debug) ";
  DebugTranscript out;
  while (!commands.empty() && !prompt.over()) {
    std::string_view line = commands.substr(0, commands.find('\n'));
    commands.remove_prefix(std::min(line.size() + 1, commands.size()));
    if (line.starts_with(kPrompt))
      line.remove_prefix(kPrompt.size());
    if (line.find_first_not_of(" \t\r") == line.npos) // in a script a blank line does not repeat a command
      continue;
    out.text += text(kPrompt, line, "\n");
    auto said = prompt.run(line);
    out.text += said ? *said : render(said.error());
    out.failed |= !said;
  }
  return out;
}

namespace {

Result<Value> debug(Session &session, KernelRuntime &runtime, Context &context, const BoundArguments &args) {
  enum : size_t { kKernel, kArguments, kCommands };
  auto kernel = args[kKernel].value.ref<Kernel>();
  if (!kernel)
    return args.wrongType(kKernel, "a kernel");
  std::optional<std::string> commands;
  if (args.has(kCommands) && !args[kCommands].value.isNone())
    commands = LANESCOPE_TRY(args.text(kCommands));
  else if (!session.onDebug)
    return context.fail("debug-command", "there is no terminal to ask on; give `commands=\"break 12\\ncontinue\"`, or "
                                         "debug a file with `lanescope debug`");
  KernelOptions &options = runtime.options();
  bool marked = std::exchange(options.markValues, true);
  auto launched = kernel->launch(context, {args.rest(), args.keywords()}, {}, "none", options.timeoutSeconds);
  options.markValues = marked;
  KernelLaunch launch = LANESCOPE_TRY(std::move(launched));
  runtime.forgetLast(); // the launch only compiled the kernel, so it does not belong to the list of launches
  DebugTarget target = LANESCOPE_TRY(debugTarget(launch, options));
  auto prompt = DebugPrompt::open(std::move(target), debugOptions(session));
  if (!prompt)
    return at(context.span, std::move(prompt.error()));
  Session::Debugging debugging(session, **prompt);
  if (!commands) {
    session.onDebug(**prompt);
    return Value();
  }
  DebugTranscript said = debugScript(**prompt, *commands);
  session.write(said.text);
  return Value();
}

} // namespace

Builtin debugBuiltin(std::shared_ptr<KernelRuntime> runtime, Session &session) {
  return {.name = "debug",
          .signature = "debug(kernel, *arguments, commands=None, **named)",
          .doc = "Runs a kernel under the debugger, on the emulator: the run stops at breakpoints, and also goes "
                 "back.\n\nOn a "
                 "terminal it asks for commands (`help` lists them); `commands` is a text of them, a line each, whose "
                 "answers are written. Nothing is returned.",
          .call = [runtime = std::move(runtime), &session](
                      Context &context, const BoundArguments &args) { return debug(session, *runtime, context, args); },
          .group = "kernels"};
}

} // namespace lanescope::repl
