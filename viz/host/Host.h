// What the window asks of the program around it: evaluate text, complete a name, list and open files.
//
//   host.evaluate("show(WGMMA, (64, 64))");            // returns at once
//   for (HostEvent &event : host.poll()) ...           // later frames: Output "…", Show{ViewRequest{…}}, Evaluated
//
// No call blocks: a host does its work on threads of its own and answers through poll(), in order. The window knows
// nothing of the snippet language; repl/session implements this with a session, tests with a scripted stand-in.
#pragma once

#include "core/Trace.h"
#include "viz/scene/DumpPage.h"
#include "viz/scene/ViewText.h"

#include <cstdint>
#include <functional>
#include <memory>
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
};
/// Texts to read, in tabs: a snippet, its IR, its PTX.
struct CodeRequest {
  struct Page {
    std::string title, text;
    std::vector<uint32_t> markedLines; // from 1: places of diagnostics
  };
  std::string title;
  std::vector<Page> pages;
  bool bringToFront = true;
};
/// A kernel that JAX dumped. In the console its value is called `dump`.
struct DumpPageRequest {
  std::shared_ptr<const DumpPage> page;
};
using ShowRequest = std::variant<ViewRequest, TraceRequest, CodeRequest, DumpPageRequest>;

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
};
using HostEvent = std::variant<Output, Evaluated, Completions, Show>;

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
  /// Asks for completions of text[0, cursor); a newer call replaces one that has not begun.
  virtual void complete(uint64_t request, std::string text, size_t cursor) = 0;
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
