// `lanescope run` for a module that JAX dumped: saves or shows its outputs.
#include "app/lanescope/RunDump.h"

#include "app/lanescope/Common.h"
#include "core/data/Files.h"
#include "layouts/support/Text.h"
#include "layouts/support/Visible.h"
#include "repl/dumps/DumpLaunch.h"

#include <algorithm>
#include <filesystem>

namespace lanescope::app {

namespace {

Result<void> showOutputs(const core::RunResult &result, const std::string &folder) {
  if (!folder.empty()) {
    std::error_code problem;
    std::filesystem::create_directories(folder, problem); // if this fails, saving reports it
  }
  for (size_t i = 0; i < result.outputs.size(); ++i) {
    const core::Array &output = result.outputs[i];
    std::string line =
        text("output ", i, ": ", layouts::name(output.dtype), " of shape ", layouts::tupleText(output.shape));
    if (!folder.empty()) {
      std::filesystem::path file = std::filesystem::path(folder) / text("out_", i, ".npy");
      if (auto saved = core::saveNpy(file, output); !saved)
        return saved;
      line += text(", wrote ", shownName(file.string()));
    }
    say(line + "\n");
  }
  return {};
}

} // namespace

int runDump(const RunArguments &arguments, const SourceRef &source, repl::KernelRuntime &runtime) {
  auto launch = repl::launchDump(
      runtime, source, {.arch = arguments.archGiven ? arguments.arch : std::string(), .inputs = arguments.inputs});
  if (!launch)
    return report(launch.error());
  int status = report(launch->stages->diagnostics);
  if (!launch->result)
    return std::max<int>(status, kInputAtFault);
  const core::RunResult &result = *launch->result;
  say(result.printed);
  status = report(result.diagnostics);
  if (auto shown = showOutputs(result, arguments.reach.out); !shown)
    return report(shown.error());
  if (!result.note.empty())
    say(text(result.note, "\n"));
  return status;
}

} // namespace lanescope::app
