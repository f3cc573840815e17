// A session's debugger: the target made from a launch, scripts of commands, the builtin debug().
//
//   auto target = debugTarget(launch, options);         // needs KernelOptions::markValues and recordInputs
//   auto prompt = DebugPrompt::open(std::move(*target), debugOptions(session));
//   debugScript(**prompt, "break 12\ncontinue\n").text  // "(debug) break 12\nbreakpoint 1 at line 12\n…"
#pragma once

#include "repl/debug/DebugPrompt.h"
#include "repl/kernel/launch/Launches.h"

#include <memory>
#include <string>
#include <string_view>

namespace lanescope::repl {

class Session;

/// The debugger's target for a launch. Error "debug-command": the launch is not of a GPU kernel.
Result<DebugTarget> debugTarget(const KernelLaunch &launch, const KernelOptions &options);

/// Options for writing values and layouts as the session writes them.
DebugPromptOptions debugOptions(const Session &session);

struct DebugTranscript {
  std::string text; // each command after "(debug) ", with its answer below it
  bool failed = false;
};
/// Runs the lines of a text. Skips comment lines, and the prompt "(debug) " before a command, so that a transcript's
/// commands can be run again.
DebugTranscript debugScript(DebugPrompt &prompt, std::string_view commands);

/// The builtin `debug`. Runs its argument `commands`; without it, reads commands from the session's terminal
/// (Session::onDebug).
Builtin debugBuiltin(std::shared_ptr<KernelRuntime> runtime, Session &session);

} // namespace lanescope::repl
