#include "core/gpu/emulator/TracedRun.h"

#include "core/gpu/emulator/record/FlightRecorder.h"
#include "core/gpu/kernel/Profile.h"

namespace lanescope::core {

Result<RunResult> emulateTraced(SourceRef ptx, const Launch &launch, std::span<const Array> arrays,
                                EmulatorOptions options) {
  constexpr uint32_t kWarp = 32, kWarpgroup = 128, kHeader = 3; // kHeader: words of a trace without entries
  uint64_t blocks = uint64_t{launch.grid[0]} * launch.grid[1] * launch.grid[2];
  uint32_t threads = launch.block[0] * launch.block[1] * launch.block[2];
  ProfileSpec spec;
  spec.threadsPerTrace = threads < kWarpgroup ? kWarp : kWarpgroup;
  spec.tracesPerBlock = (threads + spec.threadsPerTrace - 1) / spec.threadsPerTrace;
  spec.entriesPerTrace = kHeader;
  emulator::FlightRecorder flights(blocks);
  options.flights = &flights;
  Result<RunResult> result = emulate(std::move(ptx), launch, arrays, options);
  if (!result || hasErrors(result->diagnostics))
    return result;
  std::vector<uint32_t> nothing(blocks * spec.tracesPerBlock * spec.entriesPerTrace);
  Result<Trace> trace = decodeProfile(spec, launch.grid, nothing, true);
  if (!trace)
    return std::unexpected(std::move(trace.error()));
  flights.addTo(*trace, spec, launch.grid);
  result->trace = std::move(*trace);
  return result;
}

} // namespace lanescope::core
