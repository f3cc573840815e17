// The window's host: a REPL session on a separate thread.
//
//   SessionHost host(kernelOptions);
//   return viz::runWindow({.files = {"samples/kernels/double.py"}}, host);
//
// Entries of the console are evaluated in order. A file that is opened while another one waits replaces the waiting
// one.
#pragma once

#include "core/gpu/dumps/DumpFolder.h"
#include "repl/check/CheckTargets.h"
#include "repl/files/FileKind.h"
#include "repl/session/Session.h"
#include "repl/workbench/CodePages.h"
#include "repl/workbench/HostMailbox.h"
#include "repl/workbench/ProgramHost.h"
#include "viz/host/Host.h"
#include "viz/host/Requests.h"

#include <atomic>
#include <filesystem>
#include <set>

namespace lanescope::repl {

class SessionHost : public viz::Host {
public:
  explicit SessionHost(KernelOptions kernels, FileRules files = {}, ProgramOptions programs = {});
  ~SessionHost() override;

  void evaluate(std::string text) override;
  void open(std::string path) override;
  void reopen(std::string path, std::optional<std::string> text) override;
  void setParameter(const std::string &name, std::optional<std::string> value) override {
    mailbox_.setParameter(name, std::move(value));
  }
  std::vector<viz::TextProblem> problemsIn(const std::string &text) const override;
  void complete(uint64_t request, std::string text, size_t cursor) override;
  void makePage(std::string title) override;
  void answer(viz::ProgramAnswer answer) override { programs_.answer(answer); }
  void chooseKernel(size_t index) override { programs_.chooseKernel(index); }
  void openAsProgram(std::string path) override;
  void interrupt() override;
  bool needsMoreText(std::string_view text) const override;
  std::vector<viz::FileEntry> files() override;
  std::vector<viz::HostEvent> poll() override { return mailbox_.take(); }
  std::string activity() const override;
  void onUpdate(std::function<void()> wake) override;

private:
  /// A kernel's texts in the code view.
  struct CodeShown {
    std::string title;
    SourceRef snippet;
    std::shared_ptr<const core::KernelStages> stages;
    std::vector<uint32_t> marked; // lines of the snippet that are marked
  };

  /// Runs `work` on the session's thread; `activity` describes it while it waits or runs.
  void post(std::string tag, std::string activity, std::function<void()> work);
  void push(viz::HostEvent event) { mailbox_.push(std::move(event)); }
  /// Pushes the request, or holds it back until the run has succeeded.
  void pushShow(viz::ShowRequest request);
  void print(std::string text) { push(viz::Output{std::move(text)}); }
  bool show(const Shown &shown);

  /// The milliseconds of a monotonic clock.
  static int64_t milliseconds();

  // --- on the session's thread
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
  /// Opens PTX: shows its texts and its launch as parameters. Runs it if the launch is known, or if the user asked for
  /// it.
  void openPtx(const std::filesystem::path &path, const SourceRef &ptx);
  /// The launch that files beside the PTX describe or that the PTX alone suggests, with the user's settings.
  Result<CheckTarget> launchOf(const std::filesystem::path &path, const SourceRef &ptx, viz::Opened &opened);
  /// The fields that say under which schedules the launch runs.
  void addSchedules(viz::Opened &opened) const;
  void launchPtx(const std::filesystem::path &path, CheckTarget target);
  /// Opens a launch description: opens the PTX file beside it that contains the description's entry.
  void openLaunch(const std::filesystem::path &path, const SourceRef &json);
  void openTrace(const SourceRef &source, const std::string &title);
  void openLayout(const SourceRef &source);
  /// Offers the launch to the debugger, and brings it to the front if it had errors. `file` is run again to find the
  /// names of values; null: values have no names.
  void offerDebugger(const KernelLaunch &launch, const KernelOptions &options, const SourceRef &file);
  /// Opens a dump, and binds it as `dump` in the session.
  void openDump(const std::string &path);
  /// The console's entry that binds several kernels as `dumps` and the first one as `dump`, and lists them.
  std::string entryOf(const std::filesystem::path &path, std::span<const core::dumps::DumpFiles> kernels);
  void openModule(const SourceRef &source, const std::string &title);
  void openArrays(const std::filesystem::path &path);
  void openImage(const SourceRef &source, const std::string &title);
  /// Shows an array or a dict of arrays in the window, and binds it as `loaded` in the console.
  void showLoaded(const std::string &title, const Value &loaded, bool image);
  void openSnippet(const std::filesystem::path &path, const SourceRef &source);
  /// Runs an open snippet again. `saved`: the file has the same text. Reports nothing if a newer call has replaced this
  /// one.
  void runAgain(const std::filesystem::path &path, const SourceRef &source, bool saved, uint64_t call);
  /// Called after the first kernel of a file. Shows its texts while the file still runs.
  void firstKernelRan();
  Result<void> runSnippet(const SourceRef &source);
  viz::Opened ranText(const std::filesystem::path &path, const SourceRef &source, const Result<void> &result,
                      bool again) const;
  /// Makes `shown` the content of the code view and returns the request for it.
  viz::CodeRequest codeOf(CodeShown shown);
  /// Makes the snippet and the stages of the last launched kernel the content of the code view after a run, and returns
  /// the request for it.
  viz::CodeRequest pagesOf(const SourceRef &source, const std::string &title, const Diagnostics &diagnostics);
  viz::ShowRequest requestOf(const Shown &shown);

  std::filesystem::path samples_; // folder of the samples; empty: there is none
  HostMailbox mailbox_;
  core::RunRecord record_{.limit = 4'000'000}; // the last run on the emulator; outlives the session
  CodeShown code_;                             // used only on the session's thread
  std::unique_ptr<Session> session_;           // made and used on the session's thread
  std::atomic<Session *> running_ = nullptr;
  std::atomic<int64_t> fileSince_ = 0; // time in ms when the running file began; 0: none is running
  std::atomic<uint64_t> openings_ = 0; // number of calls of open() and reopen()
  int entries_ = 0;
  bool traceShown_ = false;                    // a trace has been shown during the current run
  bool again_ = false;                         // the current run is of a file that is open
  std::optional<std::vector<viz::Show>> held_; // pictures of a run that may still fail
  std::string snippet_;                        // path of the file whose parameters are set
  std::string ptx_;                            // the path of the open PTX; `ptxSet_`: the settings of its launch
  std::map<std::string, std::string> ptxSet_;
  std::atomic<bool> stopLaunch_ = false;     // ends the run of the PTX
  bool firstWanted_ = false;                 // the current run has launched no kernel yet
  bool ranWell_ = false;                     // a run of the snippet has succeeded, and its pictures are shown
  std::set<std::filesystem::path> inPython_; // files that the user opened as programs
  uint64_t shownCalls_ = 0;
  ProgramHost programs_;
  viz::Requests thread_; // last, since its jobs use the other members
};

/// The folder of samples: `samples` in the working directory, beside the build, or in the installation. Empty: there is
/// none.
std::filesystem::path findSamples();

} // namespace lanescope::repl
