#include "app/lanescope/Common.h"
#include "app/late/LateParts.h"
#include "core/data/FreedMemory.h"
#include "core/data/MemoryReserve.h"
#include "core/data/ProcessMemory.h"
#include "core/data/Scratch.h"
#include "core/data/StandardOutput.h"
#include "core/ir/CompilerMemory.h"

#include <algorithm>
#include <optional>

namespace lanescope::app {
namespace {

struct Dispatch {
  int operator()(const ReplArguments &arguments) const { return runRepl(arguments); }
  int operator()(const GuiArguments &arguments) const { return runGui(arguments); }
  int operator()(const RunArguments &arguments) const { return runRun(arguments); }
  int operator()(const EvalArguments &arguments) const { return runEval(arguments); }
  int operator()(const ShowArguments &arguments) const { return runShow(arguments); }
  int operator()(const LinkArguments &arguments) const { return runLink(arguments); }
  int operator()(const CompileArguments &arguments) const { return runCompile(arguments); }
  int operator()(const OpenArguments &arguments) const { return runOpen(arguments); }
  int operator()(const EmulateArguments &arguments) const { return runEmulate(arguments); }
  int operator()(const CheckArguments &arguments) const { return runCheck(arguments); }
  int operator()(const ReportArguments &arguments) const { return runReport(arguments); }
  int operator()(const BaselineArguments &arguments) const { return runBaseline(arguments); }
  int operator()(const DebugArguments &arguments) const { return runDebug(arguments); }
  int operator()(const CudaArguments &arguments) const { return runCuda(arguments); }
  int operator()(const RecordArguments &arguments) const { return runRecord(arguments); }
  int operator()(const ListArguments &arguments) const { return runList(arguments); }
  int operator()(const LspArguments &arguments) const { return runLsp(arguments); }
  int operator()(const TraceArguments &arguments) const { return runTrace(arguments); }
  int operator()(const ServeArguments &arguments) const { return runServe(arguments); }
  int operator()(const ExplainArguments &arguments) const { return runExplain(arguments); }
  int operator()(const DoctorArguments &arguments) const { return runDoctor(arguments); }
};

/// True if the command runs to its end without input from the user. For `run` this is false, since the process may
/// become another program.
struct WorksByItself {
  bool operator()(const ReplArguments &) const { return false; }
  bool operator()(const GuiArguments &) const { return false; }
  bool operator()(const RunArguments &) const { return false; }
  bool operator()(const DebugArguments &) const { return false; }
  bool operator()(const CudaArguments &) const { return false; }
  bool operator()(const RecordArguments &) const { return false; }
  bool operator()(const LspArguments &) const { return false; }
  bool operator()(const ServeArguments &) const { return false; }
  bool operator()(const auto &) const { return true; }
};

int run(int argc, char **argv) {
  ProcessOptions process;
  auto arguments = parseArguments(argc, argv, process);
  if (process.memory)
    core::setMemoryLimit(*process.memory);
  else if (arguments &&
           !std::holds_alternative<GuiArguments>(*arguments) &&  // graphics drivers map memory that they do not use
           !std::holds_alternative<CudaArguments>(*arguments) && // the program sets its own limit
           !std::holds_alternative<RecordArguments>(*arguments))
    core::enforceMemoryLimit();
  if (arguments && !process.scratch.empty())
    if (auto used = core::useScratch(process.scratch); !used) {
      report(used.error());
      return kUsage;
    }
  if (arguments) {
    std::optional<repl::ProgressLine::Work> work;
    if (std::visit(WorksByItself{}, *arguments))
      work.emplace(progressLine());
    return std::visit(Dispatch{}, *arguments);
  }
  const Stop &stop = arguments.error();
  stop.status == kDone ? put(stop.text) : complain(stop.text);
  return stop.status;
}

} // namespace
} // namespace lanescope::app

int main(int argc, char **argv) {
  using namespace lanescope;
  core::keepFreedMemory();
  core::keepStandardFiles();
  core::installMemoryReserve("lanescope");
  app::whenCompilerIsLoaded(core::endWhereLlvmHasNoMemory);
  int status = app::run(argc, argv);
  if (auto written = core::finishStandardOutput(); !written)
    status = std::max(status, app::report(written.error()));
  return status;
}
