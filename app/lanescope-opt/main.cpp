// Runs passes over IR text, as mlir-opt does: `lanescope-opt in.mlir --pass-pipeline=…`. For lit tests and for looking
// at one pass at a time. Reads JAX's dumps too.
#include "core/gpu/codegen/Passes.h"
#include "core/gpu/ir/GpuDialects.h"
#include "core/gpu/ir/Lanescope.h"
#include "core/gpu/ir/LayoutRules.h"
#include "core/gpu/ir/MosaicGpu.h"
#include "core/ir/CommonSyntax.h"
#include "core/tpu/ir/Tpu.h"

#include "mlir/InitAllDialects.h"
#include "mlir/InitAllPasses.h"
#include "mlir/Support/FileUtilities.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/ToolOutputFile.h"

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  mlir::DialectRegistry registry;
  mlir::registerAllDialects(registry);
  registry.insert<lanescope::core::mosaic_gpu::MosaicGpuDialect, lanescope::core::statements::LanescopeDialect,
                  lanescope::core::tpu::TpuDialect>();
  lanescope::core::registerLayoutRules(registry);
  mlir::registerAllPasses();
  lanescope::core::registerLanescopePasses();

  auto [inputName, outputName] = mlir::registerAndParseCLIOptions(argc, argv, "Lanescope's pass driver\n", registry);
  std::string problem;
  auto input = mlir::openInputFile(inputName, &problem);
  auto output = input ? mlir::openOutputFile(outputName, &problem) : nullptr;
  if (!output) {
    llvm::errs() << problem << "\n";
    return 1;
  }
  std::string_view given(input->getBufferStart(), input->getBufferSize());
  std::vector<lanescope::core::SyntaxDifference> known;
  for (auto differences : {lanescope::core::commonDifferences(), lanescope::core::gpuDialects().differences})
    known.insert(known.end(), differences.begin(), differences.end());
  lanescope::core::EditedText ours(given, lanescope::core::toOurSyntax(given, known));
  auto text = llvm::MemoryBuffer::getMemBufferCopy(ours.text(), inputName);
  if (mlir::failed(
          mlir::MlirOptMain(output->os(), std::move(text), registry, mlir::MlirOptMainConfig::createFromCLOptions())))
    return 1;
  output->keep();
  return 0;
}
