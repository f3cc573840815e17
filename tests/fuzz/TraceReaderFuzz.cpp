// The trace reader on any bytes: no crash, and what it accepts can be written and read again.
#include "core/Trace.h"

#include <cstdlib>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  using namespace lanescope;
  Result<core::Trace> trace =
      core::parseChromeTrace(Source::make("fuzz.json", std::string(reinterpret_cast<const char *>(data), size)));
  if (!trace) {
    if (render(trace.error()).empty())
      std::abort();
    return 0;
  }
  if (core::summarize(*trace).empty() ||
      !core::parseChromeTrace(Source::make("again.json", core::toChromeJson(*trace))))
    std::abort();
  return 0;
}
