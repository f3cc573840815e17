#include "core/gpu/emulator/replay/LateStores.h"

#include "core/gpu/emulator/check/Checker.h"
#include "core/gpu/emulator/machine/Cluster.h"
#include "core/gpu/emulator/machine/Fault.h"
#include "core/gpu/emulator/machine/Names.h"
#include "layouts/support/Text.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace lanescope::core::emulator {

namespace {

constexpr uint32_t kMostLateStores = 64; // a run makes no more stores late
// A warp may poll for others that poll for its late store.
constexpr uint32_t kMostSteps = 256;

uint64_t clusterOf(const Warp &warp) { return warp.block->cluster->blocks[0]->linear; }

Diagnostic storeFinding(const Warp &warp, const Instr &i, uint32_t lane, uint64_t address) {
  const Grid &grid = *warp.block->grid;
  uint64_t offset = 0;
  const Region *region = regionOf(grid, address, offset);
  return findingAt(warp, i, Severity::Error, "race",
                   Message("`{}` writes {place}, and the write may become visible after a later access of its thread; "
                           "results depend on that",
                           grid.opcodeOf(i), describeGlobal(*region, offset, i.access)),
                   lane);
}

} // namespace

LateStores::LateStores(const Program &program, uint32_t store, uint64_t cluster, Stops stops, Until until)
    : store_(store), cluster_(cluster), goOn_(stops), until_(until), orders_(storeOrdersOf(program)) {}

void LateStores::begin() {
  late_.clear();
  stops_.begin();
  readers_.clear();
  othersWrites_ = ownWrites_ = 0;
  stores_ = 0;
  seen_ = false;
  finding_.reset();
}

bool LateStores::concerns(const Program &, uint32_t pc) const { return orders_[pc] != StoreOrder::None; }

bool LateStores::isLate(const Warp &warp) const {
  return std::ranges::find(late_, warpOf(warp), &Late::warp) != late_.end();
}

bool LateStores::writesAgain(Warp &warp, const Instr &i, uint32_t mask) const {
  bool again = false;
  forDistinctPlaces(warp, i, mask, [&](uint32_t, std::byte *, uint64_t address) {
    again = again || std::ranges::any_of(late_, [&](const Late &one) {
              return one.warp == warpOf(warp) && one.place.overlaps({address, i.access});
            });
  });
  return again;
}

bool LateStores::hides(const Warp &warp, uint64_t address) const {
  return until_ == Until::Hidden && std::ranges::any_of(late_, [&](const Late &one) {
           return one.warp != warpOf(warp) && one.place.overlaps({address, 1});
         });
}

template <class Chosen> void LateStores::show(Chosen chosen) {
  std::erase_if(late_, [&](Late &one) {
    bool shown = chosen(one);
    one.block->effects += shown; // polls read another value now
    return shown;
  });
}

bool LateStores::stopsAfterRead(const Warp &warp) {
  auto reader = readers_.find(warpOf(warp));
  if (reader == readers_.end() || reader->second)
    return false;
  if (stops_.waits(warp, ownWrites_))
    return true;
  reader->second = true;
  return false;
}

Step LateStores::execute(Warp &warp, const Instr &i, uint32_t mask, Own own) {
  const StoreOrder order = orders_[warp.block->grid->pcOf(i)];
  if (stopsAfterRead(warp))
    return Step::Later;
  const uint64_t me = warpOf(warp);
  if (isLate(warp) && (order == StoreOrder::Full || (order == StoreOrder::Write && writesAgain(warp, i, mask)))) {
    if (!seen_ && stops_.waits(warp, othersWrites_))
      return Step::Later;
    stops_.goesOn(warp);
    show([&](const Late &one) { return one.warp == me; });
  }
  show([&](Late &one) { return one.warp == me && one.seen && ++one.steps > kMostSteps; });
  if (clusterOf(warp) == cluster_)
    ownWrites_ += order != StoreOrder::Load;
  else
    othersWrites_ += order == StoreOrder::Write;
  switch (order) {
  case StoreOrder::Load: return load(warp, i, mask, own);
  case StoreOrder::Write: return write(warp, i, mask, own);
  case StoreOrder::Fence:
    for (Late &one : late_)
      one.fenced |= one.warp == me;
    break;
  case StoreOrder::Full:
  case StoreOrder::None: break;
  }
  return own(warp, i, mask);
}

