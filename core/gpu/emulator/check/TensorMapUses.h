// Descriptors of TMA copies that kernels write to global memory. A copy reads its descriptor through the tensormap
// proxy. Between the write and the copy there must be a release fence, an acquire fence, and an order between the two
// fences (PTX ISA, "membar, fence", `fence.proxy.tensormap`):
//
//   st.global [map], …                                    a thread writes the descriptor
//   fence.proxy.tensormap::generic.release.gpu            and publishes it; tensormap.cp_fenceproxy does both at once
//   …a barrier, or a release and an acquire…              if another thread uses it
//   fence.proxy.tensormap::generic.acquire.gpu [map], 128
//   cp.async.bulk.tensor… [map, …]                        the copy reads it until its phase or group is waited for
//
// Descriptors that the host wrote and kernel parameters need no fence. GlobalRaces.h reports races on a descriptor's
// bytes, and writes while a copy still reads them.
//
// Decided in the kernel's favour: a fence of any warp counts if it is ordered between the write and the copy. If there
// are very many fences, the oldest are dropped, and a dropped fence counts as ordering the write.
#pragma once

#include "core/gpu/emulator/check/GlobalShadow.h"
#include "core/gpu/emulator/check/Ordering.h"

#include <deque>
#include <vector>

namespace lanescope::core::emulator {

class TensorMapUses {
public:
  explicit TensorMapUses(Ordering &order) : order_(order) {}
  void begin(GlobalShadow &memory, uint32_t cluster);

  /// The warp executes `fence.proxy.tensormap::generic.release`.
  void released(const Warp &warp, FenceScope scope);
  /// The warp executes `fence.proxy.tensormap::generic.acquire` of the bytes from `address` on.
  void acquired(const Warp &warp, uint64_t address, uint64_t bytes, FenceScope scope);
  /// A copy reads the descriptor at a global address. Call this after the check that the descriptor's writes are
  /// ordered before the copy. Returns false after a fault.
  bool used(Warp &warp, const Instr &i, uint32_t lane, uint64_t address);

private:
  struct Acquire {
    uint64_t address = 0, bytes = 0;
    Agent agent = 0;
    Epoch epoch = 0;
    FenceScope scope = FenceScope::Block;
    Clock seen, foreign; // clocks of the fence's warp
  };
  bool covers(const MapRelease &release, const GlobalUse &write) const;
  bool isBefore(const MapRelease &release, const Acquire &acquire) const;
  bool reaches(FenceScope scope, const Warp &user, const GlobalUse &write) const;
  bool report(Warp &warp, const Instr &i, uint32_t lane, uint64_t address, const GlobalUse &write);

  Ordering &order_;
  GlobalShadow *shadow_ = nullptr;
  uint32_t cluster_ = 0;
  std::deque<Acquire> acquires_; // by warps of this cluster
  bool forgotten_ = false;       // a release fence or an acquire fence was dropped
};

} // namespace lanescope::core::emulator
