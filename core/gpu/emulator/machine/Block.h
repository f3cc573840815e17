// A block: its warps, shared memory, barriers and copies in flight. Cluster.h and Grid.h have what blocks share.
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

/// All of a block's state; the functions on it are in the rooms above.
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
  const Program *registersOf = nullptr; // the program whose constants the registers hold
  std::array<NamedBarrier, kNamedBarriers> barriers;
  MbarrierTable mbarriers;
  TensorMemory tmem;
  Tcgen05Queue tensorCore; // a pair's operations are all in the even block's queue (async/Tcgen05.h)
  AsyncQueue async;
  std::vector<AsyncOp> landing; // completed, but no thread has observed the mbarrier's phase yet (async/Async.h)
  Checker *checks = nullptr;    // the cluster's checker; null: nothing is checked
  std::string printed;
  std::optional<Diagnostic> fault;
  Diagnostics findings; // hazards and notes, which do not end the run
  struct Told {
    uint32_t pc = 0, other = 0;
    std::string_view kind;
    bool operator==(const Told &) const = default;
  };
  std::vector<Told> told;  // the findings reported so far, by pair of instructions
  uint64_t executed = 0;   // warp instructions
  UnitWork work;           // so far, without the instructions, which `executed` counts
  uint64_t tensorFree = 0; // cycle at which the tensor core has finished the wgmmas issued so far
  uint64_t effects = 0;    // changes that others may wait for: to memory, arrivals, completions
  uint64_t signals = 0;    // those of strong stores and atomic operations, which other blocks may poll
  uint32_t liveWarps = 0;
  uint32_t freeRegisters = 0; // what setmaxnreg can still give, in registers of a thread times warps

  /// Sets the state that a block has when it starts.
  void begin(Cluster &cluster, uint32_t rank, std::array<uint32_t, 3> id, uint32_t sm, uint64_t start);
  /// The cycle of the next event that needs no instruction; UINT64_MAX: there is none.
  uint64_t nextTime() const;
  uint64_t endTime() const;
  /// "block (0, 0, 0)"; with several devices, also the device.
  std::string name() const;
};

} // namespace lanescope::core::emulator
