// LLVM IR -> PTX, in process. It keeps the target machine, whose creation costs more than a small kernel's code
// generation.
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

  /// Null only if this LLVM has no NVPTX back end; emit() then returns an error.
  llvm::TargetMachine *machine() { return machine_.get(); }
  /// Promotes the lowering's allocas, folds, and simplifies loops: the part of -O3 that helps straight-line tile code.
  /// `inferAlignment`: for code whose loads and stores do not state their alignment.
  void optimize(llvm::Module &module, bool inferAlignment = false);
  /// `profiled`: the kernel records a trace.
  Result<std::string> emit(llvm::Module &module, bool profiled);
  /// The options and passes that we set or skip by a name that this LLVM lacks, for example because a newer LLVM
  /// renamed them.
  std::vector<std::string> unknownNames();

private:
  struct Passes;
  std::unique_ptr<llvm::TargetMachine> machine_;
  std::unique_ptr<Passes> passes_;
};

} // namespace lanescope::core
