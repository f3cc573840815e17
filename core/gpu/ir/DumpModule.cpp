#include "core/gpu/ir/DumpModule.h"

#include "core/gpu/ir/DumpKernel.h"
#include "core/gpu/ir/GpuDialects.h"
#include "core/gpu/kernel/GpuTarget.h"
#include "core/ir/DiagnosticCollector.h"
#include "core/ir/KernelModuleImpl.h"

namespace lanescope::core {

constexpr const char *kDumpKernelKind = "dump-kernel";

Result<KernelModule> readDumpModule(IrContext &context, const SourceRef &source, ModuleChecks checks) {
  ModuleReader reader(context.impl().mlir, source, gpuDialects());
  if (auto read = reader.read(checks); !read)
    return std::unexpected(std::move(read.error()));
  return reader.take();
}

Result<DumpedKernel> readDumpKernel(IrContext &context, const SourceRef &source) {
  auto module = readDumpModule(context, source);
  if (!module)
    return std::unexpected(std::move(module.error()));
  mlir::ModuleOp top = *module->impl().module;
  std::string arch;
  auto major = top->getAttrOfType<mlir::IntegerAttr>("mosaic_gpu.arch_major");
  auto minor = top->getAttrOfType<mlir::IntegerAttr>("mosaic_gpu.arch_minor");
  if (major && minor)
    if (const GpuTarget *target = findGpuTarget(static_cast<int>(major.getInt()), static_cast<int>(minor.getInt())))
      arch = target->name;
  DiagnosticCollector collector(*module->impl().context, module->impl().sources, kDumpKernelKind);
  if (mlir::failed(makeKernelOfDump(top)))
    return std::unexpected(collector.take());
  return DumpedKernel{std::move(*module), std::move(arch)};
}

} // namespace lanescope::core
