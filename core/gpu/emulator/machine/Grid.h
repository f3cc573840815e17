// A launch of a program on a device: what its blocks share. Global memory is a region for each array and variable.
//
// Devices side by side (Launch::devices) are a Grid each. Regions lie alike in all: the module's variables, which are
// each device's own; then the arrays of device 0, of device 1 and so on, so that an address means the same array on
// every device; then the multicast objects over them; then what is the device's own again.
#pragma once

#include "core/gpu/emulator/machine/Addresses.h"
#include "core/gpu/emulator/machine/Program.h"
#include "core/gpu/emulator/machine/StrictForm.h"
#include "core/gpu/kernel/SharedArrays.h"
#include "layouts/Dtype.h"
#include "layouts/Shape.h"
#include "layouts/support/Diagnostic.h"

#include <array>
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

struct Region {
  std::byte *data = nullptr;
  uint64_t bytes = 0;
  std::string name;         // "argument `x`, f32[128, 128]"; empty: nothing is there
  uint32_t device = 0;      // whose memory it is
  uint32_t shadow = 0;      // its number among the regions of all devices
  uint64_t spreadBytes = 0; // of a multicast object, which has no data: what each device's copy has
  uint64_t behind = 0;      // bytes that exist behind it, for words of which a part is in it
  bool readOnly = false;    // what the launch tells its kernels
  std::string array = {};   // of an array that has a name: "x", and what it is on one device
  layouts::Dtype dtype = layouts::Dtype::U8;
  layouts::Shape shape = {};
  const std::byte *initial = nullptr; // what it held before the kernel, where somebody keeps it
};

/// A warp of a cluster, by its number there, that is late before its synchronisation operation `operation`: it comes
/// when the others can do nothing more without it. Waits that are over, arrivals and barriers count, from 0.
struct LatePoint {
  uint32_t warp = UINT32_MAX; // none is late
  uint32_t operation = 0;
};

inline constexpr uint64_t kHeapBytes = 8 << 20; // as cudaLimitMallocHeapSize is without a word

/// What the blocks of a run share.
struct Grid {
  const Program *program = nullptr;
  const Instr *replayedCode = nullptr; // in a replay: the copy of the program's code that runs (replay/Replay.h)
  std::array<uint32_t, 3> size{1, 1, 1}, block{1, 1, 1}, cluster{1, 1, 1};
  bool explicitCluster = false; // asked for by the launch or the entry
  uint32_t dynamicSmem = 0;
  std::span<const SharedArray> sharedArrays; // that have a name, in the dynamic shared memory
  std::vector<Region> regions;
  std::vector<std::byte> params;
  SourceRef snippet; // what file 1 of `.loc` is; may be null
  uint64_t seed = 0;
  bool instant = false;                   // asynchronous operations complete when issued, wgmmas when committed
  bool checks = true;                     // wrong uses are told
  bool strict = false;                    // hazards are faults
  bool keepGoing = false;                 // faults do not end the run
  LatePoint late;                         // the warp of each cluster that is late
  StrictForm form = StrictForm::None;     // what the checker does not let pass in this run
  bool backwards = false;                 // of clusters that are there together the last one starts first
  std::byte unwritten{0};                 // each byte of shared and tensor memory that nobody has written
  uint64_t clockRate = 1;                 // by which clocks run faster than the modelled time
  FlightRecorder *flights = nullptr;      // what is in flight is recorded there
  SharedReads *sharedReads = nullptr;     // reads of shared memory that race are no faults, but noted there
  uint64_t heapAddress = 0, heapUsed = 0; // of malloc in the kernel
  bool cooperative = false;               // all blocks are there at once, several on an SM
  uint64_t workspaceAddress = 0;          // of a cooperative launch
  uint32_t residentBlocks = 1;            // that fit a multiprocessor at once
  uint32_t copyBytesPerCycle = 1;         // of an SM, by TMA and bulk copies
  uint32_t device = 0, devices = 1;
  Links *links = nullptr;             // of several devices: what goes between them is recorded there
  uint32_t firstCopy = 0, copies = 0; // regions: device d's copy of array b is firstCopy + d * copies + b
  uint64_t nextCluster = 0; // of Program::communicates: those before have started, or another one has their work

  /// The instructions that run, by pc.
  const Instr *code() const { return replayedCode ? replayedCode : program->code.data(); }
  uint32_t pcOf(const Instr &instr) const { return static_cast<uint32_t>(&instr - code()); }

  uint64_t clusterCount() const;
  /// The first block of a cluster; clusters count x fastest.
  std::array<uint32_t, 3> firstBlockOf(uint64_t cluster) const;

  /// Where it comes from: in the snippet, in the sources that `.loc` names, or in the PTX.
  Span spanOf(const Instr &instr) const;
  /// The other places that `.loc` gives for it, where functions are inlined; innermost first.
  std::vector<Note> framesOf(const Instr &instr) const;
  /// "k.cu:12": the same place in words.
  std::string lineOf(const Instr &instr) const;
  std::string_view opcodeOf(const Instr &instr) const;
  /// What our compiler says of it in a comment behind it, `// lanescope: …`; empty: nothing.
  std::string_view noteOf(const Instr &instr) const;

private:
  const SourceLoc *locOf(const Instr &instr) const;
};

/// The region a global address lies in, null when none; `offset` within it.
inline const Region *regionOf(const Grid &grid, uint64_t address, uint64_t &offset) {
  if (address < kGlobalBase)
    return nullptr;
  uint64_t index = (address - kGlobalBase) >> kRegionShift;
  if (index >= grid.regions.size() || grid.regions[index].name.empty())
    return nullptr;
  offset = address & ((1ull << kRegionShift) - 1);
  return &grid.regions[index];
}

/// The multicast object that a global address lies in, null when in none; `offset` within it.
inline const Region *spreadOf(const Grid &grid, uint64_t address, uint64_t &offset) {
  const Region *region = regionOf(grid, address, offset);
  return region && region->spreadBytes && offset < region->spreadBytes ? region : nullptr;
}

/// The address of a device's copy of what a multicast object has at `offset`.
inline uint64_t copyAddress(const Grid &grid, const Region &spread, uint32_t device, uint64_t offset) {
  auto array = static_cast<uint64_t>(&spread - grid.regions.data()) - grid.firstCopy - grid.devices * grid.copies;
  return kGlobalBase + ((grid.firstCopy + uint64_t{device} * grid.copies + array) << kRegionShift) + offset;
}

} // namespace lanescope::core::emulator
