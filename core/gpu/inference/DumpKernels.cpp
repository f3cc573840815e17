#include "core/gpu/inference/DumpKernels.h"

#include "core/gpu/inference/DumpInference.h"
#include "core/gpu/ir/DumpKernel.h"
#include "core/gpu/ir/LaneForm.h"
#include "core/gpu/ir/StatedTarget.h"
#include "core/ir/DiagnosticCollector.h"
#include "core/ir/KernelModuleImpl.h"

#include "layouts/support/Try.h"

namespace lanescope::core {

constexpr const char *kDumpKernelKind = "dump-kernel";

Result<DumpedKernel> readDumpKernel(IrContext &context, const SourceRef &source, const std::string &arch) {
  KernelModule module = LANESCOPE_TRY(parseModule(context, source));
  mlir::ModuleOp top = *module.impl().module;
  DumpedKernel kernel{std::move(module), ""};
  if (auto stated = statedCapability(top))
    if (const GpuTarget *target = findGpuTarget(stated->major, stated->minor))
      kernel.arch = target->name;
  if (isLaneForm(top) || isKernelOfOurs(top))
    return kernel;
  LANESCOPE_CHECK(completeLayouts(kernel.module, {.arch = arch, .fuel = {}}));
  DiagnosticCollector collector(*kernel.module.impl().context, kernel.module.impl().sources, kDumpKernelKind);
  if (mlir::failed(makeKernelOfDump(top)))
    return std::unexpected(collector.take());
  return kernel;
}

} // namespace lanescope::core
