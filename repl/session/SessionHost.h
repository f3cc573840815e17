// The window's host: a REPL session on a thread of its own.
//
//   SessionHost host(kernelOptions);
//   return viz::runWindow({.files = {"samples/kernels/double.py"}}, host);
//
// Entries of the console are evaluated in order; a file that is opened while another still waits replaces it.
#pragma once

#include "core/gpu/dumps/DumpFolder.h"
#include "repl/session/CheckTargets.h"
#include "repl/session/CodePages.h"
#include "repl/session/FileKind.h"
#include "repl/session/ProgramHost.h"
#include "repl/session/Session.h"
#include "viz/host/Host.h"
#include "viz/host/Requests.h"

#include <atomic>
#include <filesystem>
#include <mutex>
#include <set>

namespace lanescope::repl {

class SessionHost : public viz::Host {
public:
  explicit SessionHost(KernelOptions kernels, FileRules files = {}, ProgramOptions programs = {});
  ~SessionHost() override;

  void evaluate(std::string text) override;
  void open(std::string path) override;
  void reopen(std::string path, std::optional<std::string> text) override;
  void setParameter(const std::string &name, std::optional<std::string> value) override;
  std::vector<viz::TextProblem> problemsIn(const std::string &text) const override;
  void complete(uint64_t request, std::string text, size_t cursor) override;
  void makePage(std::string title) override;
  void answer(viz::ProgramAnswer answer) override { programs_.answer(answer); }
  void chooseKernel(size_t index) override { programs_.chooseKernel(index); }
  void openAsProgram(std::string path) override;
  void interrupt() override;
  bool needsMoreText(std::string_view text) const override;
  std::vector<viz::FileEntry> files() override;
  std::vector<viz::HostEvent> poll() override;
  std::string activity() const override;
  void onNews(std::function<void()> wake) override;

private:
  /// A kernel's texts in the code view.
  struct CodeShown {
    std::string title;
    SourceRef snippet;
    std::shared_ptr<const core::KernelStages> stages;
    std::vector<uint32_t> marked; // lines of the snippet
  };

  /// Runs `work` on the session's thread; `activity` describes it while it waits or runs.
  void post(std::string tag, std::string activity, std::function<void()> work);
  void push(viz::HostEvent event);
  /// As push(), or kept until the run has succeeded.
  void pushShow(viz::ShowRequest request);
  void print(std::string text) { push(viz::Output{std::move(text)}); }
  bool show(const Shown &shown);

  /// The time on a clock that only goes forward.
  static int64_t milliseconds();

  // On the session's thread.
  /// Where a path of a script or a list leads: those start at the repository, which is where the samples lie.
  std::filesystem::path found(const std::string &path) const;
  void openNow(const std::string &path);
  /// Files that are no snippets, and their texts.
  void openOther(const std::filesystem::path &path, const OpenedFile &file);
  void openFailed(const Diagnostics &problems);
  /// The kernel's, in the layout view.
  void offerTensorMemory(const KernelLaunch &launch);
  /// A Python program: its text, and then what `programs_` says of it.
  void openProgram(const std::filesystem::path &path, const SourceRef &source, bool again);
  bool isProgram(const std::filesystem::path &path, const SourceRef &source) const;
  /// Posts what the window shows of a program's kernel call.
  void postCall(std::shared_ptr<const KernelLaunch> launch, SourceRef program, bool again);
  void showCall(const KernelLaunch &launch, const SourceRef &program, bool again);
  void programEnded(const std::filesystem::path &path, const SourceRef &program, const ProgramEnd &end, bool ranWell);
  /// PTX: its texts, its launch as parameters, and what a run of it shows where the launch is known or was asked for.
  void openPtx(const std::filesystem::path &path, const SourceRef &ptx);
  /// The launch that the file's surroundings say or PTX alone suggests, with what the user has set.
  Result<CheckTarget> launchOf(const std::filesystem::path &path, const SourceRef &ptx, viz::Opened &opened);
  void launchPtx(const std::filesystem::path &path, CheckTarget target);
  /// The PTX beside a launch description that has its entry.
  void openLaunch(const std::filesystem::path &path, const SourceRef &json);
  void openTrace(const SourceRef &source, const std::string &title);
  void openLayout(const SourceRef &source);
  /// The launch, for the debugger: in front when it went wrong. `file` is run again for its names; null: there are
  /// none.
  void offerDebugger(const KernelLaunch &launch, const SourceRef &file);
  /// As `dump` of the session.
  void openDump(const std::string &path);
  /// For several kernels: all of them as `dumps`, the first as `dump`. Says in the console which there are.
  std::string entryOf(const std::filesystem::path &path, std::span<const core::dumps::DumpFiles> kernels);
  void openModule(const SourceRef &source, const std::string &title);
  void openArrays(const std::filesystem::path &path);
  void openImage(const SourceRef &source, const std::string &title);
  /// An array or a dict of arrays: in the window, and as `loaded` in the console.
  void showLoaded(const std::string &title, const Value &loaded, bool image);
  void openSnippet(const std::filesystem::path &path, const SourceRef &source);
  /// `saved`: the text is the file's. Says nothing where a newer call has taken its place.
  void runAgain(const std::filesystem::path &path, const SourceRef &source, bool saved, uint64_t call);
  /// Shows the first kernel's texts while the rest of the file still runs.
  void firstKernelRan();
  Result<void> runSnippet(const SourceRef &source);
  viz::Opened ranText(const std::filesystem::path &path, const SourceRef &source, const Result<void> &result,
                      bool again) const;
  /// What the code view shows from now on, and what of it can be asked for.
  viz::CodeRequest codeOf(CodeShown shown);
  /// The same after a run: the snippet and the stages of the last kernel that it launched.
  viz::CodeRequest pagesOf(const SourceRef &source, const std::string &title, const Diagnostics &diagnostics);
  viz::ShowRequest requestOf(const Shown &shown);

  std::filesystem::path samples_;                            // empty: none found
  mutable std::mutex mutex_;                                 // guards the next four
  std::map<std::string, std::optional<std::string>> wanted_; // parameters that were set since the last run began
  std::vector<viz::HostEvent> events_;
  std::string activity_;
  std::function<void()> wake_;
  core::RunRecord record_{.limit = 4'000'000}; // of the last run on the emulator; outlives the session
  CodeShown code_;                             // on the session's thread
  std::unique_ptr<Session> session_;           // made and used on the session's thread
  std::atomic<Session *> running_ = nullptr;
  std::atomic<int64_t> fileSince_ = 0; // when the run of a file began, in ms; 0: none runs
  std::atomic<uint64_t> openings_ = 0; // calls of open() and reopen()
  int entries_ = 0;
  bool traceShown_ = false;                    // during the current run
  bool again_ = false;                         // the current run is of a file that is open
  std::optional<std::vector<viz::Show>> held_; // pictures of a run that may fail yet
  std::string snippet_;                        // the path that parameters are set for
  std::string ptx_;                            // the PTX that is open, and what is set of its launch
  std::map<std::string, std::string> ptxSet_;
  std::atomic<bool> stopLaunch_ = false;     // ends its run
  bool firstWanted_ = false;                 // the current run has launched no kernel yet
  bool ranWell_ = false;                     // some run of it has succeeded: its pictures are to be seen
  std::set<std::filesystem::path> inPython_; // files that are programs because someone said so
  uint64_t shownCalls_ = 0;
  ProgramHost programs_;
  viz::Requests thread_; // last: its jobs use the rest
};

/// The folder of samples: `samples` here, beside the build, or installed; empty when there is none.
std::filesystem::path findSamples();

} // namespace lanescope::repl
