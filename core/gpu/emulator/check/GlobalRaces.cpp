#include "core/gpu/emulator/check/GlobalRaces.h"

#include "core/gpu/emulator/check/DiscardedValues.h"
#include "core/gpu/emulator/check/GlobalTouch.h"
#include "core/gpu/emulator/check/LaneAddresses.h"
#include "core/gpu/emulator/check/UseWords.h"
#include "core/gpu/emulator/machine/Cluster.h"
#include "core/gpu/emulator/machine/Fault.h"
#include "core/gpu/emulator/machine/Lanes.h"
#include "core/gpu/emulator/machine/Names.h"
#include "layouts/support/Text.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <optional>

namespace lanescope::core::emulator {

namespace {

constexpr uint64_t kVagueFlag = Ordering::kVagueFlag, kAnyFlag = 1;
constexpr size_t kFlagAddresses = 4; // per instruction

[[gnu::noinline]] void fillMany(std::span<GlobalLine> lines, Cell cell) {
  for (GlobalLine &line : lines)
    line.all = cell;
}

constexpr size_t kRowBytes = 128; // a row of one word per lane, the most frequent size

bool haveSameBytes(const std::byte *one, const std::byte *other, size_t bytes) {
  // A size that is known at compile time needs no call.
  return bytes == kRowBytes ? std::memcmp(one, other, kRowBytes) == 0 : std::memcmp(one, other, bytes) == 0;
}

/// True for a unit's reduction and a load of a warp. They go through two proxies, so they are not morally strong, even
/// if the load is volatile: one must be over before the other.
bool areTwoProxies(const Ordering &order, const Accessor &by, Access access, const GlobalUse &other, bool otherWrites) {
  const bool otherUnit = order.kindOf(other.agent) != AsyncUnit::Warp;
  return otherWrites ? access == Access::Read && !by.byUnit && otherUnit : by.byUnit && !otherUnit;
}

/// Sets the whole history of each line to the cell. Most rows have one line or two.
[[gnu::always_inline]] inline void fillLines(std::span<GlobalLine> lines, Cell cell) {
  lines[0].all = cell;
  if (lines.size() == 2)
    lines[1].all = cell;
  else if (lines.size() > 2)
    fillMany(lines, cell);
}

} // namespace

void GlobalRaces::begin(GlobalShadow &memory, uint32_t cluster, uint32_t blocks) {
  shadow_ = &memory;
  clusterIndex_ = cluster;
  const Grid &grid = order_.grid();
  clusterCount_ = uint64_t(grid.size[0]) * grid.size[1] * grid.size[2] / blocks * grid.devices;
  forgetDoubts();
  unordered_ = aliased_ = {};
  aliasFences_ = 0;
  own_ = quiet_ = shadow_->next();
  acquiredAt_.clear();
  units_.clear();
  lastUses_.assign(2 * size_t(order_.warps()), LastUse{});
  lastRows_.assign(2 * size_t(order_.warps()), LastRow{});
  racingPairs_.clear();
  lastLoad_ = {};
}

void GlobalRaces::publish(const Warp &warp, const Instr &i, uint32_t mask, GlobalShadow::Flags &flags, uint64_t key,
                          Scope scope, bool all) {
  const View &view = order_.viewOf(warp);
  const Before *what = all ? &view : view.behindFence(scope);
  if (!what || what->seen.empty())
    return;
  bool system = scope == Scope::System && shadow_->manyDevices();
  uint32_t w = order_.numberOf(warp);
  std::vector<KnownLanes> apart = order_.toldBy(warp, mask, *what);
  bool parted = std::ranges::find(apart, w, &KnownLanes::agent) != apart.end();
  Agent who = shadow_->releasers.of(clusterIndex_, w, parted ? mask : kAllLanes, system);
  Clock &flag = flags[key];
  flag.join(what->foreign);
  flag.raise(who,
             shadow_->releasers.release(who, {what->seen, std::move(apart), order_.pcOf(i), w}, shadow_->releases));
}

void GlobalRaces::aliasFence(const Warp &warp) {
  if (!shadow_->manyDevices())
    return;
  aliased_.join(order_.viewOf(warp).foreign);
  shadow_->aliasFences[clusterIndex_].push_back(shadow_->releases);
  ++aliasFences_;
}

void GlobalRaces::acquireFrom(const Warp &warp, const Instr &i, uint64_t key) {
  auto acquire = [&](Scope scope, const GlobalShadow::Flags &flags) {
    auto flag = flags.find(key);
    if (flag == flags.end())
      return;
    View &view = order_.learning(warp);
    (i.acquires ? view.foreign : View::at(view.observed, scope).foreign).join(flag->second);
  };
  acquire(Scope::Device, shadow_->flags[order_.grid().device]);
  if (key > kAnyFlag)
    acquiredAt_[key] = shadow_->releases;
  if (!shadow_->manyDevices())
    return;
  if (i.system)
    acquire(Scope::System, shadow_->systemFlags);
  unordered_.join(shadow_->anyFlags[key]);
}

void GlobalRaces::releaseTo(const Warp &warp, const Instr &i, uint32_t mask, uint64_t key, Passing passing) {
  bool all = passing == Passing::Releases;
  publish(warp, i, mask, shadow_->flags[order_.grid().device], key, Scope::Device, all);
  if (!shadow_->manyDevices())
    return;
  if (i.system)
    publish(warp, i, mask, shadow_->systemFlags, key, Scope::System, all);
  Clock &any = shadow_->anyFlags[key];
  any.join(unordered_);
  any.raise(static_cast<Agent>(clusterIndex_), ++shadow_->releases);
}

void GlobalRaces::passFlags(Warp &warp, const Instr &i, uint32_t mask, const uint64_t *addresses, Passing passing) {
  bool acquires = passing == Passing::Acquires, releases = !acquires;
  uint64_t keys[kFlagAddresses];
  size_t count = 0;
  bool between = clustersMeet() && !i.narrow;
  Scope scope = i.inBlock ? Scope::Block : Scope::Cluster;
  bool many = order_.flagsAreMany(), crowded = many;
  for (uint32_t l = 0; l < 32 && !many; ++l)
    if ((mask >> l & 1) && std::find(keys, keys + count, addresses[l]) == keys + count) {
      many = count == kFlagAddresses;
      if (!many)
        keys[count++] = addresses[l];
    }
  auto isFlag = [&](uint64_t key) { return key > kAnyFlag || crowded; };
  auto acquire = [&](uint64_t key) {
    if (const Released *flag = order_.findFlag(key))
      order_.acquire(warp, *flag, {!i.acquires, scope, isFlag(key), isFlag(key) ? &i : nullptr});
    if (between)
      acquireFrom(warp, i, key);
  };
  auto release = [&](uint64_t key) {
    order_.release(warp, mask, order_.flag(key), {!i.releases, scope, isFlag(key), isFlag(key) ? &i : nullptr});
    if (between)
      releaseTo(warp, i, mask, key, passing);
  };
  // An access whose lanes touch many addresses releases to one wildcard flag, `kVagueFlag`; every acquire also reads
  // that flag. Such an acquire reads all flags.
  if (many) {
    keys[0] = acquires ? kAnyFlag : kVagueFlag;
    count = 1;
  }
  for (size_t n = 0; n < count; ++n) {
    if (acquires)
      acquire(keys[n]);
    if (releases)
      release(many ? kVagueFlag : keys[n]);
  }
  if (acquires)
    acquire(kVagueFlag);
  if (releases) {
    release(kAnyFlag);
    order_.advance(order_.numberOf(warp));
    if (count == 1 && !many && i.d != kNone)
      order_.followReleases(warp, mask, order_.flag(keys[0]));
  }
}

inline GlobalUse GlobalRaces::useOf(const Instr &i, Agent agent, Epoch epoch) const {
  GlobalUse use;
  use.cluster = clusterIndex_;
  use.stamp = shadow_->releases;
  use.agent = agent;
  use.epoch = epoch;
  use.pc = order_.pcOf(i);
  use.aliasFences = aliasFences_;
  return use;
}

[[gnu::always_inline]] inline uint32_t GlobalRaces::numberOf(LastUse &last, const GlobalUse &use) {
  bool same = last.number && last.sweeps == shadow_->sweeps && last.place == order_.grid().program->places[use.pc] &&
              last.use.isLike(use);
  return same ? last.number : number(last, use);
}

[[gnu::noinline]] uint32_t GlobalRaces::number(LastUse &last, const GlobalUse &use) {
  last.number = shadow_->add(use);
  last.sweeps = shadow_->sweeps;
  last.place = order_.grid().program->places[use.pc];
  last.use = use;
  return last.number;
}

/// True if blocks of several clusters may be ordered here, and the order is followed.
bool GlobalRaces::clustersMeet() const {
  return order_.grid().program->communicates && shadow_->judges && clusterCount_ > 1 &&
         clusterCount_ <= GlobalShadow::kMaxClusters;
}

bool GlobalRaces::isAcquiredFlag(const Touch &t, const GlobalUse &other, uint64_t address) const {
  if (!other.atomic || other.narrow)
    return false;
  auto acquired = acquiredAt_.find(address);
  return acquired != acquiredAt_.end() && acquired->second >= other.stamp;
}

/// True if both uses are atomic or strong, and the scope of each contains the other.
inline bool GlobalRaces::areAtomic(const Touch &t, const GlobalUse &other) const {
  if (!t.me.atomic || !other.atomic)
    return false;
  bool device = !shadow_->manyDevices() || shadow_->deviceOf(other.cluster) == order_.grid().device;
  return other.cluster == clusterIndex_ || (device ? !t.me.narrow && !other.narrow : t.me.system && other.system);
}

bool GlobalRaces::conflict(Touch &t, uint32_t otherUse, bool otherWrites, uint64_t address, uint64_t bytes) {
  const std::byte *at = t.memory + address;
  if (t.kept && !doubts_.empty() && doubts_.back().other == otherUse && doubts_.back().lanes == LaneOrder::Ordered &&
      doubts_.back().at + doubts_.back().bytes == at) {
    doubts_.back().bytes += bytes;
    t.doubted = true;
    return true;
  }
  const GlobalUse &other = shadow_->use(otherUse);
  bool device = !shadow_->manyDevices() || shadow_->deviceOf(other.cluster) == order_.grid().device;
  if (areAtomic(t, other) && !areTwoProxies(order_, t, t.access, other, otherWrites)) {
    if (shadow_->staleReads && t.access == Access::Read && otherWrites && isUnordered(t.view, other))
      noteStaleRead(t, other, address);
    return true;
  }
  bool ordered = false;
  if (other.cluster == clusterIndex_) {
    ordered = t.comesAfter(other.agent, other.epoch);
  } else if (order_.grid().program->communicates) {
    ordered = !clustersMeet() || shadow_->published(t.view.foreign, other);
    if (!ordered && device && t.access != Access::Read && isAcquiredFlag(t, other, address))
      return true;
  } else if (!shadow_->judges) {
    shadow_->suspicious = true; // this run will be repeated, in order
    return true;
  }
  LaneOrder lanes = LaneOrder::Ordered; // if not Ordered later, only the order between lanes is missing
  if (ordered) {
    lanes = laneOrder(t, other, otherWrites, address);
    if (lanes == LaneOrder::Ordered)
      return !otherWrites || (checkAlias(t, other, address) && checkProxy(t, other, address) &&
                              checkCoherence(t, other, address, bytes));
  }
  if (t.access == Access::Read && otherWrites && !t.byUnit && leavesInitial(other, address, bytes)) {
    order_.passEqualWrite();
    return true;
  }
  uint32_t lane = laneAt(t, address, lanes);
  if (t.access != Access::Write)
    return report({t.warp, t.i, lane, address, t.access, other, otherWrites, t.byUnit, lanes});
  if (!t.kept) { // save what the whole stretch held
    t.kept = at;
    t.keptAt = keepBytes(at, static_cast<size_t>(t.memory + t.end - at));
  }
  doubts_.push_back({at, t.keptAt + static_cast<size_t>(at - t.kept), static_cast<size_t>(bytes), t.number, otherUse,
                     address, lane, otherWrites, lanes});
  t.doubted = true;
  return true;
}

bool GlobalRaces::leavesInitial(const GlobalUse &write, uint64_t address, uint64_t bytes) const {
  uint64_t offset = 0;
  const Region *region = regionOf(order_.grid(), address, offset);
  if (write.again || !region->initial || shadow_->manyDevices() || order_.kindOf(write.agent) != AsyncUnit::Warp ||
      order_.isStrict(StrictForm::EqualWrite))
    return false;
  bytes = std::min(bytes, region->bytes - offset);
  const std::byte *now = region->data + offset, *initial = region->initial + offset;
  if (bytes == sizeof(uint32_t)) // usual, and worth no call
    return std::memcmp(now, initial, sizeof(uint32_t)) == 0;
  return std::memcmp(now, initial, bytes) == 0;
}

bool GlobalRaces::isUnordered(const View &view, const GlobalUse &write) const {
  return write.cluster != clusterIndex_ && clustersMeet() && !shadow_->published(view.foreign, write);
}

bool GlobalRaces::mayBeStale(const Warp &warp, uint64_t address) {
  uint64_t offset = 0;
  const Region *region = regionOf(order_.grid(), address, offset);
  const GlobalLine &line = shadow_->line(region->shadow, offset);
  uint32_t granule = static_cast<uint32_t>(offset & (shadow_->lineBytes() - 1)) >> shadow_->granuleShift();
  uint32_t write = shadow_->cellOf(line, granule).write;
  const GlobalUse &use = shadow_->use(write);
  return write != kNoUse && use.atomic && order_.kindOf(use.agent) == AsyncUnit::Warp &&
         isUnordered(order_.viewOf(warp), use);
}

std::optional<Clock> GlobalRaces::flagOf(uint64_t address) const {
  const GlobalShadow::Flags &flags = shadow_->flags[order_.grid().device];
  auto flag = flags.find(address);
  return flag == flags.end() ? std::nullopt : std::optional(flag->second);
}

std::optional<Clock> GlobalRaces::exchangeFlag(uint64_t address, std::optional<Clock> other) {
  std::optional<Clock> before = flagOf(address);
  GlobalShadow::Flags &flags = shadow_->flags[order_.grid().device];
  if (other)
    flags[address] = *std::move(other);
  else
    flags.erase(address);
  return before;
}

void GlobalRaces::noteStaleRead(Touch &t, const GlobalUse &write, uint64_t address) {
  if (shadow_->staleReads->contains(t.me.pc))
    return;
  const Grid &grid = order_.grid();
  uint64_t offset = 0;
  const Region *region = regionOf(grid, address, offset);
  const Instr &there = grid.program->code[write.pc];
  std::string who = text("a warp of ", blocksOf(write.cluster));
  Scope scope = shadow_->deviceOf(write.cluster) == grid.device ? Scope::Device : Scope::System;
  std::string_view fence = scope == Scope::Device ? "`fence.acq_rel.gpu` (`__threadfence()`)"
                                                  : "`fence.acq_rel.sys` (`__threadfence_system()`)";
  bool acquires = hasObserved(t.view, scope, write);
  // The grade is that of plain data: a reader that has seen the flag and lacks a fence is a hazard (docs/checks.md,
  // `unfenced-acquire`).
  bool isHazard = acquires && scope == Scope::Device && !grid.strict;
  shadow_->staleReads->emplace(
      t.me.pc,
      findingAt(
          t.warp, t.i, isHazard ? Severity::Warning : Severity::Error, isHazard ? "unfenced-acquire" : "race",
          Message("`{}` may load the old value of {place}, which {agent} writes, and results depend on it: nothing "
                  "orders the two",
                  grid.opcodeOf(t.i), describeGlobal(*region, offset, shadow_->granule()), who),
          t.lane,
          {Note{grid.spanOf(there), text(who, " writes it here, with `", grid.opcodeOf(there), "`")},
           acquires
               ? Note{grid.spanOf(t.i), text("the missing fence: ", fence,
                                             " in this thread before its load: the flag "
                                             "was read by a relaxed or volatile access, which acquires nothing")}
               : Note{grid.spanOf(there), text("the missing fence: ", fence,
                                               " between this write and the atomic or the store that publishes it")}}));
}

bool GlobalRaces::checkAlias(Touch &t, const GlobalUse &other, uint64_t address) {
  if (!shadow_->manyDevices() || t.me.spread == other.spread || t.byUnit ||
      order_.kindOf(other.agent) != AsyncUnit::Warp)
    return true;
  // An alias fence of the first access's cluster, before its release, or one of this cluster, after its acquire, is
  // enough.
  auto knowsBehind = [&](const Clock &acquired, uint32_t stamp) {
    return shadow_->releasers.lastOf(acquired, other.cluster) > stamp;
  };
  bool own = other.cluster == clusterIndex_;
  const std::vector<uint32_t> &fences = shadow_->aliasFences[other.cluster];
  if (own ? aliasFences_ > other.aliasFences
          : (other.aliasFences < fences.size() && knowsBehind(t.view.foreign, fences[other.aliasFences])) ||
                knowsBehind(aliased_, other.stamp))
    return true;
  constexpr std::string_view kKind = "unfenced-alias";
  if (!isNews(*t.warp.block, kKind, t.me.pc, other.pc))
    return true;
  uint64_t offset = 0;
  const Region *region = regionOf(order_.grid(), address, offset);
  const Instr &there = order_.grid().program->code[other.pc];
  return hazard(
      t.warp, t.i, std::string(kKind),
      Message("`{}` uses byte {byte} of {}{}: these are two proxies, without a fence between them",
              order_.grid().opcodeOf(t.i), offset, region->name,
              t.me.spread ? " through its multicast address, and the access before it used the array's own address"
                          : " through its own address, and the access before it used the multicast address"),
      t.lane,
      {Note{order_.grid().spanOf(there), text("the access before it, with `", order_.grid().opcodeOf(there), "`")},
       Note{order_.grid().spanOf(t.i), "the missing fence: `fence.proxy.alias` after the first access and before the "
                                       "release that publishes it, or after the acquire"}});
}

bool GlobalRaces::checkProxy(Touch &t, const GlobalUse &write, uint64_t address) {
  if (!order_.isStrict(StrictForm::GlobalProxy) || !t.byUnit || order_.kindOf(write.agent) != AsyncUnit::Warp ||
      order_.kindOf(t.me.agent) == AsyncUnit::CpAsync || t.view.fenced.covers(write.agent, write.epoch))
    return true;
  const Grid &grid = order_.grid();
  uint64_t offset = 0;
  const Region *region = regionOf(grid, address, offset);
  fault(t.warp, t.i, "global-proxy-fence",
        Message("`{}` {}{place} through the async proxy, and the write of {agent} before it is not fenced",
                grid.opcodeOf(t.i), t.reads ? "reads " : "writes ", describeGlobal(*region, offset, shadow_->granule()),
                warpName(order_, write.agent)),
        t.lane,
        {Note{grid.spanOf(grid.program->code[write.pc]), text(warpName(order_, write.agent), " wrote it here, with `",
                                                              grid.opcodeOf(grid.program->code[write.pc]), "`")},
         Note{grid.spanOf(t.i), "the missing fence: `fence.proxy.async` (or `.global`) after the write, before the "
                                "barrier that orders the two, or after that barrier"}});
  return false;
}

bool GlobalRaces::checkCoherence(Touch &t, const GlobalUse &write, uint64_t address, uint64_t bytes) {
  const Grid &grid = order_.grid();
  if (!t.i.noncoherent || leavesInitial(write, address, bytes))
    return true;
  uint64_t offset = 0;
  const Region *region = regionOf(grid, address, offset);
  fault(t.warp, t.i, "noncoherent-load",
        Message("`{}` reads {place}, which the kernel has written: the cache of such loads gives an older value",
                grid.opcodeOf(t.i), describeGlobal(*region, offset, shadow_->granule())),
        t.lane,
        {Note{grid.spanOf(grid.program->code[write.pc]),
              text("it was written here, with `", grid.opcodeOf(grid.program->code[write.pc]), "`")},
         Note{grid.spanOf(t.i), grid.opcodeOf(t.i).starts_with("ld.")
                                    ? "`ld.global` without `.nc` reads it (in CUDA: no `__ldg`, and no pointer that is "
                                      "both `const` and `__restrict__`)"
                                    : "the texture of a later launch reads it, and `ld.global` or `suld` does here"}});
  return false;
}

bool GlobalRaces::touchCell(Touch &t, Cell &cell, uint64_t address, uint64_t bytes) {
  if (!t.reads && cell.write == t.number) // the same use, once more
    shadow_->markAgain(t.number);
  t.parts = false;
  if (cell.write != t.okWrite && cell.write != t.number) {
    t.doubted = false;
    if (cell.write != kNoUse && !conflict(t, cell.write, true, address, bytes))
      return false;
    for (uint32_t n = shadow_->use(cell.write).rest; n && !t.doubted; n = shadow_->use(n).rest)
      if (!(areAtomic(t, shadow_->use(n)) && !areTwoProxies(order_, t, t.access, shadow_->use(n), true)) &&
          !conflict(t, n, true, address, bytes))
        return false;
    if (!t.reads && cell.write != kNoUse && !t.doubted) // otherwise settle() decides
      shadow_->markAgain(t.number);
    if (doubts_.empty() && !t.parts && (!t.me.atomic || t.reads || (!t.chains && plainBelow(cell.write) == kNoUse)))
      t.okWrite = cell.write;
  }
  if (t.reads) {
    if (cell.reads == t.newReads && t.newReads)
      return true;
    if (meetsReader(t, cell.reads))
      return touchParted(t, cell, address);
    if (cell.reads != t.oldReads || !t.newReads) {
      t.oldReads = cell.reads;
      t.newReads = shadow_->addReader(cell.reads, t.me, t.view.seen);
    }
    cell.reads = t.newReads;
    return true;
  }
  if (cell.reads != t.okReads) {
    for (uint32_t r = cell.reads; r; r = shadow_->use(r).rest)
      if (!conflict(t, r, false, address, bytes))
        return false;
    if (doubts_.empty() && !t.parts)
      t.okReads = cell.reads;
  }
  cell = {t.numberBehind(*shadow_, cell.write, plainBelow(cell.write)), kNoUse};
  return true;
}

/// Touches granules whose history is that of the last compared cell. Returns false if it is another one.
[[gnu::always_inline]] inline bool GlobalRaces::touchKnown(Touch &t, GlobalLine &line, uint32_t bits) {
  if (line.detail() != 0 || (line.parts & bits) != 0 || line.all.write != t.okWrite)
    return false;
  if (!t.reads)
    return line.all.reads == t.okReads && line.touchParts(bits, {t.number, kNoUse});
  return t.newReads && (line.all.reads == t.newReads ||
                        (line.all.reads == t.oldReads && line.touchParts(bits, {line.all.write, t.newReads})));
}

/// One lane's access of granules of a line that has a cell per granule, if these cells are equal. Otherwise returns
/// false, does nothing, and leaves `fine` as it is.
inline bool GlobalRaces::touchLane(Touch &t, const Region &region, uint64_t address, uint64_t offset, uint64_t bytes,
                                   bool &fine) {
  uint64_t inLine = offset & (shadow_->lineBytes() - 1);
  if (((offset | bytes) & (shadow_->granule() - 1)) || inLine + bytes > shadow_->lineBytes() ||
      offset + bytes > region.bytes)
    return false;
  GlobalLine &line = shadow_->line(region.shadow, offset);
  if (line.detail() == 0)
    return false;
  uint32_t first = static_cast<uint32_t>(inLine) >> shadow_->granuleShift(),
           count = static_cast<uint32_t>(bytes) >> shadow_->granuleShift();
  Cell *all = shadow_->knownCells(line), *cells = all + first, cell = cells[0];
  bool several = count > 1 && !t.reads && cell.write != kNoUse && cell.reads != kNoUse; // each may need a report
  if (several && !(t.me.atomic && !t.me.narrow))
    return false;
  for (uint32_t n = 1; n < count; ++n)
    if (cells[n].both() != cell.both())
      return false;
  if (!t.reads && cell.reads == kNoUse && cell.write != kNoUse && areAtomic(t, shadow_->use(cell.write)) &&
      plainBelow(cell.write) == kNoUse) {
    shadow_->markAgain(t.number); // as touchCell() does for two atomics
    cell.write = t.numberBehind(*shadow_, cell.write, plainBelow(cell.write));
  } else {
    t.memory = region.data - (address - offset);
    t.kept = nullptr;
    t.end = address + bytes;
    fine = several ? touchEach(t, cells, count, address) : touchCell(t, cell, address, bytes);
    if (!fine)
      return true;
  }
  if (!several) {
    cells[0] = cells[count - 1] = cell; // most accesses have one cell or two
    for (uint32_t n = 1; n + 1 < count; ++n)
      cells[n] = cell;
  }
  if (all[(first + count) % GlobalShadow::kGranules].both() == cells[0].both())
    shadow_->joinIfAlike(line);
  return true;
}

/// An atomic touches granules with one history. The result for the first granule holds for all of them, unless other
/// lanes may have used them.
bool GlobalRaces::touchEach(Touch &t, Cell *cells, uint32_t count, uint64_t address) {
  uint64_t granule = shadow_->granule();
  for (uint32_t n = 0; n < count; ++n) {
    if (n == 1 && !t.parts) {
      std::fill_n(cells + 1, count - 1, cells[0]);
      break;
    }
    Cell cell = cells[n];
    if (!touchCell(t, cell, address + n * granule, granule))
      return false;
    cells[n] = cell;
  }
  return true;
}

bool GlobalRaces::touchRange(Touch &t, uint64_t address, uint64_t bytes) {
  uint64_t offset = 0;
  const Region *region = regionOf(order_.grid(), address, offset);
  if (!region)
    return true;
  size_t number = region->shadow;
  uint64_t granule = shadow_->granule(), size = shadow_->lineBytes(), base = address - offset;
  t.memory = region->data - (address - offset);
  t.kept = nullptr;
  uint64_t at = (offset + granule - 1) & ~(granule - 1), end = std::min(offset + bytes, region->bytes);
  end &= ~(granule - 1);
  t.end = base + end;
  while (at < end) {
    uint64_t start = at & ~(size - 1), stop = std::min(end, start + size);
    GlobalLine &line = shadow_->line(number, at);
    bool whole = stop - at == size;
    uint32_t shift = shadow_->granuleShift(), first = static_cast<uint32_t>(at - start) >> shift,
             last = static_cast<uint32_t>(stop - start) >> shift;
    uint32_t bits = UINT32_MAX >> (GlobalShadow::kGranules - (last - first)) << first;
    if (touchKnown(t, line, bits)) [[likely]] {
      at = stop;
      continue;
    }
    bool alike = line.detail() == 0 && (line.parts & bits) == 0 && !mayPart(t, line.all); // all have the cell `all`
    // One call for all granules, unless each may need its own reports, or other lanes may have used them.
    if (whole && alike) {
      if (!touchCell(t, line.all, base + at, size))
        return false;
    } else if (Cell cell = line.all; alike && (t.reads || cell.write == kNoUse || cell.reads == kNoUse)) {
      if (!touchCell(t, cell, base + at, stop - at))
        return false;
      if (!line.touchParts(bits, cell)) {
        Cell *cells = shadow_->cells(line);
        std::fill(cells + first, cells + last, cell);
      }
    } else {
      Cell *cells = shadow_->cells(line);
      for (uint32_t n = first, next = n; n < last; n = next) {
        Cell cell = cells[n]; // with the adjacent equal ones, unless each may need its own reports
        uint64_t both = cell.both();
        bool alone = (!t.reads && cell.write != kNoUse && cell.reads != kNoUse) || mayPart(t, cell);
        for (next = n + 1; next < last && !alone && cells[next].both() == both;)
          ++next;
        if (!touchCell(t, cell, base + start + (uint64_t(n) << shift), uint64_t(next - n) << shift))
          return false;
        for (; n < next; ++n)
          cells[n] = cell;
      }
      if (whole && !t.reads && !t.me.atomic)
        shadow_->join(line, {t.number, kNoUse});
      else
        shadow_->joinIfAlike(line);
    }
    at = stop;
  }
  return true;
}

bool GlobalRaces::access(Warp &warp, const Instr &i, uint32_t mask, const uint64_t *addresses, uint32_t bytes,
                         Access access, bool spread) {
  sweep();
  auto w = static_cast<Agent>(order_.numberOf(warp));
  bool orders = access == Access::Atomic || i.strong;
  if (orders && (access == Access::Read || (access == Access::Atomic && i.d != kNone)))
    passFlags(warp, i, mask, addresses, Passing::Acquires);
  order_.touch(w, mask);
  Touch touch(order_, warp, i, useOf(i, w, order_.viewOf(warp).seen[w]), access, false);
  touch.me.atomic = orders;
  touch.me.system = orders && i.system;
  touch.me.narrow = orders && i.narrow;
  touch.me.spread = spread;
  touch.chains = orders && !touch.reads && clustersMeet();
  lookAtLanes(touch, mask, addresses, bytes);
  if (!touch.reads)
    touch.number = numberOf(lastUses_[2 * w + 1], touch.me);
  std::optional<bool> rising; // if true, no two lanes have the same address
  for (uint32_t left = mask, goOn = followers(addresses, bytes) & mask & mask << 1; left;) {
    auto l = static_cast<uint32_t>(std::countr_zero(left)), last = l + std::countr_one(goOn >> l >> 1);
    touch.lane = l;
    touch.rowStart = addresses[l];
    uint64_t offset = 0;
    const Region *region = regionOf(order_.grid(), addresses[l], offset);
    bool fine = true, single = addresses[last] == addresses[l];
    if (!region || !single || !touchLane(touch, *region, addresses[l], offset, bytes, fine))
      fine = touchRange(touch, addresses[l], addresses[last] + bytes - addresses[l]);
    if (!fine)
      return false;
    left &= ~((2u << last) - 1);
    // Further lanes at this address find the cell that this lane has updated.
    if (!single || left == 0)
      continue;
    if (!rising)
      rising = areRising(addresses, mask);
    if (uint32_t same = *rising ? 0 : left & lanesWith(addresses, addresses[l])) {
      left &= ~same;
      if (!touch.reads)
        shadow_->markAgain(touch.number);
    }
  }
  if (LaneForms::isScattered(touch.me.lanes))
    markLanes(touch);
  if (orders && access != Access::Read)
    passFlags(warp, i, mask, addresses, i.releases ? Passing::Releases : Passing::Publishes);
  return true;
}

inline bool GlobalRaces::isLast(const LastRow &last, const RowUse &me) const {
  if (last.number == kNoUse || last.sweeps != shadow_->sweeps)
    return false;
  const GlobalUse &use = shadow_->use(last.number);
  const std::vector<uint32_t> &places = order_.grid().program->places;
  return use.epoch == me.epoch && places[use.pc] == places[me.pc] && use.lanes == me.lanes &&
         use.stamp == shadow_->releases && use.aliasFences == aliasFences_;
}

[[gnu::always_inline]] inline uint32_t GlobalRaces::numberRow(LastRow &last, const RowUse &me, uint32_t rest) {
  if (isLast(last, me) && shadow_->use(last.number).rest == rest)
    return last.number;
  last.number = shadow_->next();
  last.sweeps = shadow_->sweeps;
  last.knowsLines = false;
  GlobalUse &use = shadow_->fresh();
  use.cluster = clusterIndex_;
  use.stamp = shadow_->releases;
  use.agent = me.agent;
  use.aliasFences = aliasFences_;
  use.epoch = me.epoch;
  use.pc = me.pc;
  use.rest = rest;
  use.lanes = me.lanes;
  return last.number;
}

inline size_t GlobalRaces::keepBytes(const std::byte *at, size_t bytes) {
  size_t from = doubtEnd_;
  doubtEnd_ += bytes;
  if (doubtEnd_ > doubtBytes_.size()) [[unlikely]]
    doubtBytes_.resize(2 * doubtEnd_);
  std::byte *to = doubtBytes_.data() + from;
  if (bytes == kRowBytes)
    std::memcpy(to, at, kRowBytes);
  else
    std::memcpy(to, at, bytes);
  return from;
}

[[gnu::always_inline]] inline void GlobalRaces::repeatLines(std::span<GlobalLine> lines, const LastRow &last,
                                                            const Region &region, uint64_t place) {
  fillLines(lines, last.after);
  if (!last.doubts)
    return;
  uint64_t bytes = lines.size() * shadow_->lineBytes();
  const std::byte *at = region.data + place;
  Doubt &doubt = doubts_.emplace_back(); // filled in place, which is faster than a copy
  doubt.at = at;
  doubt.old = keepBytes(at, bytes);
  doubt.bytes = bytes;
  doubt.number = last.number;
  doubt.other = last.other;
  doubt.address = kGlobalBase + (static_cast<uint64_t>(&region - order_.grid().regions.data()) << kRegionShift) + place;
  doubt.otherWrites = last.otherWrites;
}

std::optional<uint32_t> GlobalRaces::readersBeside(const Cell &old, const RowUse &me, bool reads) const {
  const GlobalUse &before = shadow_->use(old.write), &reader = shadow_->use(old.reads);
  auto isMine = [&](const GlobalUse &use) { return use.cluster == clusterIndex_ && use.agent == me.agent; };
  auto isOfOthers = [&](const GlobalUse &use) {
    return use.lanes != me.lanes && isMine(use) && use.epoch > order_.lanesOf(me.agent).all;
  };
  auto isCovered = [&] { return reads && reader.epoch == me.epoch && shadow_->forms.isSeveral(reader.lanes); };
  if (isOfOthers(before) || (isOfOthers(reader) && !isCovered())) [[unlikely]]
    return std::nullopt;
  bool readByMe = old.reads == kNoUse || (isMine(reader) && !reader.rest);
  uint32_t elsewhere = reader.rest ? reader.rest : old.reads; // one reader of another cluster is enough
  bool readElsewhere = reader.cluster != clusterIndex_ && !shadow_->use(elsewhere).rest;
  if ((old.write != kNoUse && !isMine(before)) || !(readByMe || (readElsewhere && reads)))
    return std::nullopt;
  return reads && !readByMe ? elsewhere : kNoUse;
}

/// A weak access to whole lines, in the frequent cases: the lines are fresh; a barrier orders all their uses before the
/// access; only this warp has used them; or other clusters read them. In all other cases it returns false and does
/// nothing.
[[gnu::always_inline]] inline bool GlobalRaces::accessLines(std::span<GlobalLine> lines, const RowUse &me, bool reads,
                                                            const Region &region, uint64_t place) {
  const Cell old = lines[0].all;
  LastRow &last = lastRows_[2 * size_t{me.agent} + !reads];
  if (last.knowsLines && last.before.both() == old.both() && isLast(last, me)) {
    repeatLines(lines, last, region, place);
    return true;
  }
  uint32_t rest = kNoUse;
  if (!(isOwn(old.write, me) && isOwn(old.reads, me)) && !isQuiet(old)) {
    std::optional<uint32_t> beside = readersBeside(old, me, reads);
    if (!beside)
      return false;
    rest = *beside;
  }
  if (reads && old.reads != kNoUse && rest == kNoUse) // true if it has read there already
    if (const GlobalUse &reader = shadow_->use(old.reads);
        reader.epoch == me.epoch && reader.stamp == shadow_->releases && reader.agent == me.agent)
      return true;
  uint32_t number = numberRow(last, me, rest);
  if (!reads && old.write != kNoUse)
    shadow_->markAgain(number);
  // Built in a register: a cell that is built in memory and then loaded waits for all stores before it.
  uint64_t both = std::bit_cast<uint64_t>(reads ? Cell{old.write, number} : Cell{number, kNoUse});
  fillLines(lines, std::bit_cast<Cell>(both));
  last.knowsLines = true;
  last.doubts = false;
  last.before = old;
  last.after = std::bit_cast<Cell>(both);
  return true;
}

bool GlobalRaces::accessRow(Warp &warp, const Instr &i, uint64_t place, uint32_t bytes, Access access) {
  const Region &region = *warp.row.region;
  sweep();
  auto w = static_cast<Agent>(order_.numberOf(warp));
  RowUse me{w, order_.touchAll(w), LaneForms::row(bytes, place), order_.pcOf(i)};
  std::span<GlobalLine> lines = shadow_->wholeLines(region.shadow, place, uint64_t(kLanes) * bytes);
  const bool isFast = !lines.empty() && !(i.noncoherent && lines[0].all.write != kNoUse); // the rest: checkCoherence()
  if (isFast && accessLines(lines, me, access == Access::Read, region, place)) [[likely]]
    return true;
  return accessStretch(warp, i, me, region, place, bytes, access);
}

/// Does the same with a closer look.
[[gnu::noinline]] bool GlobalRaces::accessStretch(Warp &warp, const Instr &i, const RowUse &me, const Region &region,
                                                  uint64_t place, uint32_t bytes, Access access) {
  uint64_t all = uint64_t(kLanes) * bytes, address = kGlobalBase + place;
  address += static_cast<uint64_t>(&region - order_.grid().regions.data()) << kRegionShift;
  Touch touch(order_, warp, i, useOf(i, me.agent, me.epoch), access, false);
  touch.me.lanes = me.lanes;
  touch.rowStart = address;
  touch.rowBytes = bytes;
  LastRow &last = lastRows_[2 * size_t{me.agent} + !touch.reads];
  if (!touch.reads)
    touch.number = numberRow(last, me, kNoUse);
  std::span<GlobalLine> lines = shadow_->wholeLines(region.shadow, place, all);
  if (lines.empty() || mayPart(touch, lines[0].all))
    return touchRange(touch, address, all);
  touch.memory = region.data - (address - place);
  touch.end = address + all;
  Cell cell = lines[0].all;
  size_t doubts = doubts_.size();
  if (!touchCell(touch, cell, address, all))
    return false;
  // The same suspicion is repeated for further lines while nothing orders the other use. Only acquires order uses of
  // this cluster, or of clusters that communicate, so these cases are left out.
  if (doubts == 0 && doubts_.size() == 1 && doubts_[0].lanes == LaneOrder::Ordered &&
      shadow_->use(doubts_[0].other).cluster != clusterIndex_ && !order_.grid().program->communicates) {
    last.knowsLines = last.doubts = true;
    last.otherWrites = doubts_[0].otherWrites;
    last.other = doubts_[0].other;
    last.before = lines[0].all;
    last.after = cell;
  }
  for (GlobalLine &line : lines)
    line.all = cell;
  return true;
}

/// Touches whole lines of the rows, from byte `from` on, while their history is that of the last compared cell. The
/// first row is at `offset`. Returns the first byte that it did not touch; after the last row, byte 0 of the next.
inline GlobalRaces::RowByte GlobalRaces::touchWholeLines(Touch &t, const Region &region, const GlobalStretch &rows,
                                                         uint64_t offset, RowByte from) {
  const uint64_t size = shadow_->lineBytes(), bytes = rows.bytes, stride = rows.stride, count = rows.rows;
  const Cell old{t.okWrite, t.reads ? t.oldReads : t.okReads},
      fresh = t.reads ? Cell{t.okWrite, t.newReads} : Cell{t.number, kNoUse};
  if (t.reads && !t.newReads)
    return from;
  uint64_t row = from.row, at = from.byte;
  for (; row < count; ++row, at = 0) {
    for (const uint64_t start = offset + row * stride; at < bytes;) {
      std::span<GlobalLine> lines = shadow_->linesOfPage(region.shadow, start + at, (bytes - at) / size);
      for (size_t n = 0; n < lines.size(); ++n)
        if (lines[n].isOne() && lines[n].all.both() == old.both()) [[likely]]
          lines[n].all = fresh;
        else if (!touchKnown(t, lines[n], UINT32_MAX))
          return {row, at + n * size};
      at += lines.size() * size;
    }
  }
  return {row, 0};
}

bool GlobalRaces::touchRows(Touch &t, const GlobalStretch &rows) {
  uint64_t offset = 0, size = shadow_->lineBytes();
  const Region *region = regionOf(order_.grid(), rows.address, offset);
  bool lines = region && ((offset | rows.bytes | rows.stride) & (size - 1)) == 0 &&
               offset + rows.stride * (rows.rows - 1) + rows.bytes <= region->bytes;
  // The last compared cell may be that of most other lines. So only a few lines at once are looked at more closely.
  const uint64_t most = lines ? 4 * size : rows.bytes;
  for (RowByte at;;) {
    if (lines)
      at = touchWholeLines(t, *region, rows, offset, at);
    if (at.row == rows.rows)
      return true;
    const uint64_t bytes = std::min(rows.bytes - at.byte, most);
    if (!touchRange(t, rows.address + at.row * rows.stride + at.byte, bytes))
      return false;
    at.byte += bytes;
    if (at.byte == rows.bytes)
      at = {at.row + 1, 0};
  }
}

/// Four lanes write at each of `places`. If isQuiet() holds for the history of the first place's line, this handles the
/// leading places whose lines have the same history. Returns the number of handled places.
[[gnu::always_inline]] inline uint32_t GlobalRaces::writeFours(const RowUse &me, const Region &region,
                                                               std::span<const uint64_t, 8> places, uint32_t bytes) {
  const uint32_t shift = shadow_->granuleShift(), count = 4 * bytes >> shift, inLine = shadow_->lineBytes() - 1;
  const Cell old = shadow_->line(region.shadow, places[0]).all;
  if (((bytes * 4) & (shadow_->granule() - 1)) || !isQuiet(old))
    return 0;
  struct Part {
    GlobalLine *line;
    uint32_t bits;
  };
  std::array<Part, 8> parts; // found before any is written, so that the shadow's tables stay in registers
  uint32_t fit = 0;
  GlobalLine *lines = nullptr; // the lines of the previous place's page
  uint64_t page = UINT64_MAX;
  for (uint64_t place : places) {
    uint32_t first = static_cast<uint32_t>(place & inLine) >> shift;
    if ((place & (shadow_->granule() - 1)) || first + count > GlobalShadow::kGranules)
      break;
    if (shadow_->pageOf(place) != page) {
      page = shadow_->pageOf(place);
      lines = &shadow_->line(region.shadow, place) - shadow_->lineInPage(place);
    }
    parts[fit++] = {lines + shadow_->lineInPage(place), UINT32_MAX >> (GlobalShadow::kGranules - count) << first};
  }
  uint32_t number = numberRow(lastRows_[2 * size_t{me.agent} + 1], me, kNoUse), n = 0;
  while (n < fit && parts[n].line->writeParts(parts[n].bits, old, number))
    ++n;
  if (n && old.write != kNoUse)
    shadow_->markAgain(number);
  return n;
}

bool GlobalRaces::accessFours(Warp &warp, const Instr &i, const Region &region, std::span<const uint64_t, 8> places,
                              uint32_t bytes, Access access) {
  sweep();
  auto w = static_cast<Agent>(order_.numberOf(warp));
  uint32_t form = shadow_->forms.ofFours(w, places, bytes);
  if (form == LaneForms::kUnknown)
    return accessScattered(warp, i, region, places, bytes, access);
  RowUse me{w, order_.touchAll(w), form, order_.pcOf(i)};
  uint32_t done = access == Access::Read ? 0 : writeFours(me, region, places, bytes);
  return done == places.size() || accessLastFours(warp, i, me, region, places.subspan(done), bytes, access);
}

/// accessFours() for the last places, without the fast path.
[[gnu::noinline]] bool GlobalRaces::accessLastFours(Warp &warp, const Instr &i, const RowUse &me, const Region &region,
                                                    std::span<const uint64_t> places, uint32_t bytes, Access access) {
  Touch touch(order_, warp, i, useOf(i, me.agent, me.epoch), access, false);
  touch.me.lanes = me.lanes;
  if (!touch.reads)
    touch.number = numberRow(lastRows_[2 * size_t{me.agent} + 1], me, kNoUse);
  uint64_t start = kGlobalBase + (static_cast<uint64_t>(&region - order_.grid().regions.data()) << kRegionShift);
  const uint32_t shift = shadow_->granuleShift(), count = 4 * bytes >> shift, inLine = shadow_->lineBytes() - 1,
                 inGranule = shadow_->granule() - 1;
  touch.rowBytes = bytes;
  auto n = static_cast<uint32_t>(8 - places.size()); // the number of the place
  for (uint64_t place : places) {
    const uint64_t before = uint64_t{4} * n++ * bytes;
    uint32_t first = static_cast<uint32_t>(place & inLine) >> shift;
    if (((place | 4 * bytes) & inGranule) == 0 && first + count <= GlobalShadow::kGranules) [[likely]] {
      GlobalLine &line = shadow_->line(region.shadow, place);
      uint32_t bits = UINT32_MAX >> (GlobalShadow::kGranules - count) << first;
      if (!touch.reads ? line.writeParts(bits, {touch.okWrite, touch.okReads}, touch.number)
                       : touchKnown(touch, line, bits)) [[likely]]
        continue;
    }
    touch.rowStart = start + place - before; // as if the row began there
    if (!touchRange(touch, start + place, uint64_t{4} * bytes))
      return false;
  }
  return true;
}

bool GlobalRaces::asyncAccess(Warp &warp, const Instr &i, Agent agent, Epoch epoch, uint32_t lane,
                              std::span<const GlobalStretch> stretches, Access access) {
  sweep();
  units_.raise(agent, epoch);
  Touch touch(order_, warp, i, useOf(i, agent, epoch), access, true);
  touch.me.atomic = access == Access::Atomic;
  touch.me.system = touch.me.atomic && !order_.isStrict(StrictForm::UnitReduction); // in the kernel's favour
  touch.chains = touch.me.atomic && !touch.reads && clustersMeet();
  touch.lane = lane;
  if (!touch.reads)
    touch.number = shadow_->add(touch.me);
  return std::ranges::all_of(stretches, [&](const GlobalStretch &stretch) { return touchRows(touch, stretch); });
}

bool GlobalRaces::settle(Warp &warp, const Instr &i) {
  bool fine = true;
  for (const Doubt &doubt : doubts_) {
    bool same = haveSameBytes(doubt.at, doubtBytes_.data() + doubt.old, doubt.bytes) &&
                !order_.isStrict(StrictForm::EqualWrite);
    if (same)
      order_.passEqualWrite();
    fine = fine && (same || report({warp, i, doubt.lane, doubt.address, Access::Write, shadow_->use(doubt.other),
                                    doubt.otherWrites, false, doubt.lanes}));
    if (doubt.otherWrites && shadow_->use(doubt.other).again)
      shadow_->markAgain(doubt.number);
  }
  forgetDoubts();
  return fine;
}

bool GlobalRaces::settleCopy(Warp &warp, const Instr &i, bool changes) {
  bool fine = true;
  if ((changes || order_.isStrict(StrictForm::EqualWrite)) && !doubts_.empty()) {
    const Doubt &doubt = doubts_.front();
    fine = report({warp, i, doubt.lane, doubt.address, Access::Write, shadow_->use(doubt.other), doubt.otherWrites,
                   true, doubt.lanes});
  }
  if (!changes && !doubts_.empty())
    order_.passEqualWrite();
  forgetDoubts();
  return fine;
}

constexpr std::string_view kUnawaitedStoreKind = "unawaited-store";

/// "`st.global.u32` writes byte 8 of buffer 0".
std::string GlobalRaces::describeAccess(const Instr &i, uint64_t address, Access access) const {
  uint64_t offset = 0;
  const Region *region = regionOf(order_.grid(), address, offset);
  std::string_view verb = access == Access::Read ? "reads" : access == Access::Write ? "writes" : "updates";
  return text("`", order_.grid().opcodeOf(i), "` ", verb, " ", describeGlobal(*region, offset, shadow_->granule()));
}

bool GlobalRaces::report(const Clash &clash) {
  const auto &[warp, i, lane, address, access, other, otherWrites, byUnit, lanes] = clash;
  if (other.cluster != clusterIndex_)
    return reportOfCluster(clash);
  if (lanes != LaneOrder::Ordered)
    return reportLanes(clash);
  AsyncUnit unit = order_.kindOf(other.agent);
  bool racing = isRacingRead(clash);
  if (racing && !isNews(*warp.block, kRacingReadKind, order_.pcOf(i), other.pc))
    return true;
  std::string what = describeAccess(i, address, access);
  Use use;
  use.agent = other.agent;
  use.epoch = other.epoch;
  use.pc = other.pc;
  if (!racing)
    warp.block->checks->phases.raced(warp, use);
  std::vector<Note> notes{noteAt(order_, use, otherWrites)}, weak = weakNotes(order_, order_.viewOf(warp), use);
  notes.insert(notes.end(), weak.begin(), weak.end());
  if (weak.empty())
    notes.push_back({order_.grid().spanOf(i), missingBefore(order_, warp, use)});
  if (unit == AsyncUnit::Warp) {
    what += text(", which ", warpName(order_, other.agent % order_.warps()), otherWrites ? " writes" : " reads",
                 " without an order between them", weak.empty() ? "" : text(": ", whyWeak(order_, use)));
    if (racing)
      return noteRacingRead(warp, i, lane, kRacingReadKind, std::move(what), std::move(notes));
    fault(warp, i, "race", std::move(what), lane, std::move(notes));
  } else if (otherWrites) {
    what += byUnit ? ", which another copy still writes" : ", which a copy still writes";
    if (byUnit && isBehindReadOf(warp, other))
      return !isNews(*warp.block, kUnawaitedStoreKind, order_.pcOf(i), other.pc) ||
             hazard(warp, i, std::string(kUnawaitedStoreKind), std::move(what), lane, std::move(notes));
    fault(warp, i, "copy-not-awaited", std::move(what), lane, std::move(notes));
  } else
    fault(
        warp, i, "overwritten-in-flight",
        Message("{}, which a copy still reads{}", what,
                shadow_->descriptors.contains(address / kTensorMapBytes * kTensorMapBytes) ? " as its descriptor" : ""),
        lane, std::move(notes));
  return false;
}

/// A thread's copies after a `wait_group.read` follow the store on the same way to memory: Triton's kernels rely on it
/// where they update a tile in place.
bool GlobalRaces::isBehindReadOf(const Warp &warp, const GlobalUse &store) const {
  return store.agent == order_.unitOf(warp, AsyncUnit::BulkWrite) &&
         order_.viewOf(warp).seen[order_.unitOf(warp, AsyncUnit::BulkGroup)] >= store.epoch;
}

GlobalRaces::RacingPair &GlobalRaces::racingPairOf(const RacingPair &pair) {
  constexpr size_t kPairs = 2048;
  racingPairs_.resize(kPairs);
  uint64_t mixed = (uint64_t{pair.cluster} << 32 | pair.warp << 16 | uint32_t{pair.reads}) * 0x9E3779B97F4A7C15ull;
  mixed = (mixed + (uint64_t{pair.pc} << 32 | pair.otherPc)) * 0xD6E8FEB86659FD93ull;
  return racingPairs_[mixed >> 53];
}

bool GlobalRaces::isRacingRead(const Clash &clash) {
  const auto &[warp, i, lane, address, access, other, otherWrites, byUnit, lanes] = clash;
  bool reads = access == Access::Read;
  if (byUnit || reads != otherWrites)
    return false;
  const bool own = other.cluster == clusterIndex_;
  if (own ? order_.kindOf(other.agent) != AsyncUnit::Warp
          : shadow_->manyDevices() && shadow_->deviceOf(other.cluster) != order_.grid().device)
    return false;
  // A load is recorded once, whichever of a cluster's warps writes.
  RacingPair pair{.pc = order_.pcOf(i), .otherPc = other.pc, .reads = reads};
  if (reads) {
    pair.warp = order_.numberOf(warp);
    pair.cluster = own;
  } else {
    pair.warp = other.agent;
    pair.cluster = other.cluster;
  }
  RacingPair &known = racingPairOf(pair);
  if (known == pair && shadow_->racingReads->size() < kMostRacingReads)
    return true;
  std::string_view writer = order_.grid().opcodeOf(reads ? order_.grid().program->code[other.pc] : i);
  bool byWarp = writer.starts_with("atom.") || writer.starts_with("red.") || writer.starts_with("st.");
  if ((!own && !byWarp) || !addRacingRead(warp, i, reads, other, shadow_->racingReads))
    return false;
  known = pair;
  return true;
}

bool GlobalRaces::addRacingRead(const Warp &warp, const Instr &i, bool reads, const GlobalUse &other,
                                std::optional<RacingReads> &racing) {
  const Grid &grid = order_.grid();
  uint32_t pc = reads ? order_.pcOf(i) : other.pc;
  const Instr &load = grid.program->code[pc];
  if (!racing || load.acquires || !grid.opcodeOf(load).starts_with("ld") || racing->size() >= kMostRacingReads)
    return false;
  if (load.strong && !mayDiscard(*grid.program, pc)) // it may wait for a signal
    return false;
  uint32_t reader = reads ? order_.numberOf(warp) : order_.ownerOf(other.agent);
  uint32_t block = blockNumber(reads ? clusterIndex_ : other.cluster, reader / order_.warpsPerBlock());
  racing->insert({grid.device, block, reader % order_.warpsPerBlock(), pc});
  return true;
}

bool GlobalRaces::noteRacingRead(Warp &warp, const Instr &i, uint32_t lane, std::string_view kind, std::string what,
                                 std::vector<Note> notes) {
  warp.block->findings.push_back(
      findingAt(warp, i, Severity::Note, std::string(kind), std::move(what), lane, std::move(notes)));
  return true;
}

uint32_t GlobalRaces::blockNumber(uint32_t cluster, uint32_t rank) const {
  const Grid &grid = order_.grid();
  std::array<uint32_t, 3> at = grid.firstBlockOf(cluster % shadow_->clustersOfDevice);
  for (size_t n = 0; n < 3; ++n) {
    at[n] += rank % grid.cluster[n];
    rank /= grid.cluster[n];
  }
  return at[0] + grid.size[0] * (at[1] + grid.size[1] * at[2]);
}

bool GlobalRaces::reportOfCluster(const Clash &clash) {
  const auto &[warp, i, lane, address, access, other, otherWrites, byUnit, lanes] = clash;
  const Instr &there = order_.grid().program->code[other.pc];
  bool sameDevice = shadow_->deviceOf(other.cluster) == order_.grid().device;
  bool unit = !sameDevice && order_.kindOf(other.agent) != AsyncUnit::Warp;
  constexpr std::string_view kUnfencedAcquireKind = "unfenced-acquire";
  bool unfenced = // otherwise there is an order, but not for all lanes
      sameDevice && !byUnit && lanes == LaneOrder::Ordered && hasObserved(order_.viewOf(warp), Scope::Device, other);
  const RacingPair pair{.pc = order_.pcOf(i), .otherPc = other.pc, .warp = order_.numberOf(warp), .reads = true};
  const bool isLoad = sameDevice && access == Access::Read && otherWrites && !byUnit && !unfenced;
  if (isLoad && pair == lastLoad_ && shadow_->racingReads->size() < kMostRacingReads)
    return true;
  bool racing = !unfenced && isRacingRead(clash);
  if (isLoad && racing)
    lastLoad_ = pair;
  if ((unfenced || racing) &&
      !isNews(*warp.block, unfenced ? kUnfencedAcquireKind : kRacingReadKind, order_.pcOf(i), other.pc))
    return true;
  std::string who = text(unit ? "a copy of " : "a warp of ", blocksOf(other.cluster));
  std::string what = text(describeAccess(i, address, access), ", which ", who, otherWrites ? " writes" : " reads",
                          " without an order between them");
  std::vector<Note> notes{
      Note{order_.grid().spanOf(there), text(who, otherWrites ? " writes it here, with `" : " reads it here, with `",
                                             order_.grid().opcodeOf(there), "`")},
      sameDevice ? missingBetweenClusters(warp, i, other, lanesOfUse(other, otherWrites, address))
                 : Note{order_.grid().spanOf(i), missingBetweenDevices(warp, i, other)}};
  if (unfenced)
    return hazard(warp, i, std::string(kUnfencedAcquireKind), std::move(what), lane, std::move(notes));
  if (racing)
    return noteRacingRead(warp, i, lane, kRacingReadKind, std::move(what), std::move(notes));
  fault(warp, i, "race", std::move(what), lane, std::move(notes));
  return false;
}

bool GlobalRaces::hasObserved(const View &view, Scope scope, const GlobalUse &use) const {
  return !view.observed.empty() && shadow_->published(view.observed[static_cast<size_t>(scope)].foreign, use);
}

Note GlobalRaces::missingBetweenClusters(const Warp &warp, const Instr &i, const GlobalUse &other,
                                         const LaneSet &theirs) const {
  const Grid &grid = order_.grid();
  if (other.narrow || (other.atomic && i.narrow))
    return {grid.spanOf(i), "accesses of two blocks or clusters with the scope `.cta` or `.cluster` are not atomic to "
                            "each other; with `.gpu` they are"};
  const View &view = order_.viewOf(warp);
  if (!shadow_->published(view.foreign, other) && hasObserved(view, Scope::Device, other))
    return {grid.spanOf(i),
            "the missing fence: `fence.acq_rel.gpu` (`__threadfence()`) in this thread before its access: "
            "the flag was read by a relaxed or volatile access, which acquires nothing; "
            "`ld.acquire.gpu` and `atom.acquire.gpu` do"};
  Agent owner = static_cast<Agent>(order_.ownerOf(other.agent));
  bool copy = order_.kindOf(other.agent) != AsyncUnit::Warp;
  uint32_t lanes = theirs.lanes && !theirs.several ? theirs.lanes : kAllLanes;
  if (const Releasers::Release *tells =
          shadow_->releasers.shortOf(other.cluster, {other.stamp, other.agent, other.epoch}, lanes)) {
    const Instr &there = grid.program->code[tells->pc];
    std::string_view why =
        copy && tells->warp == owner ? ", before the copy was waited for (`cp.async.bulk.wait_group` without `.read` "
                                       "of a store, the mbarrier of a "
                                       "load)"
        : tells->lanesOf(other.agent, other.epoch)
            ? ", and publishes what is ordered before it in its own lane: no `bar.warp.sync` (`__syncwarp()`) and no "
              "barrier lies between the access by another lane of its warp and the fence or the release there"
        : tells->warp == owner
            ? ", and publishes what came before the fence that it follows: the access comes after that fence"
            : ", and publishes what is ordered before it in its own thread: no barrier (`bar.sync`) lies between the "
              "access and the fence or the release there";
    return {grid.spanOf(there), text("`", grid.opcodeOf(there), "` signals other blocks here", why)};
  }
  return {grid.spanOf(i),
          "no release and acquire of the scope `.gpu` between the two blocks, which run in any order (a "
          "relaxed atomic or volatile store publishes only what came before a `fence.acq_rel.gpu`, "
          "`__threadfence()`, and there is none)"};
}

std::string GlobalRaces::missingBetweenDevices(const Warp &warp, const Instr &i, const GlobalUse &other) const {
  auto cluster = static_cast<Agent>(other.cluster);
  std::string devices = text("devices ", order_.grid().device, " and ", shadow_->deviceOf(other.cluster));
  bool unit = order_.kindOf(other.agent) != AsyncUnit::Warp;
  if (other.atomic &&
      (i.strong || order_.grid().opcodeOf(i).starts_with("atom") || order_.grid().opcodeOf(i).starts_with("red")))
    return text("a scope within a device makes accesses of ", devices, " no atomics to each other; `.sys` does");
  if (unit && unordered_.covers(cluster, other.stamp + 1))
    return text("the signal between ", devices,
                " came before a wait for the copy (`cp.async.bulk.wait_group` without `.read` of a store, the "
                "mbarrier of a load)");
  auto knows = [&](const View &view) { return shadow_->releasers.lastOf(view.foreign, other.cluster) > other.stamp; };
  if (knows(order_.viewOf(warp)))
    return text("the signal between ", devices,
                " came from another warp than the access, without a barrier (`bar.sync`, an mbarrier) between "
                "the two");
  if (order_.somebodyKnows(knows))
    return text("another warp has looked at the signal between ", devices,
                "; no barrier (`bar.sync`, an mbarrier) lies between its wait and this access");
  if (unordered_.covers(cluster, other.stamp + 1))
    return text("there is a signal between ", devices,
                ", but it orders no memory: one side of it is of a scope within its device, or relaxed without a "
                "`fence.acq_rel.sys`; a release and an acquire of the scope `.sys` do");
  return text("no release and acquire at system scope (`.sys`) between ", devices, ", which run in any order");
}

/// "block (1, 0, 0)", or the first block of a cluster. With several devices, the text names the device, too.
std::string GlobalRaces::blocksOf(uint32_t cluster) const {
  std::array<uint32_t, 3> at{};
  uint64_t rest = cluster % shadow_->clustersOfDevice, size = 1;
  for (size_t n = 0; n < 3; ++n) {
    uint64_t count = order_.grid().size[n] / order_.grid().cluster[n];
    at[n] = static_cast<uint32_t>(rest % count) * order_.grid().cluster[n];
    rest /= count;
    size *= order_.grid().cluster[n];
  }
  std::string blocks = text(size > 1 ? "the cluster from block (" : "block (", at[0], ", ", at[1], ", ", at[2], ")");
  return shadow_->manyDevices() ? text(blocks, " of device ", shadow_->deviceOf(cluster)) : blocks;
}

} // namespace lanescope::core::emulator
