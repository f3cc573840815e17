#include "core/gpu/emulator/check/GlobalRaces.h"

#include "core/gpu/emulator/check/UseWords.h"
#include "core/gpu/emulator/machine/Fault.h"
#include "layouts/support/Text.h"

#include <algorithm>
#include <cstring>

namespace lanescope::core::emulator {

namespace {

constexpr uint64_t kVagueFlag = Ordering::kVagueFlag, kAnyFlag = 1;
constexpr size_t kFlagAddresses = 4; // of one instruction

} // namespace

void GlobalRaces::begin(GlobalShadow &memory, uint32_t cluster, uint32_t blocks) {
  shadow_ = &memory;
  clusterIndex_ = cluster;
  const Grid &grid = order_.grid();
  clusterCount_ = uint64_t(grid.size[0]) * grid.size[1] * grid.size[2] / blocks;
  doubts_.clear();
  lastUses_.assign(2 * size_t(order_.warps()), LastUse{});
}

void GlobalRaces::passFlags(Warp &warp, uint32_t mask, const uint64_t *addresses, bool acquires, bool releases) {
  uint64_t keys[kFlagAddresses];
  size_t count = 0;
  bool between = clustersMeet();
  if (releases && between)
    order_.view(order_.numberOf(warp)).foreign.raise(static_cast<Agent>(clusterIndex_), ++shadow_->releases);
  bool many = order_.flagsAreMany();
  for (uint32_t l = 0; l < 32 && !many; ++l)
    if ((mask >> l & 1) && std::find(keys, keys + count, addresses[l]) == keys + count) {
      many = count == kFlagAddresses;
      if (!many)
        keys[count++] = addresses[l];
    }
  Clock &foreign = order_.view(order_.numberOf(warp)).foreign;
  auto acquire = [&](uint64_t key) {
    order_.passed(warp, order_.flag(key));
    if (between)
      foreign.join(shadow_->flags[key]);
  };
  auto release = [&](uint64_t key) {
    order_.arriveAt(warp, order_.flag(key));
    if (between)
      shadow_->flags[key].join(foreign);
  };
  // Who names many addresses at once releases into `kVagueFlag`, which everybody acquires from, and acquires from all.
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
  if (releases)
    release(kAnyFlag);
}

inline GlobalUse GlobalRaces::useOf(const Instr &i, Agent agent, Epoch epoch) const {
  GlobalUse use;
  use.cluster = clusterIndex_;
  use.stamp = shadow_->releases;
  use.agent = agent;
  use.epoch = epoch;
  use.pc = order_.pcOf(i);
  return use;
}

/// One access of a warp or unit, with what the last cells compared with were.
struct GlobalRaces::Touch {
  Warp &warp;
  const Instr &i;
  GlobalUse me;
  const View &view;
  Access access;
  bool byUnit = false, reads = false;
  uint32_t lane = kNone;
  uint32_t number = kNoUse; // of `me`, when it writes
  uint32_t okWrite = kNoUse, okReads = kNoUse, oldReads = kNoUse, newReads = kNoUse;
  uint64_t rowStart = 0;
  uint32_t rowBytes = 0;             // of a row: which lane a place belongs to
  const std::byte *memory = nullptr; // of the region: where address 0 would be
  uint64_t end = 0;                  // of the stretch
  const std::byte *kept = nullptr;   // the stretch from here on is in doubtBytes_, from keptAt
  size_t keptAt = 0;
};

uint32_t GlobalRaces::numberOf(LastUse &last, const Instr &i, const GlobalUse &use) {
  uint32_t loc = order_.grid().program->function->instructions[i.source].loc;
  bool same = last.number && last.sweeps == shadow_->sweeps && last.use.epoch == use.epoch &&
              last.use.stamp == use.stamp && last.use.rest == use.rest && last.use.atomic == use.atomic &&
              (last.use.pc == use.pc || (loc && last.loc == loc && last.run == i.run));
  if (!same)
    last = {shadow_->add(use), shadow_->sweeps, loc, use, i.run};
  return last.number;
}

/// Whether blocks of several clusters may be ordered here, and are followed.
bool GlobalRaces::clustersMeet() const {
  return order_.grid().program->communicates && shadow_->judges && clusterCount_ > 1 &&
         clusterCount_ <= GlobalShadow::kMaxClusters;
}

bool GlobalRaces::conflict(Touch &t, uint32_t otherUse, bool otherWrites, uint64_t address, uint64_t bytes) {
  const std::byte *at = t.memory + address;
  if (!doubts_.empty() && doubts_.back().other == otherUse && doubts_.back().at + doubts_.back().bytes == at) {
    doubts_.back().bytes += bytes;
    return true;
  }
  const GlobalUse &other = shadow_->use(otherUse);
  if (t.me.atomic && other.atomic)
    return true;
  if (other.cluster == clusterIndex_) {
    if (t.view.seen.covers(other.agent, other.epoch) || (!t.byUnit && other.agent == t.me.agent))
      return true;
  } else if (order_.grid().program->communicates) {
    if (!clustersMeet() || t.view.foreign.covers(static_cast<Agent>(other.cluster), other.stamp + 1))
      return true;
  } else if (!shadow_->judges) {
    shadow_->suspicious = true; // this run will be repeated, in order
    return true;
  }
  uint32_t lane = t.rowBytes ? static_cast<uint32_t>((address - t.rowStart) / t.rowBytes) : t.lane;
  if (t.access != Access::Write)
    return report(t.warp, t.i, lane, address, t.access, otherUse, otherWrites, t.byUnit);
  if (!t.kept) { // what the whole stretch held
    t.kept = at;
    t.keptAt = doubtBytes_.size();
    doubtBytes_.insert(doubtBytes_.end(), at, t.memory + t.end);
  }
  doubts_.push_back({at, t.keptAt + static_cast<size_t>(at - t.kept), bytes, otherUse, address, lane, otherWrites});
  return true;
}

bool GlobalRaces::touchCell(Touch &t, Cell &cell, uint64_t address, uint64_t bytes) {
  if (cell.write != t.okWrite && cell.write != t.number) {
    if (cell.write != kNoUse && !conflict(t, cell.write, true, address, bytes))
      return false;
    if (doubts_.empty())
      t.okWrite = cell.write;
  }
  if (t.reads) {
    if (cell.reads == t.newReads && t.newReads)
      return true;
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
    if (doubts_.empty())
      t.okReads = cell.reads;
  }
  cell = {t.number, kNoUse};
  return true;
}

bool GlobalRaces::touchRange(Touch &t, uint64_t address, uint64_t bytes) {
  uint64_t offset = 0;
  const Region *region = regionOf(order_.grid(), address, offset);
  if (!region)
    return true;
  auto number = static_cast<size_t>(region - order_.grid().regions.data());
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
    if (line.detail == 0 && line.all.write == t.okWrite) [[likely]] {
      if (t.reads ? t.newReads && (line.all.reads == t.newReads || (whole && line.all.reads == t.oldReads))
                  : whole && line.all.reads == t.okReads) {
        if (!t.reads)
          line.all = {t.number, kNoUse};
        else if (whole)
          line.all.reads = t.newReads;
        at = stop;
        continue;
      }
    }
    if (whole && line.detail == 0) {
      if (!touchCell(t, line.all, base + at, size))
        return false;
    } else {
      Cell *cells = shadow_->cells(line);
      uint32_t shift = shadow_->granuleShift(), last = static_cast<uint32_t>(stop - start) >> shift;
      for (uint32_t n = static_cast<uint32_t>(at - start) >> shift, next = n; n < last; n = next) {
        Cell cell = cells[n]; // and its neighbours that are the same, unless two things may be said of each
        uint64_t both = cell.both();
        bool alone = !t.reads && cell.write != kNoUse && cell.reads != kNoUse;
        for (next = n + 1; next < last && !alone && cells[next].both() == both;)
          ++next;
        if (!touchCell(t, cell, base + start + (uint64_t(n) << shift), uint64_t(next - n) << shift))
          return false;
        for (; n < next; ++n)
          cells[n] = cell;
      }
      if (whole && !t.reads)
        shadow_->join(line, {t.number, kNoUse});
    }
    at = stop;
  }
  return true;
}

