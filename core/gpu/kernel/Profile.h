// The layout and the decoding of the on-device profiler's buffer. The format is JAX Mosaic GPU's.
#pragma once

#include "core/Trace.h"

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace lanescope::core {

/// The layout of one kernel's profiler buffer.
struct ProfileSpec {
  std::vector<std::string> names; // region names by id
  uint32_t entriesPerTrace = 0;   // u32 words per trace, including the header of 3
  uint32_t tracesPerBlock = 0;
  uint32_t threadsPerTrace = 128; // 32: warp, 128: warpgroup
};

/// %globaltimer at the start of an emulated grid, in ns.
constexpr uint64_t kEmulatedStart = 1'000'000'000;

/// Parses a GPU trace in Chrome's JSON. JAX's files do not name tracks; such a track is named after its SM and the
/// block or warpgroup that ran there.
Result<Trace> parseGpuTrace(SourceRef json);

/// Decodes the device buffer (u32[blocks * tracesPerBlock * entriesPerTrace]). A track's pid is 1 + SM, its tid 1 + the
/// index of the traced warp or warpgroup in the grid. For a GPU, flights and flows are derived from pairs of regions
/// `NAME issue` and `NAME wait`; the emulator's times are used unchanged, and its recorder provides the flights.
Result<Trace> decodeProfile(const ProfileSpec &spec, const std::array<uint32_t, 3> &grid,
                            const std::vector<uint32_t> &words, bool emulated);

} // namespace lanescope::core
