// Orders accesses of global memory by several lanes of one warp. Three things order such accesses: `bar.warp.sync`,
// barriers, and a release that another lane acquires (Lanes.h).
#include "core/gpu/emulator/check/GlobalTouch.h"
#include "core/gpu/emulator/check/LaneWords.h"
#include "core/gpu/emulator/check/UseWords.h"
#include "core/gpu/emulator/machine/Addresses.h"
#include "core/gpu/emulator/machine/Block.h"
#include "core/gpu/emulator/machine/Fault.h"
#include "core/gpu/emulator/machine/Lanes.h"
#include "core/HostVectors.h"
#include "layouts/support/Text.h"

#include <algorithm>
#include <bit>
#include <utility>

namespace lanescope::core::emulator {

namespace {

LANESCOPE_WIDE uint32_t lanesNear(const uint64_t *addresses, uint64_t address, uint64_t bytes) {
  uint32_t out = 0;
  for (uint32_t l = 0; l < kLanes; ++l)
    out |= static_cast<uint32_t>(address - addresses[l] < bytes) << l;
  return out;
}

} // namespace

void GlobalRaces::lookAtLanes(Touch &t, uint32_t mask, const uint64_t *addresses, uint32_t bytes) {
  t.addresses = addresses;
  t.mask = mask;
  t.bytes = bytes;
  uint32_t together = t.warp.splits[t.warp.current].mask;
  t.me.lanes = shadow_->forms.of(together, mask, addresses, bytes);
  if (t.me.lanes != LaneForms::kUnknown || t.me.atomic) // storing the lanes of scattered atomics would cost too much
    return;
  GlobalUse &last = lastUses_[2 * size_t{t.warpAgent} + !t.reads].scattered;
  t.me.lanes = last.lanes;
  if (last.lanes == LaneForms::kUnknown || !last.isLike(t.me) || shadow_->forms.together(last.lanes) != together) {
    t.me.lanes = shadow_->forms.scattered(together);
    last = t.me;
  }
}

void GlobalRaces::markLanes(const Touch &t) {
  uint64_t granule = shadow_->granule();
  for (uint32_t left = t.mask; left; left &= left - 1) {
    auto l = static_cast<uint8_t>(std::countr_zero(left));
    uint64_t offset = 0;
    const Region *region = regionOf(order_.grid(), t.addresses[l], offset);
    if (region && offset + t.bytes <= region->bytes && t.bytes >= granule)
      shadow_->mark({.form = t.me.lanes, .lane = l, .writes = !t.reads, .merges = t.reads || t.me.atomic},
                    {region->shadow, offset, t.bytes});
  }
}

bool GlobalRaces::accessScattered(Warp &warp, const Instr &i, const Region &region, std::span<const uint64_t, 8> places,
                                  uint32_t bytes, Access access) {
  alignas(64) uint64_t addresses[kLanes];
  uint64_t start = kGlobalBase + (static_cast<uint64_t>(&region - order_.grid().regions.data()) << kRegionShift);
  for (uint32_t l = 0; l < kLanes; ++l)
    addresses[l] = start + places[l / 4] + uint64_t{l % 4} * bytes;
  return this->access(warp, i, kAllLanes, addresses, bytes, access);
}

LaneSet GlobalRaces::lanesOfUse(const GlobalUse &use, bool writes, uint64_t address) const {
  uint64_t offset = 0;
  const Region *region = regionOf(order_.grid(), address, offset);
  return shadow_->lanesAt(use, writes, region->shadow, offset);
}

LaneSet GlobalRaces::lanesOf(const Touch &t, uint64_t address) const {
  if (t.byUnit)
    return {t.lane < kLanes ? 1u << t.lane : 0, false};
  if (t.addresses)
    return {t.mask & lanesNear(t.addresses, address, t.bytes), false};
  return shadow_->forms.lanesAt(t.me.lanes, address & ((uint64_t{1} << kRegionShift) - 1));
}

uint32_t GlobalRaces::laneAt(const Touch &t, uint64_t address, LaneOrder lanes) const {
  if (lanes != LaneOrder::Ordered && t.partLane < kLanes)
    return t.partLane;
  if (t.rowBytes)
    return static_cast<uint32_t>((address - t.rowStart) / t.rowBytes);
  uint32_t mine = t.byUnit ? 0 : lanesOf(t, address).lanes;
  return mine ? static_cast<uint32_t>(std::countr_zero(mine)) : t.lane;
}

bool GlobalRaces::mayPart(const Touch &t, const GlobalUse &other) const {
  if (other.lanes == LaneForms::kUnknown || (t.me.atomic && other.atomic))
    return false;
  if (other.cluster != clusterIndex_)
    return shadow_->releasers.haveParts() &&
           shadow_->releasers.lanesPublished(t.view.foreign, other.cluster, {other.stamp, other.agent, other.epoch}) !=
               kAllLanes;
  if (other.agent != t.warpAgent)
    return !t.view.apart.empty() && t.view.lanesBefore(other.agent, other.epoch) != kAllLanes;
  // If two uses of one form overlap, the same lane made both at that place. If lanes update one place by atomics, each
  // update counts.
  bool alike = other.lanes == t.me.lanes && !other.atomic && !LaneForms::isScattered(other.lanes);
  return other.epoch > t.synchronised && (t.byUnit || !alike);
}

bool GlobalRaces::mayPart(const Touch &t, const Cell &cell) const {
  for (uint32_t n = cell.write; n; n = t.me.atomic ? kNoUse : shadow_->use(n).rest)
    if (mayPart(t, shadow_->use(n)))
      return true;
  if (t.reads)
    return meetsReader(t, cell.reads);
  for (uint32_t n = cell.reads; n; n = shadow_->use(n).rest)
    if (mayPart(t, shadow_->use(n)))
      return true;
  return false;
}

bool GlobalRaces::meetsReader(const Touch &t, uint32_t reads) const {
  if (!reads || t.byUnit || t.me.lanes == LaneForms::kUnknown)
    return false;
  const GlobalUse &last = shadow_->use(reads);
  return last.agent == t.warpAgent && last.cluster == clusterIndex_ && last.epoch > t.synchronised &&
         last.lanes != LaneForms::kUnknown && !shadow_->hasReader(reads, t.me);
}

bool GlobalRaces::touchParted(Touch &t, Cell &cell, uint64_t address) {
  constexpr uint32_t kMostOwn = 3; // how many readers of one warp the set keeps
  LaneSet mine = lanesOf(t, address);
  uint32_t own = 0, together = shadow_->forms.together(t.me.lanes);
  bool replaces = true;
  for (uint32_t n = cell.reads; n; n = shadow_->use(n).rest) {
    const GlobalUse &use = shadow_->use(n);
    if (use.cluster != clusterIndex_ || use.agent != t.warpAgent || use.epoch <= t.synchronised)
      continue;
    LaneSet theirs = lanesOfUse(use, false, address);
    replaces =
        replaces && ((theirs.lanes & ~mine.lanes) == 0 ||
                     (!theirs.several && order_.lanesOf(t.warpAgent).isOrdered(mine.lanes, theirs.lanes, use.epoch)));
    together |= shadow_->forms.together(use.lanes);
    ++own;
  }
  GlobalUse me = t.me;
  bool beside = !replaces && own < kMostOwn;
  if (!replaces && !beside)
    me.lanes = shadow_->forms.several(together);
  if (t.partedFrom != cell.reads || t.partedLanes != me.lanes || t.partedBeside != beside) {
    t.partedFrom = cell.reads;
    t.partedLanes = me.lanes;
    t.partedBeside = beside;
    if (beside)
      me.rest = cell.reads;
    t.parted = beside ? shadow_->add(me) : shadow_->addReader(cell.reads, me, t.view.seen);
  }
  cell.reads = t.parted;
  return true;
}

LaneOrder GlobalRaces::laneOrder(Touch &t, const GlobalUse &other, bool otherWrites, uint64_t address) const {
  if (!mayPart(t, other))
    return LaneOrder::Ordered;
  t.parts = true;
  t.partLane = kNone;
  LaneSet of = lanesOfUse(other, otherWrites, address);
  if (of.lanes == 0)
    return LaneOrder::Ordered;
  if (other.cluster != clusterIndex_ || other.agent != t.warpAgent) {
    uint32_t before =
        other.cluster == clusterIndex_
            ? t.view.lanesBefore(other.agent, other.epoch)
            : shadow_->releasers.lanesPublished(t.view.foreign, other.cluster, {other.stamp, other.agent, other.epoch});
    return (of.lanes & ~before) == 0 || of.several ? LaneOrder::Ordered
           : otherWrites                           ? LaneOrder::Unordered
                                                   : LaneOrder::InStep;
  }
  // If lanes wrote one place together, they wrote the same value, or it is undefined which value remained.
  uint32_t by = lanesOf(t, address).lanes;
  if (!of.several && (std::has_single_bit(of.lanes) || !otherWrites || !order_.isReduction(other.pc)))
    by &= ~of.lanes;
  t.partLane = static_cast<uint32_t>(std::countr_zero(by));
  const WarpLanes &warp = order_.lanesOf(t.warpAgent);
  if (by == 0 || warp.isOrdered(by, of.lanes, other.epoch))
    return LaneOrder::Ordered;
  auto some = [&](const WarpLanes::Known &known) { return (known.knowers & by) && known.epoch >= other.epoch; };
  if (of.several && std::ranges::any_of(warp.known, some)) // it is not known which lanes read it
    return LaneOrder::Ordered;
  return warp.inStep(by, of.lanes, shadow_->forms.together(other.lanes), other.epoch) ? LaneOrder::InStep
                                                                                      : LaneOrder::Unordered;
}

bool GlobalRaces::reportLanes(const Clash &clash) {
  const auto &[warp, i, lane, address, access, other, otherWrites, byUnit, lanes] = clash;
  bool reads = access == Access::Read, inStep = lanes == LaneOrder::InStep;
  bool noted = !byUnit && reads == otherWrites && addRacingRead(warp, i, reads, other, shadow_->laneReads);
  std::string_view kind = inStep ? kWarpSynchronousKind : kUnsettledLaneRace;
  if ((inStep || noted) && !isNews(*warp.block, kind, order_.pcOf(i), other.pc))
    return true;
  Use use;
  use.agent = other.agent;
  use.epoch = other.epoch;
  use.pc = other.pc;
  uint32_t theirs = lanesOfUse(other, otherWrites, address).lanes;
  if (other.agent == order_.numberOf(warp) && lane < kLanes)
    theirs &= ~(1u << lane);
  LaneWords words(order_, warp, i, use, theirs);
  std::string what =
      text(describeAccess(i, address, access), ", which ", words.who(), otherWrites ? " writes" : " reads",
           " without an order between them", inStep ? words.inStep() : "");
  std::vector<Note> notes{noteAt(order_, use, otherWrites), words.missing()};
  if (noted)
    return noteRacingRead(warp, i, lane, kind, std::move(what), std::move(notes));
  if (inStep)
    return hazard(warp, i, std::string(kWarpSynchronousKind), std::move(what), lane, std::move(notes));
  fault(warp, i, "race", std::move(what), lane, std::move(notes));
  return false;
}

} // namespace lanescope::core::emulator
