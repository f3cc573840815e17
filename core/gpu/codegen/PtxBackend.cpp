#include "core/gpu/codegen/PtxBackend.h"

#include "core/gpu/codegen/ZeroedSums.h"
#include "core/gpu/kernel/GpuTarget.h"

#include "layouts/support/Text.h"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PassManager.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Target/TargetOptions.h"
#include "llvm/TargetParser/Triple.h"
#include "llvm/Transforms/InstCombine/InstCombine.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"
#include "llvm/Transforms/Scalar/InferAlignment.h"
#include "llvm/Transforms/Scalar/LICM.h"
#include "llvm/Transforms/Scalar/LoopPassManager.h"
#include "llvm/Transforms/Scalar/LoopRotation.h"
#include "llvm/Transforms/Scalar/SimplifyCFG.h"
#include "llvm/Transforms/Scalar/SROA.h"

#include <mutex>

extern "C" {
void LLVMInitializeNVPTXTargetInfo();
void LLVMInitializeNVPTXTarget();
void LLVMInitializeNVPTXTargetMC();
void LLVMInitializeNVPTXAsmPrinter();
}

namespace lanescope::core {

/// The analysis managers and the pass pipeline. They are kept between compilations, because registering the analyses
/// takes most of their set-up time.
struct PtxBackend::Passes {
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager cgscc;
  llvm::ModuleAnalysisManager modules;
  llvm::FunctionPassManager pipeline;

  explicit Passes(llvm::TargetMachine *machine) {
    llvm::PassBuilder builder(machine);
    builder.registerModuleAnalyses(modules);
    builder.registerCGSCCAnalyses(cgscc);
    builder.registerFunctionAnalyses(functions);
    builder.registerLoopAnalyses(loops);
    builder.crossRegisterProxies(loops, functions, cgscc, modules);

    pipeline.addPass(llvm::SROAPass(llvm::SROAOptions::ModifyCFG));
    pipeline.addPass(llvm::EarlyCSEPass(/*UseMemorySSA=*/false));
    pipeline.addPass(llvm::SimplifyCFGPass());
    pipeline.addPass(llvm::InstCombinePass());
    llvm::LoopPassManager loop;
    loop.addPass(llvm::LoopRotatePass());
    loop.addPass(llvm::LICMPass(llvm::LICMOptions()));
    pipeline.addPass(llvm::createFunctionToLoopPassAdaptor(std::move(loop), /*UseMemorySSA=*/true));
    pipeline.addPass(llvm::EarlyCSEPass(/*UseMemorySSA=*/false));
    pipeline.addPass(llvm::SimplifyCFGPass());
  }
};

/// Options and passes that LLVM offers only by name. In a newer LLVM a name may differ; it then has no effect, and
/// PtxBackend::unknownNames reports it.
struct Flag {
  llvm::StringRef name, value;
};
constexpr Flag kFlags[] = {
    // This pass spends long on finding adjacent accesses, but the lowering has already made vectors of them.
    {"disable-nvptx-load-store-vectorizer", "true"},
    // Instructions without a place get line 0 in `.loc`, not the line of those before them.
    {"use-unknown-locations", "Enable"},
    // An instruction merged from two places keeps one of them, instead of none.
    {"pick-merged-source-locations", "true"},
};

/// Passes of the back end that take a tenth of a compilation and find nothing. They look for common subexpressions, but
/// the lowering and `optimize` have already merged these.
constexpr llvm::StringRef kIdlePasses[] = {"Nary reassociation", "Early CSE", "Constant Hoisting"};
/// This pass helps in loops and where the trace's cursor is computed. Elsewhere it only takes another tenth of the
/// time.
constexpr llvm::StringRef kStrengthReduction = "Straight line strength reduction";

static void setFlags() {
  auto &known = llvm::cl::getRegisteredOptions();
  for (auto [name, value] : kFlags)
    if (auto flag = known.find(name); flag != known.end())
      flag->second->addOccurrence(/*pos=*/0, name, value);
}

static std::unique_ptr<llvm::TargetMachine> makeMachine(const GpuTarget &gpu) {
  static std::once_flag once;
  std::call_once(once, [] {
    LLVMInitializeNVPTXTargetInfo();
    LLVMInitializeNVPTXTarget();
    LLVMInitializeNVPTXTargetMC();
    LLVMInitializeNVPTXAsmPrinter();
    setFlags();
  });
  llvm::Triple triple("nvptx64-nvidia-cuda");
  std::string problem;
  const llvm::Target *target = llvm::TargetRegistry::lookupTarget(triple, problem);
  if (!target)
    return nullptr;
  // -O3 would add GVN, whose alias queries take longer than everything else on tile code and find nothing: tiles are in
  // registers, and EarlyCSE has merged the addresses.
  llvm::TargetOptions options;
  return std::unique_ptr<llvm::TargetMachine>(target->createTargetMachine(triple, gpu.name, text("+ptx", gpu.ptxIsa),
                                                                          options, llvm::Reloc::PIC_, std::nullopt,
                                                                          llvm::CodeGenOptLevel::Default));
}

PtxBackend::PtxBackend(const GpuTarget &target)
    : machine_(makeMachine(target)), passes_(std::make_unique<Passes>(machine_.get())) {}
PtxBackend::~PtxBackend() = default;

/// If many addresses of a block are a base address plus a constant, moves the base into an earlier block. Instruction
/// selection works on one block at a time, so it then stops at the base. Otherwise it would follow each such sum
/// through all computations of the base to find its known bits, which takes a tenth of a compilation.
static void separateBases(llvm::Function &function) {
  constexpr unsigned kWorthIt = 16; // a block costs about as much as eight sums
  llvm::SmallVector<llvm::Instruction *> bases;
  for (llvm::Instruction &instruction : llvm::instructions(function)) {
    auto isOffset = [&](const llvm::User *user) {
      const auto *offset = llvm::dyn_cast<llvm::GetElementPtrInst>(user);
      return offset && offset->getParent() == instruction.getParent() && offset->hasAllConstantIndices();
    };
    if (llvm::isa<llvm::GetElementPtrInst>(instruction) && llvm::count_if(instruction.users(), isOffset) >= kWorthIt)
      bases.push_back(&instruction);
  }
  // The block is split after its first base address. Later base addresses move up to the first if possible, because a
  // split at each of them would create blocks that have to pass on all live values.
  llvm::BasicBlock *rest = nullptr;
  for (llvm::Instruction *base : bases) {
    if (base->getParent() != rest) {
      rest = base->getParent()->splitBasicBlock(base->getNextNode());
      continue;
    }
    auto staysBehind = [&](const llvm::Value *operand) {
      const auto *instruction = llvm::dyn_cast<llvm::Instruction>(operand);
      return instruction && instruction->getParent() == rest;
    };
    if (llvm::none_of(base->operand_values(), staysBehind))
      base->moveBefore(rest->getSinglePredecessor()->getTerminator()->getIterator());
  }
}

void PtxBackend::optimize(llvm::Module &module, bool inferAlignment) {
  for (llvm::Function &function : module) {
    if (function.isDeclaration())
      continue;
    // Barriers and elections in inline assembly must not be duplicated into divergent branches, or sunk below them.
    for (llvm::Instruction &instruction : llvm::instructions(function))
      if (auto *call = llvm::dyn_cast<llvm::CallInst>(&instruction); call && call->isInlineAsm()) {
        if (call->mayHaveSideEffects())
          call->setConvergent();
        call->setDoesNotThrow();
      }
    passes_->pipeline.run(function, passes_->functions);
    if (inferAlignment)
      llvm::InferAlignmentPass().run(function, passes_->functions);
    flagZeroedSums(function);
    separateBases(function);
  }
  passes_->functions.clear();
  passes_->loops.clear();
  passes_->modules.clear();
  passes_->cgscc.clear();
}

/// True if the kernel has loops of its own. Loops of a single block do not count, because they only wait for something.
static bool hasLoops(const llvm::Function &function) {
  llvm::SmallPtrSet<const llvm::BasicBlock *, 32> before; // blocks are in the order of the program
  for (const llvm::BasicBlock &block : function) {
    if (llvm::any_of(llvm::successors(&block), [&](const auto *successor) { return before.contains(successor); }))
      return true;
    before.insert(&block);
  }
  return false;
}

/// The back end's passes, without those that are idle here.
struct CodegenPasses : llvm::legacy::PassManager {
  bool reducesStrength = false;
  llvm::StringSet<> *met = nullptr; // names of all passes; null: not requested

