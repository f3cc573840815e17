// Separate from the profile's decoder, so that the worker, which reads no traces, needs neither simdjson nor zlib.
#include "core/gpu/kernel/Profile.h"

namespace lanescope::core {

Result<Trace> parseGpuTrace(SourceRef json) {
  return parseChromeTrace(std::move(json), {.process = "SM", .thread = "trace"});
}

} // namespace lanescope::core
