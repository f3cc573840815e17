// The debugger's commands: each takes a line and returns a text. The REPL's debug(), `lanescope debug` and scripts use
// it.
//
//   auto prompt = DebugPrompt::open(std::move(target), {});
//   (*prompt)->run("break 46 if warp == 4")      // "breakpoint 1 at line 46\n"
//   (*prompt)->run("continue")
//
// An empty line repeats the last command, as in gdb.
#pragma once

#include "repl/debug/Conditions.h"
#include "repl/lang/values/Value.h"

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace lanescope::repl {

struct DebugPromptOptions {
  /// These return the text of a value as the REPL writes it, and the picture of a layout. Both are required.
  std::function<std::string(const Value &)> render = nullptr;
  std::function<Result<std::string>(const layouts::RegisterLayout &, const layouts::Shape &)> picture = nullptr;
  double timeoutSeconds = 60; // limit in seconds for one command
};

class DebugPrompt {
public:
  /// Opens a debugger. Errors: the PTX, the launch or the arrays cannot be run.
  static Result<std::unique_ptr<DebugPrompt>> open(DebugTarget target, DebugPromptOptions options);
  ~DebugPrompt();
  DebugPrompt(const DebugPrompt &) = delete;
  DebugPrompt &operator=(const DebugPrompt &) = delete;

  /// Runs a line. Errors: "debug-command" and "debug-value". The line has no effect then.
  Result<std::string> run(std::string_view line);
  /// True after `quit`.
  bool over() const;
  /// The commands and the names of values that begin with the text.
  std::vector<std::string> completions(std::string_view begin) const;
  /// Makes a running command end soon. Any thread and a signal handler may call it.
  void interrupt();
  core::Debugger &debugger();

private:
  struct State;
  explicit DebugPrompt(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

} // namespace lanescope::repl