bool GlobalRaces::access(Warp &warp, const Instr &i, uint32_t mask, const uint64_t *addresses, uint32_t bytes,
                         Access access) {
  shadow_->sweepWhenLarge();
  auto w = static_cast<Agent>(order_.numberOf(warp));
  bool orders = access == Access::Atomic || i.strong;
  if (orders && (access == Access::Read || (access == Access::Atomic && i.d != kNone)))
    passFlags(warp, mask, addresses, true, false);
  View &view = order_.view(w);
  Touch touch{warp, i, useOf(i, w, view.seen[w]), view, access};
  touch.me.atomic = orders;
  touch.reads = access == Access::Read;
  if (!touch.reads)
    touch.number = numberOf(lastUses_[2 * w + 1], i, touch.me);
  for (uint32_t l = 0; l < 32;) {
    if (!(mask >> l & 1)) {
      ++l;
      continue;
    }
    uint32_t last = l + 1; // neighbours, and who names the same place, are one stretch
    while (last < 32 && (mask >> last & 1) &&
           (addresses[last] == addresses[last - 1] + bytes || addresses[last] == addresses[last - 1]))
      ++last;
    touch.lane = l;
    touch.rowStart = addresses[l];
    if (!touchRange(touch, addresses[l], addresses[last - 1] + bytes - addresses[l]))
      return false;
    l = last;
  }
  if (orders && access != Access::Read)
    passFlags(warp, mask, addresses, false, true);
  return true;
}

