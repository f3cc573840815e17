#include "core/gpu/codegen/Passes.h"

#include "core/gpu/inference/LayoutInference.h"
#include "core/gpu/ir/KernelRules.h"
#include "core/gpu/lowering/LowerKernel.h"

#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassRegistry.h"

namespace lanescope::core {

namespace {

struct KernelRulesPass : mlir::PassWrapper<KernelRulesPass, mlir::OperationPass<mlir::ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(KernelRulesPass)
  llvm::StringRef getArgument() const override { return "mosaic-gpu-kernel-rules"; }
  llvm::StringRef getDescription() const override {
    return "Check the rules of kernels that the dialect does not check";
  }
  void runOnOperation() override {
    if (mlir::failed(checkKernelRules(getOperation())))
      signalPassFailure();
  }
};

struct LayoutInferencePass : mlir::PassWrapper<LayoutInferencePass, mlir::OperationPass<mlir::ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(LayoutInferencePass)
  llvm::StringRef getArgument() const override { return "mosaic-gpu-layout-inference"; }
  llvm::StringRef getDescription() const override { return "Give arrays register layouts and references transforms"; }
  void runOnOperation() override {
    if (mlir::failed(inferLayouts(getOperation())))
      signalPassFailure();
  }
};

struct ToNvvmPass : mlir::PassWrapper<ToNvvmPass, mlir::OperationPass<mlir::ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(ToNvvmPass)
  llvm::StringRef getArgument() const override { return "mosaic-gpu-to-nvvm"; }
  llvm::StringRef getDescription() const override { return "Turn a laid-out kernel into one thread's LLVM and NVVM"; }
  void getDependentDialects(mlir::DialectRegistry &registry) const override { insertLoweringDialects(registry); }
  void runOnOperation() override {
    LoweredKernel result;
    if (mlir::failed(lowerKernel(getOperation(), result)))
      signalPassFailure();
  }
};

} // namespace

void registerLanescopePasses() {
  mlir::PassRegistration<KernelRulesPass>();
  mlir::PassRegistration<LayoutInferencePass>();
  mlir::PassRegistration<ToNvvmPass>();
}

} // namespace lanescope::core
