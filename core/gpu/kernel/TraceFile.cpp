// Apart from the profile's decoder, so that the worker, which reads no traces, needs no simdjson and no zlib.
#include "core/gpu/kernel/Profile.h"

namespace lanescope::core {

Result<Trace> parseGpuTrace(SourceRef json) {
  return parseChromeTrace(std::move(json), {.process = "SM", .thread = "trace"});
}

} // namespace lanescope::core
