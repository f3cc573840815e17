// Lets loads of flags see the signals of other clusters as late as the memory model allows. A flag's strong writes have
// one order. Each strong load by a cluster gives the next value in that order after the one that the cluster has read
// last, and acquires what was released up to that write, not what later writes release. So a wait that an early value
// ends goes on with that value:
//
//   A: st.release [f], 1; st [x], 1; st.release [f], 2;
//   B: L: ld.acquire r, [f]; @r==0 bra L; ld q, [x];        // reads f = 0, then f = 1: a race for x
//
//   LateSignals late;
//   Replay replay(program, {&late});
//   replay.attachTo(grid);                                  // with checks, on one device
//
// No load gives an older value than one that the cluster has read or written, or that a release and an acquire have
// made known to it: "coherence" and "causality" in the PTX ISA's memory consistency model. All threads of a cluster
// count as one in this, and two `fence.sc` have the order of the run, so that no impossible value is given. An atomic
// operation always reads the newest value.
#pragma once

#include "core/gpu/emulator/check/Clocks.h"
#include "core/gpu/emulator/coverage/Schedule.h"
#include "core/gpu/emulator/replay/GlobalPlaces.h"
#include "core/gpu/emulator/replay/Perturbation.h"

#include <array>
#include <cstddef>
#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

namespace lanescope::core::emulator {

class LateSignals : public Perturbation {
public:
  explicit LateSignals(const Program &program);
  /// True if the launch's schedule makes signals late, and the grid can show that: its blocks may communicate, the run
  /// has checks, and there is one device.
  static bool runsOn(const Grid &grid, const Schedule &schedule);

  void begin() override;
  bool concerns(const Program &program, uint32_t pc) const override;
  Step execute(Warp &warp, const Instr &i, uint32_t mask, Own own) override;

  /// The state between two steps. After restore(), the run continues as it did from that moment.
  class Memory;
  Memory memory() const;
  void restore(const Memory &memory);

private:
  static constexpr uint32_t kMostBytes = 16; // the size of the largest flag
  /// For each flag, by address: the number of a write.
  using Known = std::unordered_map<uint64_t, uint64_t>;
  /// A cluster's view of the flags.
  struct View {
    Known known;    // the newest write that it has read or made, or knows of
    Known fenced;   // `known` at its last fence, which its relaxed writes release
    Known observed; // the writes that its relaxed reads acquire at its next fence
    Known given;    // the write whose value its last load gave
  };
  struct Write {
    std::array<std::byte, kMostBytes> value{};
    std::optional<Clock> released;      // the releases that a load of this value acquires; nothing if there are none
    std::shared_ptr<const Known> known; // the writes that it makes known; null: it is the value from before all writes
  };
  struct Flag {
    uint32_t bytes = 0;
    uint64_t first = 0;        // the number of writes[0]
    std::vector<Write> writes; // the newest last
    uint64_t newest() const { return first + writes.size() - 1; }
  };
  /// The flags and the knowledge of clusters that a run keeps for its later loads.
  struct State {
    std::unordered_map<uint64_t, Flag> flags;
    std::unordered_map<uint64_t, View> views; // by the cluster's first block
    Known fenced;                             // the writes that the clusters knew at their `fence.sc`
  };
  /// The older value that a load of one flag gives.
  struct Older {
    std::byte *at = nullptr;
    uint64_t address = 0;
    uint32_t bytes = 0;
    std::array<std::byte, kMostBytes> value{};
    std::optional<Clock> released;
  };

  Step load(Warp &warp, const Instr &i, uint32_t mask, Own own);
  Step write(Warp &warp, const Instr &i, uint32_t mask, Own own);
  Step fence(Warp &warp, const Instr &i, uint32_t mask, Own own);
  /// The flag, if its memory still holds the newest value. Null if there is none, or if its size is another one.
  Flag *flagAt(uint64_t address, uint32_t bytes, const std::byte *at);
  /// The flag before a write; if it is new, with the value that memory holds. Null if there are too many flags.
  Flag *flagFor(const Warp &warp, uint64_t address, uint32_t bytes, const std::byte *at);
  View &viewOf(const Warp &warp);
  static void learn(Known &known, const Known &other);

  std::vector<GlobalAccess> accesses_; // by pc
  bool hasLoads_ = false;              // the program has strong loads of global memory
  State state_;
};

/// A copy of a run's state at one moment (see LateSignals::restore).
class LateSignals::Memory {
public:
  /// The approximate size in bytes.
  size_t size() const;

private:
  friend class LateSignals;
  State state_;
};

} // namespace lanescope::core::emulator
