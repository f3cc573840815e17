// The pipeline: verify -> infer layouts -> lower to LLVM + NVVM -> translate to LLVM IR -> PTX.
#include "core/gpu/codegen/Compiler.h"
#include "core/gpu/codegen/AssemblyChecks.h"
#include "core/gpu/codegen/DebugValues.h"
#include "core/gpu/codegen/PrintedStage.h"
#include "core/gpu/codegen/PtxBackend.h"
#include "core/gpu/codegen/PtxLines.h"
#include "core/gpu/inference/LayoutInference.h"
#include "core/gpu/ir/Context.h"
#include "core/gpu/ir/KernelRules.h"
#include "core/gpu/ir/LaneForm.h"
#include "core/gpu/lowering/lane/LowerLanes.h"
#include "core/gpu/lowering/LowerKernel.h"
#include "core/gpu/lowering/thread/InstructionTargets.h"
#include "core/ir/DiagnosticCollector.h"
#include "core/ir/KernelModuleImpl.h"

#include "layouts/support/Text.h"

#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Target/LLVMIR/Export.h"

#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Target/TargetMachine.h"

#include <algorithm>
#include <iterator>
#include <map>

namespace lanescope::core {

struct Compiler::Impl {
  IrContext context = makeGpuContext();
  // Keyed by architecture, created on first use.
  std::map<std::string, std::unique_ptr<PtxBackend>, std::less<>> backends;
};

Compiler::Compiler() : impl_(std::make_unique<Impl>()) {}
Compiler::~Compiler() = default;
IrContext &Compiler::context() { return impl_->context; }

namespace {

/// One compilation. Each step returns true if the next step may run.
class Pipeline {
public:
  using Backends = std::map<std::string, std::unique_ptr<PtxBackend>, std::less<>>;
  Pipeline(Backends &backends, KernelModule module, const CompileOptions &options)
      : backends_(backends), kernel_(std::move(module)), options_(options) {}

  KernelStages run() {
    if (options_.keepTexts)
      keepSources();
    bool done = target() && verify() && layOut() && lower() && translate() && emit();
    if (done)
      finish();
    return std::move(stages_);
  }

private:
  mlir::ModuleOp module() { return *kernel_.impl().module; }

  /// Runs a step over the module and keeps its diagnostics.
  template <typename Step> bool guarded(const char *kind, Step step) {
    DiagnosticCollector collector(*kernel_.impl().context, kernel_.impl().sources, kind);
    bool succeeded = mlir::succeeded(step());
    Diagnostics problems = collector.take();
    bool failed = !succeeded || hasErrors(problems);
    if (failed && !hasErrors(problems))
      problems.push_back({Severity::Error, kind, {}, text("the ", kind, " step failed without saying why"), {}});
    std::ranges::move(problems, std::back_inserter(stages_.diagnostics));
    return !failed;
  }

  void keepSources() {
    stages_.sources = kernel_.impl().sources;
    for (auto function : module().getOps<mlir::FunctionOpInterface>()) {
      name_ = function.getName().str();
      places_ = SourcePlaces(kernel_.impl().sources, spanOf(function->getLoc(), kernel_.impl().sources));
      return;
    }
  }

  /// `Module`: an MLIR or an LLVM module.
  template <typename Module> bool reached(const StageKind &kind, const Module &module) {
    if (options_.keepTexts)
      stages_.stages.push_back(printed(kind, name_, module, places_));
    return kind.id != options_.until;
  }

  /// Reads the target from the module, as JAX's modules state it.
  bool target() {
    const GpuTarget *target = findGpuTarget(options_.arch);
    if (!target) {
      stages_.diagnostics = error("arch", noGpuTargetText(options_.arch)).error();
      return false;
    }
    mlir::Builder builder(module().getContext());
    if (target != findGpuTarget(target->major, target->minor)) // the capability alone would mean another target
      module()->setAttr("lanescope.target", builder.getStringAttr(target->name));
    else
      module()->removeAttr("lanescope.target");
    module()->setAttr("mosaic_gpu.arch_major", builder.getI32IntegerAttr(target->major));
    module()->setAttr("mosaic_gpu.arch_minor", builder.getI32IntegerAttr(target->minor));
    std::unique_ptr<PtxBackend> &backend = backends_[options_.arch];
    if (!backend)
      backend = std::make_unique<PtxBackend>(*target);
    backend_ = backend.get();
    return true;
  }

