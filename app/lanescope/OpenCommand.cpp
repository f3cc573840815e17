#include "app/lanescope/Common.h"

#include "core/data/Files.h"
#include "core/gpu/ir/DumpListing.h"
#include "layouts/support/Text.h"
#include "viz/export/Export.h"
#include "viz/export/TerminalText.h"
#include "viz/scene/DumpScene.h"

#include <iostream>

namespace lanescope::app {
namespace {

int usage(const std::string &message) {
  std::cerr << "lanescope open: " << message << "\n";
  return kUsage;
}

int showOp(const core::Dump &dump, size_t number, const std::string &output) {
  const core::DumpOp &op = dump.ops[number - 1];
  std::cout << core::dumpOpText(dump, number);
  if (output.empty() && !viz::drawnValue(op))
    return kDone;
  auto scene = viz::dumpOpScene(op);
  if (!scene)
    return report(scene.error());
  if (output.empty()) {
    std::cout << "\n"
              << viz::terminalText(
                     *scene, {.width = outputWidth(),
                              .colour = colourOutput() ? viz::TerminalColour::TrueColour : viz::TerminalColour::None});
    return kDone;
  }
  auto written = viz::exportScene(*scene, output);
  if (!written && !written.error().empty() && written.error()[0].kind == "unknown-format")
    return usage(written.error()[0].message);
  return written ? kDone : report(written.error());
}

} // namespace

int runOpen(const OpenArguments &arguments) {
  const bool all = arguments.op == OpenArguments{}.op;
  if (all && !arguments.output.empty())
    return usage("-o draws one op; say which with `--op N`, N as the listing numbers them");
  auto source = core::readSource(arguments.file);
  if (!source)
    return report(source.error());
  auto dump = core::openDump(*source);
  if (!dump)
    return report(dump.error());
  report(dump->warnings);
  std::cout << core::dumpHeading(*dump);
  if (all) {
    std::cout << core::dumpListing(*dump);
    return kDone;
  }
  if (arguments.op < 1 || static_cast<size_t>(arguments.op) > dump->ops.size())
    return usage(text("--op ", arguments.op, ": the dump's ops are numbered 1 to ", dump->ops.size()));
  return showOp(*dump, static_cast<size_t>(arguments.op), arguments.output);
}

} // namespace lanescope::app
