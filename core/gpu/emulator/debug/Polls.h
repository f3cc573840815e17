// Finds the warps that poll global memory: such a warp reads one word again and again until another warp writes it.
// Waits for semaphores do that.
//
//   Polls polls(program, Polls::Which::Last);
//   …polls.see(step, moment) for each step of a stretch of the run…
//   polls.of(warp)            // the word and the loop that reads it; none: the warp does not poll
//   polls.writers(warp, address)  // the warps that wrote the word meanwhile
#pragma once

#include "core/gpu/emulator/debug/DebugTypes.h"
#include "core/gpu/emulator/machine/Program.h"
#include "core/gpu/emulator/schedule/StepWatch.h"

#include <unordered_map>

namespace lanescope::core::emulator {

/// A loop that reads a word of global memory.
struct Poll {
  uint64_t address = 0;
  uint32_t bytes = 0;
  uint32_t low = 0, high = 0; // the first and the last instruction of the loop
};

class Polls {
public:
  /// The poll of a warp that counts: the one at the beginning of the stretch, or the one at its end.
  enum class Which : uint8_t { First, Last };
  Polls(const Program &program, Which which);

  /// True if the program has strong reads, which may be polls.
  bool any() const { return any_; }
  void see(const StepWatch::Step &step, uint64_t moment);
  void clear();
  /// For Which::First: states that the warp polls at the beginning of the stretch.
  void expect(WarpRef warp, const Poll &poll);
  /// A warp polls if it has read the same word twice in succession, and `pc` lies in the loop between these reads.
  std::optional<Poll> of(WarpRef warp, uint32_t pc) const;
  /// The other warps that wrote the address while this warp polled it, in the order of their first writes.
  std::vector<WarpRef> writers(WarpRef warp, uint64_t address) const;

private:
  struct Access {
    bool polls = false, signals = false;
  };
  struct Track {
    Poll poll;
    uint32_t pc = 0, times = 0;          // the read, and how often it was repeated
    uint32_t low = UINT32_MAX, high = 0; // the range of the instructions since the last read
    uint64_t end = UINT64_MAX;           // Which::First: the moment at which the poll ended
  };
  struct Write {
    uint64_t moment = 0;
    WarpRef warp;
  };

  const Which which_;
  bool any_ = false;
  std::vector<Access> accesses_; // by pc
  std::map<WarpRef, Track> tracks_;
  std::unordered_map<uint64_t, std::vector<Write>> writes_; // by address
};

} // namespace lanescope::core::emulator
