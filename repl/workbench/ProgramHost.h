// The window's programs. Asks the user for trust, runs a program in a separate process, which a separate thread
// watches, and keeps its kernel calls. Starts the next process before it is needed.
//
//   ProgramHost programs(options, {.push = …, .show = …});
//   programs.open("k.py", source, false);        // runs a trusted file, else asks
//   programs.answer(viz::ProgramAnswer::Once);
#pragma once

#include "repl/program/ProgramProcess.h"
#include "repl/program/PythonCommand.h"
#include "repl/program/Trust.h"
#include "viz/host/Host.h"
#include "viz/host/Requests.h"

#include <memory>
#include <mutex>
#include <optional>

namespace lanescope::repl {

struct ProgramOptions {
  std::string python;                // the Python to use; empty: the default one
  std::filesystem::path trustRecord; // the file that lists trusted folders; empty: trust lasts until the window closes
  std::vector<std::string> trusted;  // files that the command line names
  std::string arch;                  // target of the kernels
};

/// All functions may be called from any thread.
class ProgramHost {
public:
  struct Events {
    std::function<void(viz::HostEvent)> push;
    /// Shows a call. It comes to the front if it is the first one of a run or has a fault. `again`: the program has run
    /// before.
    std::function<void(std::shared_ptr<const KernelLaunch>, SourceRef program, bool again)> show;
    /// Called when a run ends. `program`: the program's text. `ranWell`: an earlier run has succeeded.
    std::function<void(const std::filesystem::path &path, const SourceRef &program, const ProgramEnd &end,
                       bool ranWell)>
        ended;
  };
  ProgramHost(ProgramOptions options, Events events);
  ~ProgramHost();

  /// Opens a program's text, and stops a running program. `again`: the file was open before.
  void open(const std::filesystem::path &path, SourceRef source, bool again);
  void answer(viz::ProgramAnswer answer);
  void chooseKernel(size_t index);
  void stop();
  /// To be called when another file is opened. Stops the program and drops its calls.
  void close();
  /// Starts no more runs; returns when nothing runs.
  void end();
  /// A text such as "running k.py"; empty: nothing runs.
  std::string activity() const;
  /// True if this text is the open program.
  bool isOpen(const SourceRef &program) const;
  /// The path of the open program; empty: none.
  std::filesystem::path current() const;
  void onUpdate(std::function<void()> wake) { thread_.onUpdate(std::move(wake)); }

private:
  using Launch = std::shared_ptr<const KernelLaunch>;
  using Flag = std::shared_ptr<std::atomic<bool>>;

  void begin();
  void run(const SourceRef &source, const Flag &stop, bool again);
  Result<ProgramProcess> process(const SourceRef &source);
  void prepareNext(const SourceRef &source);
  void took(KernelLaunch launch, const SourceRef &source, bool again);
  void pushState();

  const ProgramOptions options_;
  const Events events_;
  mutable std::mutex mutex_; // guards the members up to `ready_`
  ProgramTrust trust_;
  std::filesystem::path path_;
  SourceRef source_;
  bool ranBefore_ = false, ranWell_ = false, over_ = false;
  viz::ProgramState state_;
  std::vector<Launch> calls_;
  std::string wanted_; // the kernel that the user chose by name
  bool faultShown_ = false;
  Flag stop_ = std::make_shared<std::atomic<bool>>(false);
  std::string activity_;
  // Only `thread_` uses these.
  std::optional<ProgramProcess> ready_; // has imported `imported_`, and waits for a program
  std::vector<std::string> imported_;
  viz::Requests thread_; // last, since its jobs use the other members
};

} // namespace lanescope::repl
