#include "core/gpu/runtime/Gpu.h"

#include "layouts/support/Text.h"

namespace lanescope::core {

namespace {

std::unexpected<Diagnostics> noGpu(const std::string &why) {
  return error("no-gpu", text("there is no GPU to run on: ", why,
                              "; name another host's worker with `--worker`, or use `--device emulator`"));
}

} // namespace

std::string cudaVersionText(int version) { return text(version / 1000, ".", version % 1000 / 10); }

Result<void> checkArch(const std::string &arch, const GpuInfo &gpu) {
  constexpr std::string_view kPrefix = "sm_";
  if (!std::string_view(arch).starts_with(kPrefix))
    return {};
  std::string_view rest = std::string_view(arch).substr(kPrefix.size());
  char suffix = !rest.empty() && (rest.back() == 'a' || rest.back() == 'f') ? rest.back() : 0;
  if (suffix)
    rest.remove_suffix(1);
  std::optional<int> wanted = parseInteger<int>(rest);
  int have = 10 * gpu.major + gpu.minor;
  if (!wanted)
    return {};
  bool runs = suffix == 'a'   ? *wanted == have
              : suffix == 'f' ? *wanted / 10 == gpu.major && *wanted <= have
                              : *wanted <= have;
  if (runs)
    return {};
  bool compilesFor = have == 90 || have == 100;
  return error("ptx-rejected", text("the kernel is compiled for ", arch, ", this GPU (", gpu.name, ") is sm_", have,
                                    "; ", compilesFor ? text("compile with `--arch sm_", have, "a`, or ") : text(),
                                    "run it on the emulator (`--device emulator`)"));
}

Result<std::unique_ptr<Gpu>> Gpu::open() {
  Result<const cuda::Api *> loaded = cuda::load();
  if (!loaded)
    return std::unexpected(loaded.error());
  const cuda::Api &api = **loaded;
  GpuInfo info;
  if (cuda::Status status = api.init(0))
    return noGpu(text("the driver does not start: ", api.describe(status)));
  api.driverGetVersion(&info.driverVersion);
  if (cuda::Status status = api.deviceGetCount(&info.deviceCount); status || info.deviceCount == 0)
    return noGpu(status ? api.describe(status) : "the driver lists no device");
  cuda::Device device = 0;
  if (cuda::Status status = api.deviceGet(&device, 0))
    return noGpu(api.describe(status));
  char name[256] = "";
  api.deviceGetName(name, sizeof name, device);
  info.name = name;
  api.deviceGetAttribute(&info.major, cuda::kComputeCapabilityMajor, device);
  api.deviceGetAttribute(&info.minor, cuda::kComputeCapabilityMinor, device);
  api.deviceGetAttribute(&info.multiprocessors, cuda::kMultiprocessorCount, device);
  api.deviceGetAttribute(&info.sharedMemoryPerBlock, cuda::kMaxSharedMemoryPerBlockOptin, device);
  if (api.deviceCanAccessPeer) {
    info.peerPairs = 0;
    for (int from = 0; from < info.deviceCount; ++from)
      for (int to = 0; to < info.deviceCount; ++to) {
        cuda::Device one = 0, other = 0;
        int reaches = 0;
        if (from != to && !api.deviceGet(&one, from) && !api.deviceGet(&other, to) &&
            !api.deviceCanAccessPeer(&reaches, one, other))
          *info.peerPairs += reaches != 0;
      }
  }
  size_t memory = 0;
  api.deviceTotalMem(&memory, device);
  info.memoryBytes = memory;
  return std::unique_ptr<Gpu>(new Gpu(api, device, std::move(info)));
}

Result<void> Gpu::makeContext() {
  if (context_)
    return {};
  if (cuda::Status status = api_.devicePrimaryCtxRetain(&context_, device_)) {
    context_ = nullptr;
    return error("gpu", text(info_.name, " cannot be used now: ", api_.describe(status)));
  }
  if (cuda::Status status = api_.ctxSetCurrent(context_))
    return error("gpu", text(info_.name, " cannot be used now: ", api_.describe(status)));
  return {};
}

} // namespace lanescope::core
