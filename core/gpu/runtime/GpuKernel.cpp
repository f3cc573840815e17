#include "core/gpu/runtime/GpuKernel.h"

#include "layouts/support/Text.h"
#include "layouts/support/Try.h"

#include <cstring>

namespace lanescope::core {

namespace {

constexpr size_t kLogBytes = 16384;
constexpr uint32_t kPortableCluster = 8;

} // namespace

std::string GpuKernel::kernel() const { return text("kernel `", request_.kernel, "`"); }

uint32_t GpuKernel::clusterSize() const { return static_cast<uint32_t>(request_.launch.clusterBlocks()); }

Result<void> GpuKernel::load() {
  LANESCOPE_CHECK(checkArch(request_.arch, gpu_));
  module_ = modules_.take(device_.context, request_.ptx);
  if (!module_)
    LANESCOPE_CHECK(loadModule());
  if (cuda::Status found = api_.moduleGetFunction(&function_, module_, request_.launch.entry.c_str()))
    return error("launch",
                 Message("the PTX of {} has no entry `{}`: {}", kernel(), request_.launch.entry, api_.describe(found)));
  return check();
}

void GpuKernel::unload() {
  if (module_)
    modules_.keep(device_.context, request_.ptx, module_);
  module_ = nullptr;
}

Result<void> GpuKernel::loadModule() {
  std::string info(kLogBytes, '\0'), problems(kLogBytes, '\0');
  int options[] = {cuda::kJitInfoLogBuffer, cuda::kJitInfoLogBufferSizeBytes, cuda::kJitErrorLogBuffer,
                   cuda::kJitErrorLogBufferSizeBytes};
  void *values[] = {info.data(), reinterpret_cast<void *>(kLogBytes), problems.data(),
                    reinterpret_cast<void *>(kLogBytes)};
  cuda::Status status =
      api_.moduleLoadDataEx(&module_, request_.ptx.c_str(), static_cast<unsigned>(std::size(options)), options, values);
  if (status) {
    module_ = nullptr;
    problems.resize(std::strlen(problems.c_str()));
    std::vector<Note> notes;
    if (!problems.empty())
      notes.push_back({{}, text("the driver's assembler says: ", problems)});
    if (status == cuda::kUnsupportedPtxVersion)
      notes.push_back({{},
                       text("the driver supports CUDA ", cudaVersionText(gpu_.driverVersion),
                            ", which is older than the PTX; a newer driver runs it")});
    return error("ptx-rejected", {},
                 Message("the driver does not accept the PTX of {}: {}", kernel(), api_.describe(status)),
                 std::move(notes));
  }
  return {};
}

int GpuKernel::attribute(int which) const {
  int value = 0;
  api_.funcGetAttribute(&value, which, function_);
  return value;
}

/// Reports, in words, the problems for which the driver only says "invalid value", and those that it does not notice.
Result<void> GpuKernel::check() const {
  const Launch &launch = request_.launch;
  int64_t fixedShared = attribute(cuda::kSharedSizeBytes), wanted = fixedShared + launch.dynamicSmem;
  if (wanted > gpu_.sharedMemoryPerBlock)
    return error("launch", Message("{} needs {bytes} bytes of shared memory per block; {target} has {}", kernel(),
                                   wanted, gpu_.name, gpu_.sharedMemoryPerBlock));
  int64_t threads = int64_t{launch.block[0]} * launch.block[1] * launch.block[2];
  int most = attribute(cuda::kMaxThreadsPerBlock);
  if (most > 0 && threads > most)
    return error("launch", Message("{} is launched with {threads} threads per block; with its {registers} registers "
                                   "per thread at most {limit} fit",
                                   kernel(), threads, attribute(cuda::kRegisterCount), most));
  if (launch.dynamicSmem > 0)
    if (cuda::Status status =
            api_.funcSetAttribute(function_, cuda::kMaxDynamicSharedSizeBytes, static_cast<int>(launch.dynamicSmem)))
      return error("gpu", Message("cannot reserve shared memory for {} on {target}: {}", kernel(), gpu_.name,
                                  api_.describe(status)));
  if (clusterSize() > kPortableCluster)
    if (cuda::Status status = api_.funcSetAttribute(function_, cuda::kNonPortableClusterSizeAllowed, 1))
      return error("gpu", Message("cannot allow so large a cluster for {} on {target}: {}", kernel(), gpu_.name,
                                  api_.describe(status)));
  return api_.funcGetParamInfo ? checkParameters() : Result<void>();
}

Result<void> GpuKernel::checkParameters() const {
  const Launch &launch = request_.launch;
  size_t index = 0, offset = 0, bytes = 0;
  for (; api_.funcGetParamInfo(function_, index, &offset, &bytes) == cuda::kSuccess; ++index) {
    // The runtime passes scalars of any width as eight bytes, so the PTX may declare a wider parameter.
    if (index >= launch.params.size() || std::holds_alternative<ScalarParam>(launch.params[index]))
      continue;
    size_t described = parameterBytes(launch.params[index]);
    if (described != bytes)
      return error("launch", Message("parameter {} of entry `{}` takes {bytes} bytes; the launch describes {}", index,
                                     launch.entry, bytes, described));
  }
  if (index != launch.params.size())
    return error("launch", Message("entry `{}` takes {parameters} parameters; the launch describes {count}",
                                   launch.entry, index, launch.params.size()));
  return {};
}

size_t GpuKernel::parameterBytes(const Param &param) {
  if (const auto *scalar = std::get_if<ScalarParam>(&param))
    return static_cast<size_t>(layouts::hostBytes(scalar->dtype));
  if (const auto *block = std::get_if<BytesParam>(&param))
    return block->size;
  return sizeof(cuda::DevicePointer);
}

cuda::LaunchConfig GpuKernel::config(cuda::LaunchAttribute &cluster, cuda::Stream stream) const {
  const Launch &launch = request_.launch;
  cluster = {};
  cluster.id = cuda::kLaunchAttributeClusterDimension;
  cluster.clusterDimension = {launch.cluster[0], launch.cluster[1], launch.cluster[2]};
  return {launch.grid[0],  launch.grid[1],     launch.grid[2], launch.block[0], launch.block[1],
          launch.block[2], launch.dynamicSmem, stream,         &cluster,        clusterSize() > 1 ? 1u : 0u};
}

Result<uint64_t> GpuKernel::residentBlocks() const {
  const Launch &launch = request_.launch;
  int count = 0;
  cuda::Status status = cuda::kSuccess;
  if (clusterSize() > 1) {
    cuda::LaunchAttribute cluster;
    cuda::LaunchConfig how = config(cluster, nullptr);
    status = api_.occupancyMaxActiveClusters(&count, function_, &how);
  } else {
    auto threads = static_cast<int>(launch.block[0] * launch.block[1] * launch.block[2]);
    status = api_.occupancyMaxActiveBlocks(&count, function_, threads, launch.dynamicSmem);
  }
  if (status)
    return error("gpu", Message("cannot say how many blocks of {} fit on {target}: {}", kernel(), gpu_.name,
                                api_.describe(status)));
  auto fit = static_cast<uint64_t>(std::max(count, 0));
  return clusterSize() > 1 ? fit * clusterSize() : fit * static_cast<uint64_t>(gpu_.multiprocessors);
}

} // namespace lanescope::core
