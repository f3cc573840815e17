// LLVM IR -> PTX, in process. Keeps the target machine: making one costs more than a small kernel's code generation.
//
//   PtxBackend backend(*findGpuTarget("sm_90a"));
//   backend.optimize(module);
//   Result<std::string> ptx = backend.emit(module, false);
#pragma once

#include "core/gpu/kernel/GpuTarget.h"
#include "layouts/support/Diagnostic.h"

#include <memory>
#include <string>
#include <vector>

namespace llvm {
class Module;
class TargetMachine;
} // namespace llvm

namespace lanescope::core {

class PtxBackend {
public:
  explicit PtxBackend(const GpuTarget &target);
  ~PtxBackend();

  /// Null only when this LLVM has no NVPTX back end, and then emit() says so.
  llvm::TargetMachine *machine() { return machine_.get(); }
  /// Promotes what the lowering keeps in allocas, folds, and simplifies loops: the part of -O3 that straight-line tile
  /// code profits from. `inferAlignment`: for code whose loads and stores do not say theirs.
  void optimize(llvm::Module &module, bool inferAlignment = false);
  /// `profiled`: the kernel records a trace.
  Result<std::string> emit(llvm::Module &module, bool profiled);
  /// What we set or leave out in LLVM by a name that this LLVM does not have: none, or a newer LLVM has renamed it.
  std::vector<std::string> unknownNames();

private:
  struct Passes;
  std::unique_ptr<llvm::TargetMachine> machine_;
  std::unique_ptr<Passes> passes_;
};

} // namespace lanescope::core
