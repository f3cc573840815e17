// Checks the registers that wgmmas in flight accumulate into or read. It finds uses before `wgmma.wait_group`, and
// writes that have no `wgmma.fence` after them.
#pragma once

#include "core/gpu/emulator/check/Ordering.h"

#include <vector>

namespace lanescope::core::emulator {

class RegistersInFlight {
public:
  explicit RegistersInFlight(Ordering &order) : order_(order) {}
  void begin();

  struct Use {
    bool right = true; // false: a fault was reported
    Epoch after = 0;   // the wgmma that has to be over before the use; 0: none
  };
  /// Call this before an ordinary instruction that names registers which any wgmma of the program uses.
  Use use(Warp &warp, const Instr &i);
  /// Call this at the issue of a wgmma. Returns false after a fault. It does not check the wgmma's reads of shared
  /// memory, which SharedRaces::asyncReadChunks() does.
  bool issue(Warp &warp, const Instr &i);
  /// The number of the warp's last wgmma.
  Epoch issued(const Warp &warp) const { return warps_[order_.numberOf(warp)].issued; }
  void fence(const Warp &warp) { ++warps_[order_.numberOf(warp)].fences; }
  /// The warp's first `operations` wgmmas no longer use their registers: either wait_group has completed them, or one
  /// of their registers was copied. Their reads of shared memory end only at the wait_group.
  void waited(const Warp &warp, Epoch operations);
  /// True if `barrier` carries all wgmmas so far. Only for a cluster of one block.
  bool coveredBy(const View &barrier) const;

private:
  struct RegisterState {
    Epoch written = 0, read = 0; // the last wgmma that writes or reads the register
    uint32_t fences = 0;         // the warp's fences when an ordinary instruction last wrote the register
    bool constant = true; // the instruction wrote a constant (mostly zero), a value from local memory or a fenced one
    bool holdsIt = true;  // no wgmma has written the register since that instruction
  };
  struct WarpState {
    Epoch issued = 0, waited = 0;
    uint32_t fences = 0;
    std::vector<RegisterState> registers;
    std::vector<uint32_t> pcs; // the operations in flight; the first one has the number waited + 1
  };

  bool reportInFlight(Warp &warp, const Instr &i, const TrackedUse &use, uint32_t wgmma, bool writing);
  bool reportUnfenced(Warp &warp, const Instr &i, uint32_t reg, const RegisterState &state);

  Ordering &order_;
  std::vector<WarpState> warps_;
};

} // namespace lanescope::core::emulator
