// Reads of shared memory that race with writes, in a run that continues after them. The last read of a software
// pipeline may be of a tile that later writes replace, and a compiler may load what only some lanes use
// (DiscardedValues.h). No instruction uses the value:
//
//   A: ldmatrix r, [next]; exit loop;  B: st.shared.b32 [next], 1;
//
//   SharedReads reads;  grid.sharedReads = &reads;     // on one host thread; SharedRaces records such faults there
//
// Replays in which the reads return other values show if any result depends on them (replay/RacingSharedReads.h).
#pragma once

#include "core/gpu/emulator/check/Clocks.h"
#include "core/gpu/emulator/machine/Block.h"

#include <array>
#include <cstdint>
#include <map>
#include <string_view>
#include <unordered_map>
#include <utility>

namespace lanescope::core::emulator {

inline constexpr std::string_view kDeadReadKind = "dead-read";

class SharedReads {
public:
  /// Another run begins. Forgets which reads were executed, and keeps the racing reads.
  void begin() { executed_.clear(), left_ = 0; }
  /// The warp executes the read at `pc` once more. `epoch` is the warp's epoch.
  void execute(const Warp &warp, uint32_t pc, Epoch epoch);
  /// Records that the read at `pc` of these lanes of the warp races in this epoch. Returns false if execute() was not
  /// called for the read, or if there are too many racing reads.
  bool addRacing(const Warp &warp, uint32_t pc, Epoch epoch, uint32_t lanes);
  /// The lanes whose read races, of the read that the warp executes now.
  uint32_t racingLanes(const Warp &warp, uint32_t pc) const;
  bool empty() const { return racing_.empty(); }
  /// The block ends. Adds the contents of its shared memory to left().
  void end(const Block &block);
  /// A digest of the contents of shared memory at the end of every block of the run. If a racing read's value was
  /// stored there, the read is not a pipeline's read ahead, even if no result depends on it.
  uint64_t left() const { return left_; }

private:
  static constexpr size_t kMost = 1 << 16, kEpochs = 8;
  /// How often a warp has executed an instruction, and the first execution in each of its last epochs.
  struct Executed {
    uint32_t turns = 0;
    struct First {
      Epoch epoch = 0;
      uint32_t turn = 0;
    };
    std::array<First, kEpochs> first{}; // the latest one first
  };
  using Key = uint64_t;
  static Key keyOf(const Warp &warp, uint32_t pc);

  std::unordered_map<Key, Executed> executed_;
  uint64_t left_ = 0;
  struct Racing {
    uint32_t end = 0; // the turn after the epoch's last
    uint32_t lanes = 0;
  };
  std::map<std::pair<Key, uint32_t>, Racing> racing_; // by the first turn of the epoch
};

} // namespace lanescope::core::emulator
