#include "core/gpu/emulator/debug/Machine.h"

#include "core/data/Threads.h"
#include "core/gpu/emulator/coverage/Schedule.h"

#include <algorithm>
#include <chrono>
#include <ctime>

namespace lanescope::core::emulator {

namespace {

constexpr double kRunPerCost = 12;      // the time between two snapshots is this multiple of a snapshot's cost
constexpr double kLeastSeconds = 0.004; // the time is at least this long
constexpr size_t kMostFindings = 20;

double wallSeconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

double processorSeconds() {
#ifdef __wasi__ // no threads, so no clock for one
  return wallSeconds();
#else
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
#endif
}

} // namespace

Result<std::unique_ptr<Machine>> Machine::open(const SourceRef &ptx, const Launch &launch,
                                               std::span<const Array> arrays, const DebugOptions &options) {
  uint64_t blocks = launch.deviceCount();
  for (uint32_t size : launch.grid)
    blocks = std::min(blocks, uint64_t{1} << 32) * size;
  if (blocks > UINT32_MAX)
    return error("launch", Message("the debugger numbers the blocks of all devices, at most {}; this launch has more",
                                   UINT32_MAX));
  EmulatorOptions emulation;
  emulation.snippet = options.snippet;
  emulation.seed = options.seed;
  emulation.checks = options.checks;
  emulation.strict = options.strict;
  auto run = PreparedRun::of(ptx, launch, emulation);
  if (!run)
    return std::unexpected(std::move(run.error()));
  std::unique_ptr<Machine> machine(new Machine(launch, options));
  machine->run_ = std::move(*run);
  Program &program = machine->run_->program;
  // The debugger shows registers, so a block must not see those of another block.
  program.fresh = {{0, static_cast<uint32_t>(program.registerImage.size())}};
  if (LateSignals::runsOn(machine->run_->grid, Schedule::of(options.seed))) {
    std::vector<Perturbation *> late{&machine->lateSignals_.emplace(program)};
    machine->replay_.emplace(program, std::move(late)).attachTo(machine->run_->grid);
  }
  machine->devices_.assign(launch.deviceCount(), machine->run_->grid);
  for (RecordedGrid &device : machine->devices_)
    machine->grids_.push_back(&device);
  std::span<Grid *const> grids = machine->grids_;
  if (auto built = machine->image_.build(machine->run_->program, machine->launch_, arrays, grids); !built)
    return std::unexpected(std::move(built.error()));
  if (grids[0]->checks)
    machine->shadow_ = std::make_unique<GlobalShadow>(grids, true);
  StepWatch *watch = machine.get();
  machine->turns_ = std::make_unique<Turns>(grids, machine->shadow_.get(), Schedule::of(options.seed), watch);
  machine->takeSnapshot();
  machine->lastTaken_ = 0; // the new thread has a new clock
  if (options.ownThread && !startThread(machine->thread_, [raw = machine.get()] { raw->work(); }))
    return error("out-of-memory",
                 "the system has no thread left for the debugger; `ulimit -u` and `ulimit -v` show its limits");
  return machine;
}

Machine::~Machine() {
  if (!hasThread())
    return;
  leave();
  {
    std::lock_guard lock(mutex_);
    command_ = Command::Quit;
  }
  changed_.notify_all();
  thread_.join();
}

// --- the two threads -------------------------------------------------------------------------------------------------

void Machine::post(Command command) {
  std::unique_lock lock(mutex_);
  command_ = command;
  standsStill_ = false;
  changed_.notify_all();
  changed_.wait(lock, [&] { return standsStill_; });
}

Machine::Command Machine::wait(Standing standing) {
  std::unique_lock lock(mutex_);
  standing_ = standing;
  standsStill_ = true;
  changed_.notify_all();
  changed_.wait(lock, [&] { return command_ != Command::None; });
  return std::exchange(command_, Command::None);
}

void Machine::work() {
  Standing standing = Standing::Between;
  for (;;) {
    Command command;
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [&] { return command_ != Command::None; });
      command = std::exchange(command_, Command::None);
    }
    if (command == Command::Quit)
      return;
    standing = runTurns();
    std::lock_guard lock(mutex_);
    standing_ = standing;
    standsStill_ = true;
    changed_.notify_all();
  }
}

bool Machine::reached(const Step &step) {
  if (StepWatch::moment < repeatedUntil_ || (!limited_ && !decide_(step)))
    return true;
  step_.emplace(step);
  if (!hasThread())
    return false;
  bool on = wait(Standing::AtStep) == Command::Go;
  step_.reset();
  return on;
}

