// A launch of a program: what its blocks share. Global memory is a region for each array and variable.
#pragma once

#include "core/gpu/emulator/machine/Addresses.h"
#include "core/gpu/emulator/machine/Program.h"
#include "layouts/support/Source.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace lanescope::core::emulator {

class FlightRecorder;

struct Region {
  std::byte *data = nullptr;
  uint64_t bytes = 0;
  std::string name; // "argument `x`, f32[128, 128]"
};

/// What the blocks of a run share.
struct Grid {
  const Program *program = nullptr;
  std::array<uint32_t, 3> size{1, 1, 1}, block{1, 1, 1}, cluster{1, 1, 1};
  bool explicitCluster = false; // asked for by the launch or the entry
  uint32_t dynamicSmem = 0;
  std::vector<Region> regions;
  std::vector<std::byte> params;
  SourceRef snippet; // what file 1 of `.loc` is; may be null
  uint64_t seed = 0;
  bool instant = false;              // asynchronous operations complete when issued
  bool checks = true;                // wrong uses are told
  bool strict = false;               // hazards are faults
  std::byte unwritten{0};            // each byte of shared and tensor memory that nobody has written
  FlightRecorder *flights = nullptr; // what is in flight is recorded there
  uint64_t nextCluster = 0; // of Program::communicates: those before have started, or another one has their work

  uint64_t clusterCount() const;
  /// The first block of a cluster; clusters count x fastest.
  std::array<uint32_t, 3> firstBlockOf(uint64_t cluster) const;

  Span spanOf(const Instr &instr) const;
  /// "line 12" of the snippet, or of the PTX.
  std::string lineOf(const Instr &instr) const;
  std::string_view opcodeOf(const Instr &instr) const;
  /// What our compiler says of it in a comment behind it, `// lanescope: …`; empty: nothing.
  std::string_view noteOf(const Instr &instr) const;
};

/// The region a global address lies in, null when none; `offset` within it.
inline const Region *regionOf(const Grid &grid, uint64_t address, uint64_t &offset) {
  if (address < kGlobalBase)
    return nullptr;
  uint64_t index = (address - kGlobalBase) >> kRegionShift;
  if (index >= grid.regions.size())
    return nullptr;
  offset = address & ((1ull << kRegionShift) - 1);
  return &grid.regions[index];
}

} // namespace lanescope::core::emulator
