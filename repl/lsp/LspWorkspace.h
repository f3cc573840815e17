// The open documents, and the thread that analyses them.
//
//   Workspace workspace(options, [](const Document &document, const Diagnostics &all) { … });
//   workspace.open("file:///a.py", 1, text);      // returns at once; the diagnostics come when they are known
//   workspace.find("file:///a.py")                // the current text, with the newest analysis
//
// Each version of a text is compiled as soon as the thread is free, and checked on the emulator after a moment without
// typing; a newer version ends the compilation and the check. Each list of diagnostics that is published replaces the
// one before: first the compiler's, then the compiler's and the checker's.
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
  double compileSeconds = 5; // limit in seconds for the statements and compilers of one version
  double checkSeconds = 10;  // limit in seconds for one version on the emulator; 0: do not run it
  double quietSeconds = 0.3; // seconds without typing before the emulator runs
};

class Workspace {
public:
  /// The stages of an analysis. After CheckBegins comes Checked, or CheckLeft if a newer text came first. CheckBegins
  /// and CheckLeft have no diagnostics.
  enum class Stage : uint8_t { Syntax, Compiled, CheckBegins, Checked, CheckLeft };
  /// Called after each stage, by the thread that analyses. Syntax is published only if there are errors, by the thread
  /// that changed the text.
  using Publish = std::function<void(const Document &document, Stage stage, const Diagnostics &diagnostics)>;

  Workspace(WorkspaceOptions options, Publish publish);
  /// Cancels the analysis that is running.
  ~Workspace();
  Workspace(const Workspace &) = delete;
  Workspace &operator=(const Workspace &) = delete;

  void open(const std::string &uri, int64_t version, std::string text);
  /// Applies the changes. Returns false if no such document is open.
  bool change(const std::string &uri, int64_t version, const std::vector<TextChange> &changes);
  void close(const std::string &uri);
  /// The document; null if it is not open.
  std::shared_ptr<const Document> find(const std::string &uri) const;

private:
  using Clock = std::chrono::steady_clock;
  struct OpenDocument {
    std::shared_ptr<const Document> document;
    bool toCompile = true;
    std::optional<Clock::time_point> toCheck;
    Diagnostics compiled; // diagnostics of the current version
  };
  void put(const std::string &uri, std::shared_ptr<const Document> document);
  void work();
  /// Waits for work, and returns the uri of a document. Returns an empty text at the end.
  std::string next(std::unique_lock<std::mutex> &lock, bool &check);
  void compile(const std::string &uri);
  void check(const std::string &uri);
  bool outdated(const std::string &uri, const Document &document) const;
  bool anyToCompile() const;

  WorkspaceOptions options_;
  Publish publish_;
  std::shared_ptr<const Analysis> nothing_; // the analysis of an empty text
  mutable std::mutex mutex_;                // guards the next two members
  std::map<std::string, OpenDocument> documents_;
  bool end_ = false;
  std::condition_variable changed_;
  std::thread thread_; // last, since it uses the other members
};

} // namespace lanescope::repl::lsp
