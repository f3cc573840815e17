// Launch descriptions and packages' `meta.json`: no crash. An accepted one is printed, reads back, and is equal.
#include "core/gpu/kernel/Launch.h"
#include "core/gpu/kernel/LaunchCheck.h"
#include "core/gpu/runtime/Package.h"

#include <cstdlib>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  using namespace lanescope;
  SourceRef source = Source::make("launch.json", std::string(reinterpret_cast<const char *>(data), size));
  core::Package package;
  if (auto meta = core::readPackageMeta(source, package); !meta && render(meta.error()).empty())
    std::abort();
  Result<core::Launch> launch = core::parseLaunch(source);
  if (!launch) {
    if (render(launch.error()).empty())
      std::abort();
    return 0;
  }
  (void)core::checkLaunch(*launch);
  std::string printed = core::toJson(*launch);
  Result<core::Launch> again = core::parseLaunch(Source::make("again.json", printed));
  if (!again || core::toJson(*again) != printed)
    std::abort();
  return 0;
}
