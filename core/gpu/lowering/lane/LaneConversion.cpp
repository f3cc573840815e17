#include "core/gpu/lowering/lane/LaneConversion.h"

#include "core/gpu/lowering/arrays/MathExpansion.h"
#include "core/gpu/lowering/thread/ThreadBuilder.h"

#include "mlir/Conversion/AffineToStandard/AffineToStandard.h"
#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/FuncToLLVM/ConvertFuncToLLVM.h"
#include "mlir/Conversion/GPUToNVVM/GPUToNVVMPass.h"
#include "mlir/Conversion/IndexToLLVM/IndexToLLVM.h"
#include "mlir/Conversion/LLVMCommon/ConversionTarget.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Conversion/MathToLLVM/MathToLLVM.h"
#include "mlir/Conversion/MemRefToLLVM/MemRefToLLVM.h"
#include "mlir/Conversion/NVVMToLLVM/NVVMToLLVM.h"
#include "mlir/Conversion/ReconcileUnrealizedCasts/ReconcileUnrealizedCasts.h"
#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Conversion/UBToLLVM/UBToLLVM.h"
#include "mlir/Conversion/VectorToLLVM/ConvertVectorToLLVM.h"
#include "mlir/Conversion/VectorToSCF/VectorToSCF.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/Transforms/Passes.h"
#include "mlir/Dialect/Vector/Transforms/LoweringPatterns.h"
#include "mlir/Dialect/Vector/Transforms/VectorRewritePatterns.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/DialectConversion.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "mlir/Transforms/Passes.h"

#include <array>

