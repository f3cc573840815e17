#include "core/gpu/runtime/Gpu.h"

#include "core/gpu/kernel/GpuTarget.h"
#include "core/gpu/runtime/GpuRun.h"
#include "layouts/support/Text.h"
#include "layouts/support/Try.h"
#include "layouts/support/Words.h"

#include <algorithm>

namespace lanescope::core {

namespace {

std::unexpected<Diagnostics> noGpu(const std::string &why) {
  return error(
      "no-gpu",
      Message("there is no GPU to run on: {}; name another host's worker with `--worker`, or use `--device emulator`",
              why));
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
  const GpuTarget *own = findGpuTarget(gpu.major, gpu.minor);
  return error(
      "ptx-rejected",
      Message(
          "the kernel is compiled for {}, this GPU ({target}) is sm_{}; {}run it on the emulator (`--device emulator`)",
          arch, gpu.name, have, own ? text("compile with `--arch ", own->name, "`, or ") : text()));
}

Result<std::unique_ptr<Gpu>> Gpu::open(const std::vector<int> &ordinals) {
  const cuda::Api *api = LANESCOPE_TRY(cuda::load());
  return open(*api, ordinals);
}

Result<std::unique_ptr<Gpu>> Gpu::open(const cuda::Api &api, const std::vector<int> &ordinals) {
  if (cuda::Status status = api.init(0))
    return noGpu(text("the driver does not start: ", api.describe(status)));
  std::unique_ptr<Gpu> gpu(new Gpu(api));
  LANESCOPE_CHECK(gpu->findDevices(ordinals));
  return gpu;
}

/// Describes one GPU, and gets its handle.
static Result<GpuDevice> deviceOf(const cuda::Api &api, int ordinal) {
  GpuDevice device{.ordinal = ordinal};
  if (cuda::Status status = api.deviceGet(&device.handle, ordinal))
    return noGpu(api.describe(status));
  char name[256] = "";
  api.deviceGetName(name, sizeof name, device.handle);
  GpuInfo &info = device.info;
  info.name = name;
  api.deviceGetAttribute(&info.major, cuda::kComputeCapabilityMajor, device.handle);
  api.deviceGetAttribute(&info.minor, cuda::kComputeCapabilityMinor, device.handle);
  api.deviceGetAttribute(&info.multiprocessors, cuda::kMultiprocessorCount, device.handle);
  api.deviceGetAttribute(&info.sharedMemoryPerBlock, cuda::kMaxSharedMemoryPerBlockOptin, device.handle);
  api.driverGetVersion(&info.driverVersion);
  size_t memory = 0;
  api.deviceTotalMem(&memory, device.handle);
  info.memoryBytes = memory;
  return device;
}

static PeerReach reachOf(const cuda::Api &api, int from, int to) {
  cuda::Device one = 0, other = 0;
  int reaches = 0, atomics = 0;
  if (api.deviceGet(&one, from) || api.deviceGet(&other, to) || api.deviceCanAccessPeer(&reaches, one, other) ||
      !reaches)
    return PeerReach::None;
  bool known = api.deviceGetP2PAttribute && !api.deviceGetP2PAttribute(&atomics, cuda::kPeerNativeAtomics, one, other);
  return known && atomics ? PeerReach::Atomics : PeerReach::Memory;
}

Result<void> Gpu::findDevices(const std::vector<int> &ordinals) {
  int count = 0;
  if (cuda::Status status = api_.deviceGetCount(&count); status || count == 0)
    return noGpu(status ? api_.describe(status) : "the driver lists no device");
  std::vector<int> chosen = ordinals;
  for (int i = 0; ordinals.empty() && i < count; ++i)
    chosen.push_back(i);
  for (int ordinal : chosen) {
    if (ordinal < 0 || ordinal >= count)
      return error("no-gpu", Message("there is no GPU {} to run on: this machine has {}", ordinal,
                                     count == 1 ? text("one, number 0") : text(count, ", numbers 0 to ", count - 1)));
    devices_.push_back(LANESCOPE_TRY(deviceOf(api_, ordinal)));
  }
  info_ = devices_.front().info;
  info_.deviceCount = count;
  info_.devices = std::move(chosen);
  for (int from = 0; api_.deviceCanAccessPeer && from < count; ++from)
    for (int to = 0; to < count; ++to)
      info_.peers.push_back(from == to ? PeerReach::Atomics : reachOf(api_, from, to));
  return {};
}

/// Checks that the launch's devices exist, and that each can access the others.
Result<void> Gpu::checkPeers(const RunRequest &request) const {
  const Launch &launch = request.launch;
  uint32_t wanted = launch.deviceCount();
  std::string kernel = text("kernel `", request.kernel, "`");
  if (wanted > devices_.size()) {
    bool one = info_.deviceCount == 1, all = devices_.size() >= static_cast<size_t>(info_.deviceCount);
    std::string zeros = "0";
    for (uint32_t device = 1; device < wanted; ++device)
      zeros += ",0";
    return error("launch", {},
                 Message("{}, {} wants {}; GPUs of several machines are not joined",
                         all ? text("this machine has ", one ? text("one GPU") : text(info_.deviceCount, " GPUs"))
                             : text("the worker was given ", counted(devices_.size(), "GPU"), " (`--devices`)"),
                         kernel, wanted),
                 {{{},
                   text("the emulator runs it (`--device emulator`); one GPU in the place of all runs it too, if its "
                        "grids fit there side by side (`--worker \"lanescope-worker serve --devices ",
                        zeros, "\"`)")}});
  }
  if (launch.devices == 0)
    return {};
  auto isMulticast = [](const auto &list) {
    return std::ranges::any_of(list, [](const auto &one) { return one.peer.multicast; });
  };
  bool multicast = isMulticast(launch.links) || request.ptx.find("multimem.") != std::string::npos;
  for (const Param &param : launch.params) {
    if (const auto *pointer = std::get_if<PointerParam>(&param))
      multicast |= pointer->peer.multicast;
    if (const auto *block = std::get_if<BytesParam>(&param))
      multicast |= isMulticast(block->pointers) || isMulticast(block->tensorMaps);
  }
  if (multicast)
    return error(
        "launch",
        Message("{} uses multicast memory, which a worker does not make; the emulator runs it (`--device emulator`)",
                kernel));
  for (uint32_t from = 0; from < wanted; ++from)
    for (uint32_t to = 0; to < wanted; ++to) {
      int one = devices_[from].ordinal, other = devices_[to].ordinal;
      PeerReach reach = one == other ? PeerReach::Atomics : info_.reach(one, other);
      if (reach == PeerReach::Atomics)
        continue;
      return error("launch",
                   Message("{} is for {devices} devices, and GPU {}{}{}; `lanescope doctor` says which do, `--devices` "
                           "of the worker names them",
                           kernel, wanted, one,
                           reach == PeerReach::None ? " does not reach the memory of GPU "
                                                    : " has a link without atomics, which semaphores need, to GPU ",
                           other));
    }
  return {};
}

Result<void> Gpu::makeContexts(uint32_t devices) {
  for (uint32_t d = 0; d < devices; ++d) {
    GpuDevice &device = devices_[d];
    auto unusable = [&](cuda::Status status) {
      return error("gpu", Message("{} cannot be used now: {}", device.info.name, api_.describe(status)));
    };
    if (!device.context)
      if (cuda::Status status = api_.devicePrimaryCtxRetain(&device.context, device.handle)) {
        device.context = nullptr;
        return unusable(status);
      }
    if (cuda::Status status = api_.ctxSetCurrent(device.context))
      return unusable(status);
  }
  return devices > joined_ ? enablePeers(devices) : Result<void>();
}

Result<void> Gpu::enablePeers(uint32_t devices) {
  for (uint32_t from = 0; from < devices; ++from) {
    if (cuda::Status status = api_.ctxSetCurrent(devices_[from].context))
      return error("gpu", Message("{} cannot be used now: {}", devices_[from].info.name, api_.describe(status)));
    for (uint32_t to = 0; to < devices; ++to) {
      if (devices_[from].context == devices_[to].context)
        continue;
      cuda::Status status = api_.ctxEnablePeerAccess(devices_[to].context, 0);
      if (status && status != cuda::kPeerAccessAlreadyEnabled)
        return error("gpu", Message("GPU {} cannot be joined with GPU {}: {}", devices_[from].ordinal,
                                    devices_[to].ordinal, api_.describe(status)));
    }
  }
  joined_ = devices;
  return {};
}

void Gpu::prepare(const Announcement &next) {
  if (checkArch(next.arch, devices_[0].info) && makeContexts(1))
    modules_.prepare(devices_[0].context, next.ptx);
}

Result<RunReply> Gpu::run(const RunRequest &request, const StageReport &progress) {
  LANESCOPE_CHECK(checkRequest(request));
  LANESCOPE_CHECK(checkPeers(request));
  LANESCOPE_CHECK(makeContexts(request.launch.deviceCount()));
  return runOn(api_, modules_, std::span(devices_).first(request.launch.deviceCount()), request, progress);
}

} // namespace lanescope::core
