#include "repl/session/Packages.h"

#include "core/data/Files.h"
#include "core/gpu/runtime/Package.h"
#include "layouts/support/Text.h"

#include <map>

namespace lanescope::repl {

Result<SavedPackages> savePackages(const std::vector<KernelLaunch> &launches, bool expected,
                                   const std::filesystem::path &folder) {
  SavedPackages out;
  std::map<std::string, int> seen;
  for (const KernelLaunch &launch : launches) {
    if (!launch.stages->kernel) {
      const Diagnostics &why =
          hasErrors(launch.stages->diagnostics) ? launch.stages->diagnostics : noStage(launch, "package");
      out.problems.insert(out.problems.end(), why.begin(), why.end());
      continue;
    }
    std::string called = core::plainFileName(launch.kernel);
    int number = ++seen[called];
    std::string name = called + (number == 1 ? "" : text("-", number)) + ".lspkg";
    bool sound = expected && launch.result && !hasErrors(launch.result->diagnostics);
    auto saved =
        core::savePackage(folder / name, {.kernel = *launch.stages->kernel,
                                          .inputs = launch.inputs,
                                          .expected = sound ? launch.result->outputs : std::vector<core::Array>{}});
    if (!saved)
      return std::unexpected(std::move(saved.error()));
    out.folders.push_back(folder / name);
  }
  return out;
}

} // namespace lanescope::repl
