// The window's interface to the rest of the program: evaluates text, completes names, lists and opens files.
//
//   host.evaluate("show(WGMMA, (64, 64))");            // returns at once
//   for (HostEvent &event : host.poll()) ...           // later frames: Output "…", Show{ViewRequest{…}}, Evaluated
//
// No call blocks. A host does its work on threads of its own, and answers through poll(), in order. The window does not
// depend on the snippet language. repl/workbench implements Host with a session, and tests implement it with a script.
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
  bool bringToFront = true; // false: available, but not shown at once
};
struct TraceRequest {
  std::shared_ptr<const core::Trace> trace;
  std::string title;        // "double.py", "matmul.json.gz"
  bool bringToFront = true; // false: the trace can be chosen, but is not shown at once
  std::string file = {};    // the file from which it was read; notes are stored beside it; empty if there is none
};
/// Texts to read side by side: a snippet, its IR, its PTX, with the links between their lines and the lines' costs.
struct CodeRequest {
  struct Page {
    std::string title, text;
    std::vector<uint32_t> markedLines;                 // places of diagnostics; lines count from 1
    std::shared_ptr<const core::LineCosts> costs = {}; // the costs of the page's lines; null if unknown
    Language language = languageOf(title);
  };
  /// An array of the kernel, with the line that makes it.
  struct Array {
    size_t page = 0;
    uint32_t line = 0;
    std::string name, type; // "acc", "f32[64, 128]"
    ViewSpec view;          // its layout
  };
  /// A part of a memory that lines of a page write or read.
  struct Memory {
    size_t page = 0;
    std::vector<uint32_t> lines;                          // in ascending order
    std::string name;                                     // "shared memory", "tensor memory"
    std::string unit;                                     // "byte", "column"
    int64_t size = 0;                                     // the block's whole memory, in units
    std::vector<std::pair<int64_t, int64_t>> ranges = {}; // begin and end of each, in ascending order
  };
  /// A region of the trace, with the lines that lie in it.
  struct Region {
    std::string name;
    size_t page = 0;
    std::vector<uint32_t> lines; // in ascending order
  };
  std::string title;
  std::vector<Page> pages;
  bool bringToFront = true;
  // Links between the pages, which it numbers in their order; null: none.
  std::shared_ptr<const core::LinkTable> links = {};
  std::vector<Array> arrays = {};
  std::vector<Memory> memories = {};
  std::vector<Region> regions = {};
  std::string onDemand = {}; // the title of a page that Host::makePage() adds; empty: there is none
};
/// A kernel that JAX dumped. In the console, the name of its value is `dump`.
struct DumpPageRequest {
  std::shared_ptr<const DumpPage> page;
};
/// Arrays and images to look at.
struct DataRequest {
  struct Item {
    std::string name; // the array's name if the file has several; otherwise the name of the file
    ArrayNumbersRef numbers;
  };
  std::string title;
  std::vector<Item> items; // at least one
};
struct DebugTarget;
/// A kernel's run that the debugger may open (viz/host/DebuggedRun.h).
struct DebugRequest {
  std::shared_ptr<const DebugTarget> target;
  bool bringToFront = false; // true: the run ended with a fault, which the user wants to examine
};
using ShowRequest = std::variant<ViewRequest, TraceRequest, CodeRequest, DumpPageRequest, DebugRequest, DataRequest>;

