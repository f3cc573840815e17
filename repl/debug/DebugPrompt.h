// The debugger's commands: a line in, what it says out. The REPL's debug(), `lanescope debug` and scripts talk to it.
//
//   auto prompt = DebugPrompt::open(std::move(target), {});
//   (*prompt)->run("break 46 if warp == 4")      // "breakpoint 1 at line 46\n"
//   (*prompt)->run("continue")
//
// An empty line is the last command again, as in gdb.
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
  /// A value as the REPL writes it, and a layout's picture. Both are needed.
  std::function<std::string(const Value &)> render = nullptr;
  std::function<Result<std::string>(const layouts::RegisterLayout &, const layouts::Shape &)> picture = nullptr;
  double timeoutSeconds = 60; // of a command
};

class DebugPrompt {
public:
  /// Errors: the PTX, launch or arrays cannot be run.
  static Result<std::unique_ptr<DebugPrompt>> open(DebugTarget target, DebugPromptOptions options);
  ~DebugPrompt();
  DebugPrompt(const DebugPrompt &) = delete;
  DebugPrompt &operator=(const DebugPrompt &) = delete;

  /// Errors "debug-command" and "debug-value"; the debugger goes on as if the line had not been typed.
  Result<std::string> run(std::string_view line);
  /// After `quit`.
  bool over() const;
  /// Commands, and names of values, that begin with the text.
  std::vector<std::string> completions(std::string_view begin) const;
  /// A command under way ends soon. From any thread, and from a signal handler.
  void interrupt();
  core::Debugger &debugger();

private:
  struct State;
  explicit DebugPrompt(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

} // namespace lanescope::repl
