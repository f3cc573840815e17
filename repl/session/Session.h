// One session of the snippet language: its names, its kernels, and its output.
//
//   Session session({.kernels = {.device = "emulator"}, .output = [](std::string_view text) { std::cout << text; }});
//   session.entry(Source::make("<1>", "WGMMA"));          // writes the layout's text and a grid, as the REPL does
//   session.run(Source::make("double.py", text));         // a file: only print() and show() write
//   auto value = session.evaluate(Source::make("eval", "owners(WGMMA, (64, 8), (9, 2))"));
//
// Errors are returned as diagnostics and never printed; the caller renders them. A failing entry leaves the names and
// their values as they were. One thread at a time may use a session, but any thread may call interrupt() and
// needsMoreText().
#pragma once

#include "repl/kernel/launch/Launches.h"
#include "repl/lang/evaluate/Evaluator.h"
#include "repl/lang/files/SnippetFiles.h"
#include "repl/session/Completion.h"
#include "repl/session/Parameters.h"
#include "repl/session/Shown.h"
#include "viz/export/TerminalText.h"

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace lanescope::repl {

struct SessionOptions {
  KernelOptions kernels = {}; // device, worker command, architecture, …
  /// The values of `param(name, …)`, by name. A text that is no value of the parameter is an error.
  std::map<std::string, std::string> parameters = {};
  bool colour = false; // write ANSI colours
  int width = 100;     // columns of the terminal
  /// Receives everything that print(), show() and echoed values write. Null: it is dropped.
  std::function<void(std::string_view)> output = nullptr;
  /// Called for each show(). Returns true if a window shows the picture, so that it is not written as text. May be
  /// null.
  std::function<bool(const Shown &)> onShow = nullptr;
  /// Gets the hazards and notes of kernels' runs, and notes on how a text was read, such as a `layout("…")` in an old
  /// spelling. Null: they go to `output`.
  std::function<void(const Diagnostics &)> remarks = nullptr;
  Limits limits = {};
  FileRules files = {};        // the files that the snippet may use
  bool checkAssertions = true; // see EvaluatorOptions
};

class DebugPrompt;

class Session {
public:
  explicit Session(SessionOptions options = {});
  ~Session();
  Session(const Session &) = delete;
  Session &operator=(const Session &) = delete;

  /// Runs a whole file. The values of its expression statements are not written.
  Result<void> run(const SourceRef &source);
  /// Runs an entry of the REPL, which has one or several statements. Writes the values of expression statements, except
  /// None. Afterwards, `_` is the last of these values.
  Result<void> entry(const SourceRef &source);
  Result<void> entry(const ModuleRef &module);
  /// Evaluates a text that is one expression.
  Result<Value> evaluate(const SourceRef &source);

  /// The text that the REPL writes for a value. It shows layouts as their text and a grid, results with several fields
  /// as tables, arrays as NumPy does, traces as a timeline with a summary. Ends with a newline.
  std::string render(const Value &value);

  /// Stops the running entry with an `interrupted` error, or stops the debugger's running command. May be called in a
  /// signal handler and from other threads.
  void interrupt();

  /// Reads the debugger's commands from the user until the user leaves. Null: there is no user to ask.
  std::function<void(DebugPrompt &)> onDebug = nullptr;
  /// While such an object exists, interrupt() interrupts the debugger.
  class Debugging {
  public:
    Debugging(Session &session, DebugPrompt &prompt);
    ~Debugging();
    Debugging(const Debugging &) = delete;
    Debugging &operator=(const Debugging &) = delete;

  private:
    Session &session_;
  };
  /// The candidates at the cursor; see Completion.h.
  Completion complete(std::string_view text, size_t cursor) const;
  /// True if Enter should start a new line: after an open bracket or string, after a `\`, or in a block that no blank
  /// line has ended.
  static bool needsMoreText(std::string_view text);

  /// The parameters that `param(…)` declares, and their settings.
  Parameters &parameters() { return *parameters_; }
  Evaluator &evaluator() { return *evaluator_; }
  SnippetFiles &files() { return *files_; }
  const Evaluator &evaluator() const { return *evaluator_; }
  /// The launches so far (`launches()`), each with stages, inputs and result; also devices and options.
  KernelRuntime &kernels() { return *kernels_; }
  /// The trace of the last launch that has a trace; null: there is none.
  std::shared_ptr<const core::Trace> lastTrace() const;

  const SessionOptions &options() const { return options_; }
  void setWidth(int columns) { options_.width = columns; }
  /// The options for writing pictures: width and colours.
  viz::TerminalOptions terminal() const;
  void write(std::string_view text) const;

private:
  SessionOptions options_;
  std::shared_ptr<KernelRuntime> kernels_;
  std::shared_ptr<Parameters> parameters_;
  std::shared_ptr<SnippetFiles> files_;
  std::unique_ptr<Evaluator> evaluator_;
  std::atomic<DebugPrompt *> debugging_ = nullptr;
};

} // namespace lanescope::repl
