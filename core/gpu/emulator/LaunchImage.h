// A launch turned into what the grid needs: global memory regions, the parameter block with pointers and descriptors.
#pragma once

#include "core/gpu/emulator/machine/Grid.h"
#include "core/gpu/kernel/Launch.h"

#include <span>

namespace lanescope::core::emulator {

/// Device memory of a run: one allocation per array (sub-byte elements packed) and per module variable.
struct LaunchImage {
  std::vector<std::vector<std::byte>> memory;
  std::vector<const BufferSpec *> buffers;
  size_t firstBuffer = 0; // index of the first array in `memory`

  /// Checks the launch against the entry and fills grid.regions, grid.params and the sizes.
  Result<void> build(const Program &program, const Launch &launch, std::span<const Array> arrays, Grid &grid);
  /// The arrays as the kernel left them.
  std::vector<Array> arrays() const;
};

} // namespace lanescope::core::emulator
