#include "repl/kernel/Kernels.h"

#include "repl/kernel/gpu/launch/GpuPrimitives.h"
#include "repl/kernel/launch/ArgumentSpec.h"
#include "repl/kernel/launch/Prelude.h"
#include "repl/kernel/launch/Results.h"
#include "repl/kernel/launch/Tuning.h"
#include "repl/kernel/pallas/Pallas.h"
#include "repl/kernel/tpu/launch/TpuKernel.h"
#include "repl/lang/builtins/FileBuiltins.h"

namespace lanescope::repl {

Builtins withKernels(Builtins host, std::shared_ptr<KernelRuntime> runtime, std::shared_ptr<SnippetFiles> files) {
  if (!files)
    files = std::make_shared<SnippetFiles>();
  BuiltinTable all(std::move(host));
  all.add(argumentBuiltins());
  all.add(fileBuiltins(files));
  all.add(runBuiltins(files));
  all.add(traceBuiltins(files));
  all.add(tuningBuiltins(runtime));
  BuiltinTable helpers(gpuPreludeHelpers());
  helpers.add(tpuPreludeHelpers());
  all.add(preludeBuiltins(std::move(helpers).take()));
  addGpuBuiltins(all, runtime);
  addTpuBuiltins(all, runtime);
  auto tracing = std::make_shared<bool>(false);
  if (Builtin *range = all.find("range"))
    range->call = pallasRange(*range, tracing).call;
  all.add(prefixBuiltins(pallasPrefixes(std::move(runtime), tracing)));
  return std::move(all).take();
}

} // namespace lanescope::repl
