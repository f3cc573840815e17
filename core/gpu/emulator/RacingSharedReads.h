// A program whose reads of shared memory in loops may race with writes (check/SharedReads.h), and then read something
// else than is there where that is asked for: what depends on them comes out differently.
//
//   RacingSharedReads reads(program);  RecordedGrid grid;  grid.racingShared = &reads;
//   grid.sharedReads = &reads.found();         // a run finds them; on one thread, memory is changed meanwhile
//   reads.turn(std::byte{0x55});               // in the next they read bytes of which these bits are turned
#pragma once

#include "core/gpu/emulator/check/SharedReads.h"
#include "core/gpu/emulator/machine/Program.h"

#include <cstddef>
#include <unordered_map>

namespace lanescope::core::emulator {

class RacingSharedReads {
public:
  /// Takes the place of handlers, until it ends. The program outlives this.
  explicit RacingSharedReads(Program &program);
  ~RacingSharedReads();
  RacingSharedReads(const RacingSharedReads &) = delete;
  RacingSharedReads &operator=(const RacingSharedReads &) = delete;

  /// To be called before each run.
  void begin() { found_.begin(); }
  void turn(std::byte bits) { bits_ = bits; }
  SharedReads &found() { return found_; }

private:
  static Step read(Warp &warp, const Instr &i, uint32_t mask);

  Program &program_;
  SharedReads found_;
  std::byte bits_{};
  std::unordered_map<uint32_t, Handler> own_; // by pc
};

} // namespace lanescope::core::emulator
