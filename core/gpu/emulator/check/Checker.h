// The race and synchronisation checker of a cluster of blocks (usually of one block). Each member answers one question:
//
//   order       what is ordered before what (Ordering.h)
//   phases      arrivals and waits that may belong to another phase of their barrier (Phases.h)
//   shared      races in shared memory (SharedRaces.h)
//   global      races in global memory, also with other clusters (GlobalRaces.h)
//   remote      uses of a block's shared memory by other blocks (RemoteUses.h)
//   registers   registers that a wgmma in flight uses (RegistersInFlight.h)
//   tensor      uses of tensor memory (TensorRaces.h)
//   maps        descriptors of TMA copies in global memory (TensorMapUses.h)
//
// The checker finds a fault when the memory is used, whichever schedule the run took. Functions that return bool return
// false after setting the block's fault. `rank` is the block of the cluster whose shared memory the address refers to.
#pragma once

#include "core/gpu/emulator/check/GlobalRaces.h"
#include "core/gpu/emulator/check/Ordering.h"
#include "core/gpu/emulator/check/Phases.h"
#include "core/gpu/emulator/check/RegistersInFlight.h"
#include "core/gpu/emulator/check/RemoteUses.h"
#include "core/gpu/emulator/check/SharedRaces.h"
#include "core/gpu/emulator/check/TensorMapUses.h"
#include "core/gpu/emulator/check/TensorRaces.h"

#include <cstdint>

namespace lanescope::core::emulator {

class Checker {
public:
  Ordering order;
  Phases phases{order};
  RemoteUses remote{order};
  SharedRaces shared{order, remote};
  GlobalRaces global{order};
  RegistersInFlight registers{order};
  TensorRaces tensor{order};
  TensorMapUses maps{order};

  /// Forgets everything, for the start of cluster number `cluster`. `memory` is the shadow of global memory.
  void begin(const Grid &grid, GlobalShadow &memory, uint32_t cluster, uint32_t blocks, uint32_t warpsPerBlock,
             uint32_t sharedBytes);
  /// `barrier` has released all warps of one block. It does not order the other blocks of the cluster.
  void allMet(const View &barrier);
  /// The approximate bytes that a copy of the checker takes.
  size_t memoryBytes() const {
    return order.memoryBytes() + remote.memoryBytes() + shared.memoryBytes() + tensor.memoryBytes();
  }
  /// True if the mbarrier's initialisation is ordered before the operation that `warp` executes on it.
  bool mbarrierReady(Warp &warp, const Instr &i, uint32_t lane, uint32_t rank, uint32_t address);
};

} // namespace lanescope::core::emulator