bool GlobalRaces::accessRow(Warp &warp, const Instr &i, uint64_t address, uint64_t all, uint32_t bytes, Access access) {
  shadow_->sweepWhenLarge();
  auto w = static_cast<Agent>(order_.numberOf(warp));
  const View &view = order_.view(w);
  GlobalUse me = useOf(i, w, view.seen[w]);
  bool reads = access == Access::Read;
  // Mostly the lines have one history: they are fresh, or were used by this warp, or read by others.
  GlobalLine *lines[GlobalShadow::kMostLines];
  size_t count = shadow_->wholeLines(address, all, lines);
  Cell cell = count ? lines[0]->all : Cell{};
  const GlobalUse &before = shadow_->use(cell.write), &reader = shadow_->use(cell.reads);
  bool mine = cell.write == kNoUse || (before.cluster == clusterIndex_ && before.agent == w);
  bool readByMe = cell.reads == kNoUse || (reader.cluster == clusterIndex_ && reader.agent == w && !reader.rest);
  uint32_t elsewhere = reader.rest ? reader.rest : cell.reads; // one reader of another cluster is enough
  bool readElsewhere = reader.cluster != clusterIndex_ && !shadow_->use(elsewhere).rest;
  if (count && mine && (readByMe || (readElsewhere && reads))) {
    if (!reads) {
      cell = {numberOf(lastUses_[2 * w + 1], i, me), kNoUse};
    } else if (!(readByMe && cell.reads && reader.epoch == me.epoch && reader.stamp == me.stamp)) {
      me.rest = readByMe ? kNoUse : elsewhere;
      cell.reads = numberOf(lastUses_[2 * w], i, me);
    }
  } else {
    Touch touch{warp, i, me, view, access};
    touch.reads = reads;
    touch.rowStart = address;
    touch.rowBytes = bytes;
    if (!reads)
      touch.number = numberOf(lastUses_[2 * w + 1], i, me);
    if (count == 0)
      return touchRange(touch, address, all);
    uint64_t offset = 0;
    touch.memory = regionOf(order_.grid(), address, offset)->data - (address - offset);
    touch.end = address + all;
    if (!touchCell(touch, cell, address, all))
      return false;
  }
  for (size_t n = 0; n < count; ++n)
    lines[n]->all = cell;
  return true;
}

