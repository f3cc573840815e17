// What the window asks of the program around it: evaluate text, complete a name, list and open files.
//
//   host.evaluate("show(WGMMA, (64, 64))");            // returns at once
//   for (HostEvent &event : host.poll()) ...           // later frames: Output "…", Show{ViewRequest{…}}, Evaluated
//
// No call blocks: a host does its work on threads of its own and answers through poll(), in order. The window knows
// nothing of the snippet language; repl/session implements this with a session, tests with a scripted stand-in.
#pragma once

#include "core/LineCosts.h"
#include "core/Trace.h"
#include "viz/scene/ArrayScene.h"
#include "viz/scene/DumpPage.h"
#include "viz/scene/Syntax.h"
#include "viz/scene/ViewText.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace lanescope::viz {

/// Show a picture of an array in the explorer.
struct ViewRequest {
  ViewSpec spec;
  bool bringToFront = true; // false: a kernel's tensor memory is there when someone looks
};
struct TraceRequest {
  std::shared_ptr<const core::Trace> trace;
  std::string title;        // "double.py", "matmul.json.gz"
  bool bringToFront = true; // false: it is there when someone looks
  std::string file = {};    // that it was read from: notes are kept beside it; empty: none
};
/// Texts to read side by side: a snippet, its IR, its PTX, with what links their lines and what these cost.
struct CodeRequest {
  struct Page {
    std::string title, text;
    std::vector<uint32_t> markedLines;                 // from 1: places of diagnostics
    std::shared_ptr<const core::LineCosts> costs = {}; // of its lines; null: not known
    Language language = languageOf(title);
  };
  /// An array that the kernel has, with the line that makes it.
  struct Array {
    size_t page = 0;
    uint32_t line = 0;
    std::string name, type; // "acc", "f32[64, 128]"
    ViewSpec view;          // how it lies
  };
  /// A part of a memory that lines of a page write or read.
  struct Memory {
    size_t page = 0;
    std::vector<uint32_t> lines;                          // ascending
    std::string name;                                     // "shared memory", "tensor memory"
    std::string unit;                                     // "byte", "column"
    int64_t size = 0;                                     // of the whole memory of a block, in units
    std::vector<std::pair<int64_t, int64_t>> ranges = {}; // begin and end, ascending
  };
  /// A region of the trace, with the lines that lie in it.
  struct Region {
    std::string name;
    size_t page = 0;
    std::vector<uint32_t> lines; // ascending
  };
  std::string title;
  std::vector<Page> pages;
  bool bringToFront = true;
  std::shared_ptr<const core::LinkTable> links = {}; // of the pages, in their order; null: none
  std::vector<Array> arrays = {};
  std::vector<Memory> memories = {};
  std::vector<Region> regions = {};
  std::string onDemand = {}; // title of a page that Host::makePage() adds; empty: none
};
/// A kernel that JAX dumped. In the console its value is called `dump`.
struct DumpPageRequest {
  std::shared_ptr<const DumpPage> page;
};
/// Arrays and images to look at.
struct DataRequest {
  struct Item {
    std::string name; // of an array in a file of several; else the file's
    ArrayNumbersRef numbers;
  };
  std::string title;
  std::vector<Item> items; // one at least
};
struct DebugTarget;
/// A kernel's run that the debugger may open (viz/host/DebugTarget.h).
struct DebugRequest {
  std::shared_ptr<const DebugTarget> target;
  bool bringToFront = false; // it ended with a fault: someone wants to know why
};
using ShowRequest = std::variant<ViewRequest, TraceRequest, CodeRequest, DumpPageRequest, DebugRequest, DataRequest>;

