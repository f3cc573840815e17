// The window's host: a REPL session on a thread of its own.
//
//   SessionHost host(kernelOptions);
//   return viz::runWindow({.files = {"samples/kernels/double.py"}}, host);
//
// Entries of the console are evaluated in order. A file that is opened while another one waits replaces the waiting
// one.
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
  /// Pushes the request, or holds it back until the run has succeeded.
  void pushShow(viz::ShowRequest request);
  void print(std::string text) { push(viz::Output{std::move(text)}); }
  bool show(const Shown &shown);

  /// The time of a monotonic clock.
  static int64_t milliseconds();

  // On the session's thread.
  /// The file that a path of a script or a list names. Such paths start at the repository, which contains the samples.
  std::filesystem::path found(const std::string &path) const;
  void openNow(const std::string &path);
  /// Opens a file that is no snippet.
  void openOther(const std::filesystem::path &path, const OpenedFile &file);
  void openFailed(const Diagnostics &problems);
  /// Offers the kernel's tensor memory in the layout view.
  void offerTensorMemory(const KernelLaunch &launch);
  /// Opens a Python program: shows its text and passes it to `programs_`.
  void openProgram(const std::filesystem::path &path, const SourceRef &source, bool again);
  bool isProgram(const std::filesystem::path &path, const SourceRef &source) const;
  /// Posts showCall() to the session's thread.
  void postCall(std::shared_ptr<const KernelLaunch> launch, SourceRef program, bool again);
  void showCall(const KernelLaunch &launch, const SourceRef &program, bool again);
  void programEnded(const std::filesystem::path &path, const SourceRef &program, const ProgramEnd &end, bool ranWell);
  /// Opens PTX: shows its texts and its launch as parameters, and runs it if the launch is known or the user asked for
  /// it.
  void openPtx(const std::filesystem::path &path, const SourceRef &ptx);
  /// The launch that files beside the PTX describe or that the PTX alone suggests, with the user's settings.
  Result<CheckTarget> launchOf(const std::filesystem::path &path, const SourceRef &ptx, viz::Opened &opened);
  /// The fields that say under which schedules the launch runs.
  void addSchedules(viz::Opened &opened) const;
  void launchPtx(const std::filesystem::path &path, CheckTarget target);
  /// Opens the PTX beside a launch description that contains the description's entry.
  void openLaunch(const std::filesystem::path &path, const SourceRef &json);
  void openTrace(const SourceRef &source, const std::string &title);
  void openLayout(const SourceRef &source);
  /// Offers the launch to the debugger, in front if it had errors. `file` is run again for the names of values; null:
  /// values have no names.
  void offerDebugger(const KernelLaunch &launch, const KernelOptions &options, const SourceRef &file);
  /// Opens a dump, as the session's `dump`.
  void openDump(const std::string &path);
  /// Binds several kernels as `dumps`, the first one as `dump`, and lists them in the console.
  std::string entryOf(const std::filesystem::path &path, std::span<const core::dumps::DumpFiles> kernels);
  void openModule(const SourceRef &source, const std::string &title);
  void openArrays(const std::filesystem::path &path);
  void openImage(const SourceRef &source, const std::string &title);
  /// Shows an array or a dict of arrays in the window, and binds it as `loaded` in the console.
  void showLoaded(const std::string &title, const Value &loaded, bool image);
  void openSnippet(const std::filesystem::path &path, const SourceRef &source);
  /// Runs an open snippet again. `saved`: the text is the file's. Reports nothing if a newer call has replaced this
  /// one.
  void runAgain(const std::filesystem::path &path, const SourceRef &source, bool saved, uint64_t call);
  /// Shows the first kernel's texts while the rest of the file still runs.
  void firstKernelRan();
  Result<void> runSnippet(const SourceRef &source);
  viz::Opened ranText(const std::filesystem::path &path, const SourceRef &source, const Result<void> &result,
                      bool again) const;
  /// Makes `shown` the content of the code view and returns the request for it.
  viz::CodeRequest codeOf(CodeShown shown);
  /// The same after a run: the snippet and the stages of the last kernel launched.
  viz::CodeRequest pagesOf(const SourceRef &source, const std::string &title, const Diagnostics &diagnostics);
  viz::ShowRequest requestOf(const Shown &shown);

  std::filesystem::path samples_;                            // empty: none found
  mutable std::mutex mutex_;                                 // guards the next four
  std::map<std::string, std::optional<std::string>> wanted_; // parameters set since the last run began
  std::vector<viz::HostEvent> events_;
  std::string activity_;
  std::function<void()> wake_;
  core::RunRecord record_{.limit = 4'000'000}; // the last run on the emulator; outlives the session
  CodeShown code_;                             // on the session's thread
  std::unique_ptr<Session> session_;           // made and used on the session's thread
  std::atomic<Session *> running_ = nullptr;
  std::atomic<int64_t> fileSince_ = 0; // when the running file began, in ms; 0: none runs
  std::atomic<uint64_t> openings_ = 0; // calls of open() and reopen()
  int entries_ = 0;
  bool traceShown_ = false;                    // during the current run
  bool again_ = false;                         // the current run is of a file that is open
  std::optional<std::vector<viz::Show>> held_; // pictures of a run that may still fail
  std::string snippet_;                        // the path that parameters are set for
  std::string ptx_;                            // the open PTX, and the settings of its launch
  std::map<std::string, std::string> ptxSet_;
  std::atomic<bool> stopLaunch_ = false;     // ends the run of the PTX
  bool firstWanted_ = false;                 // the current run has launched no kernel yet
  bool ranWell_ = false;                     // a run of the snippet has succeeded, and its pictures are shown
  std::set<std::filesystem::path> inPython_; // files that the user opened as programs
  uint64_t shownCalls_ = 0;
  ProgramHost programs_;
  viz::Requests thread_; // last: its jobs use the rest
};

/// The folder of samples: `samples` in the working directory, beside the build, or installed; empty: none.
std::filesystem::path findSamples();

} // namespace lanescope::repl
