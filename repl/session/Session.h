// One session of the snippet language: its names, its kernels, and how it talks to whoever sits in front of it.
//
//   Session session({.kernels = {.device = "emulator"}, .output = [](std::string_view text) { std::cout << text; }});
//   session.entry(Source::make("<1>", "WGMMA"));          // writes the layout's text and a grid, as the REPL does
//   session.run(Source::make("double.py", text));         // a file: writes only what print() and show() give
//   auto value = session.evaluate(Source::make("eval", "owners(WGMMA, (64, 8), (9, 2))"));
//
// Errors come back as diagnostics, never printed: the caller renders them where they belong. A failing entry leaves
// the names and their values as they were. One thread at a time, but interrupt() and needsMoreText() from any.
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
  /// What `param(name, …)` gives, by name; a text that is no value of one is an error.
  std::map<std::string, std::string> parameters = {};
  bool colour = false; // ANSI colours in what is written
  int width = 100;     // columns of the terminal
  /// Gets everything that print(), show() and echoed values write; null: dropped.
  std::function<void(std::string_view)> output = nullptr;
  /// Asked for each show(): true when it is shown elsewhere (a window), so that no picture is written as text. May be
  /// null.
  std::function<bool(const Shown &)> onShow = nullptr;
  /// Gets notes on how a text was read, `layout("…")` of an older or not canonical spelling, and hazards and notes of
  /// kernels' runs; null: they go to `output`.
  std::function<void(const Diagnostics &)> remarks = nullptr;
  Limits limits = {};
  FileRules files = {};        // which files the snippet reaches
  bool checkAssertions = true; // see EvaluatorOptions
};

class DebugPrompt;

class Session {
public:
  explicit Session(SessionOptions options = {});
  ~Session();
  Session(const Session &) = delete;
  Session &operator=(const Session &) = delete;

  /// A whole file: the values of expression statements are not written.
  Result<void> run(const SourceRef &source);
  /// An entry of the REPL, of one or several statements: values of expression statements that are not None are
  /// written, rendered, and the last one is `_` afterwards.
  Result<void> entry(const SourceRef &source);
  Result<void> entry(const ModuleRef &module);
  /// The value of a text that is one expression.
  Result<Value> evaluate(const SourceRef &source);

  /// What the REPL writes for a value: layouts as their text and a grid, results with several fields as tables, arrays
  /// as NumPy does, traces as a timeline with a summary. Ends with a newline.
  std::string render(const Value &value);

  /// Stops what is running with an `interrupted` error, and the debugger's command under way; safe in a signal handler
  /// and from other threads.
  void interrupt();

  /// Asks for the debugger's commands until its user leaves; null: there is nobody to ask.
  std::function<void(DebugPrompt &)> onDebug = nullptr;
  /// While it is there, interrupt() is the debugger's.
  class Debugging {
  public:
    Debugging(Session &session, DebugPrompt &prompt);
    ~Debugging();
    Debugging(const Debugging &) = delete;
    Debugging &operator=(const Debugging &) = delete;

  private:
    Session &session_;
  };
  /// What may stand at the cursor; see Completion.h.
  Completion complete(std::string_view text, size_t cursor) const;
  /// Whether Enter should start a new line: an open bracket or string, a `\`, a block that no blank line has ended.
  static bool needsMoreText(std::string_view text);

  /// What `param(…)` declares, and what it is set to.
  Parameters &parameters() { return *parameters_; }
  Evaluator &evaluator() { return *evaluator_; }
  SnippetFiles &files() { return *files_; }
  const Evaluator &evaluator() const { return *evaluator_; }
  /// Every launch so far with stages, inputs and result (`launches()`), devices, options.
  KernelRuntime &kernels() { return *kernels_; }
  /// The trace of the last launch that has one; null when there is none.
  std::shared_ptr<const core::Trace> lastTrace() const;

  const SessionOptions &options() const { return options_; }
  void setWidth(int columns) { options_.width = columns; }
  /// How pictures are written: width and colours.
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
