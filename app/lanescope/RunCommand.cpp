#include "app/lanescope/RunDump.h"
#include "app/lanescope/SessionOptions.h"

#include "core/data/Files.h"
#include "layouts/support/Text.h"
#include "repl/session/DumpLaunch.h"
#include "repl/session/StageFiles.h"

#include <algorithm>
#include <iostream>

namespace lanescope::app {

namespace {

/// What is said of options that the file takes no notice of; empty where there are none.
std::string_view misplacedOptions(const RunArguments &arguments, bool dump) {
  if (dump && !arguments.trace.empty())
    return "`--trace` saves what a snippet's kernel recorded with `profile=True`; a dump records nothing";
  if (!dump && (!arguments.inputs.empty() || !arguments.output.empty()))
    return "`--inputs` and `-o` are for dumps (.mlir, .txt); a snippet loads and saves its arrays itself, with `load` "
           "and `save`";
  return {};
}

} // namespace

int runRun(const RunArguments &arguments) {
  const bool dump = repl::isDumpName(arguments.file);
  if (std::string_view misplaced = misplacedOptions(arguments, dump); !misplaced.empty()) {
    std::cerr << "lanescope run: " << misplaced << "\n";
    return kUsage;
  }
  auto source = core::readSource(arguments.file);
  if (!source)
    return report(source.error());
  if (arguments.file.ends_with(".ptx"))
    return report(
        {{Severity::Error,
          "arguments",
          {},
          text(arguments.file, " is PTX, not a program of kernels: `lanescope emulate ", arguments.file,
               " --launch launch.json` runs it, and `lanescope check` says what it does wrong (docs/launch.md)"),
          {}}});
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
  int status = kDone;
  if (dump) {
    status = runDump(arguments, *source, session.kernels());
  } else {
    auto done = session.run(*source);
    std::fflush(stdout);
    status = done ? kDone : report(done.error());
  }
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
