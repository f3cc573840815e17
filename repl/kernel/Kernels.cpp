#include "repl/kernel/Kernels.h"

#include "repl/kernel/gpu/launch/GpuPrimitives.h"
#include "repl/kernel/launch/ArgumentSpec.h"
#include "repl/kernel/launch/Prelude.h"
#include "repl/kernel/launch/Results.h"
#include "repl/kernel/launch/Tuning.h"
#include "repl/kernel/pallas/Pallas.h"
#include "repl/kernel/tpu/launch/TpuKernel.h"

#include <algorithm>

namespace lanescope::repl {

Builtins withKernels(Builtins host, std::shared_ptr<KernelRuntime> runtime) {
  Builtins all = std::move(host);
  addBuiltins(all, argumentBuiltins());
  addBuiltins(all, runBuiltins());
  addBuiltins(all, traceBuiltins());
  addBuiltins(all, tuningBuiltins(runtime));
  Builtins helpers = gpuPreludeHelpers();
  addBuiltins(helpers, tpuPreludeHelpers());
  addBuiltins(all, preludeBuiltins(std::move(helpers)));
  addGpuBuiltins(all, runtime);
  addTpuBuiltins(all, runtime);
  auto tracing = std::make_shared<bool>(false);
  if (auto range = std::ranges::find(all, "range", &Builtin::name); range != all.end())
    *range = pallasRange(std::move(*range), tracing);
  addBuiltins(all, moduleBuiltins(pallasModules(std::move(runtime), tracing)));
  return all;
}

} // namespace lanescope::repl
