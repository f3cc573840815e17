#include "repl/kernel/Kernels.h"

#include "repl/kernel/tpu/launch/TpuKernel.h"

namespace lanescope::repl {

Builtins withKernels(Builtins host, std::shared_ptr<KernelRuntime> runtime) {
  Builtins all = withGpuKernels(std::move(host), runtime);
  addTpuBuiltins(all, std::move(runtime));
  return all;
}

} // namespace lanescope::repl
