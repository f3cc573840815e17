// The window's host: a REPL session on a thread of its own.
//
//   SessionHost host(kernelOptions);
//   return viz::runWindow({.files = {"samples/kernels/double.py"}}, host);
//
// Entries of the console are evaluated in order; a file that is opened while another still waits replaces it.
#pragma once

#include "core/gpu/dumps/DumpFolder.h"
#include "repl/session/Session.h"
#include "viz/host/Host.h"
#include "viz/host/Requests.h"

#include <atomic>
#include <filesystem>
#include <mutex>

namespace lanescope::repl {

class SessionHost : public viz::Host {
public:
  explicit SessionHost(KernelOptions kernels);
  ~SessionHost() override;

  void evaluate(std::string text) override;
  void open(std::string path) override;
  void complete(uint64_t request, std::string text, size_t cursor) override;
  void interrupt() override;
  bool needsMoreText(std::string_view text) const override;
  std::vector<viz::FileEntry> files() override;
  std::vector<viz::HostEvent> poll() override;
  std::string activity() const override;
  void onNews(std::function<void()> wake) override;

private:
  /// Runs `work` on the session's thread; `activity` describes it while it waits or runs.
  void post(std::string tag, std::string activity, std::function<void()> work);
  void push(viz::HostEvent event);
  void print(std::string text) { push(viz::Output{std::move(text)}); }
  bool show(const Shown &shown);

  // On the session's thread.
  void openNow(const std::string &path);
  /// The last launch's kernel's, in the layout view.
  void offerTensorMemory();
  void openTrace(const SourceRef &source, const std::string &title);
  void openLayout(const SourceRef &source);
  /// As `dump` of the session.
  void openDump(const std::string &path);
  /// For several kernels: all of them as `dumps`, the first as `dump`. Says in the console which there are.
  std::string entryOf(const std::filesystem::path &path, std::span<const core::dumps::DumpFiles> kernels);
  void openModule(const SourceRef &source, const std::string &title);
  void openSnippet(const SourceRef &source, const std::string &title);
  /// The code view's pages after a run: the snippet and the stages of the kernels that it launched.
  viz::CodeRequest pagesOf(const SourceRef &source, const std::string &title, const Diagnostics &diagnostics,
                           size_t firstLaunch) const;

  std::filesystem::path samples_; // empty: none found
  mutable std::mutex mutex_;      // guards the next three
  std::vector<viz::HostEvent> events_;
  std::string activity_;
  std::function<void()> wake_;
  std::unique_ptr<Session> session_; // made and used on the session's thread
  std::atomic<Session *> running_ = nullptr;
  int entries_ = 0;
  bool traceShown_ = false; // during the current run
  viz::Requests thread_;    // last: its jobs use the rest
};

/// The folder of samples: `samples` here, beside the build, or installed; empty when there is none.
std::filesystem::path findSamples();

} // namespace lanescope::repl
