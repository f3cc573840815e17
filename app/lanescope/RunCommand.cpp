#include "app/lanescope/HandOver.h"
#include "app/lanescope/RunDump.h"
#include "app/lanescope/SessionOptions.h"

#include "core/data/Files.h"
#include "core/gpu/emulator/check/Rules.h"
#include "layouts/support/Text.h"
#include "layouts/support/Visible.h"
#include "repl/files/FileKind.h"
#include "repl/session/StageFiles.h"
#include "repl/terminal/Interruption.h"

#include <algorithm>
#include <optional>

namespace lanescope::app {

namespace {

/// The error for options that do not apply to the file; empty: none.
std::string_view misplacedOptions(const RunArguments &arguments, bool dump) {
  if (dump && !arguments.trace.empty())
    return "`--trace` saves what a snippet's kernel recorded with `profile=True`; a dump records nothing";
  if (dump && !arguments.parameters.empty())
    return "`--param` sets what `param(…)` of a snippet gives; a dump has no parameters";
  if (!dump && !arguments.inputs.empty())
    return "`--inputs` is for dumps (.mlir, .txt); a snippet loads its arrays itself, with `load`";
  return {};
}

} // namespace

int runRun(const RunArguments &arguments) {
  if (auto rules = core::checkRuleNames(arguments.emulation.strictRules); !rules)
    return report(rules.error());
  auto opened = repl::openFor("run", arguments.file);
  if (!opened)
    return report(opened.error());
  const SourceRef &source = opened->source;
  const bool dump = opened->kind == repl::FileKind::GpuModule || opened->kind == repl::FileKind::OtherModule;
  if (std::string_view misplaced = misplacedOptions(arguments, dump); !misplaced.empty()) {
    complain(text("lanescope run: ", misplaced, "\n"));
    return kUsage;
  }
  repl::KernelOptions kernels{.arch = arguments.arch, .device = arguments.device, .worker = arguments.worker};
  kernels.emulation = arguments.emulation;
  kernels.timeoutSeconds = arguments.timeLimit;
  if (!arguments.noCache)
    kernels.cacheFolder = core::KernelCache::defaultFolder();
  kernels.keepTexts = !arguments.dump.empty();
  repl::Session session(
      sessionOptions(std::move(kernels), arguments.parameters, runRules(arguments.reach, arguments.file)));
  if (opened->kind == repl::FileKind::Snippet && isForPython(arguments, *source))
    return handOver(arguments);
  if (!arguments.programArguments.empty()) {
    complain(text("lanescope run: `", shownName(arguments.file),
                  "` imports nothing, so it is no Python program and takes no arguments; a snippet's numbers are set "
                  "by `--param NAME=VALUE`\n"));
    return kUsage;
  }
  if (arguments.device == "gpu") {
    auto device = session.kernels().device("gpu");
    if (!device)
      return report(device.error());
  }
  int status = kDone;
  repl::Interruption interruption;
  repl::Interruption::Reaches reaches(session);
  std::optional<repl::ProgressLine::Work> work(progressLine());
  if (dump) {
    status = runDump(arguments, source, session.kernels());
  } else {
    auto done = session.run(source);
    std::fflush(stdout);
    status = report(done ? session.parameters().undeclared() : done.error());
    const auto &launches = session.kernels().launches();
    if (!done && !launches.empty() && launches.back().device == "emulator" && launches.back().result &&
        hasErrors(launches.back().result->diagnostics))
      complain(text("`lanescope debug ", shownName(arguments.file), "` opens it at the moment before\n"));
  }
  work.reset();
  if (auto dumped = repl::dumpStages(session.kernels().launches(), arguments.dump); !dumped)
    status = std::max(status, report(dumped.error()));
  if (!arguments.dump.empty())
    report(session.kernels().forgottenLaunches());
  if (arguments.trace.empty())
    return status;
  auto trace = session.lastTrace();
  if (!trace) {
    if (status == kDone)
      complain("lanescope: there is no trace to save: no kernel was run with `profile=True`\n");
    return status == kDone ? kInputAtFault : status;
  }
  auto written = core::writeFile(arguments.trace, core::toChromeJson(*trace));
  return written ? status : report(written.error());
}

} // namespace lanescope::app
