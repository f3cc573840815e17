// Makes a strong load a stale read: it returns the value from before the last strong write of another cluster, if
// nothing orders the two (check/StaleReads.h). That happens once for each thread and byte, and never after the thread
// has met a newer value, or comes after a load of its cluster that has: of two ordered loads, the second gives no older
// value (PTX ISA, "Causality" axiom). Nor does it happen if the order of `fence.sc` forbids it (FenceOrder.h).
//
//   StaleLoads stale(program, pc);
//   RunResult other = LANESCOPE_TRY(runs.under(stale));    // with checks
#pragma once

#include "core/gpu/emulator/check/Clocks.h"
#include "core/gpu/emulator/replay/Counters.h"
#include "core/gpu/emulator/replay/FenceOrder.h"
#include "core/gpu/emulator/replay/GlobalPlaces.h"
#include "core/gpu/emulator/replay/Perturbation.h"
#include "core/gpu/emulator/replay/PlaceTable.h"

#include <cstddef>
#include <vector>

namespace lanescope::core::emulator {

class LateStores;

class StaleLoads : public Perturbation {
public:
  /// `load` is the pc of the load. `late`: the late stores of the same run; null: there are none.
  StaleLoads(const Program &program, uint32_t load, const LateStores *late = nullptr)
      : load_(load), late_(late), accesses_(globalAccessesOf(program)), takesNumber_(atomicsThatTakeNumbers(program)) {}

  bool concerns(const Program &program, uint32_t pc) const override;
  Step execute(Warp &warp, const Instr &i, uint32_t mask, Own own) override;

  /// The counts of which the load has returned an older value.
  const Counters &counters() const { return counters_; }

private:
  /// For one byte: its value before its last strong write; if that write takes a number (Counters.h); its number among
  /// all writes, its thread, and the thread's `fence.sc` before it.
  struct Written {
    std::byte before{};
    bool takesNumber = false;
    uint32_t number = 0, fences = 0;
    uint64_t thread = 0;
  };
  /// A warp's loads of one byte: the lanes that have loaded its newest value; the last write whose value the warp has
  /// loaded, and the warp's epoch at its first load of that value.
  struct Met {
    uint32_t lanes = 0, number = 0;
    Epoch epoch = 0;
  };
  struct Part {
    std::byte *at = nullptr;
    std::byte value{};
  };
  Step load(Warp &warp, const Instr &i, uint32_t mask, Own own);
  Step write(Warp &warp, const Instr &i, uint32_t mask, Own own);
  Step fence(Warp &warp, const Instr &i, uint32_t mask, Own own);
  /// Adds the bytes of a lane's access that may be stale. Of each write, either all bytes are stale or none.
  void findStale(Warp &warp, uint32_t lane, std::byte *at, uint64_t address, uint32_t bytes, std::vector<Part> &stale);
  /// A load of the newest value, a load that returned an older value of some bytes, or a write.
  enum class Meeting : uint8_t { Load, OldLoad, Write };
  /// Records that the thread has loaded or written these bytes. A thread that has only written them may still load a
  /// value from before a later write, once.
  void met(const Warp &warp, uint32_t lane, uint64_t address, uint32_t bytes, Meeting meeting);
  /// True if a load of the write's value happens before the warp's next access.
  bool comesAfterMeeting(const Warp &warp, uint64_t address, uint32_t number);

  /// The thread loads these bytes, and gets the values that are visible to it.
  void read(const Warp &warp, uint32_t lane, uint64_t address, uint32_t bytes);

  uint32_t load_;
  const LateStores *late_;
  const std::vector<GlobalAccess> accesses_; // by pc
  const std::vector<bool> takesNumber_;      // by pc
  uint32_t writes_ = 0;                      // writes by lanes so far
  FenceOrder fences_;
  PlaceTable<Written> written_;
  PlaceTable<Met> met_; // by warp
  Counters counters_;
};

} // namespace lanescope::core::emulator
