#include "core/gpu/emulator/schedule/SpinWatch.h"

#include "core/gpu/emulator/machine/Lanes.h"
#include "core/gpu/emulator/machine/Names.h"
#include "core/gpu/emulator/record/DeviceLinks.h"
#include "core/gpu/emulator/schedule/Deadlock.h"
#include "layouts/support/Text.h"

#include <algorithm>
#include <bit>
#include <cctype>
#include <cstring>

namespace lanescope::core::emulator {

namespace {

constexpr uint64_t kMostSteps = 1 << 16; // the most single steps per cluster
constexpr uint32_t kMostRounds = 64;     // the most rounds in which waits with a time limit get the answer "not yet"

bool somethingInFlight(const Cluster &cluster) {
  for (const auto &block : cluster.blocks) {
    if (!block->async.empty())
      return true;
    for (const Warp &warp : block->warps) {
      if (!warp.wgmma.ops.empty() && warp.runnable)
        return true;
      for (const AsyncOp &op : warp.held)
        if (isStore(op) && !op.landed)
          return true; // its data will arrive, whichever warp waits for them
    }
  }
  return false;
}

/// The value of a 32- or 64-bit register in a lane, for an access of `bytes`.
uint64_t registerIn(Warp &warp, uint32_t slot, uint32_t lane, uint32_t bytes) {
  return bytes > 4 ? warp.reg<uint64_t>(slot)[lane] : bytes > 2 ? warp.reg<uint32_t>(slot)[lane] : 0;
}

} // namespace

SpinWatch::Place SpinWatch::placeOf(const Warp &warp) {
  Place place;
  place.registers.assign(warp.regs, warp.regs + warp.block->grid->program->registerImage.size());
  place.local = warp.local;
  place.splits = warp.splits;
  place.current = warp.current;
  return place;
}

bool SpinWatch::isAt(const Warp &warp, const Place &place) {
  if (warp.current != place.current || warp.splits.size() != place.splits.size())
    return false;
  for (size_t n = 0; n < warp.splits.size(); ++n) {
    const Split &a = warp.splits[n], &b = place.splits[n];
    if (a.state != b.state)
      return false;
    if (a.state != SplitState::Free && (a.pc != b.pc || a.mask != b.mask || a.rpc != b.rpc || a.parent != b.parent ||
                                        a.children != b.children || a.arrived != b.arrived || a.waitFor != b.waitFor))
      return false;
  }
  return (place.registers.empty() || std::memcmp(place.registers.data(), warp.regs, place.registers.size()) == 0) &&
         place.local == warp.local;
}

bool SpinWatch::allCircle(Warp &warp, Place &place) {
  const uint64_t circled = place.circled | uint64_t{1} << warp.current;
  for (uint32_t n = 0; n < warp.splits.size(); ++n)
    if (warp.splits[n].state == SplitState::Ready && !(circled >> n & 1)) {
      warp.current = n;
      warp.turn = 0;
      place = placeOf(warp);
      place.circled = circled;
      return false;
    }
  return true;
}

RunState SpinWatch::follow(ClusterRun &cluster, std::vector<std::vector<Place>> &places) {
  places.clear();
  std::vector<std::vector<uint64_t>> times;
  for (const auto &block : cluster.blocks) {
    places.emplace_back();
    times.emplace_back();
    for (const Warp &warp : block->warps) {
      places.back().push_back(placeOf(warp));
      times.back().push_back(warp.time);
    }
  }
  uint64_t effects = cluster.effects();
  for (uint64_t step = 0; step < kMostSteps; ++step) {
    if (RunState state = cluster.run(1, true); state != RunState::Running)
      return state;
    if (cluster.effects() != effects)
      return RunState::Running;
    bool all = true;
    for (size_t b = 0; b < places.size(); ++b)
      for (Warp &warp : cluster.blocks[b]->warps) {
        Place &place = places[b][warp.id];
        uint64_t &time = times[b][warp.id];
        if (!warp.runnable || warp.live == 0)
          continue;
        if (time != warp.time && !place.again) {
          if (isAt(warp, place)) {
            place.again = allCircle(warp, place);
          } else if (++place.steps == place.next) { // Brent's cycle detection: which needs no list of states
            uint64_t next = place.next * 2, circled = place.circled;
            place = placeOf(warp);
            place.next = next;
            place.circled = circled;
          }
        }
        time = warp.time;
        all = all && place.again;
      }
    if (all)
      return RunState::Waiting;
  }
  return RunState::Running;
}

RunState SpinWatch::add(ClusterRun &cluster) {
  if (cluster.grid->program->readsClock)
    return RunState::Running;
  uint64_t effects = cluster.effects();
  std::vector<std::vector<Place>> places;
  for (uint32_t round = 0; round < kMostRounds; ++round) {
    if (RunState state = follow(cluster, places); state != RunState::Waiting)
      return state;
    if (somethingInFlight(cluster))
      return RunState::Running;
    // Waits with a time limit get the answer "not yet". After it, each such warp must come back to the same wait.
    std::vector<std::pair<Warp *, Place>> waiting;
    for (const auto &block : cluster.blocks)
      for (Warp &warp : block->warps)
        if (std::ranges::any_of(warp.splits, [](const Split &s) { return s.state == SplitState::AtMbarrier; }))
          waiting.emplace_back(&warp, placeOf(warp));
    if (cluster.answerTimedWaits()) {
      if (RunState state = follow(cluster, places); state != RunState::Waiting)
        return state;
      bool back = std::ranges::all_of(waiting, [](auto &one) {
        return one.first->runnable || isAt(*one.first, one.second); // a runnable warp has already been seen to return
      });
      if (!back)
        continue;
    }
    if (cluster.effects() != effects || somethingInFlight(cluster))
      return RunState::Running;
    clusters_.push_back(&cluster);
    effects_.push_back(effects);
    return RunState::Waiting;
  }
  return RunState::Running;
}

bool SpinWatch::circles() const {
  for (size_t n = 0; n < clusters_.size(); ++n)
    if (clusters_[n]->effects() != effects_[n])
      return false;
  return !clusters_.empty();
}

/// Records what the lanes `mask` of a warp have just done at `pc`.
void SpinWatch::note(Circle &circle, const Instr &instr, uint32_t pc, uint32_t mask) {
  Warp &warp = *circle.warp;
  const Grid &grid = *warp.block->grid;
  circle.first = std::min(circle.first, pc);
  std::string_view opcode = grid.opcodeOf(instr);
  if (mask == 0)
    return;
  auto lane = static_cast<uint32_t>(std::countr_zero(mask));
  bool atomic = opcode.starts_with("atom"), load = opcode.starts_with("ld") && instr.space != Space::Param;
  if (atomic || load) {
    Poll poll;
    poll.instr = &instr;
    poll.lane = lane;
    alignas(32) uint64_t addresses[kLanes];
    addressesOf(warp, instr, addresses);
    poll.address = addresses[lane];
    uint32_t slot = atomic ? instr.d : instr.listSize ? grid.program->lists[instr.list] : kNone;
    if (slot != kNone)
      poll.value = registerIn(warp, slot, lane, instr.access);
    if (atomic && opcode.find(".cas.") != opcode.npos && instr.b != kNone) {
      poll.compare = &instr;
      poll.wanted = registerIn(warp, instr.b, lane, instr.access);
    }
    auto known = std::ranges::find(circle.polls, &instr, &Poll::instr); // a poll that the first round has noted
    circle.last = static_cast<size_t>(known - circle.polls.begin());
    if (known == circle.polls.end())
      circle.polls.push_back(poll);
  } else if (opcode.starts_with("setp") && !circle.polls.empty() && !circle.polls[circle.last].compare) {
    Poll &poll = circle.polls[circle.last];
    uint32_t slot = poll.instr->listSize ? grid.program->lists[poll.instr->list] : poll.instr->d;
    if (instr.a == slot || instr.b == slot) {
      poll.compare = &instr;
      poll.wanted = registerIn(warp, instr.a == slot ? instr.b : instr.a, lane, poll.instr->access);
    }
  }
}

/// Records two more rounds of all warps, because the first may begin between a load and the comparison of its value.
std::vector<SpinWatch::Circle> SpinWatch::lap(ClusterRun &cluster) {
  struct Runner {
    Circle circle;
    Place start;
    uint64_t time = 0;
    uint32_t pc = 0, mask = 0;
    int rounds = 0;
    bool done() const { return rounds == 2; }
  };
  std::vector<Runner> runners;
  auto look = [](Runner &runner) {
    const Warp &warp = *runner.circle.warp;
    const Split &split = warp.splits[warp.current];
    runner.time = warp.time;
    runner.pc = split.pc;
    runner.mask = split.state == SplitState::Ready ? split.mask : 0;
  };
  for (const auto &block : cluster.blocks)
    for (Warp &warp : block->warps)
      if (warp.runnable && warp.live) {
        runners.push_back({.circle = {.warp = &warp}, .start = placeOf(warp)});
        look(runners.back());
      }
  const std::vector<Instr> &code = cluster.grid->program->code;
  bool all = false;
  for (uint64_t step = 0; step < kMostSteps && !all; ++step) {
    if (cluster.run(1, true) != RunState::Running)
      break;
    all = true;
    for (Runner &runner : runners) {
      Warp &warp = *runner.circle.warp;
      if (!runner.done() && warp.time != runner.time) {
        const Instr &instr = code[runner.pc];
        uint32_t mask = runner.mask;
        if (instr.guard != kNone)
          mask &= instr.guardNegated ? ~warp.predicate(instr.guard) : warp.predicate(instr.guard);
        note(runner.circle, instr, runner.pc, mask);
        runner.rounds += isAt(warp, runner.start);
        look(runner);
      }
      all = all && runner.done();
    }
  }
  std::vector<Circle> circles;
  for (Runner &runner : runners)
    circles.push_back(std::move(runner.circle));
  return circles;
}

std::string SpinWatch::describe(const Circle &circle, const Poll &poll) {
  const Block &block = *circle.warp->block;
  const Grid &grid = *block.grid;
  uint64_t offset = 0;
  std::string place;
  if (poll.instr->space == Space::Shared || poll.instr->space == Space::SharedCluster)
    place = describeShared(block, static_cast<uint32_t>(poll.address) & ((1u << kRankShift) - 1));
  else if (const Region *region = regionOf(grid, poll.address, offset))
    place = text("byte ", offset, " of ", region->name);
  else
    place = "memory";
  std::string out = text(" here with `", grid.opcodeOf(*poll.instr), "`: ", place);
  if (poll.instr->access == 4 || poll.instr->access == 8) {
    out += text(" is ", poll.value);
    if (poll.compare == poll.instr)
      out += text(", and the loop goes on until it is ", poll.wanted);
    else if (poll.compare)
      out += text(", and the loop compares it with ", poll.wanted, " (`", grid.opcodeOf(*poll.compare), "`)");
  }
  return out + "; no warp that is left changes it";
}

std::vector<Note> SpinWatch::signallersOf(const Circle &circle, const Poll &poll) {
  const Grid &grid = *circle.warp->block->grid;
  uint64_t offset = 0;
  const Region *region = grid.links ? regionOf(grid, poll.address, offset) : nullptr;
  if (!region)
    return {};
  std::string place = text("byte ", offset, " of ", region->name);
  const Links::Signals *signals = grid.links->signalsAt(poll.address);
  std::vector<Note> notes;
  std::string others;
  for (uint32_t device = 0; device < grid.devices; ++device) {
    if (signals && signals->byDevice.contains(device)) {
      auto [times, pc] = signals->byDevice.at(device);
      const Instr &instr = grid.program->code[pc];
      notes.push_back(
          {grid.spanOf(instr), text("device ", device, " has signalled ", place, " ", times,
                                    times == 1 ? " time" : " times", ", with `", grid.opcodeOf(instr), "` here")});
    } else if (device != grid.device) {
      others += text(others.empty() ? "" : ", ", device);
    }
  }
  if (!others.empty())
    notes.push_back({grid.spanOf(*poll.instr), text("device ", grid.device, " waits for a signal at ", place,
                                                    ", and none has come from device ", others)});
  return notes;
}

void SpinWatch::report() {
  ClusterRun &first = *clusters_.front();
  const Grid &grid = *first.grid;
  Diagnostic diagnostic;
  diagnostic.kind = "deadlock";
  constexpr size_t kMostNotes = 24, kMostPolls = 3;
  bool polls = false, plain = false, silent = false;
  std::vector<Note> waits, signallers;
  // Warps of a block that do the same share a note.
  struct Group {
    const Instr *instr = nullptr;
    std::string block, what;
    bool polls = false;
    std::vector<uint32_t> warps;
  };
  std::vector<Group> groups;
  auto tell = [&](const Circle &circle, const Instr &instr, std::string what, bool polling) {
    std::string block = circle.warp->block->name();
    for (Group &group : groups)
      if (group.instr == &instr && group.block == block && group.what == what) {
        if (group.warps.back() != circle.warp->id)
          group.warps.push_back(circle.warp->id);
        return;
      }
    groups.push_back({&instr, std::move(block), std::move(what), polling, {circle.warp->id}});
  };
  for (ClusterRun *cluster : clusters_) {
    for (const Circle &circle : lap(*cluster)) {
      for (size_t n = 0; n < circle.polls.size() && n < kMostPolls; ++n) {
        const Poll &poll = circle.polls[n];
        polls = true;
        plain = plain || (!poll.instr->strong && !grid.opcodeOf(*poll.instr).starts_with("atom"));
        tell(circle, *poll.instr, describe(circle, poll), true);
        std::ranges::move(signallersOf(circle, poll), std::back_inserter(signallers));
      }
      if (circle.polls.empty() && circle.first != kNone) {
        silent = true;
        tell(circle, grid.program->code[circle.first], " round here in a loop that reads no memory and changes nothing",
             false);
      }
    }
    for (const auto &block : cluster->blocks)
      std::ranges::move(whereWarpsAre(*block, false), std::back_inserter(waits));
    if (groups.size() >= kMostNotes)
      break;
  }
  for (const Group &group : groups)
    if (bool one = group.warps.size() == 1; diagnostic.notes.size() < kMostNotes)
      diagnostic.notes.push_back(
          {grid.spanOf(*group.instr),
           text("in ", group.block, ", ", warpList(group.warps),
                group.polls ? (one ? " polls" : " poll") : (one ? " goes" : " go"), group.what)});
  if (!diagnostic.notes.empty())
    diagnostic.span = diagnostic.notes.front().span;
  if (signallers.size() > kMostNotes)
    signallers.resize(kMostNotes);
  std::ranges::move(signallers, std::back_inserter(diagnostic.notes));
  if (waits.size() > kMostNotes)
    waits.resize(kMostNotes);
  std::ranges::move(waits, std::back_inserter(diagnostic.notes));
  if (plain || silent)
    diagnostic.notes.push_back({diagnostic.span, "a plain load may be read once and kept; `semaphore_wait` (an acquire "
                                                 "in a loop) is how a block waits for another one"});
  diagnostic.message =
      polls
          ? text("deadlock in ", first.blocks[0]->name(),
                 clusters_.size() * first.blocks.size() > 1 ? " and others" : "",
                 ": every warp that is left waits, or polls memory that no warp will change, and nothing is in flight")
          : text("endless loop in ", first.blocks[0]->name(),
                 ": every warp that is left waits or does the same for ever");
  if (!polls)
    diagnostic.kind = "endless-loop";
  first.blocks[0]->fault = std::move(diagnostic);
}

} // namespace lanescope::core::emulator
