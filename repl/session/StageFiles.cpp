#include "repl/session/StageFiles.h"

#include "core/data/Files.h"
#include "core/Links.h"
#include "layouts/support/Text.h"

#include <algorithm>
#include <cstdio>

namespace lanescope::repl {

Result<void> dumpStages(const std::vector<KernelLaunch> &launches, const std::string &folder) {
  if (folder.empty())
    return {};
  std::filesystem::path root(folder);
  std::error_code problem;
  std::filesystem::create_directories(root, problem);
  if (problem)
    return error("unwritable-file", Message("cannot create `{}`: {}", folder, problem.message()));
  std::vector<const core::KernelStages *> seen; // a kernel's stages are written once, however often it is called
  for (const KernelLaunch &launch : launches) {
    const core::KernelStages *stages = launch.stages.get();
    if (!stages || std::ranges::find(seen, stages) != seen.end())
      continue;
    seen.push_back(stages);
    char number[16];
    std::snprintf(number, sizeof number, "%02zu_", seen.size());
    std::string name = text(number, core::plainFileName(launch.kernel));
    auto write = [&](std::string_view ending, std::string_view content) {
      return core::writeFile(root / text(name, ending), content);
    };
    for (const core::Stage &stage : stages->stages)
      if (auto written = write(stage.kind.suffix, stage.text()); !written)
        return written;
    if (auto written = write(".links.json", core::linksJson(*stages, launch.kernel)); !written)
      return written;
    if (stages->kernel)
      if (auto written = write(".launch.json", core::toJson(stages->kernel->launch)); !written)
        return written;
  }
  return {};
}

} // namespace lanescope::repl
