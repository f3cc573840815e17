#include "app/lanescope/Common.h"
#include "app/lanescope/OpenFolder.h"
#include "app/lanescope/OpenText.h"

#include "core/data/Files.h"
#include "core/gpu/dumps/DumpFolder.h"
#include "core/gpu/dumps/PageText.h"
#include "core/gpu/inference/DumpInference.h"
#include "core/gpu/ir/Context.h"
#include "core/gpu/ir/DumpListing.h"
#include "core/ir/KernelModule.h"
#include "core/tpu/ir/TpuModule.h"
#include "layouts/support/Text.h"
#include "repl/files/FileKind.h"
#include "viz/export/Export.h"
#include "viz/export/TerminalText.h"
#include "viz/scene/DumpScene.h"
#include "viz/scene/LayoutScene.h"

namespace lanescope::app {
namespace {

int usage(const std::string &message) {
  complain(text("lanescope open: ", message, "\n"));
  return kUsage;
}

/// Writes the picture to a file, or to the terminal.
int showScene(const viz::Scene &scene, const std::string &output) {
  if (output.empty()) {
    say(text("\n", viz::terminalText(scene, {.width = outputWidth(),
                                             .colour = colourOutput() ? viz::TerminalColour::TrueColour
                                                                      : viz::TerminalColour::None})));
    return kDone;
  }
  auto written = viz::exportScene(scene, output);
  if (!written && !written.error().empty() && written.error()[0].kind == "unknown-format")
    return usage(written.error()[0].message);
  return written ? kDone : report(written.error());
}

int showOp(const core::Dump &dump, size_t number, const std::string &output) {
  const core::DumpOp &op = dump.ops[number - 1];
  say(core::dumpOpText(dump, number));
  if (output.empty() && !viz::drawnValue(op))
    return kDone;
  auto scene = viz::dumpOpScene(op);
  if (!scene)
    return report(scene.error());
  return showScene(*scene, output);
}

/// Writes the text that `--emit` asks for to the file or to the terminal.
int emitText(const SourceRef &source, const OpenArguments &arguments) {
  auto opened = openedText(source, arguments);
  if (!opened)
    return report(opened.error());
  int status = report(opened->warnings);
  if (arguments.output.empty()) {
    put(opened->text);
    return status;
  }
  auto written = core::writeFile(arguments.output, opened->text);
  return written ? status : report(written.error());
}

/// Shows the chains of constraints that lead to the op's layouts, each step with its line.
int showReasons(const SourceRef &source, const core::DumpOp &op, const std::string &arch) {
  core::IrContext context = core::makeGpuContext();
  auto module = core::parseModule(context, source);
  if (!module)
    return report(module.error());
  auto reasons = core::layoutReasons(*module, {source, op.span.begin, op.nameSpan.end}, {.arch = arch, .fuel = {}});
  if (!reasons)
    return report(reasons.error());
  if (reasons->empty())
    say(text("no value of ", op.name, " has a layout or transforms that inference chooses, so there is no why\n"));
  say(core::dumps::reasonWords(*reasons));
  return kDone;
}

/// Shows the first tiled reference among an operation's values as a picture.
int showTpuOp(const core::TpuModule &module, size_t number, const std::string &output) {
  const core::TpuOp &op = module.ops[number - 1];
  say(core::tpuOpText(module, number));
  for (const auto *values : {&op.results, &op.operands})
    for (const core::TpuValue &value : *values) {
      if (!value.layout || !value.dtype)
        continue;
      auto scene = viz::layoutScene(layouts::toLayout(*value.layout), value.shape, *value.dtype);
      return scene ? showScene(*scene, output) : report(scene.error());
    }
  if (output.empty())
    return kDone;
  return report(
      error("no-layout", op.place, "no reference of this op has tiles, so there is no layout to draw").error());
}

int openTpu(const SourceRef &source, const OpenArguments &arguments) {
  if (arguments.why)
    return usage(
        "--why is about layouts that inference chooses, and a SparseCore's module states all of its own; leave "
        "it out");
  auto module = core::readTpuModule(source);
  if (!module)
    return report(module.error());
  say(core::tpuHeading(*module));
  if (arguments.op == OpenArguments{}.op) {
    say(core::tpuListing(*module));
    return kDone;
  }
  if (arguments.op < 1 || static_cast<size_t>(arguments.op) > module->ops.size())
    return usage(text("--op ", arguments.op, ": the module's ops are numbered 1 to ", module->ops.size()));
  return showTpuOp(*module, static_cast<size_t>(arguments.op), arguments.output);
}

/// The error for options that do not apply to a folder or to `--against`; empty: none.
std::string unfit(const OpenArguments &arguments, bool all) {
  const bool against = !arguments.against.empty();
  const std::string what = against ? "`--against` compares two dumps as a whole" : "this is a folder of dumps";
  if (!all)
    return text(what, ": `--op` is about one module; name its file, without `--against`");
  if (!arguments.emit.empty())
    return text(what, ": `--emit` is about one module; name its file, without `--against`");
  if (arguments.why)
    return text(what, ": `--why` is about one op of a module; name its file, and the op with `--op N`");
  if (!against && !arguments.arch.empty())
    return text(what, ": `--arch` goes with a module; name its file");
  if (!against && !arguments.output.empty() && !arguments.output.ends_with(".html"))
    return text(what, ": its page is written as .html, and to the terminal without -o");
  return "";
}

} // namespace

int runOpen(const OpenArguments &arguments) {
  const bool all = arguments.op == OpenArguments{}.op;
  const bool folder = core::dumps::looksLikeDumps(arguments.file);
  if (folder || !arguments.against.empty()) {
    if (std::string problem = unfit(arguments, all); !problem.empty())
      return usage(problem);
    return arguments.against.empty() ? openFolder(arguments) : openAgainst(arguments);
  }
  if (!all && !arguments.emit.empty())
    return usage("`--emit` prints the whole module, `--op` shows one op: leave one of them out");
  if (all && arguments.emit.empty() && !arguments.output.empty())
    return usage("-o draws one op; say which with `--op N`, N as the listing numbers them");
  if (all && arguments.why)
    return usage("--why is about one op; say which with `--op N`, N as the listing numbers them");
  auto opened = repl::openFor("open", arguments.file);
  if (!opened)
    return report(opened.error());
  const SourceRef &source = opened->source;
  const bool tpu = opened->kind == repl::FileKind::TpuModule;
  if (tpu && !arguments.emit.empty() && arguments.emit != "ir")
    return usage(text("`--emit ", arguments.emit, "`: a SparseCore's module has no layouts of registers and is not ",
                      "compiled further; `--emit ir` prints it"));
  if (!arguments.emit.empty())
    return emitText(source, arguments);
  if (tpu)
    return openTpu(source, arguments);
  auto dump = core::openDump(source);
  if (!dump)
    return report(dump.error());
  report(dump->warnings);
  say(core::dumpHeading(*dump));
  if (all) {
    say(core::dumpListing(*dump));
    return kDone;
  }
  if (arguments.op < 1 || static_cast<size_t>(arguments.op) > dump->ops.size())
    return usage(text("--op ", arguments.op, ": the dump's ops are numbered 1 to ", dump->ops.size()));
  const size_t number = static_cast<size_t>(arguments.op);
  if (arguments.why)
    return showReasons(source, dump->ops[number - 1], arguments.arch);
  return showOp(*dump, number, arguments.output);
}

} // namespace lanescope::app
