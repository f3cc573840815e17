#include "core/gpu/inference/DumpInference.h"

#include "core/gpu/inference/Explanation.h"
#include "core/gpu/inference/SystemInference.h"
#include "core/gpu/ir/StatedTarget.h"
#include "core/ir/DiagnosticCollector.h"
#include "core/ir/KernelModuleImpl.h"

#include "layouts/support/Text.h"
#include "layouts/support/Try.h"

namespace lanescope::core {

namespace {

Result<InferenceOptions> optionsFor(mlir::ModuleOp module, const DumpInferenceOptions &options) {
  InferenceOptions out;
  if (options.fuel)
    out.fuel = *options.fuel;
  out.target = options.arch.empty() ? &machineOf(module) : findGpuTarget(options.arch);
  if (!out.target)
    return error("layout", noGpuTargetText(options.arch));
  return out;
}

/// Runs a step that reports errors to MLIR's diagnostics, and returns them.
template <typename Step> Result<void> collected(KernelModule::Impl &impl, const Step &step) {
  DiagnosticCollector collector(*impl.context, impl.sources, "layout");
  if (mlir::succeeded(step()))
    return {};
  Diagnostics problems = collector.take();
  if (problems.empty())
    return error("layout", "no layouts were found");
  return std::unexpected(std::move(problems));
}

} // namespace

Result<void> layOutDump(KernelModule &module, const DumpInferenceOptions &options) {
  KernelModule::Impl &impl = module.impl();
  InferenceOptions inference = LANESCOPE_TRY(optionsFor(*impl.module, options));
  forgetLayouts(*impl.module);
  return collected(impl, [&] { return inferBySystem(*impl.module, inference); });
}

Result<void> completeLayouts(KernelModule &module, const DumpInferenceOptions &options) {
  KernelModule::Impl &impl = module.impl();
  InferenceOptions inference = LANESCOPE_TRY(optionsFor(*impl.module, options));
  inference.keepStated = true;
  return collected(impl, [&] { return inferBySystem(*impl.module, inference); });
}

Result<std::string> constraintSystemOf(const KernelModule &module) {
  KernelModule copy = module.clone();
  KernelModule::Impl &impl = copy.impl();
  forgetLayouts(*impl.module);
  std::string text;
  LANESCOPE_CHECK(collected(impl, [&] {
    auto system = constraintSystemText(*impl.module);
    if (mlir::succeeded(system))
      text = std::move(*system);
    return mlir::LogicalResult(system);
  }));
  return text;
}

Result<std::vector<ValueReasons>> layoutReasons(const KernelModule &module, const Span &place,
                                                const DumpInferenceOptions &options) {
  KernelModule copy = module.clone();
  KernelModule::Impl &impl = copy.impl();
  InferenceOptions inference = LANESCOPE_TRY(optionsFor(*impl.module, options));
  forgetLayouts(*impl.module);
  std::vector<ValueReasons> out;
  LANESCOPE_CHECK(collected(impl, [&] {
    return explainLayouts(
        *impl.module, inference, [&](const LayoutSite &site, std::string value, const std::vector<LayoutStep> &steps) {
          mlir::Operation *op = site.use ? site.use->getOwner() : site.value.getDefiningOp();
          Span span = spanOf(op->getLoc(), impl.sources);
          if (span.source != place.source || span.begin < place.begin || span.begin >= place.end)
            return;
          ValueReasons &reasons = out.emplace_back();
          reasons.op = span;
          reasons.value = std::move(value);
          for (const LayoutStep &step : steps)
            reasons.steps.push_back({step.op ? spanOf(step.op->getLoc(), impl.sources) : Span(), step.words});
        });
  }));
  return out;
}

} // namespace lanescope::core
