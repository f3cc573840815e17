#include "app/lanescope/OpenText.h"

#include "core/gpu/codegen/DumpProgram.h"
#include "core/gpu/inference/DumpInference.h"
#include "core/gpu/ir/Context.h"
#include "core/ir/KernelModule.h"
#include "core/tpu/ir/TpuContext.h"
#include "core/tpu/ir/TpuModule.h"
#include "layouts/support/Try.h"

#include <algorithm>

namespace lanescope::app {

namespace {

Result<std::string> tpuText(const SourceRef &source) {
  core::IrContext context = core::makeTpuContext();
  return core::moduleText(LANESCOPE_TRY(core::parseModule(context, source)));
}

Result<std::string> moduleText(const SourceRef &source, const OpenArguments &arguments) {
  core::IrContext context = core::makeGpuContext();
  // Layout inference requires less of operations than their verifiers do, so they are not verified here.
  auto module = LANESCOPE_TRY(core::parseModule(
      context, source, arguments.emit == "ir" ? core::ModuleChecks::All : core::ModuleChecks::Structure));
  if (arguments.emit == "constraints")
    return core::constraintSystemOf(module);
  if (arguments.emit == "laid-out")
    LANESCOPE_CHECK(core::layOutDump(module, {.arch = arguments.arch, .fuel = {}}));
  return core::moduleText(module);
}

/// The requested stage of our compilation of the module's kernel.
Result<OpenedText> stageText(const SourceRef &source, const OpenArguments &arguments) {
  core::Compiler compiler;
  auto stages = LANESCOPE_TRY(
      core::compileDump(compiler, source, {.arch = arguments.arch, .until = arguments.emit, .keepTexts = true}));
  auto stage =
      std::ranges::find_if(stages.stages, [&](const core::Stage &one) { return one.kind.id == arguments.emit; });
  if (stage == stages.stages.end())
    return std::unexpected(std::move(stages.diagnostics));
  return OpenedText{std::string(stage->source->text()), std::move(stages.diagnostics)};
}

} // namespace

Result<OpenedText> openedText(const SourceRef &source, const OpenArguments &arguments) {
  if (core::looksLikeTpuModule(source->text()))
    return OpenedText{LANESCOPE_TRY(tpuText(source)), {}};
  if (arguments.emit == "ir" || arguments.emit == "laid-out" || arguments.emit == "constraints")
    return OpenedText{LANESCOPE_TRY(moduleText(source, arguments)), {}};
  return stageText(source, arguments);
}

} // namespace lanescope::app