namespace lanescope::core {

namespace {

using namespace mlir;

constexpr unsigned kIndexBits = 64;

/// Turns loops into branches, views into arithmetic, and vectors into flat ones.
LogicalResult flatten(Operation *root) {
  PassManager passes(root->getContext(), root->getName().getStringRef());
  passes.enableVerifier(false); // the module is verified before and after
  passes.addPass(arith::createArithExpandOpsPass());
  passes.addPass(createCanonicalizerPass());
  passes.addPass(createConvertVectorToSCFPass(VectorTransferToSCFOptions().setTargetRank(1)));
  passes.addPass(createSCFToControlFlowPass());
  passes.addPass(createConvertNVVMToLLVMPass());
  passes.addPass(memref::createExpandStridedMetadataPass());
  passes.addPass(createLowerAffinePass());
  passes.addPass(createCanonicalizerPass());
  passes.addPass(createCSEPass());
  return passes.run(root);
}

/// Lowers vectors of several dimensions, and slices. JAX's pipeline has its own pattern for slices of narrow floats.
LogicalResult lowerVectors(Operation *root) {
  RewritePatternSet patterns(root->getContext());
  vector::populateVectorToVectorCanonicalizationPatterns(patterns);
  vector::populateVectorBroadcastLoweringPatterns(patterns);
  vector::populateVectorMultiReductionLoweringPatterns(patterns, vector::VectorMultiReductionLowering::InnerReduction);
  vector::populateVectorShapeCastLoweringPatterns(patterns);
  vector::populateVectorTransposeLoweringPatterns(patterns, vector::VectorTransposeLowering::EltWise);
  vector::populateVectorInsertExtractStridedSliceTransforms(patterns);
  vector::populateVectorTransferLoweringPatterns(patterns, /*maxTransferRank=*/1);
  return applyPatternsGreedily(root, std::move(patterns));
}

LogicalResult convertOperations(Operation *root) {
  MLIRContext *context = root->getContext();
  LowerToLLVMOptions options(context);
  options.overrideIndexBitwidth(kIndexBits);
  LLVMTypeConverter converter(context, options);
  configureGpuToNVVMTypeConverter(converter);
  RewritePatternSet patterns(context);
  arith::populateArithToLLVMConversionPatterns(converter, patterns);
  arith::populateCeilFloorDivExpandOpsPatterns(patterns);
  cf::populateControlFlowToLLVMConversionPatterns(converter, patterns);
  cf::populateAssertToLLVMConversionPattern(converter, patterns);
  populateFuncToLLVMConversionPatterns(converter, patterns);
  index::populateIndexToLLVMConversionPatterns(converter, patterns);
  populateMathToLLVMConversionPatterns(converter, patterns);
  populateFinalizeMemRefToLLVMConversionPatterns(converter, patterns);
  populateVectorToLLVMConversionPatterns(converter, patterns);
  ub::populateUBToLLVMConversionPatterns(converter, patterns);
  populateGpuToNVVMConversionPatterns(converter, patterns);
  LLVMConversionTarget target(
      *context); // elementary functions are expanded already; the remaining functions have instructions
  target.addLegalDialect("nvvm");
  target.addIllegalDialect<gpu::GPUDialect>();
  target.addLegalOp<gpu::GPUModuleOp, UnrealizedConversionCastOp>();
  return applyPartialConversion(root, target, std::move(patterns));
}

/// JAX passes shared addresses to the commits of Blackwell's products. In our LLVM, the intrinsic of that name takes
/// generic addresses, so this step renames the commits.
void nameCommits(Operation *root) {
  constexpr llvm::StringLiteral kCommit = "llvm.nvvm.tcgen05.commit.", kShared = "shared.", kMulticast = "mc.";
  root->walk([&](LLVM::CallIntrinsicOp call) {
    llvm::StringRef rest = call.getIntrin();
    if (!rest.consume_front(kCommit) || call.getArgs().empty())
      return;
    std::string name = kCommit.str();
    if (rest.consume_front(kMulticast))
      name += kMulticast;
    auto pointer = dyn_cast<LLVM::LLVMPointerType>(call.getArgs().front().getType());
    if (pointer && pointer.getAddressSpace() == kSharedSpace && !rest.starts_with(kShared))
      call.setIntrin(name + kShared.str() + rest.str());
  });
}

LogicalResult tidy(Operation *root) {
  PassManager passes(root->getContext(), root->getName().getStringRef());
  passes.enableVerifier(false);
  passes.addPass(createReconcileUnrealizedCastsPass());
  passes.addPass(createCanonicalizerPass());
  passes.addPass(createCSEPass());
  return passes.run(root);
}

/// True for a function that LLVM would implement by a library call.
bool isLibraryFunction(Operation *op) {
  constexpr llvm::StringLiteral kPrefix = "llvm.intr.";
  constexpr std::array<llvm::StringRef, 18> kNames{"pow",  "powi",  "log10", "log",  "log2", "exp",
                                                   "exp2", "exp10", "sin",   "cos",  "tan",  "asin",
                                                   "acos", "atan",  "sinh",  "cosh", "tanh", "atan2"};
  llvm::StringRef name = op->getName().getStringRef();
  return name.consume_front(kPrefix) && llvm::is_contained(kNames, name);
}

/// Reports operations left over from other dialects, and calls of functions that do not exist; the driver provides two.
LogicalResult checkConverted(Operation *root) {
  auto left = root->walk([&](Operation *op) {
    if (op == root)
      return WalkResult::advance();
    llvm::StringRef dialect = op->getName().getDialectNamespace();
    if ((dialect != "llvm" && dialect != "nvvm") || isLibraryFunction(op)) {
      op->emitError() << "there is no code for `" << op->getName() << "` in a thread";
      return WalkResult::interrupt();
    }
    auto call = dyn_cast<LLVM::CallOp>(op);
    if (!call || !call.getCallee() || *call.getCallee() == "vprintf" || *call.getCallee() == "__assertfail")
      return WalkResult::advance();
    auto function = dyn_cast_or_null<LLVM::LLVMFuncOp>(SymbolTable::lookupSymbolIn(root, *call.getCallee()));
    if (function && !function.isExternal())
      return WalkResult::advance();
    op->emitError() << "calls `" << *call.getCallee() << "`, which is not in the module";
    return WalkResult::interrupt();
  });
  return failure(left.wasInterrupted());
}

} // namespace

LogicalResult convertThreadCode(gpu::GPUModuleOp root) {
  nameCommits(root);
  if (failed(flatten(root)) || failed(lowerVectors(root)) || failed(expandMath(root)) ||
      failed(convertOperations(root)) || failed(tidy(root)))
    return failure();
  if (failed(checkConverted(root)))
    return failure();
  Operation *kernels = root;
  kernels->getBlock()->getOperations().splice(Block::iterator(kernels), root.getBody()->getOperations());
  kernels->erase();
  return success();
}

/// Some of the passes require a `gpu.module` around the code, so this step adds one.
LogicalResult convertThreadCode(ModuleOp module) {
  OpBuilder builder(module.getContext());
  auto &operations = module.getBody()->getOperations();
  builder.setInsertionPointToEnd(module.getBody());
  auto kernels = gpu::GPUModuleOp::create(builder, module.getLoc(), "kernels");
  kernels.getBody()->getOperations().splice(kernels.getBody()->end(), operations, operations.begin(),
                                            Block::iterator(kernels));
  return convertThreadCode(kernels);
}

} // namespace lanescope::core
