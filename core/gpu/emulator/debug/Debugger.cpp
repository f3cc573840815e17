#include "core/gpu/emulator/debug/Debugger.h"

#include "core/gpu/emulator/debug/DebuggerState.h"
#include "layouts/support/Text.h"

#include <algorithm>
#include <cstring>
#include <deque>

namespace lanescope::core {

using namespace emulator;

namespace {

WarpRef refOf(const Warp &warp) { return {warp.block->linear, warp.id}; }

/// A step, as conditions see it.
class StepGlance final : public Glance {
public:
  StepGlance(const Debugger::State &state, const StepWatch::Step &step) : state_(state), step_(step) {}
  WarpRef warp() const override { return refOf(*step_.warp); }
  std::array<uint32_t, 3> blockId() const override { return step_.block.id; }
  uint32_t lanes() const override { return step_.mask; }
  uint64_t cycle() const override { return step_.warp->time; }
  uint64_t moment() const override { return state_.machine->moment(); }
  uint32_t ptxLine() const override { return state_.code.line(step_.pc, false); }
  std::optional<uint64_t> value(std::string_view name, uint32_t lane) const override {
    auto at = state_.registerNamed(name);
    if (!at || lane >= 32)
      return std::nullopt;
    return state_.registerValue(*step_.warp, name, *at).lanes[lane];
  }

private:
  const Debugger::State &state_;
  const StepWatch::Step &step_;
};

Marks everywhere() { return {.pcs = {}, .landings = true, .every = true}; }

} // namespace

Debugger::State::State(std::unique_ptr<Machine> theMachine)
    : machine(std::move(theMachine)), code(machine->prepared().grid) {
  for (const auto &one : machine->prepared().registers) {
    auto [it, added] = registers.try_emplace(one.name, Register{one.slot, one.bits});
    if (!added && one.scope == 0) // the body's own, of those that have the name
      it->second = {one.slot, one.bits};
  }
}

// --- where it stands -------------------------------------------------------------------------------------------------

const Stop &Debugger::State::stand(StopReason reason) {
  if (machine->standing() == Standing::Faulted && machine->fault().kind != "deadlock" &&
      machine->fault().kind != "endless-loop") {
    fault.emplace(machine->moment() ? machine->moment() - 1 : 0, machine->fault());
    Diagnostic why = fault->second;
    seek(fault->first);
    if (stop.reason == StopReason::Limit)
      return stop;
    stop.reason = StopReason::Fault;
    stop.fault = std::move(why);
    focus = stop.warp;
    return stop;
  }
  stop = {};
  stop.moment = machine->moment();
  stop.warp = focus;
  if (const Step *step = machine->at()) {
    stop.reason = machine->limited() ? StopReason::Limit : reason;
    stop.landing = !step->warp;
    if (step->warp) {
      stop.warp = refOf(*step->warp);
      stop.place = code.place(step->pc, step->mask);
      stop.cycle = step->warp->time;
    } else {
      stop.warp = {step->block.linear, focus.block == step->block.linear ? focus.warp : 0};
      stop.cycle = step->block.nextTime();
    }
    return stop;
  }
  stop.reason = machine->standing() == Standing::Faulted ? StopReason::Fault
                : machine->standing() == Standing::Ended ? StopReason::End
                                                         : StopReason::Limit;
  stop.cycle = machine->leavings().cycles;
  if (machine->standing() == Standing::Faulted) {
    stop.fault = machine->fault();
    fault.emplace(stop.moment, *stop.fault);
    for (const Block *block : blocks())
      if (block->fault) {
        stop.warp = {block->linear, focus.block == block->linear ? focus.warp : 0};
        stop.cycle = block->endTime();
      }
    focus = stop.warp;
  }
  return stop;
}

const Stop &Debugger::State::seek(uint64_t moment, StopReason reason) {
  bool onward = machine->standing() != Standing::Ended && machine->standing() != Standing::Faulted &&
                machine->moment() <= moment && machine->snapshotBefore(moment) <= machine->moment();
  if (!onward)
    machine->rewind(moment);
  if (machine->standing() != Standing::AtStep || machine->moment() != moment)
    go({.pcs = {}, .from = moment}, [&](const Step &) { return machine->moment() >= moment; });
  return stand(reason);
}

// --- searching -------------------------------------------------------------------------------------------------------

const Stop &Debugger::State::forward(const Marks &marks, const Test &test, StopReason reason, uint64_t count) {
  if (isOver()) {
    stop.reason = StopReason::Fault;
    stop.fault = fault->second;
    return stop;
  }
  std::optional<Found> found;
  go(marks, [&](const Step &step) {
    found = test(step);
    return found && --count == 0;
  });
  bool there = machine->standing() == Standing::AtStep && !machine->limited();
  stand(reason);
  if (there && found) {
    stop.breakpoints = std::move(found->numbers);
    stop.what = std::move(found->what);
    if (found->watched)
      stop.reason = StopReason::Watchpoint;
    if (stop.reason == StopReason::Breakpoint || stop.reason == StopReason::Watchpoint)
      focus = stop.warp;
  }
  return stop;
}

bool Debugger::State::sweepBack(uint64_t now, const Marks &marks, const std::function<void(const Step &)> &look,
                                const std::function<void()> &begin, const std::function<bool()> &more) {
  for (uint64_t end = now; end > 0;) {
    machine->rewind(end - 1);
    uint64_t first = machine->moment();
    begin();
    Marks until = marks;
    until.from = end;
    go(until, [&](const Step &step) {
      look(step); // the step at the end, too: what is watched may have changed just before it
      return machine->moment() >= end;
    });
    if (machine->limited())
      return false;
    if (!more())
      return true;
    end = first;
  }
  return true;
}

std::optional<Debugger::State::Found> Debugger::State::lastBefore(uint64_t now, const Marks &marks, const Test &test,
                                                                  uint64_t count, const std::function<void()> &reset) {
  std::deque<Found> found; // in a stretch, the last `count`
  std::optional<Found> out;
  sweepBack(
      now, marks,
      [&](const Step &step) {
        auto one = test(step);
        if (!one || one->moment >= now)
          return;
        found.push_back(std::move(*one));
        if (found.size() > count)
          found.pop_front();
      },
      [&] {
        found.clear();
        if (reset)
          reset();
      },
      [&] {
        if (found.size() >= count) {
          out = std::move(found.front());
          return false;
        }
        now = found.empty() ? now : found.front().moment; // the next stretch ends where this one began, or after it
        count -= found.size();
        return true;
      });
  return out;
}

const Stop &Debugger::State::back(std::optional<Found> found, StopReason reason) {
  if (!found)
    return machine->limited() ? stand(StopReason::Limit) : seek(0, StopReason::Start);
  seek(found->moment, reason);
  if (stop.reason != reason)
    return stop;
  stop.breakpoints = std::move(found->numbers);
  stop.what = std::move(found->what);
  if (found->watched)
    stop.reason = StopReason::Watchpoint;
  if (stop.reason == StopReason::Breakpoint || stop.reason == StopReason::Watchpoint)
    focus = stop.warp;
  return stop;
}

bool Debugger::State::focusEnded(const Step &step) const {
  if (step.block.linear == focus.block)
    return step.block.warps[focus.warp].live == 0;
  if (machine->moment() % 64) // looking for it takes a while
    return false;
  uint64_t cluster = clusterOf(focus.block);
  auto resident = machine->resident();
  bool here = std::ranges::any_of(resident, [&](const auto &one) { return one.second == cluster; });
  uint64_t begun = resident.empty() ? 0 : resident.back().second;
  return !here && cluster < begun;
}

// --- what stops it ---------------------------------------------------------------------------------------------------

bool Debugger::State::watches() const {
  return std::ranges::any_of(watchpoints, [](const auto &one) { return one.second.enabled; });
}

Marks Debugger::State::breakMarks() const {
  if (watches())
    return everywhere();
  Marks marks;
  marks.pcs.resize(code.size() + 1);
  for (const auto &[number, pcs] : breakPcs)
    if (breakpoints.at(number).enabled)
      for (uint32_t pc : pcs)
        marks.pcs[pc] = 1;
  return marks;
}

std::vector<std::byte> Debugger::State::watchedBytes(const Watchpoint &w) const {
  std::vector<std::byte> out(w.bytes);
  if (w.what == Watchpoint::What::Global) {
    const Region &region = grid().regions[machine->image().regionOfBuffer(w.buffer, 0)];
    std::copy_n(region.data + w.address, w.bytes, out.begin());
    return out;
  }
  Block *block = blockOf(w.block);
  if (!block)
    return {};
  if (w.what == Watchpoint::What::Shared) {
    std::copy_n(block->shared.begin() + static_cast<long>(w.address - kSharedBase), w.bytes, out.begin());
    return out;
  }
  for (const Mbarrier &barrier : block->mbarriers.all())
    if (barrier.address == w.address) {
      int64_t state[] = {static_cast<int64_t>(barrier.phase), barrier.pending, barrier.tx};
      auto bytes = std::as_bytes(std::span(state));
      return {bytes.begin(), bytes.end()};
    }
  return {};
}

void Debugger::State::lookAtWatched() {
  watched.clear();
  for (const auto &[number, watchpoint] : watchpoints)
    if (watchpoint.enabled)
      watched[number] = watchedBytes(watchpoint);
}

static std::string watchedWords(const Watchpoint &watchpoint, const std::vector<std::byte> &bytes) {
  if (watchpoint.what == Watchpoint::What::Mbarrier) {
    int64_t state[3];
    std::memcpy(state, bytes.data(), sizeof state);
    return text("phase ", state[0], ", ", state[1], " arrivals and ", state[2], " bytes missing");
  }
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string out = "0x";
  for (size_t n = bytes.size(); n-- > 0;)
    for (int shift : {4, 0})
      out += kDigits[static_cast<size_t>(bytes[n]) >> shift & 15];
  return out;
}

std::optional<Debugger::State::Found> Debugger::State::stopsAt(const Step &step, std::map<uint32_t, uint32_t> *passed) {
  Found found{.moment = machine->moment()};
  for (auto &[number, before] : watched) {
    const Watchpoint &watchpoint = watchpoints.at(number);
    std::vector<std::byte> now = watchedBytes(watchpoint);
    if (now == before)
      continue;
    if (!before.empty() && !now.empty()) {
      found.numbers.push_back(number);
      found.what += text(found.what.empty() ? "" : "; ", watchpoint.text, ": ", watchedWords(watchpoint, before), " → ",
                         watchedWords(watchpoint, now));
      found.watched = true;
    }
    before = std::move(now);
  }
  if (step.warp)
    for (const auto &[number, pcs] : breakPcs) {
      const Breakpoint &breakpoint = breakpoints.at(number);
      if (!breakpoint.enabled || !std::ranges::binary_search(pcs, step.pc) || step.mask == 0)
        continue;
      if (breakpoint.condition && !breakpoint.condition(StepGlance(*this, step)))
        continue;
      if (passed && (*passed)[number]++ < breakpoint.ignored)
        continue;
      found.numbers.push_back(number);
    }
  return found.numbers.empty() ? std::nullopt : std::optional(std::move(found));
}

// --- the public face -------------------------------------------------------------------------------------------------

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
  const Grid &grid = state_->grid();
  uint64_t blocks = uint64_t{grid.size[0]} * grid.size[1] * grid.size[2];
  uint32_t threads = grid.block[0] * grid.block[1] * grid.block[2];
  if (warp.block >= blocks || warp.warp >= (threads + 31) / 32)
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
  // The change of what is watched belongs to the step before the one that finds it.
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
  uint32_t last = 0; // line of the focus' last instruction; 0: not known
  if (way == Way::Forward && s.stop.place && s.stop.warp == s.focus)
    last = s.code.line(s.stop.place->pc);
  auto found = [&](const State::Step &) { return State::Found{.moment = s.machine->moment()}; };
  auto test = [&](const State::Step &step) -> std::optional<State::Found> {
    bool focused = step.warp && refOf(*step.warp) == s.focus;
    if (by == StepBy::Event) {
      bool event = step.block.linear == s.focus.block && (!step.warp || s.code.isEvent(step.pc));
      return event ? std::optional(found(step)) : std::nullopt;
    }
    if (!focused) {
      if (way == Way::Back || !s.focusEnded(step))
        return std::nullopt;
      State::Found over = found(step);
      over.what = text("warp ", s.focus.warp, " of block ", s.focus.block, " has ended");
      count = 1; // there are no more
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
  // By halves: the last snapshot at which the warp has not come there.
  std::vector<uint64_t> moments = s.machine->snapshotMoments();
  auto reached = [&](uint64_t moment) {
    s.machine->rewind(moment);
    if (const Warp *found = s.warpOf(warp))
      return found->time >= cycle;
    auto resident = s.machine->resident();
    return std::ranges::none_of(resident, [&](const auto &one) { return one.second == cluster; }) &&
           cluster < s.machine->begunClusters();
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
    s.stop.what = text("warp ", warp.warp, " of block ", warp.block, " has ended before cycle ", cycle);
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

Result<uint32_t> Debugger::breakAt(Breakpoint breakpoint) {
  State &s = *state_;
  if (breakpoint.inSnippet && !s.code.hasSnippet())
    return error("breakpoint", "the kernel has no snippet, so that breakpoints stand in its PTX");
  std::vector<uint32_t> lines = s.code.lines(breakpoint.inSnippet);
  auto found = std::ranges::lower_bound(lines, breakpoint.line);
  if (found == lines.end())
    return error("breakpoint",
                 text("line ", breakpoint.line, " of the ", breakpoint.inSnippet ? "snippet" : "PTX",
                      " has no instructions, nor has any behind it",
                      lines.empty() ? std::string() : text("; the last line that has is ", lines.back())));
  breakpoint.line = *found;
  uint32_t number = s.nextNumber++;
  s.breakPcs[number] = s.code.entries(breakpoint.line, breakpoint.inSnippet);
  s.breakpoints[number] = std::move(breakpoint);
  return number;
}

Result<uint32_t> Debugger::watch(Watchpoint watchpoint) {
  State &s = *state_;
  const Grid &grid = s.grid();
  constexpr uint32_t kMostBytes = 16;
  using What = Watchpoint::What;
  if (watchpoint.what != What::Mbarrier && (watchpoint.bytes == 0 || watchpoint.bytes > kMostBytes))
    return error("breakpoint", text("a watchpoint looks at 1 to ", kMostBytes, " bytes, not ", watchpoint.bytes));
  if (watchpoint.what == What::Global) {
    const LaunchImage &image = s.machine->image();
    if (watchpoint.buffer >= image.bufferCount())
      return error("breakpoint",
                   text("there is no buffer ", watchpoint.buffer, ": the launch has ", image.bufferCount()));
    uint64_t bytes = grid.regions[image.regionOfBuffer(watchpoint.buffer, 0)].bytes;
    if (watchpoint.address >= bytes || bytes - watchpoint.address < watchpoint.bytes)
      return error("breakpoint", text("byte ", watchpoint.address, " is outside of buffer ", watchpoint.buffer,
                                      ", which has ", bytes));
  } else {
    uint64_t end = uint64_t{kSharedBase} + grid.program->dynamicBase + grid.dynamicSmem;
    uint64_t bytes = watchpoint.what == What::Mbarrier ? 8 : watchpoint.bytes;
    if (watchpoint.address < kSharedBase || watchpoint.address + bytes > end)
      return error("breakpoint", text("shared address ", watchpoint.address,
                                      " is outside of the block's shared memory, ", kSharedBase, " to ", end - 1));
    uint64_t blocks = uint64_t{grid.size[0]} * grid.size[1] * grid.size[2];
    if (watchpoint.block >= blocks)
      return error("breakpoint", text("there is no block ", watchpoint.block, ": the grid has ", blocks));
  }
  if (watchpoint.text.empty())
    watchpoint.text = watchpoint.what == What::Global
                          ? text("byte ", watchpoint.address, " of buffer ", watchpoint.buffer)
                          : text(watchpoint.what == What::Mbarrier ? "the mbarrier at " : "", "shared address ",
                                 watchpoint.address, " of block ", watchpoint.block);
  uint32_t number = s.nextNumber++;
  s.watchpoints[number] = std::move(watchpoint);
  return number;
}

bool Debugger::remove(uint32_t number) {
  state_->breakPcs.erase(number);
  return state_->breakpoints.erase(number) + state_->watchpoints.erase(number) > 0;
}

bool Debugger::enable(uint32_t number, bool enabled) {
  if (auto it = state_->breakpoints.find(number); it != state_->breakpoints.end())
    return it->second.enabled = enabled, true;
  if (auto it = state_->watchpoints.find(number); it != state_->watchpoints.end())
    return it->second.enabled = enabled, true;
  return false;
}

// --- the past --------------------------------------------------------------------------------------------------------

void Debugger::State::go(Marks marks, const Machine::Decide &decide) {
  if (observers.empty()) {
    machine->go(marks, decide);
    return;
  }
  std::vector<uint8_t> asked = marks.pcs;
  asked.resize(code.size() + 1);
  marks.pcs = asked;
  for (const Observer &observer : observers)
    for (size_t pc = 0; pc < observer.pcs.size(); ++pc)
      marks.pcs[pc] |= observer.pcs[pc];
  machine->go(marks, [&, asked = std::move(asked)](const Step &step) {
    if (!step.warp)
      return decide(step);
    for (const Observer &observer : observers)
      if (observer.pcs[step.pc] && step.mask)
        observer.look(StepGlance(*this, step));
    bool wanted = marks.every || asked[step.pc] || machine->moment() >= marks.from;
    return wanted && decide(step);
  });
}

Marks Debugger::State::marksOf(std::span<const uint32_t> ptxLines) const {
  Marks marks;
  marks.pcs.resize(code.size() + 1);
  for (uint32_t pc = 0; pc < code.size(); ++pc)
    marks.pcs[pc] = std::ranges::find(ptxLines, code.line(pc, false)) != ptxLines.end();
  return marks;
}

std::vector<std::optional<Debugger::Passage>> Debugger::lastAt(std::span<const WarpRef> warps,
                                                               std::span<const uint32_t> ptxLines) {
  State &s = *state_;
  s.machine->begin();
  Stop kept = s.stop;
  Marks marks = s.marksOf(ptxLines);
  std::vector<std::optional<Passage>> out(warps.size()), stretch;
  s.sweepBack(
      kept.moment, marks,
      [&](const State::Step &step) {
        if (!step.warp || !marks.pcs[step.pc] || s.machine->moment() >= kept.moment)
          return;
        WarpRef warp = refOf(*step.warp);
        for (size_t n = 0; n < warps.size(); ++n)
          if (warps[n] == warp)
            stretch[n] = {s.machine->moment(), s.code.line(step.pc, false)};
      },
      [&] { stretch.assign(warps.size(), std::nullopt); },
      [&] {
        for (size_t n = 0; n < out.size(); ++n)
          if (!out[n])
            out[n] = stretch[n];
        return std::ranges::any_of(out, [](const auto &one) { return !one; });
      });
  s.seek(kept.moment);
  s.stop = std::move(kept);
  return out;
}

bool Debugger::observe(std::span<const uint32_t> ptxLines, std::function<void(const Glance &)> look) {
  State &s = *state_;
  s.machine->begin();
  Stop kept = s.stop;
  s.observers.push_back({s.marksOf(ptxLines).pcs, std::move(look)});
  s.machine->rewind(0);
  s.seek(kept.moment);
  bool whole = !s.machine->limited();
  if (whole)
    s.stop = std::move(kept);
  return whole;
}

void Debugger::lookBack(std::vector<uint64_t> moments, const std::function<void(uint64_t)> &look) {
  State &s = *state_;
  s.machine->begin();
  Stop kept = s.stop;
  std::ranges::sort(moments);
  for (uint64_t moment : moments) {
    s.seek(moment);
    look(moment);
  }
  s.seek(kept.moment);
  s.stop = std::move(kept);
}

} // namespace lanescope::core