/// Text for the console, as a terminal would get it: several lines, ANSI colours (SGR) allowed.
struct Output {
  std::string text;
};
/// One evaluate() is finished.
struct Evaluated {
  bool ok = true;
};
/// Answer to complete(): bytes [from, cursor) of its text may become any of `candidates`.
struct Completions {
  uint64_t request = 0;
  size_t from = 0;
  std::vector<std::string> candidates;
};
struct Show {
  ShowRequest what;
  bool again = false; // of a file that is open: what is in front stays there, and so do zoom and selection
};
/// An open() could not read its file; the console has been told more.
struct OpenFailed {
  std::string why;
};
/// A file is being run again: what it prints takes the place of what its last run printed.
struct RunsAgain {
  std::string path;
};
/// Something that is wrong with a text, where it is known.
struct TextProblem {
  uint32_t line = 0;   // from 1; 0: nowhere in this text
  uint32_t column = 1; // from 1, in bytes
  uint32_t length = 1; // bytes, all on that line
  std::string message;
  bool operator==(const TextProblem &) const = default;
};
/// A parameter of a snippet, `param(…)`, as a control. Values are texts that setParameter() takes.
struct ParameterControl {
  enum class Kind : uint8_t { Slider, List, Switch, Text };
  Kind kind = Kind::Text;
  std::string name, about, value, initial;
  std::vector<std::string> choices; // of a slider and a list
  bool operator==(const ParameterControl &) const = default;
};
/// A Python program that is open: it asks to be trusted, runs, or has ended. Each event replaces the one before.
struct ProgramState {
  enum class Phase : uint8_t { Asks, Runs, Ended, Left };
  Phase phase = Phase::Asks;
  std::string path;
  std::string folder;               // in which the file really lies
  std::vector<std::string> kernels; // whose calls have come, in their order
  size_t chosen = 0;                // of these: the one that the views show
};
/// The user's answer to a program that asks to be trusted (docs/security.md).
enum class ProgramAnswer : uint8_t { Once, Folder, Leave };
/// One open() or reopen() is finished, but for what OpenFailed tells of.
struct Opened {
  std::string path; // where the file was found
  bool again = false;
  bool snippet = false; // an editor and parameters are for these
  bool program = false; // likewise, of Python's: it runs when it is saved, and only then
  bool launch = false;  // PTX: the parameters are its launch, and a button runs it
  bool ok = true;
  std::vector<TextProblem> problems;
  std::vector<ParameterControl> parameters;
};
using HostEvent = std::variant<Output, Evaluated, Completions, Show, OpenFailed, RunsAgain, Opened, ProgramState>;

struct FileEntry {
  std::string path;  // what open() takes
  std::string group; // heading in the list: "kernels", "layouts"
  std::string name;  // "double.py"
  std::string about; // one line, shown on hover; may be empty
};

class Host {
public:
  virtual ~Host() = default;

  /// Queues an entry of the REPL (one or several lines).
  virtual void evaluate(std::string text) = 0;
  /// Queues the opening of a file; a newer call replaces one that has not begun.
  virtual void open(std::string path) = 0;
  /// As open(), of a file that is open: what is in front stays there, and pictures change only where the run succeeds.
  /// `text`: instead of what the file holds, an edit that is not saved. A newer call replaces one that has not begun,
  /// and stops one that runs.
  virtual void reopen(std::string path, std::optional<std::string> text) = 0;
  /// From the next run on `param(name, …)` gives the value of this text; without one, its default.
  virtual void setParameter(const std::string &name, std::optional<std::string> value) = 0;
  /// What is wrong with a snippet's text before it is run: its syntax. Quick, from any thread.
  virtual std::vector<TextProblem> problemsIn(const std::string &text) const = 0;
  /// Asks for completions of text[0, cursor); a newer call replaces one that has not begun.
  virtual void complete(uint64_t request, std::string text, size_t cursor) = 0;
  /// Makes the page of the code view that was left out because that takes long (CodeRequest::onDemand); the code comes
  /// again, with it or with why there is none as its text.
  virtual void makePage(std::string title) = 0;
  /// The answer to the program that asks.
  virtual void answer(ProgramAnswer answer) = 0;
  /// Shows the call of another kernel of the program: an index into ProgramState::kernels.
  virtual void chooseKernel(size_t index) = 0;
  /// As open(), of a `.py` file that may be a snippet as well.
  virtual void openAsProgram(std::string path) = 0;
  /// Stops what is running, as Ctrl-C does in a terminal.
  virtual void interrupt() = 0;
  /// Whether Enter after this text should start a new line (an open bracket, a block that no blank line has ended).
  /// Quick: called on the UI thread.
  virtual bool needsMoreText(std::string_view text) const = 0;
  virtual std::vector<FileEntry> files() = 0;

  /// Everything that became ready since the last call.
  virtual std::vector<HostEvent> poll() = 0;
  /// What is running, for the progress line ("running double.py"); empty when nothing is queued, running or unpolled.
  virtual std::string activity() const = 0;
  /// `wake` may be called from any thread when poll() has something new.
  virtual void onNews(std::function<void()> wake) = 0;
};

} // namespace lanescope::viz
