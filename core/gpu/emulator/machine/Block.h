// A block: its warps, shared memory, barriers and copies in flight. What blocks share is in Cluster.h and Grid.h.
#pragma once

#include "core/gpu/emulator/machine/AsyncQueue.h"
#include "core/gpu/emulator/machine/Barriers.h"
#include "core/gpu/emulator/machine/Grid.h"
#include "core/gpu/emulator/machine/Tcgen05Queue.h"
#include "core/gpu/emulator/machine/TensorMemory.h"
#include "core/gpu/emulator/machine/UnitWork.h"
#include "core/gpu/emulator/machine/Warp.h"
#include "layouts/support/Diagnostic.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lanescope::core::emulator {

struct Cluster;
class Checker;

/// All of its state; the functions are in the rooms above.
struct Block {
  Grid *grid = nullptr;
  Cluster *cluster = nullptr;
  uint32_t clusterRank = 0;
  std::array<uint32_t, 3> id{0, 0, 0};
  uint32_t linear = 0;
  uint32_t sm = 0;
  uint64_t start = 0; // cycle
  std::vector<std::byte> shared;
  std::vector<Warp> warps;
  std::vector<std::byte> registers;
  const Program *registersOf = nullptr; // whose constants are in place there
  std::array<NamedBarrier, kNamedBarriers> barriers;
  MbarrierTable mbarriers;
  TensorMemory tmem;
  Tcgen05Queue tensorCore; // of a pair that of the even block (async/Tcgen05.h)
  AsyncQueue async;
  std::vector<AsyncOp> landing; // completed, and their mbarrier's phase has yet to be observed (async/Async.h)
  Checker *checks = nullptr;    // of the block's cluster; null: nothing is checked
  std::string printed;
  std::optional<Diagnostic> fault;
  Diagnostics findings; // hazards and notes; the run goes on
  struct Told {
    uint32_t pc = 0, other = 0;
    std::string_view kind;
    bool operator==(const Told &) const = default;
  };
  std::vector<Told> told;  // what there has been said of which pairs of instructions
  uint64_t executed = 0;   // warp instructions
  UnitWork work;           // so far, but for the instructions, which are `executed`
  uint64_t tensorFree = 0; // cycle at which the tensor core has done the wgmmas so far
  uint64_t effects = 0;    // things others may wait for: changed memory, arrivals, completions
  uint32_t liveWarps = 0;
  uint32_t freeRegisters = 0; // for setmaxnreg, in registers of a thread times warps

  /// All as it is when a block starts.
  void begin(Cluster &cluster, uint32_t rank, std::array<uint32_t, 3> id, uint32_t sm, uint64_t start);
  /// When something happens next by itself; UINT64_MAX: never.
  uint64_t nextTime() const;
  uint64_t endTime() const;
  /// "block (0, 0, 0)", of several devices with its device
  std::string name() const;
};

} // namespace lanescope::core::emulator
