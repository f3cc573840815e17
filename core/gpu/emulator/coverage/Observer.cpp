#include "core/gpu/emulator/coverage/Observer.h"

#include "core/gpu/emulator/coverage/Loops.h"
#include "core/gpu/emulator/machine/Cluster.h"
#include "core/gpu/emulator/machine/Lanes.h"
#include "core/gpu/emulator/machine/StrongAccess.h"
#include "core/gpu/emulator/memory/Memory.h"

#include <algorithm>
#include <iterator>

namespace lanescope::core::emulator {

namespace {

constexpr uint64_t kSlowCopy = 20'000; // the smallest delay before a copy starts, in cycles; the largest is twice that
constexpr uint64_t kLinger = 6'000;    // cycles that a slow warpgroup stays after a wait
constexpr uint64_t kMostDelay = 8'000; // the longest delay of a late arrival, in cycles
constexpr uint64_t kPause = 16'384;    // cycles between two looks of a slow warp at what the others have changed
constexpr uint32_t kMostPauses = 2048; // of a slow warp in a block; other warps may poll all the time

uint64_t mixed(uint64_t x) {
  x += 0x9E3779B97F4A7C15ull;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9ull;
  return x ^ (x >> 31);
}

bool has(std::string_view opcode, std::string_view part) { return opcode.find(part) != std::string_view::npos; }

uint32_t firstOf(uint32_t mask) { return static_cast<uint32_t>(__builtin_ctz(mask)); }

/// A number for the shared memory that a copy fills or sends. Each place and direction has a different number.
uint64_t bufferOf(const AsyncOp &op) {
  auto filled = [](const SharedPlace &to) { return uint64_t{to.rank + 1} << 32 | to.address; };
  auto sent = [](uint32_t from) { return uint64_t{1} << 63 | from; };
  return std::visit(
      [&](const auto &what) -> uint64_t {
        if constexpr (requires { what.to.rank; })
          return filled(what.to);
        else if constexpr (requires { what.to; })
          return filled({op.rank, what.to});
        else if constexpr (requires { uint32_t{what.from}; })
          return sent(what.from);
        else
          return 0;
      },
      op.what);
}

/// The name of an mbarrier in the source. For "`loaded` (slot 1)", this is `loaded`.
std::string nameOf(std::string_view note) {
  size_t begin = note.find('`'), end = begin == note.npos ? begin : note.find('`', begin + 1);
  return end == note.npos ? std::string() : std::string(note.substr(begin + 1, end - begin - 1));
}

/// True for instructions that the snippet compiler inserts at lines that do not mention them: a second wait for
/// products, the loop of the profiler.
bool isOurs(const CoveragePoint &point) {
  using Kind = CoveragePoint::Kind;
  std::string_view words = point.words;
  if (point.kind == Kind::GroupWait)
    return words.find("wait") == words.npos;
  return (point.kind == Kind::Loop || point.kind == Kind::Branch) &&
         (words.starts_with("def ") || words.starts_with("@"));
}

} // namespace

std::string Observer::wordsAt(const Grid &grid, const Instr &instr, const Span &place) {
  if (place.source == grid.program->module->source)
    return std::string(grid.opcodeOf(instr));
  std::string_view line = place.source->lineText(place.source->lineColumn(place.begin).line);
  line = line.substr(0, line.find("  #"));
  while (!line.empty() && (line.front() == ' ' || line.front() == '\t'))
    line.remove_prefix(1);
  while (!line.empty() && (line.back() == ' ' || line.back() == '\r' || line.back() == ':' || line.back() == ','))
    line.remove_suffix(1);
  return std::string(line.empty() ? grid.opcodeOf(instr) : line);
}

Observer::What Observer::kindOf(std::string_view opcode, const Instr &instr) {
  if (opcode.starts_with("mbarrier.")) {
    if (has(opcode, "try_wait") || has(opcode, "test_wait"))
      return What::Wait;
    if (opcode.starts_with("mbarrier.init"))
      return What::Init;
    return opcode.starts_with("mbarrier.arrive") ? What::Arrival : What::Nothing;
  }
  if (opcode.starts_with("bar.warp"))
    return What::Nothing;
  if (opcode.starts_with("barrier.cluster"))
    return has(opcode, "wait") ? What::ClusterWait : What::Arrival;
  if (opcode.starts_with("bar.") || opcode.starts_with("barrier."))
    return has(opcode, ".arrive") ? What::Arrival : What::Barrier;
  if (opcode.starts_with("wgmma.wait_group"))
    return What::WgmmaWait;
  if (opcode.starts_with("cp.async")) {
    if (has(opcode, "wait_group") || has(opcode, "wait_all"))
      return What::GroupWait;
    if (has(opcode, "commit_group"))
      return What::Fence;
    if (has(opcode, "mbarrier.arrive"))
      return What::Arrival;
    return has(opcode, "prefetch") ? What::Nothing : What::Copy;
  }
  if (opcode.starts_with("tcgen05.commit"))
    return What::Arrival;
  if (opcode.starts_with("tcgen05.wait"))
    return What::Fence;
  if (opcode.starts_with("fence") || opcode.starts_with("membar") || opcode.starts_with("wgmma.fence") ||
      opcode.starts_with("wgmma.commit") || opcode.starts_with("tcgen05.fence"))
    return What::Fence;
  if (opcode.starts_with("bra") && instr.target != kNone && instr.guard != kNone && !instr.indexed)
    return What::Branch;
  return What::Nothing;
}

bool Observer::accesses(std::string_view opcode, const Instr &instr) {
  if (instr.space != Space::Global && instr.space != Space::Shared && instr.space != Space::Generic)
    return false;
  return opcode.starts_with("ld.") || opcode.starts_with("st.") || opcode.starts_with("atom.") ||
         opcode.starts_with("red.") || opcode.starts_with("ldmatrix") || opcode.starts_with("stmatrix");
}

Observer::Observer(Program &program, Schedule schedule, bool covers) : program_(program), schedule_(schedule) {
  seen_.resize(program.code.size());
  contends_ = covers && std::ranges::any_of(program.code, [&](const Instr &instr) {
                std::string_view opcode = program.function->instructions[instr.source].opcode;
                return instr.run && accesses(opcode, instr) && isStrong(opcode, instr);
              });
  for (size_t pc = 0; pc < program.code.size(); ++pc) {
    Instr &instr = program.code[pc];
    std::string_view opcode = program.function->instructions[instr.source].opcode;
    What what = instr.run ? kindOf(opcode, instr) : What::Nothing;
    if (what == What::Nothing && instr.run && (contends_ || schedule.adversary == Adversary::SlowWarp) &&
        accesses(opcode, instr))
      what = What::Access;
    if (what == What::Nothing)
      continue;
    seen_[pc].what = what;
    seen_[pc].run = instr.run;
    instr.run = &observe;
  }
  findLoops();
}

void Observer::findLoops() {
  for (const Loop &loop : loopsOf(program_)) {
    constexpr size_t kSpin = 16; // loops with more instructions do more than wait
    auto any = [&](auto matches) { return std::ranges::any_of(loop.body, matches); };
    bool waits = any([&](uint32_t pc) { return seen_[pc].what == What::Wait; });
    bool works = any([&](uint32_t pc) {
      What what = seen_[pc].what;
      return what != What::Nothing && what != What::Access && what != What::Wait && what != What::Branch;
    });
    bool spin = waits && !works && loop.body.size() <= kSpin;
    for (uint32_t pc : loop.body) {
      seen_[pc].inLoop |= !spin;
      seen_[pc].spin |= spin;
    }
    if (!spin && program_.code[loop.latch].guard != kNone)
      (loop.taken ? seen_[loop.latch].loopsIfTaken : seen_[loop.latch].loopsIfNot) = true;
  }
}

void Observer::forget() {
  for (Seen &seen : seen_)
    static_cast<Happened &>(seen) = {};
  present_.clear();
  globalWords_ = {};
}

Step Observer::observe(Warp &warp, const Instr &i, uint32_t mask) {
  return static_cast<ObservedGrid *>(warp.block->grid)->observer->step(warp, i, mask);
}

Observer::Present &Observer::present(const Block &block) {
  Present &present = present_[&block];
  if (present.linear != block.linear) {
    present.words.forEach([&](uint32_t pc, const std::set<uint32_t> &warps) {
      seen_[pc].users.warps.insert(warps.begin(), warps.end());
    });
    present = {.linear = block.linear};
  }
  return present;
}

Observer::Memory Observer::memory() const {
  Memory out;
  out.present_ = present_;
  return out;
}

void Observer::restore(const Memory &memory) { present_ = memory.present_; }

void Observer::linger(Warp &warp) const {
  if (schedule_.adversary == Adversary::SlowWarpgroup && warp.id / 4 == schedule_.warpgroup)
    warp.time += kLinger;
}

bool Observer::late(Warp &warp, uint32_t pc) {
  Present &here = present(*warp.block);
  std::pair<uint32_t, uint32_t> key(warp.id, pc);
  if (std::erase(here.delayed, key))
    return false;
  here.delayed.push_back(key);
  warp.time += mixed(schedule_.seed ^ uint64_t{warp.block->linear} << 32 ^ ++here.arrivals) % kMostDelay;
  return true;
}

bool Observer::isBehind(const Warp &warp, const Present &present) {
  const size_t first = warp.id / 4 * 4;
  return std::ranges::any_of(present.waits, [&](const auto &wait) {
    const std::vector<uint32_t> &passed = wait.second;
    return std::any_of(passed.begin() + static_cast<std::ptrdiff_t>(first),
                       passed.begin() + static_cast<std::ptrdiff_t>(std::min(first + 4, passed.size())),
                       [&](uint32_t times) { return times > passed[warp.id]; });
  });
}

bool Observer::pauses(Warp &warp) {
  Present &here = present(*warp.block);
  if (isBehind(warp, here))
    return false;
  uint64_t effects = warp.block->cluster->effects();
  if (effects == here.effects || here.pauses == kMostPauses)
    return false;
  here.effects = effects;
  ++here.pauses;
  warp.time += kPause;
  return true;
}

Step Observer::step(Warp &warp, const Instr &i, uint32_t mask) {
  uint32_t pc = warp.block->grid->pcOf(i);
  Seen &seen = seen_[pc];
  bool slow = schedule_.adversary == Adversary::SlowWarp && warp.id == schedule_.warp;
  if (slow && seen.what != What::Branch && pauses(warp))
    return Step::Later;
  switch (seen.what) {
  case What::Wait: return wait(warp, i, mask, seen);
  case What::GroupWait:
  case What::WgmmaWait: return groupWait(warp, i, mask, seen);
  case What::Barrier:
  case What::ClusterWait: return barrier(warp, i, mask, seen);
  case What::Copy: return copy(warp, i, mask, seen);
  case What::Branch: return branch(warp, i, mask, seen);
  case What::Arrival:
    if (schedule_.adversary == Adversary::LateArrivals && late(warp, pc))
      return Step::Later;
    break;
  case What::Access: {
    if (contends_ && counting_)
      use(warp, i, mask, seen);
    Step done = seen.run(warp, i, mask);
    // What the slow warp itself has stored is no reason to pause, unless other warps may have waited for it.
    if (slow && !i.strong && !i.releases)
      present(*warp.block).effects = warp.block->cluster->effects();
    return done;
  }
  default: break;
  }
  Step done = seen.run(warp, i, mask);
  if (done != Step::Fault && counting_) {
    ++seen.reached;
    if (seen.what == What::Init)
      initialised(warp, i, mask);
  }
  return done;
}

void Observer::initialised(Warp &warp, const Instr &i, uint32_t mask) {
  std::string name = nameOf(warp.block->grid->noteOf(i));
  if (name.empty())
    return;
  alignas(32) uint64_t addresses[kLanes];
  addressesOf(warp, i, addresses);
  forLanes(mask, [&](uint32_t lane) {
    uint32_t address = 0;
    if (sharedAddress(warp, i, lane, addresses[lane], address))
      names_[address] = name;
  });
}

void Observer::use(Warp &warp, const Instr &i, uint32_t mask, Seen &seen) {
  constexpr uint64_t kWord = 4; // bytes
  const Block &block = *warp.block;
  const Grid &grid = *block.grid;
  const std::string_view opcode = grid.opcodeOf(i);
  const ContendedWords::How how{.strong = isStrong(opcode, i),
                                .reads = !opcode.starts_with("st") && !opcode.starts_with("red.")};
  const auto &blocks = block.cluster->blocks;
  const auto cluster = static_cast<uint32_t>(blocks[0]->linear);
  const std::optional<uint64_t> slow = schedule_.slowBlock(uint64_t{grid.size[0]} * grid.size[1] * grid.size[2]);
  if (schedule_.adversary == Adversary::SlowWarp && warp.id == schedule_.warp)
    seen.late.warps.insert(warp.id);
  if (slow && std::ranges::any_of(blocks, [&](const auto &one) { return one->linear == *slow; }))
    seen.late.clusters.insert(cluster);
  ContendedWords &shared = present(block).words;
  alignas(32) uint64_t addresses[kLanes];
  addressesOf(warp, i, addresses);
  const uint32_t pc = grid.pcOf(i);
  forLanes(mask, [&](uint32_t lane) {
    uint64_t offset = 0, address = addresses[lane];
    const bool isShared = i.space == Space::Shared || address >> 56 == kSharedWindow >> 56;
    if (!isShared && (grid.devices > 1 || !regionOf(grid, address, offset)))
      return;
    for (uint64_t word = address / kWord; word * kWord < address + std::max<uint64_t>(i.access, 1); ++word)
      isShared ? shared.use(static_cast<uint32_t>(word), pc, warp.id, how) : globalWords_.use(word, pc, cluster, how);
  });
}

Step Observer::wait(Warp &warp, const Instr &i, uint32_t mask, Seen &seen) {
  bool tested = warp.split().timedOut;
  Step done = seen.run(warp, i, mask);
  if (done == Step::Blocked || (done == Step::Yield && !tested)) {
    seen.waited += counting_;
    return done;
  }
  if (done != Step::Next)
    return done;
  if (schedule_.adversary == Adversary::SlowWarp) {
    std::vector<uint32_t> &passed = present(*warp.block).waits[warp.block->grid->pcOf(i)];
    passed.resize(warp.block->warps.size());
    ++passed[warp.id];
    // A peer that waits for nobody may pass several phases during one pause, so the pause ends here.
    std::vector<Warp> &warps = warp.block->warps;
    if (Warp *slow = schedule_.warp < warps.size() ? &warps[schedule_.warp] : nullptr;
        slow && slow->id / 4 == warp.id / 4 && isBehind(*slow, present(*warp.block)))
      slow->time = std::min(slow->time, warp.time);
  }
  alignas(32) uint64_t addresses[kLanes];
  addressesOf(warp, i, addresses);
  uint32_t lane = firstOf(mask), address = 0;
  if (counting_ && sharedAddress(warp, i, lane, addresses[lane], address)) {
    ++seen.reached;
    seen.barriers.insert(address);
    const Mbarrier *barrier = warp.block->mbarriers.find(address);
    if (barrier && barrier->phase > 0) // the phase before the first one counts as complete
      seen.parity[(barrier->phase - 1) & 1] = true;
  }
  linger(warp);
  return done;
}

Step Observer::groupWait(Warp &warp, const Instr &i, uint32_t mask, Seen &seen) {
  auto inFlight = [&] {
    size_t unread = std::ranges::count_if(warp.held, [](const AsyncOp &op) {
      const StoreState *store = storeOf(op);
      return !store || !store->readSeen;
    });
    return seen.what == What::WgmmaWait ? warp.wgmma.ops.size() : unread;
  };
  size_t before = inFlight();
  Step done = seen.run(warp, i, mask);
  if (done == Step::Fault || !counting_)
    return done;
  seen.waited += done == Step::Blocked || inFlight() < before;
  if (done == Step::Next) {
    ++seen.reached;
    linger(warp);
  }
  return done;
}

Step Observer::barrier(Warp &warp, const Instr &i, uint32_t mask, Seen &seen) {
  Step done = seen.run(warp, i, mask);
  if (done == Step::Fault)
    return done;
  SplitState state = warp.split().state;
  bool waits = done == Step::Blocked && (state == SplitState::AtBarrier || state == SplitState::AtCluster);
  seen.waited += waits && counting_;
  // When the barrier is over, a warp executes the wait of a cluster barrier again, and goes on after a block barrier.
  bool through = seen.what == What::Barrier || done == Step::Next;
  seen.reached += through && counting_;
  if (through && !waits)
    linger(warp);
  return done;
}

Step Observer::copy(Warp &warp, const Instr &i, uint32_t mask, Seen &seen) {
  Block &block = *warp.block;
  uint64_t issued = block.async.issued(), free = block.async.unitFree;
  // The order of issue does not bind copies, so each copy is late separately. None waits for another copy's delay.
  bool slow = schedule_.adversary == Adversary::SlowCopies;
  uint64_t delay = kSlowCopy + mixed(schedule_.seed ^ uint64_t{block.linear} << 32 ^ issued) % kSlowCopy;
  if (slow)
    block.async.unitFree = std::max(free, warp.time) + delay;
  Step done = seen.run(warp, i, mask);
  if (slow)
    block.async.unitFree -= delay;
  if (done == Step::Fault || !counting_)
    return done;
  ++seen.reached;
  Present &here = present(block);
  for (const AsyncOp &op : block.async.all())
    if (op.order >= issued)
      seen.again += !here.used.insert(bufferOf(op)).second;
  return done;
}

Step Observer::branch(Warp &warp, const Instr &i, uint32_t mask, Seen &seen) {
  if (counting_) {
    ++seen.reached;
    seen.taken |= mask != 0;
    seen.fellThrough |= (warp.split().mask & ~mask) != 0;
  }
  return seen.run(warp, i, mask);
}

void Observer::addAccesses(std::vector<CoveragePoint> &points, const Grid &grid) const {
  std::map<uint32_t, Users> contended; // by pc
  for (uint32_t pc = 0; pc < seen_.size(); ++pc)
    if (seen_[pc].what == What::Access)
      contended[pc] = seen_[pc].users;
  for (const auto &[block, present] : present_)
    present.words.forEach(
        [&](uint32_t pc, const std::set<uint32_t> &warps) { contended[pc].warps.insert(warps.begin(), warps.end()); });
  globalWords_.forEach([&](uint32_t pc, const std::set<uint32_t> &clusters) {
    contended[pc].clusters.insert(clusters.begin(), clusters.end());
  });
  const bool single = grid.clusterBlocks() == 1;
  for (const auto &[pc, users] : contended) {
    const Instr &instr = program_.code[pc];
    auto add = [&](std::string_view usedBy, const std::set<uint32_t> &all, const std::set<uint32_t> &late) {
      if (all.empty())
        return;
      CoveragePoint point{.kind = CoveragePoint::Kind::Access, .place = grid.spanOf(instr)};
      point.words = wordsAt(grid, instr, point.place);
      point.usedBy = usedBy;
      point.users = all;
      std::ranges::set_intersection(all, late, std::inserter(point.lateUsers, point.lateUsers.end()));
      points.push_back(std::move(point));
    };
    add("warp", users.warps, seen_[pc].late.warps);
    add(single ? "block" : "cluster", users.clusters, seen_[pc].late.clusters);
  }
}

std::vector<CoveragePoint> Observer::points(const Grid &grid) const {
  using Kind = CoveragePoint::Kind;
  std::vector<CoveragePoint> points;
  addAccesses(points, grid);
  for (size_t pc = 0; pc < seen_.size(); ++pc) {
    const Seen &seen = seen_[pc];
    CoveragePoint point;
    switch (seen.what) {
    case What::Nothing:
    case What::Access:
    case What::Init: continue;
    case What::Wait: point.kind = Kind::Wait; break;
    case What::GroupWait:
    case What::WgmmaWait: point.kind = Kind::GroupWait; break;
    case What::Barrier:
    case What::ClusterWait: point.kind = Kind::Barrier; break;
    case What::Arrival: point.kind = Kind::Arrival; break;
    case What::Copy: point.kind = Kind::Copy; break;
    case What::Fence: point.kind = Kind::Fence; break;
    case What::Branch:
      if (seen.spin)
        continue;
      point.kind = seen.loopsIfTaken || seen.loopsIfNot ? Kind::Loop : Kind::Branch;
      break;
    }
    if (seen.what == What::Barrier && grid.block[0] * grid.block[1] * grid.block[2] <= kLanes)
      continue; // a barrier for one warp, so no other warp comes
    const Instr &instr = program_.code[pc];
    point.place = grid.spanOf(instr);
    point.words = wordsAt(grid, instr, point.place);
    if (point.place.source == grid.snippet && isOurs(point))
      continue;
    point.inLoop = seen.inLoop;
    point.reached = seen.reached;
    point.waited = seen.waited;
    std::ranges::copy(seen.parity, point.parity);
    point.again = seen.again;
    point.taken = seen.loopsIfNot ? seen.fellThrough : seen.taken; // for a Loop: the loop was repeated
    point.fellThrough = seen.loopsIfNot ? seen.taken : seen.fellThrough;
    point.stages = seen.barriers;
    for (uint32_t address : seen.barriers)
      if (auto name = names_.find(address); name != names_.end())
        point.barrier = name->second;
    for (const auto &[address, name] : names_)
      if (name == point.barrier)
        point.allStages.insert(address);
    points.push_back(std::move(point));
  }
  // A loop's guard is in the line of the loop. So a branch in that line does not show whether the loop runs at all.
  std::set<uint32_t> loops;
  for (const CoveragePoint &point : points)
    if (point.kind == Kind::Loop)
      loops.insert(point.place.begin);
  std::erase_if(points, [&](const CoveragePoint &point) {
    return point.kind == Kind::Branch && loops.contains(point.place.begin);
  });
  return points;
}

} // namespace lanescope::core::emulator
