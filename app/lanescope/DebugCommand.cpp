#include "app/lanescope/SessionOptions.h"

#include "core/data/Files.h"
#include "layouts/support/Text.h"
#include "layouts/support/Try.h"
#include "layouts/support/Visible.h"
#include "repl/check/CheckTargets.h"
#include "repl/check/ProgramRun.h"
#include "repl/files/FileKind.h"
#include "repl/session/Debug.h"
#include "repl/terminal/Repl.h"

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <iterator>
#include <unistd.h>

namespace lanescope::app {

namespace {

struct Found {
  repl::DebugTarget target;
  bool faulted = false; // the launch is known to fault
};

/// Finds the launch to debug. If the user named a kernel, it is the kernel's last launch. Otherwise it is the first
/// launch with a fault, or the last launch if there is no fault. `ran`: how the snippet or program ended.
Result<Found> among(const std::vector<repl::KernelLaunch> &launches, Result<void> ran, const SourceRef &source,
                    const std::string &kernel, const repl::KernelOptions &options) {
  auto faults = [](const repl::KernelLaunch &launch) { return launch.result && hasErrors(launch.result->diagnostics); };
  auto launch = launches.end();
  if (!kernel.empty()) {
    auto last = std::find_if(launches.rbegin(), launches.rend(), [&](const auto &one) { return one.kernel == kernel; });
    launch = last == launches.rend() ? launches.end() : std::prev(last.base());
  } else if (!launches.empty()) {
    launch = std::ranges::find_if(launches, faults);
    launch = launch == launches.end() ? std::prev(launches.end()) : launch;
  }
  if (launch == launches.end()) {
    if (!ran && launches.empty())
      return std::unexpected(std::move(ran.error()));
    return error("debug-command", {source, 0, 0},
                 kernel.empty() ? "it launches no kernel, so there is nothing to debug"
                                : "it launches no kernel `" + kernel + "`");
  }
  bool faulted = faults(*launch);
  if (!ran && !faulted)
    report(ran.error());
  return Found{LANESCOPE_TRY(repl::debugTarget(*launch, options)), faulted};
}

Result<Found> inSnippet(repl::Session &session, const SourceRef &source, const std::string &kernel) {
  auto ran = session.run(source);
  std::fflush(stdout);
  return among(session.kernels().launches(), std::move(ran), source, kernel, session.kernels().options());
}

/// Runs the program once, in Python, and finds the launch. A call whose arrays are too large to be sent cannot be
/// debugged.
Result<Found> inProgram(const DebugArguments &arguments, const SourceRef &source, const repl::KernelOptions &options) {
  repl::ProgramRun run = LANESCOPE_TRY(repl::runProgram({.python = arguments.python,
                                                         .path = arguments.file,
                                                         .text = source->text(),
                                                         .arguments = arguments.programArguments,
                                                         .arch = options.arch,
                                                         .emulation = options.emulation,
                                                         .timeLimit = options.timeoutSeconds,
                                                         .markValues = true,
                                                         .output = [](std::string_view written) { say(written); }}));
  report({run.remark});
  std::erase_if(run.calls, [](const repl::KernelLaunch &launch) { return launch.inputs.empty(); });
  Result<void> ended;
  if (!run.end.problems.empty())
    ended = std::unexpected(std::move(run.end.problems));
  return among(run.calls, std::move(ended), source, arguments.kernel, options);
}

Result<Found> inPtx(const DebugArguments &arguments, repl::Session &session) {
  Diagnostics remarks;
  auto launched = repl::ptxTarget(
      arguments.file, {.launch = arguments.launch}, [&]() -> core::Compiler & { return session.kernels().compiler(); },
      remarks);
  report(remarks);
  if (!launched)
    return std::unexpected(std::move(launched.error()));
  for (const std::string &guess : launched->guesses)
    complain(text("guessed: ", shownName(guess), "\n"));
  Found found;
  found.target.launch = std::move(launched->launch);
  found.target.arrays = std::move(launched->arrays);
  found.target.name = found.target.launch.entry;
  found.target.ptx = std::move(launched->ptx);
  found.target.seed = arguments.emulation.seed;
  found.target.strict = arguments.emulation.strict;
  return found;
}

} // namespace

int runDebug(const DebugArguments &arguments) {
  if (!programWordsFit("debug", arguments.file, arguments.python, arguments.programArguments))
    return kUsage;
  auto opened = repl::openFor("debug", arguments.file);
  if (!opened)
    return report(opened.error());
  repl::KernelOptions kernels{.arch = arguments.arch, .device = "emulator"};
  kernels.emulation = arguments.emulation;
  kernels.recordInputs = kernels.markValues = true;
  repl::Session session(sessionOptions(std::move(kernels), {}, lookRules(arguments.reach, arguments.file)));
  auto find = [&] {
    if (opened->kind == repl::FileKind::Ptx)
      return inPtx(arguments, session);
    if (repl::isProgramFor(*opened->source, arguments.python, arguments.programArguments))
      return inProgram(arguments, opened->source, session.kernels().options());
    return inSnippet(session, opened->source, arguments.kernel);
  };
  auto found = find();
  if (!found)
    return report(found.error());
  auto prompt = repl::DebugPrompt::open(std::move(found->target), repl::debugOptions(session));
  if (!prompt)
    return report(prompt.error());
  repl::Session::Debugging debugging(session, **prompt);
  if (found->faulted || arguments.fault)
    (*prompt)->debugger().runToFault();
  if (arguments.commands.empty() && isatty(STDIN_FILENO)) {
    repl::Interrupts interrupts(session);
    repl::runDebugger(session, interrupts, **prompt);
    return kDone;
  }
  std::string commands;
  if (arguments.commands.empty() || arguments.commands == "-") {
    commands.assign(std::istreambuf_iterator<char>(std::cin), {});
  } else {
    auto read = core::readSource(arguments.commands, core::FileRole::Script);
    if (!read)
      return report(read.error());
    commands = (*read)->text();
  }
  repl::DebugTranscript said = repl::debugScript(**prompt, commands);
  session.write(said.text);
  return said.failed ? kInputAtFault : kDone;
}

} // namespace lanescope::app
