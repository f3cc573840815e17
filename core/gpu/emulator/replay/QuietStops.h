// Warps that stop in a replay until the others write nothing more, so that the others act on what they have read.
//
//   QuietStops stops;
//   if (stops.waits(warp, writesOfOthers)) return Step::Later;     // a warp that stops asks again and again
//
// A warp that polls by atomics writes all the time. So no warp stops for ever.
#pragma once

#include "core/gpu/emulator/machine/Block.h"

#include <cstdint>
#include <unordered_map>

namespace lanescope::core::emulator {

class QuietStops {
public:
  static constexpr uint64_t kMostPatience = 1 << 14;

  void begin() { stops_.clear(); }
  /// True if the warp stops, or goes on stopping. `writes`: the number of writes by those that it waits for. `most`:
  /// the warp instructions of its cluster after which it goes on in any case.
  bool waits(const Warp &warp, uint64_t writes, uint64_t most = kMostPatience);
  /// The warp goes on. Its next call of waits() begins another stop.
  void goesOn(const Warp &warp);

private:
  struct Stop {
    uint64_t writes = 0, executed = 0; // the number of writes at its last look, and what its cluster had executed then
    uint64_t began = 0;                // what its cluster had executed when it stopped
  };
  std::unordered_map<uint64_t, Stop> stops_; // by warp
};

} // namespace lanescope::core::emulator
