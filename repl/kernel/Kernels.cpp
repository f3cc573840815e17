#include "repl/kernel/Kernels.h"

#include "repl/kernel/gpu/launch/GpuPrimitives.h"
#include "repl/kernel/launch/ArgumentSpec.h"
#include "repl/kernel/launch/Prelude.h"
#include "repl/kernel/launch/Results.h"
#include "repl/kernel/launch/Tuning.h"
#include "repl/kernel/pallas/Pallas.h"
#include "repl/kernel/tpu/launch/TpuKernel.h"

namespace lanescope::repl {

Builtins withKernels(Builtins host, std::shared_ptr<KernelRuntime> runtime) {
  BuiltinTable all(std::move(host));
  all.add(argumentBuiltins());
  all.add(runBuiltins());
  all.add(traceBuiltins());
  all.add(tuningBuiltins(runtime));
  BuiltinTable helpers(gpuPreludeHelpers());
  helpers.add(tpuPreludeHelpers());
  all.add(preludeBuiltins(std::move(helpers).take()));
  addGpuBuiltins(all, runtime);
  addTpuBuiltins(all, runtime);
  auto tracing = std::make_shared<bool>(false);
  if (Builtin *range = all.find("range"))
    range->call = pallasRange(*range, tracing).call;
  all.add(moduleBuiltins(pallasModules(std::move(runtime), tracing)));
  return std::move(all).take();
}

} // namespace lanescope::repl
