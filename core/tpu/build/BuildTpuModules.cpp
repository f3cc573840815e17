// Functions on finished modules: joining several into one, and printing with the snippet's names.
#include "core/ir/KernelModuleImpl.h"
#include "core/tpu/build/TpuBuilder.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/IR/Verifier.h"

#include <algorithm>

namespace lanescope::core {

std::string textWithNames(const KernelModule &module) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  mlir::ModuleOp top = *const_cast<KernelModule &>(module).impl().module; // printing does not change the module
  top.print(stream, mlir::OpPrintingFlags().printNameLocAsPrefix());
  return text;
}

Result<KernelModule> joinKernels(std::vector<KernelModule> modules) {
  auto joined = std::make_unique<KernelModule::Impl>();
  KernelModule::Impl &first = modules.front().impl();
  joined->context = first.context;
  joined->module = std::move(first.module);
  joined->sources = first.sources;
  mlir::SymbolTable symbols(*joined->module);
  for (size_t k = 1; k < modules.size(); ++k) {
    KernelModule::Impl &other = modules[k].impl();
    for (mlir::Operation &op : llvm::make_early_inc_range(*other.module->getBody())) {
      op.remove();
      symbols.insert(&op, joined->module->getBody()->end());
    }
    for (const SourceRef &source : other.sources)
      if (std::ranges::find(joined->sources, source) == joined->sources.end())
        joined->sources.push_back(source);
  }
  KernelModule whole(std::move(joined));
  Diagnostics problems;
  mlir::ScopedDiagnosticHandler handler(whole.impl().context.get(), [&](mlir::Diagnostic &problem) {
    problems.push_back({.severity = Severity::Error, .kind = "ir", .span = {}, .message = problem.str(), .notes = {}});
    return mlir::success();
  });
  if (mlir::failed(mlir::verify(*whole.impl().module)))
    return std::unexpected(std::move(problems));
  return whole;
}

} // namespace lanescope::core
