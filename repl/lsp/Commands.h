// The commands of code lenses: run a file as `lanescope run` does, on a thread of its own, and keep texts that the user
// opens as temporary files.
#pragma once

#include "repl/lsp/Document.h"
#include "viz/host/Requests.h"

#include <atomic>
#include <filesystem>

namespace lanescope::repl::lsp {

struct RunOutcome {
  bool ok = false;
  std::string output; // the file's output, then its errors
};

class Commands {
public:
  Commands(std::string arch, std::string device, std::string worker);
  /// Ends a run that is under way; removes the files.
  ~Commands();
  Commands(const Commands &) = delete;
  Commands &operator=(const Commands &) = delete;

  /// Runs the document's text, after earlier runs have ended. Calls `done` from another thread, unless the server ends
  /// first.
  void run(std::shared_ptr<const Document> document, std::function<void(RunOutcome)> done);
  /// Writes the text to a file that exists until the server ends. Error: it cannot be written.
  Result<std::filesystem::path> keep(const std::string &name, const std::string &text);

private:
  std::string arch_, device_, worker_;
  std::filesystem::path folder_; // empty: not made yet
  std::mutex mutex_;             // guards folder_
  std::atomic<bool> end_ = false;
  std::atomic<uint64_t> runs_ = 0;
  viz::Requests thread_; // last: its jobs use the rest
};

} // namespace lanescope::repl::lsp