Step LateStores::load(Warp &warp, const Instr &i, uint32_t mask, Own own) {
  if (late_.empty())
    return own(warp, i, mask);
  const uint64_t me = warpOf(warp);
  std::vector<size_t> read;
  forDistinctPlaces(warp, i, mask, [&](uint32_t, std::byte *, uint64_t address) {
    show([&](const Late &one) { return one.warp != me && one.isReleasedBy({address, i.access}); });
  });
  forDistinctPlaces(warp, i, mask, [&](uint32_t, std::byte *, uint64_t address) {
    for (size_t n = 0; n < late_.size(); ++n)
      if (late_[n].warp != me && late_[n].place.overlaps({address, i.access}) &&
          std::ranges::find(read, n) == read.end())
        read.push_back(n);
  });
  if (read.empty())
    return own(warp, i, mask);
  if (goOn_ == Stops::Seen) {
    seen_ = true;
    readers_.try_emplace(me, false);
  }
  if (until_ == Until::Visible)
    return own(warp, i, mask);
  GlobalRaces &global = warp.block->checks->global;
  for (size_t n : read)
    late_[n].seen = true;
  auto swapAll = [&] {
    for (size_t n : read) {
      Late &one = late_[n];
      std::swap_ranges(one.at, one.at + one.place.bytes, one.before.begin());
      one.released = global.exchangeFlag(one.place.address, std::move(one.released));
    }
  };
  swapAll();
  Step step = own(warp, i, mask);
  swapAll();
  if (!finding_) {
    const Grid &grid = *warp.block->grid;
    finding_ = late_[read.front()].finding;
    finding_->notes.push_back(
        {grid.spanOf(i), text(warp.block->name(), ", warp ", warp.id, " then still loads the older value here, with `",
                              grid.opcodeOf(i), "`")});
  }
  return step;
}

Step LateStores::write(Warp &warp, const Instr &i, uint32_t mask, Own own) {
  const uint64_t me = warpOf(warp);
  const bool reads = !warp.block->grid->opcodeOf(i).starts_with("st");
  const bool late = warp.block->grid->pcOf(i) == store_ && clusterOf(warp) == cluster_ && stores_ < kMostLateStores &&
                    i.access <= kLineBytes;
  std::vector<Late> fresh;
  forDistinctPlaces(warp, i, mask, [&](uint32_t lane, std::byte *at, uint64_t address) {
    const Place place{address, i.access};
    show([&](const Late &one) {
      return one.place.overlaps(place) || (reads && one.warp != me && one.isReleasedBy(place));
    });
    for (Late &one : late_) {
      if (one.warp == me && (one.fenced || i.releases))
        one.publishes.push_back(place);
      else if (one.warp != me)
        std::erase_if(one.publishes, [&](const Place &other) {
          return other.overlaps(place);
        }); // later loads give the new value, which releases nothing of this
    }
    if (!late)
      return;
    Late &one = fresh.emplace_back();
    one.warp = me;
    one.place = place;
    one.block = warp.block;
    one.at = at;
    std::memcpy(one.before.data(), at, i.access);
    one.finding = storeFinding(warp, i, lane, address);
    one.released = warp.block->checks->global.flagOf(address);
  });
  Step step = own(warp, i, mask);
  if (step == Step::Fault || fresh.empty())
    return step;
  ++stores_;
  seen_ = false;
  readers_.clear();
  late_.insert(late_.end(), std::make_move_iterator(fresh.begin()), std::make_move_iterator(fresh.end()));
  return step;
}

} // namespace lanescope::core::emulator
