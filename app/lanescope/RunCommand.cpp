#include "app/lanescope/RunDump.h"
#include "app/lanescope/SessionOptions.h"

#include "core/data/Files.h"
#include "repl/session/StageFiles.h"

#include <algorithm>
#include <iostream>

namespace lanescope::app {

int runRun(const RunArguments &arguments) {
  auto source = core::readSource(arguments.file);
  if (!source)
    return report(source.error());
  repl::KernelOptions kernels{.arch = arguments.arch, .device = arguments.device, .worker = arguments.worker};
  kernels.emulation = arguments.emulation;
  if (!arguments.noCache)
    kernels.cacheFolder = core::KernelCache::defaultFolder();
  kernels.keepTexts = !arguments.dump.empty();
  repl::Session session(sessionOptions(std::move(kernels)));
  if (arguments.device == "gpu") {
    auto device = session.kernels().device("gpu");
    if (!device)
      return report(device.error());
  }
  if (isDumpName(arguments.file)) {
    auto device = session.kernels().device(arguments.device);
    return device ? runDump(arguments, *source, **device) : report(device.error());
  }
  auto done = session.run(*source);
  std::fflush(stdout);
  int status = done ? kDone : report(done.error());
  if (auto dumped = repl::dumpStages(session.kernels().launches(), arguments.dump); !dumped)
    status = std::max(status, report(dumped.error()));
  if (!arguments.dump.empty())
    report(session.kernels().forgottenLaunches());
  if (arguments.trace.empty())
    return status;
  auto trace = session.lastTrace();
  if (!trace) {
    if (status == kDone)
      std::cerr << "lanescope: there is no trace to save: no kernel was run with `profile=True`\n";
    return status == kDone ? kInputAtFault : status;
  }
  auto written = core::writeFile(arguments.trace, core::toChromeJson(*trace));
  return written ? status : report(written.error());
}

} // namespace lanescope::app
