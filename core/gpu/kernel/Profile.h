// The on-device profiler's buffer: how it is laid out and what it says. Format as JAX Mosaic GPU's.
#pragma once

#include "core/Trace.h"

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace lanescope::core {

/// How one kernel's profiler buffer is laid out.
struct ProfileSpec {
  std::vector<std::string> names; // region names by id
  uint32_t entriesPerTrace = 0;   // u32 words per trace, header of 3 included
  uint32_t tracesPerBlock = 0;
  uint32_t threadsPerTrace = 128; // 32: warp, 128: warpgroup
};

/// What an emulated grid's %globaltimer says when it starts, in ns.
constexpr uint64_t kEmulatedStart = 1'000'000'000;

/// A trace of a GPU in Chrome's JSON. Tracks that a file does not name, as JAX's do not, are its SMs and what ran
/// there.
Result<Trace> parseGpuTrace(SourceRef json);

/// Decodes the device buffer (u32[blocks * tracesPerBlock * entriesPerTrace]). A track's pid is 1 + SM, its tid 1 + the
/// index of the traced warp or warpgroup in the grid. Of a GPU's, flights and flows follow from pairs of regions
/// `NAME issue` and `NAME wait`; the emulator's times are taken as they are, and its flights come from its recorder.
Result<Trace> decodeProfile(const ProfileSpec &spec, const std::array<uint32_t, 3> &grid,
                            const std::vector<uint32_t> &words, bool emulated);

} // namespace lanescope::core
