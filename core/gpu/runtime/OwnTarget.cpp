#include "core/gpu/runtime/OwnTarget.h"

#include "core/gpu/runtime/WorkerClient.h"
#include "layouts/support/Text.h"
#include "layouts/support/Try.h"

namespace lanescope::core {

Result<OwnTarget> targetOf(const GpuInfo &gpu) {
  if (const GpuTarget *own = findGpuTarget(gpu.major, gpu.minor))
    return OwnTarget{own, ""};
  const GpuTarget *nearest = baselineFor(gpu.major, gpu.minor);
  if (!nearest)
    return error(
        "arch",
        Message(
            "this GPU ({target}) is sm_{}{}, and code is generated for {}; run on the emulator (`--device emulator`)",
            gpu.name, gpu.major, gpu.minor, gpuTargetsText()));
  return OwnTarget{nearest, text("this GPU (", gpu.name, ") is sm_", gpu.major, gpu.minor,
                                 ", which has no target of its own; kernels are compiled for ", nearest->name,
                                 ", whose code runs on it")};
}

Result<OwnTarget> targetOfWorker(const std::string &command) {
  WorkerClient client(workerArguments(command));
  Hello hello = LANESCOPE_TRY(client.hello());
  if (!hello.gpu)
    return error(
        "no-gpu", Span(),
        Message(
            "the architecture `{}` is that of the GPU, and no GPU was found; name an architecture, such as `{name}`",
            kOwnArch, defaultGpuTarget().name),
        {{Span(), hello.problem}});
  return targetOf(*hello.gpu);
}

} // namespace lanescope::core