bool GlobalRaces::asyncAccess(Warp &warp, const Instr &i, Agent agent, Epoch epoch, uint32_t lane,
                              std::span<const GlobalStretch> stretches, Access access) {
  shadow_->sweepWhenLarge();
  Touch touch{warp, i, useOf(i, agent, epoch), order_.view(order_.numberOf(warp)), access, true};
  touch.me.atomic = access == Access::Atomic;
  touch.reads = access == Access::Read;
  touch.lane = lane;
  if (!touch.reads)
    touch.number = shadow_->add(touch.me);
  return std::ranges::all_of(
      stretches, [&](const GlobalStretch &stretch) { return touchRange(touch, stretch.address, stretch.bytes); });
}

bool GlobalRaces::settle(Warp &warp, const Instr &i) {
  bool fine = true;
  for (const Doubt &doubt : doubts_)
    fine = fine && (std::memcmp(doubt.at, doubtBytes_.data() + doubt.old, doubt.bytes) == 0 ||
                    report(warp, i, doubt.lane, doubt.address, Access::Write, doubt.other, doubt.otherWrites, false));
  doubts_.clear();
  doubtBytes_.clear();
  return fine;
}

bool GlobalRaces::settleCopy(Warp &warp, const Instr &i, bool changes) {
  bool fine = true;
  if (changes && !doubts_.empty()) {
    const Doubt &doubt = doubts_.front();
    fine = report(warp, i, doubt.lane, doubt.address, Access::Write, doubt.other, doubt.otherWrites, true);
  }
  doubts_.clear();
  doubtBytes_.clear();
  return fine;
}

bool GlobalRaces::report(Warp &warp, const Instr &i, uint32_t lane, uint64_t address, Access access, uint32_t otherUse,
                         bool otherWrites, bool byUnit) {
  const GlobalUse &other = shadow_->use(otherUse);
  uint64_t offset = 0;
  const Region *region = regionOf(order_.grid(), address, offset);
  const Instr &there = order_.grid().program->code[other.pc];
  std::string_view verb = access == Access::Read ? "reads" : access == Access::Write ? "writes" : "updates";
  std::string what = text("`", order_.grid().opcodeOf(i), "` ", verb, " byte ", offset, " of ", region->name);
  if (other.cluster != clusterIndex_) {
    std::string who = "a warp of " + blocksOf(other.cluster);
    fault(
        warp, i, "race",
        text(what, ", which ", who, otherWrites ? " writes" : " reads", " without an order between them"), lane,
        {Note{order_.grid().spanOf(there), text(who, otherWrites ? " writes it here, with `" : " reads it here, with `",
                                                order_.grid().opcodeOf(there), "`")},
         Note{order_.grid().spanOf(i), "no release and acquire between the two blocks, which run in any order"}});
    return false;
  }
  Use use;
  use.agent = other.agent;
  use.epoch = other.epoch;
  use.pc = other.pc;
  AsyncUnit unit = order_.kindOf(other.agent);
  std::vector<Note> notes{noteAt(order_, use, otherWrites),
                          Note{order_.grid().spanOf(i), missingBefore(order_, warp, use)}};
  if (unit == AsyncUnit::Warp)
    fault(warp, i, "race",
          text(what, ", which ", warpName(order_, other.agent % order_.warps()), otherWrites ? " writes" : " reads",
               " without an order between them"),
          lane, std::move(notes));
  else if (otherWrites)
    fault(warp, i, "copy-not-awaited",
          text(what, byUnit ? ", which another copy still writes" : ", which a copy still writes"), lane,
          std::move(notes));
  else
    fault(warp, i, "overwritten-in-flight", text(what, ", which a copy still reads"), lane, std::move(notes));
  return false;
}

/// "block (1, 0, 0)", or the first one of a cluster.
std::string GlobalRaces::blocksOf(uint32_t cluster) const {
  std::array<uint32_t, 3> at{};
  uint64_t rest = cluster, size = 1;
  for (size_t n = 0; n < 3; ++n) {
    uint64_t count = order_.grid().size[n] / order_.grid().cluster[n];
    at[n] = static_cast<uint32_t>(rest % count) * order_.grid().cluster[n];
    rest /= count;
    size *= order_.grid().cluster[n];
  }
  return text(size > 1 ? "the cluster from block (" : "block (", at[0], ", ", at[1], ", ", at[2], ")");
}

} // namespace lanescope::core::emulator
