#include "core/gpu/emulator/Turns.h"

#include "core/gpu/emulator/machine/CostModel.h"
#include "core/gpu/emulator/Residency.h"
#include "core/gpu/emulator/schedule/SpinWatch.h"
#include "layouts/support/Text.h"

#include <algorithm>
#include <bit>
#include <functional>
#include <utility>

namespace lanescope::core::emulator {

namespace {

constexpr uint64_t kTurn = 1 << 16; // warp instructions
constexpr uint64_t kPoll = 256;     // a turn without any effect ends after this number if other clusters are resident
// Turns without any effect before checking if one is still possible: of a cluster alone; rounds of several clusters.
constexpr uint64_t kQuietTurns = 16, kQuietRounds = 16;
// For several devices: how far one may be ahead of another, small enough that a waiting warp sees each signal by
// itself; and the turns without an effect before checking if one is still possible.
constexpr uint64_t kAhead = 64, kQuietDeviceTurns = 1024;
constexpr uint64_t kLateStart = 4096; // with a seed, devices start up to this many cycles late
// The longest step of a slow block's cluster, in warp instructions. After each step the other clusters run until a
// round has no effect, so a step costs each of them a turn of polls.
constexpr uint64_t kSlowStep = 32;
// A block that polls together, with a barrier in its loop, has effects for ever. So a slow block also makes a step
// after this many rounds in which no other cluster has signalled anything. These rounds are short.
constexpr uint64_t kSilentRounds = 2, kSlowTurn = 4096; // kSlowTurn: warp instructions

} // namespace

Turns::Turns(std::span<Grid *const> grids, GlobalShadow *shadow, const Schedule &schedule, StepWatch *watch)
    : grids_(grids.begin(), grids.end()), shadow_(shadow), slowDevice_(schedule.slowDevice(grids.size())),
      watch_(watch) {
  const Grid &grid = *grids_[0];
  clusterSize_ = grid.clusterBlocks();
  total_ = grid.clusterCount();
  if (std::optional<uint64_t> block = schedule.slowBlock(total_ * clusterSize_); block && total_ > 1)
    slowCluster_ = grid.chosen.empty() ? grid.clusterOf(*block) : *block / clusterSize_;
  state_.perMultiprocessor = grid.residentBlocks;
  state_.devices.assign(grids_.size(), Device{Placement(grid)});
  for (Device &device : state_.devices) {
    for (uint32_t place = 0; place < placeCount(); ++place)
      device.free.emplace_back(0, place);
    device.units.resize(smCount());
  }
  state_.slowWaits = hasSlow();
  for (Grid *each : grids_)
    each->nextCluster = 0;
}

uint64_t Turns::placeCount() const {
  uint64_t fit = smCount() * state_.perMultiprocessor;
  return !together() ? 0 : grids_[0]->cooperative ? std::max(fit, total_ * clusterSize_) : fit;
}

bool Turns::more() const { return begun() < total_ * grids_.size() || !state_.resident.empty(); }

void Turns::restore(const State &state) {
  state_ = state;
  for (size_t device = 0; together() && device < grids_.size(); ++device)
    grids_[device]->nextCluster = state.devices[device].next;
  // Clusters made after the snapshot are idle.
  std::vector<bool> known(pool_.size());
  for (size_t number : state_.idle)
    known[number] = true;
  for (const Resident &one : state_.resident)
    known[one.cluster] = true;
  for (size_t number = 0; number < known.size(); ++number)
    if (!known[number])
      state_.idle.push_back(number);
}

std::vector<std::pair<ClusterRun *, uint64_t>> Turns::resident() const {
  std::vector<std::pair<ClusterRun *, uint64_t>> out;
  for (const Resident &one : state_.resident)
    out.emplace_back(pool_[one.cluster].get(), one.index);
  return out;
}

uint64_t Turns::begun() const {
  uint64_t sum = 0;
  for (const Device &device : state_.devices)
    sum += device.next;
  return sum;
}

uint64_t Turns::effects() const {
  uint64_t sum = 0;
  for (const Resident &one : state_.resident)
    sum += clusterOf(one).effects();
  return sum;
}

uint64_t Turns::othersEffects() const {
  uint64_t sum = 0;
  for (const Resident &one : state_.resident)
    if (!isSlow(one))
      sum += clusterOf(one).effects();
  return sum;
}

uint64_t Turns::othersSignals() const {
  uint64_t sum = 0;
  for (const Resident &one : state_.resident)
    if (!isSlow(one))
      sum += clusterOf(one).signals();
  return sum;
}

Turns::Resident &Turns::begin(uint32_t number, std::span<const uint32_t> sms, uint64_t start) {
  if (state_.idle.empty()) {
    state_.idle.push_back(pool_.size());
    pool_.push_back(std::make_unique<ClusterRun>());
    pool_.back()->watch = watch_;
  }
  Device &device = state_.devices[number];
  Grid &grid = *grids_[number];
  bool backwards = grid.backwards && together() && !grid.program->cancelsClusters;
  uint64_t cluster = backwards ? total_ - 1 - device.next : device.next;
  Resident resident{state_.idle.back(), number * total_ + cluster};
  state_.idle.pop_back();
  pool_[resident.cluster]->begin(grid, cluster, sms, std::vector<uint64_t>(clusterSize_, start), shadow_);
  state_.resident.push_back(resident);
  ++device.next;
  ++device.clusters;
  if (together())
    grid.nextCluster = device.next;
  return state_.resident.back();
}

uint64_t Turns::remove(size_t resident) {
  const Resident one = state_.resident[resident];
  const ClusterRun &cluster = clusterOf(one);
  Device &device = state_.devices[cluster.grid->device];
  uint64_t end = together() ? 0 : device.placement.end(one.index % total_, cluster);
  for (size_t rank = 0; rank < one.places.size(); ++rank) {
    const Block &block = *cluster.blocks[rank];
    uint64_t served = device.units[block.sm].serve(block.start, block.work.cycles(block.executed));
    device.free.emplace_back(std::max(block.endTime(), served), one.places[rank]);
    end = std::max(end, device.free.back().first);
    std::ranges::push_heap(device.free, std::greater());
  }
  --device.clusters;
  state_.idle.push_back(one.cluster);
  state_.resident.erase(state_.resident.begin() + static_cast<long>(resident));
  return end;
}

Turns::Turn Turns::take() { return together() ? takeTogether() : takeApart(); }

RunState Turns::watched(std::span<ClusterRun *const> clusters) {
  bool clock = clusters[0]->grid->program->readsClock; // its loops may end by themselves, so a deadlock is not certain
  SpinWatch watch;
  for (size_t n = 0; !clock && n < clusters.size(); ++n)
    if (RunState state = watch.add(*clusters[n]); state != RunState::Waiting)
      return state;
  if (!clock && !watch.circles())
    return RunState::Running;
  bool gone = false;
  for (ClusterRun *cluster : clusters)
    gone = cluster->letLanesGo() || gone;
  if (clock || gone)
    return RunState::Running;
  watch.report();
  return RunState::Faulted;
}

// --- clusters that run one after another -----------------------------------------------------------------------------

RunState Turns::runApart(ClusterRun &cluster, uint64_t &quiet) {
  uint64_t effects = cluster.effects();
  RunState state = cluster.run(kTurn);
  quiet = cluster.effects() == effects ? quiet + 1 : 0;
  uint64_t most = cluster.holdsLanes() ? 1 : kQuietTurns; // the lanes held back may do what all others wait for
  if (state != RunState::Running || quiet % most || !std::has_single_bit(quiet / most))
    return state;
  ClusterRun *const alone = &cluster;
  state = watched({&alone, 1});
  return state == RunState::Faulted && cluster.endStuck() ? cluster.run(kTurn) : state;
}

void Turns::beginApart() {
  uint32_t device = 0;
  while (state_.devices[device].next == total_)
    ++device;
  const Placement &placement = state_.devices[device].placement;
  uint64_t cluster = state_.devices[device].next;
  state_.quiet = 0;
  begin(device, placement.sms(cluster), placement.start(cluster));
}

Turns::Turn Turns::takeApart() {
  if (state_.resident.empty())
    beginApart();
  Turn turn{&clusterOf(state_.resident[0]), state_.resident[0].index};
  uint64_t before = turn.cluster->executed();
  turn.state = runApart(*turn.cluster, state_.quiet);
  turn.executed = turn.cluster->executed() - before;
  if (turn.state == RunState::Finished)
    turn.end = remove(0);
  return turn;
}

// --- clusters that are resident together
// -------------------------------------------------------------------------------

bool Turns::isSlow(const Resident &resident) const {
  return (slowDevice_ && clusterOf(resident).grid->device == *slowDevice_) ||
         (slowCluster_ && resident.index % total_ == *slowCluster_);
}

/// The cycle up to which clusters run in this round.
uint64_t Turns::horizon() const {
  if (grids_.size() == 1)
    return UINT64_MAX;
  uint64_t first = UINT64_MAX;
  for (const Resident &one : state_.resident)
    if (hasTurn(one))
      first = std::min(first, clusterOf(one).nextTime());
  return first == UINT64_MAX ? first : first + kAhead;
}

/// Starts at most `most` clusters of the device while there are places, those that are free first. All blocks of a
/// cluster start when the last of its places is free.
void Turns::beginTogether(uint32_t number, uint64_t most) {
  Device &device = state_.devices[number];
  for (; most > 0 && device.next < total_ && (device.clusters + 1) * clusterSize_ <= placeCount(); --most) {
    std::vector<uint32_t> places, sms;
    uint64_t seed = grids_[number]->seed;
    uint64_t start = number && seed ? (seed * 0x9E3779B97F4A7C15ull >> number) % kLateStart : 0;
    for (uint64_t rank = 0; rank < clusterSize_; ++rank) {
      std::ranges::pop_heap(device.free, std::greater());
      auto [free, place] = device.free.back();
      device.free.pop_back();
      start = std::max(start, free + cost::kBlockStart);
      places.push_back(place);
      sms.push_back(static_cast<uint32_t>(place % smCount()));
    }
    begin(number, sms, start).places = std::move(places);
  }
}

bool Turns::full() const {
  return std::ranges::all_of(state_.devices, [&](const Device &device) {
    return device.next == total_ || (device.clusters + 1) * clusterSize_ > placeCount();
  });
}

bool Turns::addPlaces() {
  uint32_t before = state_.perMultiprocessor, most = mostResidentBlocks(*grids_[0]);
  if (most <= before)
    return false;
  state_.perMultiprocessor = most;
  for (Device &device : state_.devices)
    for (uint64_t place = before * smCount(); place < most * smCount(); ++place) {
      device.free.emplace_back(0, static_cast<uint32_t>(place));
      std::ranges::push_heap(device.free, std::greater());
    }
  state_.quiet = 0;
  return true;
}

void Turns::tellNoRoom(Diagnostic &deadlock) const {
  uint64_t blocks = total_ * clusterSize_, room = placeCount(), each = state_.perMultiprocessor;
  deadlock.notes.insert(deadlock.notes.begin(), {deadlock.span, std::move(deadlock.message)});
  deadlock.kind = "blocks-not-resident";
  deadlock.message =
      text("blocks wait for others that have no room to start: the grid has ", blocks, " blocks, and at most ", room,
           " of them are resident at once (", smCount(), " multiprocessors, ", each, each == 1 ? " block" : " blocks",
           " on each); the other ", blocks - room, " start when one of these has ended");
  deadlock.notes.push_back({deadlock.span, "a barrier of the whole grid needs a grid that is resident as a whole: a "
                                           "cooperative launch is refused otherwise; let fewer blocks do the work in "
                                           "a loop"});
}

void Turns::beginRound() {
  State &s = state_;
  // Most clusters end in their first turn. If the resident ones do not, they may wait for others: twice as many start.
  // A kernel whose clusters take over others starts all that the machine has room for, as on the hardware; with a seed
  // it starts them gradually, so that kernels meet both answers.
  bool all = grids_.size() > 1 || grids_[0]->cooperative || (grids_[0]->program->cancelsClusters && !grids_[0]->seed);
  for (uint32_t device = 0; device < grids_.size(); ++device)
    beginTogether(device, all ? total_ : s.devices[device].clusters + 1);
  s.begun = begun();
  s.present = s.resident.size();
  s.effects = effects();
  s.othersEffects = hasSlow() ? othersEffects() : 0;
  s.othersSignals = slowCluster_ ? othersSignals() : 0;
  s.horizon = horizon();
}

void Turns::runTurn(Turn &turn, bool slow) {
  uint64_t before = turn.cluster->executed(), effects = 0;
  if (slow && slowCluster_) {
    uint64_t signals = turn.cluster->signals();
    do { // the others react to each signal
      turn.state = turn.cluster->run(1, /*single=*/true, state_.horizon);
      turn.executed = turn.cluster->executed() - before;
    } while (turn.state == RunState::Running && turn.executed < kSlowStep && turn.cluster->signals() == signals);
    return;
  }
  const uint64_t most = slowCluster_ ? kSlowTurn : kTurn;
  do { // a polling cluster leaves the turn to those it polls for
    effects = turn.cluster->effects();
    turn.state = turn.cluster->run(kPoll, false, state_.horizon);
    turn.executed = turn.cluster->executed() - before;
  } while (turn.state == RunState::Running && turn.executed < most && turn.cluster->effects() != effects);
}

Turns::Turn Turns::takeTogether() {
  State &s = state_;
  if (!std::exchange(s.inRound, true))
    beginRound();
  while (s.turn < s.resident.size() && !hasTurn(s.resident[s.turn]))
    ++s.turn;
  Turn turn;
  if (s.turn < s.resident.size()) {
    turn.cluster = &clusterOf(s.resident[s.turn]);
    turn.index = s.resident[s.turn].index;
    runTurn(turn, isSlow(s.resident[s.turn]));
    for (size_t device = 0; device < grids_.size(); ++device) // clusters may have taken over the work of others
      s.devices[device].next = grids_[device]->nextCluster;
    if (turn.state == RunState::Faulted || turn.state == RunState::Abandoned)
      return turn;
    if (turn.state == RunState::Finished)
      turn.end = remove(s.turn);
    else
      ++s.turn;
  }
  return s.turn < s.resident.size() ? turn : endRound(turn);
}

Turns::Turn Turns::endRound(Turn turn) {
  State &s = state_;
  s.inRound = false;
  s.turn = 0;
  // The slow device, or the slow block, has its turn when the others can do nothing more without it. The device keeps
  // the turn until the others go on; the block makes one step.
  const bool allHadTurns = !s.slowWaits;
  if (hasSlow()) {
    s.othersQuiet = othersEffects() == s.othersEffects ? s.othersQuiet + 1 : 0;
    s.othersSilent = allHadTurns || othersSignals() != s.othersSignals ? 0 : s.othersSilent + 1;
    s.slowWaits = slowDevice_ ? s.othersQuiet < kQuietDeviceTurns / 8
                              : (s.othersQuiet == 0 && s.othersSilent < kSilentRounds) || allHadTurns;
  }
  // The resident clusters may wait for something that only a cluster that has yet to start would do.
  bool still = (s.begun == total_ * grids_.size() || full()) && begun() == s.begun && s.resident.size() == s.present &&
               !s.resident.empty();
  if (!still || effects() != s.effects)
    s.quiet = 0;
  else if (allHadTurns)
    ++s.quiet;
  uint64_t fewest = grids_.size() > 1 ? kQuietDeviceTurns : kQuietRounds;
  if (!allHadTurns || !std::has_single_bit(s.quiet) || s.quiet < fewest)
    return turn;
  std::vector<ClusterRun *> clusters;
  for (const Resident &one : s.resident)
    clusters.push_back(&clusterOf(one));
  if (s.begun < total_ * grids_.size() && addPlaces())
    return turn;
  RunState ever = watched(clusters);
  if (ever != RunState::Faulted && ever != RunState::Abandoned)
    return turn;
  turn.state = ever;
  for (const Resident &one : s.resident)
    if (clusterOf(one).faulted()) {
      if (s.begun < total_ * grids_.size())
        tellNoRoom(*clusterOf(one).faulted()->fault);
      turn.cluster = &clusterOf(one);
      turn.index = one.index;
      break;
    }
  return turn;
}

} // namespace lanescope::core::emulator