  bool verify() {
    lanes_ = isLaneForm(module());
    if (lanes_)
      return guarded("ir", [&] { return mlir::verify(module()); }) && reached(kIrStage, module());
    return guarded("ir", [&] { return mlir::verify(module()); }) &&
           guarded("ir", [&] { return checkKernelRules(module()); }) && reached(kIrStage, module());
  }

  /// A module in Lane form, which is code of single threads, has no arrays to lay out and stays as it is.
  bool layOut() {
    if (lanes_)
      return reached(kLaidOutStage, module());
    if (!guarded("layout", [&] { return inferLayouts(module()); }))
      return false;
    const std::vector<SourceRef> &sources = kernel_.impl().sources;
    values_ = valueLayouts(module(), [&](mlir::Location location) { return spanOf(location, sources); });
    sharedArrays_ = sharedArrays(module());
    tensorArrays_ = tensorArrays(module(), [&](mlir::Location location) -> uint32_t {
      Span span = spanOf(location, sources);
      return span.source && span.source == sources.front() ? span.source->lineColumn(span.begin).line : 0;
    });
    bool on = reached(kLaidOutStage, module());
    if (on && options_.markValues)
      markValues(module(), values_, [&](mlir::Location location) { return spanOf(location, sources); });
    return on;
  }

  bool lower() {
    const GpuTarget &target = *findGpuTarget(options_.arch);
    auto lowered = [&] { return lanes_ ? lowerLanes(module(), lowered_) : lowerKernel(module(), lowered_); };
    auto supported = [&] {
      replaceSm90Operations(module(), target);
      return checkInstructions(module(), target);
    };
    return guarded("lowering", lowered) && guarded("ir", [&] { return checkInlineAssembly(module()); }) &&
           guarded("unsupported", supported) && reached(kNvvmStage, module());
  }

  bool translate() {
    bool done = guarded("translation", [&] {
      llvm_ = mlir::translateModuleToLLVMIR(module(), llvmContext_, lowered_.name, /*disableVerification=*/true);
      return mlir::success(llvm_ != nullptr);
    });
    if (!done)
      return false;
    if (llvm::TargetMachine *machine = backend_->machine()) {
      llvm_->setTargetTriple(machine->getTargetTriple());
      llvm_->setDataLayout(machine->createDataLayout());
    }
    backend_->optimize(*llvm_, /*inferAlignment=*/lanes_);
    return reached(kLlvmStage, *llvm_);
  }

  bool emit() {
    auto ptx = backend_->emit(*llvm_, lowered_.profiled);
    if (!ptx) {
      std::ranges::move(ptx.error(), std::back_inserter(stages_.diagnostics));
      return false;
    }
    ptx_ = std::move(*ptx);
    Stage &stage = stages_.stages.emplace_back(kPtxStage, Source::make(text(lowered_.name, kPtxStage.suffix), ptx_));
    if (options_.keepTexts)
      stage.origins = ptxOrigins(*stage.source, places_);
    return true;
  }

  void finish() {
    CompiledKernel &kernel = stages_.kernel.emplace();
    kernel.name = lowered_.name;
    kernel.arch = options_.arch;
    kernel.ptx = std::move(ptx_);
    kernel.launch = std::move(lowered_.launch);
    kernel.launch.sharedArrays = std::move(sharedArrays_);
    kernel.outputs = std::move(lowered_.outputs);
    kernel.profiled = lowered_.profiled;
    kernel.profile = std::move(lowered_.profile);
    if (!kernel_.impl().sources.empty())
      kernel.source = kernel_.impl().sources.front();
    kernel.values = std::move(values_);
    kernel.tensorArrays = std::move(tensorArrays_);
  }

  Backends &backends_;
  PtxBackend *backend_ = nullptr; // for the requested architecture
  KernelModule kernel_;
  bool lanes_ = false; // the module is in Lane form already
  const CompileOptions &options_;
  KernelStages stages_;
  std::string name_; // the kernel's name, for naming texts
  SourcePlaces places_;
  std::vector<ValueLayout> values_;
  std::vector<SharedArray> sharedArrays_;
  std::vector<TensorArray> tensorArrays_;
  LoweredKernel lowered_;
  llvm::LLVMContext llvmContext_;
  std::unique_ptr<llvm::Module> llvm_; // destroyed before its context
  std::string ptx_;
};

} // namespace

KernelStages Compiler::compile(KernelModule module, const CompileOptions &options) {
  return Pipeline(impl_->backends, std::move(module), options).run();
}

} // namespace lanescope::core
