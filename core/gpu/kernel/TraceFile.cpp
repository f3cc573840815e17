// This code is separate from the profile's decoder, so that the worker needs neither simdjson nor zlib. The worker
// reads no traces.
#include "core/gpu/kernel/Profile.h"

namespace lanescope::core {

Result<Trace> parseGpuTrace(SourceRef json) {
  return parseChromeTrace(std::move(json), {.process = "SM", .thread = "trace"});
}

} // namespace lanescope::core
