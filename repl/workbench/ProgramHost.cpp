#include "repl/workbench/ProgramHost.h"

#include "layouts/support/Text.h"

#include <algorithm>
#include <chrono>
#include <thread>
#include <utility>

namespace lanescope::repl {

namespace fs = std::filesystem;
using Phase = viz::ProgramState::Phase;

namespace {

/// The name of the call in the list of calls. Calls of one kernel with different code are numbered, and a call with a
/// fault is marked.
std::string labelOf(const KernelLaunch &launch, const std::vector<std::string> &taken) {
  bool fault = launch.result && hasErrors(launch.result->diagnostics);
  std::string name = launch.kernel + (fault ? ", at fault" : ""), label = name;
  for (int number = 2; std::ranges::find(taken, label) != taken.end(); ++number)
    label = text(name, " (", number, ")");
  return label;
}

} // namespace

ProgramHost::ProgramHost(ProgramOptions options, Events events)
    : options_(std::move(options)), events_(std::move(events)), trust_(options_.trustRecord) {
  for (const std::string &file : options_.trusted)
    trust_.trustFile(file);
}

ProgramHost::~ProgramHost() { stop(); }

void ProgramHost::pushState() { events_.push(state_); }

void ProgramHost::open(const fs::path &path, SourceRef source, bool again) {
  std::lock_guard lock(mutex_);
  *stop_ = true;
  if (!again || path != path_) {
    wanted_.clear();
    ranBefore_ = ranWell_ = false;
  }
  calls_.clear();
  path_ = path, source_ = std::move(source);
  if (trust_.trusts(path_, source_->text()))
    return begin();
  state_ = {.phase = Phase::Asks, .path = path_.string(), .folder = folderOf(path_).string(), .kernels = {}};
  pushState();
}

void ProgramHost::answer(viz::ProgramAnswer answer) {
  std::lock_guard lock(mutex_);
  if (state_.phase != Phase::Asks || !source_)
    return;
  if (answer == viz::ProgramAnswer::Leave) {
    state_.phase = Phase::Left;
    return pushState();
  }
  // The user's answer is for the folder that was shown. A link may lead to another folder by now.
  if (std::string folder = folderOf(path_).string(); folder != state_.folder) {
    state_.folder = std::move(folder);
    return pushState();
  }
  trust_.trustText(path_, source_->text());
  if (answer == viz::ProgramAnswer::Folder)
    if (auto kept = trust_.trustFolder(path_); !kept)
      events_.push(viz::Output{render(kept.error(), true)});
  begin();
}

void ProgramHost::chooseKernel(size_t index) {
  std::lock_guard lock(mutex_);
  if (index >= calls_.size())
    return;
  state_.chosen = index;
  wanted_ = state_.kernels[index];
  events_.show(calls_[index], source_, true);
  pushState();
}

void ProgramHost::stop() {
  std::lock_guard lock(mutex_);
  *stop_ = true;
}

void ProgramHost::close() {
  std::lock_guard lock(mutex_);
  *stop_ = true;
  path_.clear(), source_ = nullptr, calls_.clear(), wanted_.clear();
  state_ = {};
}

void ProgramHost::end() {
  {
    std::lock_guard lock(mutex_);
    over_ = true;
    *stop_ = true;
  }
  while (thread_.busy())
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
}

std::string ProgramHost::activity() const {
  bool busy = thread_.busy();
  std::lock_guard lock(mutex_);
  return busy ? activity_ : "";
}

bool ProgramHost::isOpen(const SourceRef &program) const {
  std::lock_guard lock(mutex_);
  return program == source_;
}

fs::path ProgramHost::current() const {
  std::lock_guard lock(mutex_);
  return path_;
}

/// Begins a run. The caller holds the lock.
void ProgramHost::begin() {
  *stop_ = true;
  if (over_)
    return;
  stop_ = std::make_shared<std::atomic<bool>>(false);
  bool again = ranBefore_;
  ranBefore_ = true, faultShown_ = false;
  calls_.clear();
  state_ = {.phase = Phase::Runs, .path = path_.string(), .folder = folderOf(path_).string(), .kernels = {}};
  activity_ = "running " + path_.filename().string();
  pushState();
  thread_.post("run", [this, source = source_, stop = stop_, again] {
    run(source, stop, again);
    return viz::Requests::Delivery();
  });
}

Result<ProgramProcess> ProgramHost::process(const SourceRef &source) {
  std::vector<std::string> wanted = preloadOf(source->name(), source->text());
  std::optional<ProgramProcess> ready;
  if (ready_)
    ready.emplace(*std::move(ready_));
  ready_.reset();
  if (ready && imported_ == wanted && ready->alive())
    return *std::move(ready);
  PythonCommand python;
  if (auto found = PythonCommand::find(options_.python))
    python = *std::move(found);
  else
    return std::unexpected(std::move(found.error()));
  imported_ = std::move(wanted);
  return ProgramProcess::start(python.command(hostWords(imported_)));
}

void ProgramHost::run(const SourceRef &source, const Flag &stop, bool again) {
  if (*stop) { // the run was stopped before it began
    std::lock_guard lock(mutex_);
    if (stop == stop_ && source == source_) {
      state_.phase = Phase::Ended;
      pushState();
    }
    return;
  }
  ProgramEnd end;
  if (auto started = process(source)) {
    ProgramRequest request{.path = source->name(), .text = source->text(), .arch = options_.arch};
    ProgramEvents events;
    std::string line; // the end of the output, after the last newline
    events.output = [&](const std::string &written) {
      line += written;
      size_t whole = line.rfind('\n') + 1; // a message to the console has to end its last line
      if (whole > 0)
        events_.push(viz::Output{line.substr(0, whole)});
      line.erase(0, whole);
    };
    events.call = [&](KernelLaunch launch) {
      if (!*stop)
        took(std::move(launch), source, again);
    };
    end = started->run(request, events, *stop);
    if (!line.empty())
      events_.push(viz::Output{std::move(line)});
  } else {
    end.status = 1;
    end.problems = std::move(started.error());
  }
  bool newest = false;
  {
    std::lock_guard lock(mutex_);
    newest = stop == stop_ && source == source_;
    if (newest) {
      bool well = end.problems.empty();
      events_.ended(path_, source, end, ranWell_);
      ranWell_ |= well;
      state_.phase = Phase::Ended;
      pushState();
    }
  }
  if (newest && !end.interrupted)
    prepareNext(source);
}

/// Starts a process for the next run, which imports the same modules.
void ProgramHost::prepareNext(const SourceRef &source) {
  if (ready_)
    return;
  if (auto next = process(source))
    ready_.emplace(*std::move(next));
}

void ProgramHost::took(KernelLaunch launch, const SourceRef &source, bool again) {
  std::lock_guard lock(mutex_);
  if (source != source_)
    return;
  bool fault = launch.result && hasErrors(launch.result->diagnostics);
  std::string label = labelOf(launch, state_.kernels);
  calls_.push_back(std::make_shared<const KernelLaunch>(std::move(launch)));
  state_.kernels.push_back(label);
  bool first = calls_.size() == 1;
  if (first || label == wanted_ || (fault && !faultShown_ && wanted_.empty())) {
    state_.chosen = calls_.size() - 1;
    events_.show(calls_.back(), source, again);
  }
  faultShown_ |= fault;
  pushState();
}

} // namespace lanescope::repl
