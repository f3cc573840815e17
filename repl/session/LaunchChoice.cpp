#include "repl/session/LaunchChoice.h"

#include "layouts/support/Text.h"

#include <set>

namespace lanescope::repl {

Result<std::vector<KernelLaunch>> chooseLaunches(std::vector<KernelLaunch> launches, const std::string &kernel,
                                                 const SourceRef &source) {
  if (!kernel.empty())
    std::erase_if(launches, [&](const KernelLaunch &launch) { return launch.kernel != kernel; });
  if (launches.empty())
    return error("no-kernel", {source, 0, 0},
                 kernel.empty() ? "this snippet calls no kernel, so there is nothing to compile"
                                : Message("this snippet calls no kernel `{kernel}`", kernel));
  return launches;
}

Result<KernelLaunch> lastLaunch(const std::vector<KernelLaunch> &launches, const SourceRef &source) {
  std::set<std::string> names;
  for (const KernelLaunch &launch : launches)
    names.insert(launch.kernel);
  if (names.size() > 1)
    return error("several-kernels", {source, 0, 0},
                 Message("this snippet calls several kernels ({}); `--kernel` chooses one", joined(names, ", ")));
  return launches.back();
}

} // namespace lanescope::repl
