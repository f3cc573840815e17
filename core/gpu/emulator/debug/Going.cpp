// Searches for a step: forward, or backward from snapshot to snapshot.
#include "core/gpu/emulator/debug/DebuggerState.h"
#include "core/gpu/emulator/debug/StepGlance.h"

#include <algorithm>
#include <deque>

namespace lanescope::core {

using namespace emulator;

Debugger::State::State(std::unique_ptr<Machine> theMachine) : machine(std::move(theMachine)), code(machine->grid()) {
  for (const auto &one : machine->prepared().kernel->registers) {
    auto [it, added] = registers.try_emplace(one.name, Register{one.slot, one.bits});
    if (!added && one.scope == 0) // among registers with the same name, takes the one in the function's own scope
      it->second = {one.slot, one.bits};
  }
}

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
      uint32_t block = numberOf(step->block);
      stop.warp = {block, focus.block == block ? focus.warp : 0};
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
        uint32_t number = numberOf(*block);
        stop.warp = {number, focus.block == number ? focus.warp : 0};
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
    return found && (--count == 0 || found->last);
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
      look(step); // also at the last step, because a watched change may come just before it
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
  std::deque<Found> found; // the last `count` steps that were found in a stretch
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
        now = found.empty() ? now : found.front().moment; // the next stretch ends where this one began, or later
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
  if (numberOf(step.block) == focus.block)
    return step.block.warps[focus.warp].live == 0;
  if (machine->moment() % 64) // not at every step, because the search for the block takes a while
    return false;
  uint64_t cluster = clusterOf(focus.block);
  auto resident = machine->resident();
  bool here = std::ranges::any_of(resident, [&](const auto &one) { return one.second == cluster; });
  return !here && machine->hasBegun(cluster);
}

} // namespace lanescope::core
