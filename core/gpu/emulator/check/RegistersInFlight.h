// Registers that wgmmas in flight accumulate into or read: who touches them before `wgmma.wait_group`, and who has
// written them without `wgmma.fence`.
#pragma once

#include "core/gpu/emulator/check/Ordering.h"

#include <vector>

namespace lanescope::core::emulator {

class RegistersInFlight {
public:
  explicit RegistersInFlight(Ordering &order) : order_(order) {}
  void begin();

  struct Use {
    bool right = true; // false: a fault was told
    Epoch after = 0;   // the wgmma that has to be over first; 0: none
  };
  /// Before an ordinary instruction that names registers which some wgmma of the program uses.
  Use use(Warp &warp, const Instr &i);
  /// At the issue of a wgmma; false after a fault. Its reads of shared memory are SharedRaces::asyncReadChunks().
  bool issue(Warp &warp, const Instr &i);
  /// The number of the wgmma that the warp issued last.
  Epoch issued(const Warp &warp) const { return warps_[order_.numberOf(warp)].issued; }
  void fence(const Warp &warp) { ++warps_[order_.numberOf(warp)].fences; }
  /// The warp's first `operations` wgmmas have left their registers: wait_group has completed them, or a copy of one
  /// of the registers has. What they read of shared memory wait_group alone says.
  void waited(const Warp &warp, Epoch operations);
  /// Whether `barrier` carries all wgmmas so far, of a cluster of one block.
  bool coveredBy(const View &barrier) const;

private:
  struct RegisterState {
    Epoch written = 0, read = 0; // the wgmma that does it
    uint32_t fences = 0;         // of the warp, when an ordinary instruction wrote the register
    bool constant = true;        // what it wrote: a zeroed accumulator, mostly, one from local memory, a fenced one
    bool holdsIt = true;         // and no wgmma has written the register since
  };
  struct WarpState {
    Epoch issued = 0, waited = 0;
    uint32_t fences = 0;
    std::vector<RegisterState> registers;
    std::vector<uint32_t> pcs; // of the operations in flight, from waited + 1
  };

  bool reportInFlight(Warp &warp, const Instr &i, const TrackedUse &use, uint32_t wgmma, bool writing);
  bool reportUnfenced(Warp &warp, const Instr &i, uint32_t reg, bool fencedBefore, bool constant);

  Ordering &order_;
  std::vector<WarpState> warps_;
};

} // namespace lanescope::core::emulator
