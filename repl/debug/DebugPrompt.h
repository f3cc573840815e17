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
  /// Returns a value's text as the REPL writes it, and a layout's picture. Both are required.
  std::function<std::string(const Value &)> render = nullptr;
  std::function<Result<std::string>(const layouts::RegisterLayout &, const layouts::Shape &)> picture = nullptr;
  double timeoutSeconds = 60; // limit for one command
};

class DebugPrompt {
public:
  /// Errors: the PTX, launch or arrays cannot be run.
  static Result<std::unique_ptr<DebugPrompt>> open(DebugTarget target, DebugPromptOptions options);
  ~DebugPrompt();
  DebugPrompt(const DebugPrompt &) = delete;
  DebugPrompt &operator=(const DebugPrompt &) = delete;

  /// Errors: "debug-command" and "debug-value"; the line then has no effect.
  Result<std::string> run(std::string_view line);
  /// True after `quit`.
  bool over() const;
  /// The commands and names of values that begin with the text.
  std::vector<std::string> completions(std::string_view begin) const;
  /// Makes a running command end soon. May be called from any thread, and from a signal handler.
  void interrupt();
  core::Debugger &debugger();

private:
  struct State;
  explicit DebugPrompt(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

} // namespace lanescope::repl
