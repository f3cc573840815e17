#include "app/lanescope/Common.h"

#include "core/data/Files.h"
#include "core/gpu/kernel/Profile.h"
#include "viz/export/Export.h"
#include "viz/export/TerminalText.h"
#include "viz/scene/TraceScene.h"

#include <iostream>
#include <memory>

namespace lanescope::app {

int runTrace(const TraceArguments &arguments) {
  auto source = core::readSource(arguments.file);
  if (!source)
    return report(source.error());
  auto parsed = core::parseGpuTrace(*source);
  if (!parsed)
    return report(at({*source, 0, 0}, parsed.error()).error());
  auto trace = std::make_shared<const core::Trace>(std::move(*parsed));
  report(trace->warnings);
  if (!arguments.output.empty()) {
    auto written = viz::exportScene(viz::traceScene(trace), arguments.output);
    if (!written)
      return report(written.error());
  }
  if (arguments.summary)
    std::cout << core::summarize(*trace);
  else if (arguments.output.empty())
    std::cout << viz::terminalText(viz::traceScene(trace), {.width = outputWidth(),
                                                            .colour = colourOutput() ? viz::TerminalColour::TrueColour
                                                                                     : viz::TerminalColour::None});
  return kDone;
}

} // namespace lanescope::app