Machine::Standing Machine::runTurns() {
  while (turns_->more()) {
    snapshotWhenDue();
    if (interrupted_ || wallSeconds() > deadline_) {
      limited_ = true;
      stopAt = 0; // the next step
    }
    Turns::Turn turn = turns_->take();
    if (turn.state == RunState::Abandoned)
      return step_ ? Standing::AtStep : Standing::Between;
    leavings_.executed += turn.executed;
    if (turn.state == RunState::Running)
      continue;
    if (turn.state == RunState::Faulted) {
      fault_ = turn.cluster->faulted()->fault;
      return Standing::Faulted;
    }
    gather(*turn.cluster);
  }
  return Standing::Ended;
}

void Machine::gather(ClusterRun &cluster) {
  for (const auto &block : cluster.blocks) {
    if (!block->printed.empty())
      leavings_.printed[numberOf(*block)] = block->printed;
    for (const Diagnostic &finding : block->findings)
      if (leavings_.findings.size() < kMostFindings &&
          std::ranges::none_of(leavings_.findings, [&](const Diagnostic &other) {
            return other.kind == finding.kind && other.span.begin == finding.span.begin;
          }))
        leavings_.findings.push_back(finding);
    leavings_.cycles = std::max(leavings_.cycles, block->endTime());
  }
}

// --- going -----------------------------------------------------------------------------------------------------------

void Machine::begin() {
  stop_.emplace(interrupted_);
  interrupted_ = limited_ = false;
  deadline_ = wallSeconds() + options_.timeoutSeconds;
}

Machine::Standing Machine::go(const Marks &marks, Decide decide) {
  if (standing_ == Standing::Ended || standing_ == Standing::Faulted)
    return standing_;
  repeatedUntil_ = 0;
  if (!hasThread() && standing_ == Standing::AtStep) {
    repeatedUntil_ = moment() + 1;
    rewind(moment());
  }
  decide_ = std::move(decide);
  marks_ = marks.pcs;
  marks_.resize(run_->program.code.size() + 1);
  StepWatch::marks = marks_.data();
  landings = marks.landings;
  stopAt = marks.every || limited_ ? 0 : marks.from;
  if (hasThread())
    post(Command::Go);
  else
    standing_ = runTurns();
  return standing_;
}

/// Abandons the current step. The state is unusable until a snapshot is restored.
void Machine::leave() {
  if (standing_ == Standing::AtStep && hasThread())
    post(Command::Leave);
  step_.reset();
}

void Machine::rewind(uint64_t to) {
  leave();
  auto found = std::prev(snapshots_.upper_bound(to));
  found->second.restore(parts());
  StepWatch::moment = found->first;
  standing_ = Standing::Between;
  fault_.reset();
  lastTaken_ = 0;
}

// --- snapshots -------------------------------------------------------------------------------------------------------

void Machine::takeSnapshot() {
  double begin = processorSeconds();
  auto next = snapshots_.upper_bound(StepWatch::moment);
  const Snapshot *before = next == snapshots_.begin() ? nullptr : &std::prev(next)->second;
  snapshots_.insert_or_assign(next, StepWatch::moment, Snapshot(parts(), before));
  thinOut();
  lastTaken_ = processorSeconds();
  lastCost_ = lastTaken_ - begin;
}

void Machine::snapshotWhenDue() {
  double now = processorSeconds();
  if (lastTaken_ == 0) // the thread's clock has just started, or the run went back
    lastTaken_ = now;
  if (now - lastTaken_ >= std::max(kLeastSeconds, kRunPerCost * lastCost_) && !snapshots_.contains(StepWatch::moment))
    takeSnapshot();
}

size_t Machine::snapshotBytes() const {
  size_t bytes = pages_.bytes;
  for (const auto &[moment, snapshot] : snapshots_)
    bytes += snapshot.ownBytes();
  return bytes;
}

/// First drops the snapshot that is closest to its neighbours relative to its age, so that recent snapshots stay dense.
void Machine::thinOut() {
  while (snapshots_.size() > 3 && snapshotBytes() > options_.checkpointBytes) {
    auto least = snapshots_.end();
    double leastMissed = 0;
    double present = static_cast<double>(std::max(StepWatch::moment, std::prev(snapshots_.end())->first)) + 1;
    for (auto it = std::next(snapshots_.begin()), last = std::prev(snapshots_.end(), 2); it != last; ++it) {
      double gap = static_cast<double>(std::next(it)->first - std::prev(it)->first);
      double missed = gap / (present - static_cast<double>(it->first));
      if (least == snapshots_.end() || missed < leastMissed) {
        least = it;
        leastMissed = missed;
      }
    }
    if (least == snapshots_.end())
      return;
    snapshots_.erase(least);
  }
}

std::vector<uint64_t> Machine::snapshotMoments() const {
  std::vector<uint64_t> out;
  for (const auto &[moment, snapshot] : snapshots_)
    out.push_back(moment);
  return out;
}

Debugger::Checkpoints Machine::checkpoints() const {
  return {snapshots_.size(), snapshotBytes(), options_.checkpointBytes};
}

} // namespace lanescope::core::emulator
