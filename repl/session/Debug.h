// The debugger of a session: what is debugged of a launch, scripts of commands, the builtin debug().
//
//   auto target = debugTarget(launch, options);          // of a session with KernelOptions::markValues and
//   recordInputs auto prompt = DebugPrompt::open(std::move(*target), debugOptions(session)); debugScript(**prompt,
//   "break 12\ncontinue\n").text   // "(debug) break 12\nbreakpoint 1 at line 12\n…"
#pragma once

#include "repl/debug/DebugPrompt.h"
#include "repl/kernel/launch/Launches.h"

#include <memory>
#include <string>
#include <string_view>

namespace lanescope::repl {

class Session;

/// Error "debug-command": a launch of something else than a GPU's kernel.
Result<DebugTarget> debugTarget(const KernelLaunch &launch, const KernelOptions &options);

/// Values and layouts as the session writes them.
DebugPromptOptions debugOptions(const Session &session);

struct DebugTranscript {
  std::string text; // each command behind "(debug) ", what it says under it
  bool failed = false;
};
/// Runs the lines of a text; what another such text has before its commands, "(debug) ", is passed over, and so are the
/// lines of comments.
DebugTranscript debugScript(DebugPrompt &prompt, std::string_view commands);

/// The builtin `debug`. With `commands` it runs these; else the session's terminal asks (Session::onDebug).
Builtin debugBuiltin(std::shared_ptr<KernelRuntime> runtime, Session &session);

} // namespace lanescope::repl
