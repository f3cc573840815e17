// The open documents, and the thread that analyses them.
//
//   Workspace workspace(options, [](const Document &document, const Diagnostics &all) { … });
//   workspace.open("file:///a.py", 1, text);      // returns at once; the diagnostics come when they are known
//   workspace.find("file:///a.py")                // the current text, with the newest analysis
//
// Each version of a text is compiled as soon as the thread is free, and checked on the emulator after a moment without
// typing; a newer version ends both. Each list of diagnostics that is published replaces the one before: first the
// compiler's, then the compiler's and the checker's.
#pragma once

#include "repl/lsp/Document.h"

#include <chrono>
#include <condition_variable>
#include <map>
#include <mutex>
#include <thread>

namespace lanescope::repl::lsp {

struct WorkspaceOptions {
  std::string arch{core::defaultGpuTarget().name};
  double compileSeconds = 5; // for one version: statements and compilers
  double checkSeconds = 10;  // for one version on the emulator; 0: do not run it
  double quietSeconds = 0.3; // pause in typing before the emulator runs
};

class Workspace {
public:
  /// CheckBegins is followed by Checked, or by CheckLeft if a newer text came first. CheckBegins and CheckLeft have no
  /// diagnostics.
  enum class Stage : uint8_t { Syntax, Compiled, CheckBegins, Checked, CheckLeft };
  /// Called after each stage from the analysing thread. For Syntax, which is published only if there are errors, the
  /// thread that changed the text calls it.
  using Publish = std::function<void(const Document &document, Stage stage, const Diagnostics &diagnostics)>;

  Workspace(WorkspaceOptions options, Publish publish);
  /// Cancels the analysis that is running.
  ~Workspace();
  Workspace(const Workspace &) = delete;
  Workspace &operator=(const Workspace &) = delete;

  void open(const std::string &uri, int64_t version, std::string text);
  /// False: no such document is open.
  bool change(const std::string &uri, int64_t version, const std::vector<TextChange> &changes);
  void close(const std::string &uri);
  /// Null: no such document is open.
  std::shared_ptr<const Document> find(const std::string &uri) const;

private:
  using Clock = std::chrono::steady_clock;
  struct OpenDocument {
    std::shared_ptr<const Document> document;
    bool toCompile = true;
    std::optional<Clock::time_point> toCheck;
    Diagnostics compiled; // of the current version
  };
  void put(const std::string &uri, std::shared_ptr<const Document> document);
  void work();
  /// Waits for work and returns the document's uri; empty at the end.
  std::string next(std::unique_lock<std::mutex> &lock, bool &check);
  void compile(const std::string &uri);
  void check(const std::string &uri);
  bool outdated(const std::string &uri, const Document &document) const;
  bool anyToCompile() const;

  WorkspaceOptions options_;
  Publish publish_;
  std::shared_ptr<const Analysis> nothing_; // the analysis of an empty text
  mutable std::mutex mutex_;                // guards the next two
  std::map<std::string, OpenDocument> documents_;
  bool end_ = false;
  std::condition_variable changed_;
  std::thread thread_; // last: it uses the rest
};

} // namespace lanescope::repl::lsp
