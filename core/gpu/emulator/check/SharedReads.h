// Reads of shared memory that race with writes, in a run that goes on behind them: a software pipeline's last read may
// be of a tile that the next one's writes replace, and nobody uses what it gives.
//
//   SharedReads reads;  grid.sharedReads = &reads;     // on one thread; SharedRaces notes there what would be a fault
//
// Whether anything depends on what they read, replays in which they read something else say
// (replay/RacingSharedReads.h).
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
  /// Another run begins: nothing has been executed. What was found stays.
  void begin() { executed_.clear(), left_ = 0; }
  /// The warp executes the read at `pc` once more, in that epoch of its own.
  void execute(const Warp &warp, uint32_t pc, Epoch epoch);
  /// What the warp reads now, or has read at `pc` in that epoch, races. False: it is no read that was told of, or there
  /// are too many.
  bool addRacing(const Warp &warp, uint32_t pc, Epoch epoch);
  /// Whether what the warp reads now was found to race.
  bool isRacing(const Warp &warp, uint32_t pc) const;
  bool empty() const { return racing_.empty(); }
  /// The block ends: what its shared memory holds counts towards left().
  void end(const Block &block);
  /// A digest of what all blocks of the run have left in shared memory. A read whose value was stored there is no
  /// pipeline's read ahead, even where no result depends on it.
  uint64_t left() const { return left_; }

private:
  static constexpr size_t kMost = 1 << 16, kEpochs = 8;
  /// How often a warp has executed an instruction, and which time was the first in its last epochs.
  struct Executed {
    uint32_t turns = 0;
    struct First {
      Epoch epoch = 0;
      uint32_t turn = 0;
    };
    std::array<First, kEpochs> first{}; // the latest at the front
  };
  using Key = uint64_t;
  static Key keyOf(const Warp &warp, uint32_t pc);

  std::unordered_map<Key, Executed> executed_;
  uint64_t left_ = 0;
  std::map<std::pair<Key, uint32_t>, uint32_t> racing_; // the first turn of an epoch, and the one behind the last
};

} // namespace lanescope::core::emulator
