// Makes strong stores of one cluster visible late, as a store buffer does. Until then, loads by other warps give the
// value from before the store. Nothing but a fence keeps a store ahead of the later accesses of its thread to other
// addresses, and most of them need a `fence.sc` (PTX ISA, "Memory Consistency Model": without it, neither "Causality"
// nor "Fence-SC" orders a store and a later load):
//
//   A: st.relaxed [x], 1; ld.relaxed r, [y];    B: st.relaxed [y], 1; fence.sc; ld.relaxed q, [x];   // r and q may be
//   0
//
//   LateStores late(program, pc, cluster, LateStores::Stops::Seen);
//   RunResult other = LANESCOPE_TRY(runs.under({&late}));    // with checks
//
// A late store becomes visible at the latest
// - before its warp executes a `fence.sc` or a barrier, accesses shared memory that others may read, or ends;
// - when another warp writes its place;
// - when another warp loads what its warp has released since: by a release, or by a write after any fence;
// - before its warp writes its place again.
// Its warp stops there until another warp has loaded the old value (which then stops before its next access, until the
// warp of the late store writes nothing more), or until the other warps write nothing more. So both act on what they
// have read.
#pragma once

#include "core/gpu/emulator/check/Clocks.h"
#include "core/gpu/emulator/replay/GlobalPlaces.h"
#include "core/gpu/emulator/replay/Perturbation.h"
#include "core/gpu/emulator/replay/PlaceTable.h"
#include "core/gpu/emulator/replay/QuietStops.h"
#include "core/gpu/emulator/replay/StoreOrder.h"
#include "layouts/support/Diagnostic.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <unordered_map>
#include <vector>

namespace lanescope::core::emulator {

class LateStores : public Perturbation {
public:
  /// `Hidden`: loads by other warps give the older value. `Visible`: warps stop in the same places, but each store is
  /// visible at once, so that only the schedule differs.
  enum class Until : uint8_t { Hidden, Visible };
  /// When the warp of a late store goes on: `Seen`: after another warp has loaded the old value, and that warp then
  /// stops. `Quiet`: when the other warps write nothing more.
  enum class Stops : uint8_t { Seen, Quiet };
  /// The stores by the instruction `store`, in the cluster with that first block.
  LateStores(const Program &program, uint32_t store, uint64_t cluster, Stops stops, Until until = Until::Hidden);

  void begin() override;
  bool concerns(const Program &program, uint32_t pc) const override;
  Step execute(Warp &warp, const Instr &i, uint32_t mask, Own own) override;

  /// True if a load of the byte by the warp gives the value from before a late store.
  bool hides(const Warp &warp, uint64_t address) const;
  /// The first late store whose older value another warp has loaded; nothing if there is none.
  const std::optional<Diagnostic> &finding() const { return finding_; }

private:
  struct Place {
    uint64_t address = 0;
    uint32_t bytes = 0;
    bool overlaps(const Place &other) const {
      return address < other.address + other.bytes && other.address < address + bytes;
    }
  };
  /// A store that is not visible yet.
  struct Late {
    uint64_t warp = 0;
    Place place;
    std::array<std::byte, kLineBytes> before{}; // the bytes before the store
    std::optional<Clock> released;              // the clock that the place released before the store
    bool seen = false;                          // another warp has loaded the old value
    bool fenced = false;                        // its warp has executed a fence since
    uint32_t steps = 0;                         // accesses by its warp after another warp has loaded the old value
    std::vector<Place> publishes;               // the places of writes that release it
    Diagnostic finding;                         // names the store
    Block *block = nullptr;
    std::byte *at = nullptr;
    /// True if a load of the place by another warp acquires the store.
    bool isReleasedBy(const Place &other) const {
      return std::ranges::any_of(publishes, [&](const Place &one) { return one.overlaps(other); });
    }
  };

  Step load(Warp &warp, const Instr &i, uint32_t mask, Own own);
  Step write(Warp &warp, const Instr &i, uint32_t mask, Own own);
  /// Makes all late stores visible for which `chosen` is true.
  template <class Chosen> void show(Chosen chosen);
  bool isLate(const Warp &warp) const;
  /// True if the warp writes the place of a late store of its own.
  bool writesAgain(Warp &warp, const Instr &i, uint32_t mask) const;
  /// True if the warp has read an older value and has to stop.
  bool stopsAfterRead(const Warp &warp);

  uint32_t store_;
  uint64_t cluster_;
  Stops goOn_;
  Until until_;
  const std::vector<StoreOrder> orders_; // by pc
  std::vector<Late> late_;
  QuietStops stops_;
  std::unordered_map<uint64_t, bool> readers_; // warps that have to stop, and later true: they have stopped
  uint64_t othersWrites_ = 0, ownWrites_ = 0;  // writes of other clusters, and of this one
  uint32_t stores_ = 0;                        // late stores so far
  std::optional<Diagnostic> finding_;
  bool seen_ = false; // another warp has read an older value since the last late store
};

} // namespace lanescope::core::emulator
