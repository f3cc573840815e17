#include "app/lanescope/Common.h"

#include "core/gpu/kernel/Profile.h"
#include "core/profiler/CompareText.h"
#include "core/profiler/ExplainTrace.h"
#include "core/profiler/TraceNotes.h"
#include "repl/files/FileKind.h"
#include "viz/export/Export.h"
#include "viz/export/TerminalText.h"
#include "viz/scene/TraceScene.h"

#include <memory>

namespace lanescope::app {

namespace {

/// Opens a trace and reports its warnings. After an error, reports it and returns null.
std::shared_ptr<const core::Trace> openedTrace(const std::string &file, int &status) {
  auto opened = repl::openFor("trace", file);
  if (!opened) {
    status = report(opened.error());
    return nullptr;
  }
  auto parsed = core::parseGpuTrace(opened->source);
  if (!parsed) {
    status = report(at({opened->source, 0, 0}, parsed.error()).error());
    return nullptr;
  }
  if (auto noted = core::addNotes(*parsed, file); !noted) {
    status = report(noted.error());
    return nullptr;
  }
  report(parsed->warnings);
  return std::make_shared<const core::Trace>(std::move(*parsed));
}

} // namespace

int runTrace(const TraceArguments &arguments) {
  if (arguments.json && !arguments.explain && arguments.compare.empty()) {
    complain("lanescope trace: `--json` goes with `--explain` or with two traces\n");
    return kUsage;
  }
  int status = kDone;
  auto trace = openedTrace(arguments.file, status);
  if (!trace)
    return status;
  if (!arguments.output.empty()) {
    auto written = viz::exportScene(viz::traceScene(trace), arguments.output);
    if (!written)
      return report(written.error());
  }
  if (!arguments.compare.empty()) {
    auto other = openedTrace(arguments.compare, status);
    if (!other)
      return status;
    core::TraceComparison comparison = core::compareTraces(*trace, *other);
    arguments.json ? put(core::compareJson(comparison)) : say(core::compareText(comparison));
  }
  if (arguments.summary)
    say(core::summarize(*trace));
  if (arguments.explain)
    arguments.json ? put(core::explainJson(*trace)) : say(core::explain(*trace));
  if (!arguments.summary && !arguments.explain && arguments.compare.empty() && arguments.output.empty())
    say(viz::terminalText(viz::traceScene(trace),
                          {.width = outputWidth(),
                           .colour = colourOutput() ? viz::TerminalColour::TrueColour : viz::TerminalColour::None}));
  return kDone;
}

} // namespace lanescope::app
