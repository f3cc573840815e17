// What lenses do: run a file as `lanescope run` does, on a thread of its own, and keep what is to be read as files.
#pragma once

#include "repl/lsp/Document.h"
#include "viz/host/Requests.h"

#include <atomic>
#include <filesystem>

namespace lanescope::repl::lsp {

struct RunOutcome {
  bool ok = false;
  std::string output; // what the file printed, then its errors
};

class Commands {
public:
  Commands(std::string arch, std::string device, std::string worker);
  /// Ends a run; removes the files.
  ~Commands();
  Commands(const Commands &) = delete;
  Commands &operator=(const Commands &) = delete;

  /// Runs the text of the document; `done` is called from another thread, unless the server ends first. Runs follow
  /// each other.
  void run(std::shared_ptr<const Document> document, std::function<void(RunOutcome)> done);
  /// A file with this text, until the server ends. Error: it cannot be written.
  Result<std::filesystem::path> keep(const std::string &name, const std::string &text);

private:
  std::string arch_, device_, worker_;
  std::filesystem::path folder_; // empty: not made yet
  std::mutex mutex_;             // guards it
  std::atomic<bool> end_ = false;
  std::atomic<uint64_t> runs_ = 0;
  viz::Requests thread_; // last: its jobs use the rest
};

} // namespace lanescope::repl::lsp
