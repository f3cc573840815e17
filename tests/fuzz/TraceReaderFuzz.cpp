// The trace reader on any bytes: no crash. An accepted trace can be written and read again, has the same events in
// pieces of any length, and all its summaries terminate.
#include "core/data/Files.h"
#include "core/profiler/ChromeEvents.h"
#include "core/profiler/ExplainTrace.h"
#include "core/Trace.h"

#include <cstdlib>

namespace {

/// The places of the events, or nothing after an error.
std::vector<uint32_t> eventsIn(const lanescope::SourceRef &source, size_t piece) {
  std::vector<uint32_t> out;
  lanescope::core::ChromeEvents events(source, piece);
  bool good = events.read([&](const lanescope::core::ChromeEvent &event) {
    out.push_back(event.offset);
    return true;
  });
  if (!good)
    out.assign(1, UINT32_MAX);
  return out;
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  using namespace lanescope;
  SourceRef source = Source::make("fuzz.json", std::string(reinterpret_cast<const char *>(data), size));
  Result<core::Trace> trace = core::parseChromeTrace(source);
  if (!trace) {
    if (render(trace.error()).empty())
      std::abort();
    return 0;
  }
  if (!core::isGzip(source->text()))
    for (size_t piece : {1, 7, 64})
      if (eventsIn(source, piece) != eventsIn(source, size_t{1} << 20))
        std::abort();
  if (core::explain(*trace).empty() || core::explainJson(*trace).empty())
    std::abort();
  if (core::summarize(*trace).empty() ||
      !core::parseChromeTrace(Source::make("again.json", core::toChromeJson(*trace))))
    std::abort();
  return 0;
}