/// Text for the console, as for a terminal: several lines, with ANSI colours (SGR).
struct Output {
  std::string text;
};
/// One evaluate() is finished.
struct Evaluated {
  bool ok = true;
};
/// The answer to complete(). Each candidate may replace the bytes [from, cursor) of the text in the request.
struct Completions {
  uint64_t request = 0;
  size_t from = 0;
  std::vector<std::string> candidates;
};
struct Show {
  ShowRequest what;
  bool again = false; // the file is open already, so the view in front, zoom and selection are kept
};
/// An open() could not read its file; the console shows more.
struct OpenFailed {
  std::string why;
};
/// A file is run again. Its output replaces that of its previous run.
struct RunsAgain {
  std::string path;
};
/// A problem in a text, with its place if that is known.
struct TextProblem {
  uint32_t line = 0;   // from 1; 0: not in this text
  uint32_t column = 1; // from 1, in bytes
  uint32_t length = 1; // bytes, within the line
  std::string message;
  bool operator==(const TextProblem &) const = default;
};
/// A parameter of a snippet, `param(…)`, as a control. Its values are texts, as for setParameter().
struct ParameterControl {
  enum class Kind : uint8_t { Slider, List, Switch, Text };
  Kind kind = Kind::Text;
  std::string name, about, value, initial;
  std::vector<std::string> choices; // for a slider or a list
  std::string problem = {};         // why `value` is refused; empty if it is accepted
  bool takesFile = false;           // an array of a launch: `value` may be the path of a `.npy` file
  bool operator==(const ParameterControl &) const = default;
};
/// A Python program that is open. It waits for the user's trust, runs, or has ended. Each event replaces the previous
/// one.
struct ProgramState {
  enum class Phase : uint8_t { Asks, Runs, Ended, Left };
  Phase phase = Phase::Asks;
  std::string path;
  std::string folder;               // the folder of the file, after links are resolved
  std::vector<std::string> kernels; // the kernels that have been called so far, in order
  size_t chosen = 0;                // index in `kernels` of the kernel that the views show
};
/// The user's answer to a program that waits for trust (docs/security.md).
enum class ProgramAnswer : uint8_t { Once, Folder, Leave };
/// An open() or reopen() is finished. If it has failed, OpenFailed reports that.
struct Opened {
  std::string path; // the place where the file was found
  bool again = false;
  bool snippet = false; // the file gets an editor and parameters
  bool program = false; // a Python program: it gets the same, but runs only when it is saved
  bool launch = false;  // PTX: the parameters are those of its launch, and a button runs it
  bool ok = true;
  std::vector<TextProblem> problems;
  std::vector<ParameterControl> parameters;
};
using HostEvent = std::variant<Output, Evaluated, Completions, Show, OpenFailed, RunsAgain, Opened, ProgramState>;

struct FileEntry {
  std::string path;  // the argument for open()
  std::string group; // heading in the list: "kernels", "layouts"
  std::string name;  // "double.py"
  std::string about; // one line, shown on hover; may be empty
};

class Host {
public:
  virtual ~Host() = default;

  /// Queues an entry of the REPL (one or several lines).
  virtual void evaluate(std::string text) = 0;
  /// Queues the opening of a file. A later call replaces one that has not begun.
  virtual void open(std::string path) = 0;
  /// Runs an open file again. The view in front stays in front, and pictures change only if the run succeeds. `text`:
  /// an unsaved edit that is run in place of the file's content. A later call replaces one that has not begun, and
  /// stops one that is running.
  virtual void reopen(std::string path, std::optional<std::string> text) = 0;
  /// From the next run on, sets `param(name, …)` to the value of this text. Without a text, sets it to its default.
  virtual void setParameter(const std::string &name, std::optional<std::string> value) = 0;
  /// The syntax errors in a snippet's text. This is quick. Any thread may call it.
  virtual std::vector<TextProblem> problemsIn(const std::string &text) const = 0;
  /// Requests completions of text[0, cursor). A later call replaces one that has not begun.
  virtual void complete(uint64_t request, std::string text, size_t cursor) = 0;
  /// Makes a page of the code view that was left out because it takes long to make (CodeRequest::onDemand). The code is
  /// then sent again with the page. If the page could not be made, its text says why.
  virtual void makePage(std::string title) = 0;
  /// Answers the program that waits for trust.
  virtual void answer(ProgramAnswer answer) = 0;
  /// Shows the call of another kernel of the program: an index into ProgramState::kernels.
  virtual void chooseKernel(size_t index) = 0;
  /// Opens a `.py` file as a program even if it may be a snippet.
  virtual void openAsProgram(std::string path) = 0;
  /// Stops the running work, as Ctrl-C does in a terminal.
  virtual void interrupt() = 0;
  /// True if Enter after this text should start a new line, because a bracket is open or no blank line has ended a
  /// block. This is quick, because the UI thread calls it.
  virtual bool needsMoreText(std::string_view text) const = 0;
  virtual std::vector<FileEntry> files() = 0;

  /// Returns all events since the last call.
  virtual std::vector<HostEvent> poll() = 0;
  /// The running work, for the progress line ("running double.py"). Empty if nothing is queued or running, and all
  /// events have been polled.
  virtual std::string activity() const = 0;
  /// Sets the function to call when poll() has something to return. Any thread may call that function.
  virtual void onUpdate(std::function<void()> wake) = 0;
};

} // namespace lanescope::viz
