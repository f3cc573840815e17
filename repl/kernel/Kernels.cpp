#include "repl/kernel/Kernels.h"

#include "repl/kernel/gpu/launch/GpuPrimitives.h"
#include "repl/kernel/launch/ArgumentSpec.h"
#include "repl/kernel/launch/Prelude.h"
#include "repl/kernel/launch/Results.h"
#include "repl/kernel/pallas/Pallas.h"
#include "repl/kernel/tpu/launch/TpuKernel.h"

namespace lanescope::repl {

Builtins withKernels(Builtins host, std::shared_ptr<KernelRuntime> runtime) {
  Builtins all = std::move(host);
  addBuiltins(all, argumentBuiltins());
  addBuiltins(all, runBuiltins());
  Builtins helpers = gpuPreludeHelpers();
  addBuiltins(helpers, tpuPreludeHelpers());
  addBuiltins(all, preludeBuiltins(std::move(helpers)));
  addGpuBuiltins(all, runtime);
  addTpuBuiltins(all, runtime);
  addBuiltins(all, moduleBuiltins(pallasModules(std::move(runtime))));
  return all;
}

} // namespace lanescope::repl
