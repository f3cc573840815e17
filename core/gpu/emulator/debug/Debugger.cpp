#include "core/gpu/emulator/debug/Debugger.h"

#include "core/gpu/emulator/debug/DebuggerState.h"
#include "layouts/support/Text.h"

#include <algorithm>

namespace lanescope::core {

using namespace emulator;

Debugger::Debugger(std::unique_ptr<State> state) : state_(std::move(state)) {}
Debugger::~Debugger() = default;

Result<std::unique_ptr<Debugger>> Debugger::open(SourceRef ptx, const Launch &launch, std::span<const Array> arrays,
                                                 const DebugOptions &options) {
  auto machine = Machine::open(ptx, launch, arrays, options);
  if (!machine)
    return std::unexpected(std::move(machine.error()));
  (*machine)->begin();
  std::unique_ptr<Debugger> debugger(new Debugger(std::make_unique<State>(std::move(*machine))));
  State &s = *debugger->state_;
  s.seek(0, StopReason::Start);
  s.focus = s.stop.warp;
  return debugger;
}

const Stop &Debugger::stop() const { return state_->stop; }
WarpRef Debugger::focus() const { return state_->focus; }
void Debugger::interrupt() { state_->machine->interrupt(); }
const std::map<uint32_t, Breakpoint> &Debugger::breakpoints() const { return state_->breakpoints; }
const std::map<uint32_t, Watchpoint> &Debugger::watchpoints() const { return state_->watchpoints; }
Debugger::Checkpoints Debugger::checkpoints() const { return state_->machine->checkpoints(); }

bool Debugger::setFocus(WarpRef warp) {
  const Launch &launch = state_->machine->launch();
  uint32_t threads = launch.block[0] * launch.block[1] * launch.block[2];
  if (!blockNumberOf(launch, deviceBlockOf(launch, warp.block)) || warp.warp >= (threads + 31) / 32)
    return false;
  state_->focus = warp;
  return true;
}

const Stop &Debugger::resume(Way way) {
  State &s = *state_;
  s.machine->begin();
  if (way == Way::Forward) {
    std::map<uint32_t, uint32_t> passed;
    auto test = [&](const State::Step &step) { return s.stopsAt(step, &passed); };
    s.lookAtWatched();
    return s.forward(s.breakMarks(), test, StopReason::Breakpoint);
  }
  // A change of watched memory belongs to the step before the one at which it is noticed.
  auto earlier = [&](const State::Step &step) {
    auto found = s.stopsAt(step, nullptr);
    if (found && found->watched)
      --found->moment;
    return found;
  };
  return s.back(s.lastBefore(s.stop.moment, s.breakMarks(), earlier, 1, [&] { s.lookAtWatched(); }),
                StopReason::Breakpoint);
}

const Stop &Debugger::step(StepBy by, Way way, uint64_t count) {
  State &s = *state_;
  s.machine->begin();
  if (count == 0)
    return s.stop;
  if (by == StepBy::Moment) {
    if (way == Way::Back)
      return s.seek(s.stop.moment - std::min(count, s.stop.moment));
    return s.isOver() ? s.stop : s.seek(s.stop.moment + count);
  }
  uint32_t last = 0; // line of the focused warp's previous instruction; 0: unknown
  if (way == Way::Forward && s.stop.place && s.stop.warp == s.focus)
    last = s.code.line(s.stop.place->pc);
  auto found = [&](const State::Step &) { return State::Found{.moment = s.machine->moment()}; };
  auto test = [&](const State::Step &step) -> std::optional<State::Found> {
    bool focused = step.warp && refOf(*step.warp) == s.focus;
    if (by == StepBy::Event) {
      bool event = numberOf(step.block) == s.focus.block && (!step.warp || s.code.isEvent(step.pc));
      return event ? std::optional(found(step)) : std::nullopt;
    }
    if (!focused) {
      if (way == Way::Back || !s.focusEnded(step))
        return std::nullopt;
      State::Found over = found(step);
      over.what = text("warp ", s.focus.warp, " of ", s.blockWords(s.focus.block), " has ended");
      over.last = true;
      return over;
    }
    if (by == StepBy::Instruction)
      return found(step);
    uint32_t line = s.code.line(step.pc), before = std::exchange(last, line);
    bool begins = before ? line != before : way == Way::Forward || s.code.beginsLine(step.pc);
    return begins ? std::optional(found(step)) : std::nullopt;
  };
  if (way == Way::Forward) {
    s.forward(everywhere(), test, StopReason::Step, count);
    if (!s.stop.what.empty() || (by == StepBy::Event && s.stop.reason == StopReason::Step))
      s.focus = s.stop.warp;
    return s.stop;
  }
  s.back(s.lastBefore(s.stop.moment, everywhere(), test, count, [&] { last = 0; }), StopReason::Step);
  if (by == StepBy::Event)
    s.focus = s.stop.warp;
  return s.stop;
}

const Stop &Debugger::goTo(uint64_t moment) {
  state_->machine->begin();
  if (state_->fault)
    moment = std::min(moment, state_->fault->first);
  return state_->seek(moment);
}

const Stop &Debugger::goToCycle(WarpRef warp, uint64_t cycle) {
  State &s = *state_;
  s.machine->begin();
  uint64_t cluster = s.clusterOf(warp.block);
  // Finds, by binary search, the last snapshot at which the warp has not yet reached the cycle.
  std::vector<uint64_t> moments = s.machine->snapshotMoments();
  auto reached = [&](uint64_t moment) {
    s.machine->rewind(moment);
    if (const Warp *found = s.warpOf(warp))
      return found->time >= cycle;
    auto resident = s.machine->resident();
    return std::ranges::none_of(resident, [&](const auto &one) { return one.second == cluster; }) &&
           s.machine->hasBegun(cluster);
  };
  auto first = std::ranges::partition_point(moments, [&](uint64_t moment) { return !reached(moment); });
  s.machine->rewind(first == moments.begin() ? 0 : *std::prev(first));
  s.stop.moment = s.machine->moment();
  s.focus = warp;
  bool gone = false;
  s.forward(
      everywhere(),
      [&](const State::Step &step) -> std::optional<State::Found> {
        bool there = step.warp && refOf(*step.warp) == warp && step.warp->time >= cycle;
        gone = !there && s.focusEnded(step);
        return there || gone ? std::optional(State::Found{.moment = s.machine->moment()}) : std::nullopt;
      },
      StopReason::Step);
  if (gone)
    s.stop.what = text("warp ", warp.warp, " of ", s.blockWords(warp.block), " has ended before cycle ", cycle);
  return s.stop;
}

const Stop &Debugger::runToFault() {
  state_->machine->begin();
  return state_->forward({}, [](const State::Step &) { return std::nullopt; }, StopReason::Step);
}

const Stop &Debugger::runToLine(uint32_t line, bool inSnippet) {
  State &s = *state_;
  s.machine->begin();
  Marks marks;
  marks.pcs.resize(s.code.size() + 1);
  for (uint32_t pc : s.code.entries(line, inSnippet))
    marks.pcs[pc] = 1;
  return s.forward(
      marks,
      [&](const State::Step &step) {
        return step.mask ? std::optional(State::Found{.moment = s.machine->moment()}) : std::nullopt;
      },
      StopReason::Breakpoint);
}

} // namespace lanescope::core