  void add(llvm::Pass *pass) override {
    llvm::StringRef name = pass->getPassName();
    if (met)
      met->insert(name);
    if (llvm::is_contained(kIdlePasses, name) || (name == kStrengthReduction && !reducesStrength))
      delete pass;
    else
      llvm::legacy::PassManager::add(pass);
  }
};

Result<std::string> PtxBackend::emit(llvm::Module &module, bool profiled) {
  if (!machine_)
    return error("no-nvptx", "this LLVM was built without its NVPTX back end, so no PTX can be written");
  llvm::SmallString<0> ptx;
  llvm::raw_svector_ostream stream(ptx);
  CodegenPasses manager;
  manager.reducesStrength = profiled || llvm::any_of(module, hasLoops);
  if (machine_->addPassesToEmitFile(manager, stream, nullptr, llvm::CodeGenFileType::AssemblyFile))
    return error("no-nvptx", "this LLVM's NVPTX back end cannot write assembly text");
  manager.run(module);
  return std::string(ptx);
}

std::vector<std::string> PtxBackend::unknownNames() {
  std::vector<std::string> unknown;
  for (const Flag &flag : kFlags)
    if (!llvm::cl::getRegisteredOptions().contains(flag.name))
      unknown.push_back(flag.name.str());
  llvm::StringSet<> met;
  llvm::raw_null_ostream nowhere;
  CodegenPasses manager;
  manager.met = &met;
  if (machine_)
    machine_->addPassesToEmitFile(manager, nowhere, nullptr, llvm::CodeGenFileType::AssemblyFile);
  for (llvm::StringRef name : kIdlePasses)
    if (!met.contains(name))
      unknown.push_back(name.str());
  if (!met.contains(kStrengthReduction))
    unknown.push_back(kStrengthReduction.str());
  return unknown;
}

} // namespace lanescope::core
