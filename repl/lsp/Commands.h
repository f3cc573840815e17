// The commands of code lenses. They run a file as `lanescope run` does, on a separate thread, and keep the texts that
// the user opens as temporary files.
#pragma once

#include "repl/lsp/Document.h"
#include "viz/host/Requests.h"

#include <atomic>
#include <filesystem>

namespace lanescope::repl::lsp {

struct RunOutcome {
  bool ok = false;
  std::string output; // what the file printed, and then its errors
};

class Commands {
public:
  Commands(std::string arch, std::string device, std::string worker);
  /// Ends a running command, and removes the files.
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
  std::filesystem::path folder_; // empty: the folder is not made yet
  std::mutex mutex_;             // guards folder_
  std::atomic<bool> end_ = false;
  std::atomic<uint64_t> runs_ = 0;
  viz::Requests thread_; // last, since its jobs use the other members
};

} // namespace lanescope::repl::lsp
