// A launch of a program on a device: the state that its blocks share. Each array and each variable has its own region
// of global memory.
//
// With several devices (Launch::devices), each device has its own Grid. All grids have the same layout of regions, so
// that an address means the same array on every device:
// - the module's variables, one copy per device
// - the arrays of device 0, then those of device 1 and so on
// - the multicast objects over these arrays
// - the device's remaining regions
#pragma once

#include "core/gpu/emulator/machine/Addresses.h"
#include "core/gpu/emulator/machine/Program.h"
#include "core/gpu/emulator/machine/StrictForm.h"
#include "core/gpu/kernel/SharedArrays.h"
#include "layouts/Dtype.h"
#include "layouts/Shape.h"
#include "layouts/support/Diagnostic.h"

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace lanescope::core::emulator {

class FlightRecorder;
class Links;
class SharedReads;

/// An array in the memory of the run's caller, which a kernel must not write.
struct LentArray {
  std::atomic<bool> written{false}; // a kernel tried to
};

struct Region {
  std::byte *data = nullptr;
  uint64_t bytes = 0;
  std::string name;          // "argument `x`, f32[128, 128]"; empty if the region is unused
  uint32_t device = 0;       // the device to whose memory the region belongs
  uint32_t shadow = 0;       // its number among the regions of all devices
  uint64_t spreadBytes = 0;  // a multicast object: the size of each device's copy; the object has no data itself
  uint64_t behind = 0;       // readable bytes after the region's end, for words that begin inside it
  bool readOnly = false;     // kernels must not write it
  LentArray *lent = nullptr; // a write to it is no fault of the kernel: it ends the run, which is then repeated
  std::string array = {};    // "x" for an array with a name; the element type and shape on one device follow
  layouts::Dtype dtype = layouts::Dtype::U8;
  layouts::Shape shape = {};
  const std::byte *initial = nullptr; // the region's bytes before the kernel ran, if they were kept
};

/// The late warp, by its number in the cluster. It stops before its synchronisation operation `operation` until the
/// other warps can do nothing more without it. Operations are counted from 0. They are completed waits, arrivals and
/// barriers.
struct LatePoint {
  uint32_t warp = UINT32_MAX; // UINT32_MAX: no warp is late
  uint32_t operation = 0;
};

inline constexpr uint64_t kHeapBytes = 8 << 20; // CUDA's default for cudaLimitMallocHeapSize

/// The state that the blocks of a run share.
struct Grid {
  const Program *program = nullptr;
  const Instr *replayedCode = nullptr; // in a replay: the copy of the program's code that runs (replay/Replay.h)
  std::array<uint32_t, 3> size{1, 1, 1}, block{1, 1, 1}, cluster{1, 1, 1};
  bool explicitCluster = false; // the launch or the entry asks for a cluster
  uint32_t dynamicSmem = 0;
  std::span<const SharedArray> sharedArrays; // named arrays in the dynamic shared memory
  std::vector<Region> regions;
  std::vector<std::byte> params;
  SourceRef snippet; // file 1 of `.loc`; may be null
  uint64_t seed = 0;
  bool instant = false;                    // asynchronous operations complete when issued, wgmmas when committed
  bool checks = true;                      // wrong uses are reported
  bool strict = false;                     // hazards are faults
  bool keepGoing = false;                  // a fault does not end the run
  std::atomic<bool> *causeFound = nullptr; // in a run that looks for a race's cause: set when it may end
  std::span<const uint64_t> chosen;        // the clusters that run, of all clusters of the grid; empty: all
  LatePoint late;                          // the late warp of each cluster
  StrictForm form = StrictForm::None;      // the leniency of the checker that is off in this run
  bool backwards = false;                  // among the resident clusters, the last one starts first
  std::byte unwritten{0};                  // initial value of each byte of shared and tensor memory
  uint64_t clockRate = 1;                  // factor by which clocks run faster than modelled time
  FlightRecorder *flights = nullptr;       // records what is in flight
  SharedReads *sharedReads = nullptr;      // records racing reads of shared memory, which are then no faults
  uint64_t heapAddress = 0, heapUsed = 0;  // the heap of malloc in the kernel
  bool cooperative = false;                // all blocks are resident at once, several on an SM
  uint64_t workspaceAddress = 0;           // workspace of a cooperative launch
  uint32_t residentBlocks = 1;             // blocks that fit on a multiprocessor at once
  uint32_t copyBytesPerCycle = 1;          // rate of an SM's TMA and bulk copies
  uint32_t device = 0, devices = 1;
  Links *links = nullptr;             // records the traffic between several devices
  uint32_t firstCopy = 0, copies = 0; // regions: device d's copy of array b is firstCopy + d * copies + b
  uint64_t nextCluster =
      0; // if Program::communicates: the clusters before it have started, or another one has taken over their work

  /// The instructions that run, by pc.
  const Instr *code() const { return replayedCode ? replayedCode : program->code.data(); }
  uint32_t pcOf(const Instr &instr) const { return static_cast<uint32_t>(&instr - code()); }

  /// The clusters that run. They are numbered from 0, in the order of the grid, with x fastest.
  uint64_t clusterCount() const;
  /// The blocks of a cluster.
  uint64_t clusterBlocks() const;
  /// The first block of the cluster with this number.
  std::array<uint32_t, 3> firstBlockOf(uint64_t cluster) const;
  /// The place of a block's cluster among all clusters of the grid. `block`: counted with x fastest.
  uint64_t clusterOf(uint64_t block) const;

  /// The place that the instruction comes from: in the snippet, in the sources that `.loc` names, or in the PTX.
  Span spanOf(const Instr &instr) const;
  /// The other places that `.loc` gives for the instruction if functions are inlined. They are ordered from the
  /// innermost place outwards.
  std::vector<Note> framesOf(const Instr &instr) const;
  /// The same place in words: "k.cu:12".
  std::string lineOf(const Instr &instr) const;
  std::string_view opcodeOf(const Instr &instr) const;
  /// The text of our compiler's comment after the instruction, `// lanescope: …`; empty if there is no such comment.
  std::string_view noteOf(const Instr &instr) const;

private:
  const SourceLoc *locOf(const Instr &instr) const;
};

/// Returns the region that contains a global address, or null. Sets `offset` to the position in the region.
inline const Region *regionOf(const Grid &grid, uint64_t address, uint64_t &offset) {
  if (address < kGlobalBase)
    return nullptr;
  uint64_t index = (address - kGlobalBase) >> kRegionShift;
  if (index >= grid.regions.size() || grid.regions[index].name.empty())
    return nullptr;
  offset = address & ((1ull << kRegionShift) - 1);
  return &grid.regions[index];
}

/// Returns the multicast object that contains a global address, or null. Sets `offset` to the position in it.
inline const Region *spreadOf(const Grid &grid, uint64_t address, uint64_t &offset) {
  const Region *region = regionOf(grid, address, offset);
  return region && region->spreadBytes && offset < region->spreadBytes ? region : nullptr;
}

/// The address of a device's copy of the byte at `offset` of a multicast object.
inline uint64_t copyAddress(const Grid &grid, const Region &spread, uint32_t device, uint64_t offset) {
  auto array = static_cast<uint64_t>(&spread - grid.regions.data()) - grid.firstCopy - grid.devices * grid.copies;
  return kGlobalBase + ((grid.firstCopy + uint64_t{device} * grid.copies + array) << kRegionShift) + offset;
}

} // namespace lanescope::core::emulator
