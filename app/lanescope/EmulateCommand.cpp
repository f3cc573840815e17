#include "app/lanescope/Common.h"

#include "core/data/Files.h"
#include "core/gpu/emulator/Emulator.h"
#include "core/gpu/kernel/Launch.h"
#include "core/gpu/runtime/Package.h"

#include <filesystem>
#include <iostream>

namespace lanescope::app {

int runEmulate(const EmulateArguments &arguments) {
  if (arguments.launch.empty()) {
    if (std::filesystem::path(arguments.file).extension() != ".ptx")
      return runEmulateModule(arguments);
    std::cerr << "PTX needs to be told how it is launched: `--launch launch.json` (docs/launch.md)\n";
    return kUsage;
  }
  auto ptx = core::readSource(arguments.file);
  auto json = core::readSource(arguments.launch);
  if (!ptx || !json)
    return report((!ptx ? ptx : json).error());
  auto launch = core::parseLaunch(*json);
  if (!launch)
    return report(launch.error());
  std::filesystem::path folder = std::filesystem::path(arguments.launch).parent_path();
  auto arrays = core::loadBuffers(*launch, folder);
  if (!arrays)
    return report(at({*json, 0, 0}, arrays.error()).error());
  core::EmulatorOptions options;
  options.seed = arguments.emulation.seed;
  options.instant = arguments.emulation.fast;
  options.strict = arguments.emulation.strict;
  options.threads = arguments.emulation.threads;
  auto result = core::emulate(*ptx, *launch, *arrays, options);
  if (!result)
    return report(result.error());
  std::cout << result->printed;
  int status = report(result->diagnostics);
  if (status == kDone) {
    auto buffers = launch->buffers();
    for (size_t i = 0; i < buffers.size(); ++i) {
      if (buffers[i]->out.empty())
        continue;
      auto saved = core::saveNpy(folder / buffers[i]->out, result->outputs[i]);
      if (!saved)
        return report(saved.error());
      std::cout << "wrote " << (folder / buffers[i]->out).string() << "\n";
    }
  }
  std::cout << result->note << "\n";
  return status;
}

} // namespace lanescope::app
