#include "core/gpu/runtime/DeviceRun.h"

#include "core/gpu/kernel/DeviceBytes.h"
#include "core/gpu/kernel/LaunchBuffers.h"
#include "core/gpu/kernel/LaunchCheck.h"
#include "core/gpu/runtime/GpuTensorMap.h"
#include "layouts/support/Try.h"

#include <algorithm>
#include <cstring>

namespace lanescope::core {

namespace {

// Each buffer is surrounded by this much memory with a known pattern, so that writes past its ends are noticed.
constexpr size_t kGuardBytes = 4096;
constexpr auto kGuardPattern = std::byte{0xA5};

} // namespace

DeviceRun::~DeviceRun() {
  if (abandoned_ || !enter())
    return;
  for (cuda::Event event : {start_, stop_})
    if (event)
      api_.eventDestroy(event);
  if (stream_)
    api_.streamDestroy(stream_);
  for (cuda::DevicePointer memory : allocations_)
    api_.memFree(memory);
  if (metadata_)
    api_.memFree(metadata_);
  kernel_.unload();
}

std::string DeviceRun::name() const {
  return request_.launch.deviceCount() == 1 ? device_.info.name
                                            : text("device ", number_, " (", device_.info.name, ")");
}

std::unexpected<Diagnostics> DeviceRun::failed(const std::string &action, cuda::Status status) const {
  return error(status == cuda::kOutOfMemory ? "out-of-memory" : "gpu",
               text("cannot ", action, " for ", kernelText(), " on ", name(), ": ", api_.describe(status)));
}

std::unexpected<Diagnostics> DeviceRun::faulted(cuda::Status status) const {
  return error(kKernelFault, {}, Message("{} faulted on {}: {}", kernelText(), name(), api_.describe(status)),
               {{{}, "run it with `--device emulator` to see the line that does this"}});
}

Result<void> DeviceRun::enter() const {
  if (cuda::Status status = api_.ctxSetCurrent(device_.context))
    return error("gpu", Message("{} cannot be used now: {}", name(), api_.describe(status)));
  return {};
}

Result<void> DeviceRun::load() {
  LANESCOPE_CHECK(enter());
  return kernel_.load();
}

Result<void> DeviceRun::allocate() {
  LANESCOPE_CHECK(enter());
  if (cuda::Status status = api_.streamCreate(&stream_, cuda::kStreamNonBlocking))
    return failed("create a stream", status);
  for (cuda::Event *event : {&start_, &stop_})
    if (cuda::Status status = api_.eventCreate(event, 0))
      return failed("create an event", status);
  for (const BufferSpec *buffer : buffers_) {
    size_t bytes = deviceBytes(buffer->dtype, request_.launch.shapeOnDevice(*buffer));
    cuda::DevicePointer memory = 0;
    if (cuda::Status status = api_.memAlloc(&memory, bytes + 2 * kGuardBytes))
      return failed(text("allocate ", bytes >> 20, " MiB"), status);
    allocations_.push_back(memory);
    addresses_.push_back(memory + kGuardBytes);
    sizes_.push_back(bytes);
    for (cuda::DevicePointer guard : {memory, memory + kGuardBytes + bytes})
      if (cuda::Status status = api_.memsetD8(guard, static_cast<unsigned char>(kGuardPattern), kGuardBytes))
        return failed("prepare memory", status);
  }
  return {};
}

Result<void> DeviceRun::fill() {
  LANESCOPE_CHECK(enter());
  for (size_t i = 0; i < buffers_.size(); ++i) {
    if (sizes_[i] == 0)
      continue;
    std::span<const std::byte> bytes = request_.contents[i]; // for all devices
    cuda::Status status = bytes.empty() ? api_.memsetD8(addresses_[i], 0, sizes_[i])
                                        : api_.memcpyHtoD(addresses_[i], bytes.data() + number_ * sizes_[i], sizes_[i]);
    if (status)
      return failed("copy the inputs", status);
  }
  for (const Link &link : links_)
    if (cuda::Status status = api_.memcpyHtoD(link.at, &link.address, sizeof link.address))
      return failed("write a pointer", status);
  // Copies from pageable memory may still be in flight, and the kernel's stream does not wait for them.
  if (cuda::Status status = api_.ctxSynchronize())
    return failed("copy the inputs", status);
  return {};
}

/// The address of the device's copy; a launch with multicast objects has been refused before.
cuda::DevicePointer DeviceRun::addressOf(std::span<const std::unique_ptr<DeviceRun>> all, size_t buffer,
                                         const PeerSpec &peer) const {
  return all[peer.peers.empty() ? number_ : peer.peers[number_]]->addresses_[buffer];
}

/// The layout is that of kMetadataHeaderWords. There are no multicast objects here, so their addresses are zero.
Result<void> DeviceRun::makeMetadata(std::span<const std::unique_ptr<DeviceRun>> all) {
  std::vector<uint64_t> words(kMetadataHeaderWords);
  words[0] = number_;
  size_t shared = request_.launch.sharedBuffers();
  for (size_t buffer = 0; buffer < shared; ++buffer)
    for (const std::unique_ptr<DeviceRun> &peer : all)
      words.push_back(peer->addresses_[buffer]);
  words.resize(words.size() + shared);
  size_t bytes = words.size() * sizeof(uint64_t);
  if (cuda::Status status = api_.memAlloc(&metadata_, bytes)) {
    metadata_ = 0;
    return failed("allocate the addresses of peers", status);
  }
  if (cuda::Status status = api_.memcpyHtoD(metadata_, words.data(), bytes))
    return failed("write the addresses of peers", status);
  return {};
}

Result<void> DeviceRun::makeParameters(std::span<const std::unique_ptr<DeviceRun>> all) {
  LANESCOPE_CHECK(enter());
  const Launch &launch = request_.launch;
  if (launch.devices)
    LANESCOPE_CHECK(makeMetadata(all));
  for (const BufferLink &link : launch.links)
    links_.push_back({addresses_[link.buffer] + link.offset, addressOf(all, link.target, link.peer) + link.at});
  size_t next = 0; // buffer
  for (const Param &param : launch.params) {
    Bytes &value = values_.emplace_back(std::max<size_t>(GpuKernel::parameterBytes(param), sizeof(uint64_t)));
    auto put = [&](uint64_t word) { std::memcpy(value.data(), &word, sizeof word); };
    if (const auto *scalar = std::get_if<ScalarParam>(&param)) {
      put(scalar->bits);
    } else if (const auto *pointer = std::get_if<PointerParam>(&param)) {
      put(addressOf(all, pointer->buffer, pointer->peer) + pointer->at);
    } else if (std::holds_alternative<MetadataParam>(param)) {
      put(metadata_);
    } else if (const auto *block = std::get_if<BytesParam>(&param)) {
      LANESCOPE_CHECK(fillBlock(all, *block, next, value));
      next += block->buffers.size();
    } else {
      put(addresses_[next++]);
    }
  }
  return {};
}

Result<void> DeviceRun::fillBlock(std::span<const std::unique_ptr<DeviceRun>> all, const BytesParam &block,
                                  size_t firstBuffer, Bytes &value) const {
  std::ranges::copy(block.data, value.begin());
  for (const PointerSpec &pointer : block.pointers) {
    cuda::DevicePointer address = addressOf(all, launchBuffer(pointer.buffer, firstBuffer), pointer.peer) + pointer.at;
    std::memcpy(value.data() + pointer.offset, &address, sizeof address);
  }
  for (const TensorMapSpec &map : block.tensorMaps) {
    cuda::DevicePointer array = addressOf(all, launchBuffer(map.buffer, firstBuffer), map.peer) + map.at;
    cuda::TensorMap encoded = LANESCOPE_TRY(encodeTensorMap(api_, map, array, kernelText()));
    std::memcpy(value.data() + map.offset, &encoded, sizeof encoded);
  }
  if (block.metadata)
    std::memcpy(value.data() + *block.metadata, &metadata_, sizeof metadata_);
  return {};
}

Result<void> DeviceRun::queueLaunch() {
  LANESCOPE_CHECK(enter());
  const Launch &launch = request_.launch;
  std::vector<void *> parameters;
  for (Bytes &value : values_)
    parameters.push_back(value.data());
  cuda::LaunchAttribute cluster;
  cuda::LaunchConfig config = kernel_.config(cluster, stream_);
  if (cuda::Status status = api_.launchKernelEx(&config, kernel_.function(), parameters.data(), nullptr))
    return error(
        "launch",
        Message(
            "the driver refuses to launch {} on {} (grid {}, block {}, cluster {}, {bytes} bytes of shared memory): {}",
            kernelText(), name(), joined(launch.grid, " x "), joined(launch.block, " x "),
            joined(launch.cluster, " x "), launch.dynamicSmem, api_.describe(status)));
  return {};
}

Result<void> DeviceRun::launch() {
  LANESCOPE_CHECK(enter());
  if (cuda::Status status = api_.eventRecord(start_, stream_))
    return failed("record an event", status);
  LANESCOPE_CHECK(queueLaunch());
  if (cuda::Status status = api_.eventRecord(stop_, stream_))
    return faulted(status);
  return {};
}

Result<bool> DeviceRun::poll() {
  LANESCOPE_CHECK(enter());
  cuda::Status status = api_.streamQuery(stream_);
  if (status && status != cuda::kNotReady)
    return faulted(status);
  return status == cuda::kSuccess;
}

Result<void> DeviceRun::finish() {
  LANESCOPE_CHECK(enter());
  if (cuda::Status status = api_.ctxSynchronize()) // flushes the kernel's printed text
    return faulted(status);
  return {};
}

Result<double> DeviceRun::microseconds() const {
  LANESCOPE_CHECK(enter());
  float milliseconds = 0;
  if (cuda::Status status = api_.eventElapsedTime(&milliseconds, start_, stop_))
    return failed("read the time", status);
  return double{milliseconds} * 1000;
}

Result<void> DeviceRun::readBack(std::vector<Bytes> &contents, Diagnostics &diagnostics) {
  LANESCOPE_CHECK(enter());
  for (size_t i = 0; i < request_.wanted.size(); ++i) {
    size_t buffer = request_.wanted[i], bytes = sizes_[buffer], before = contents[i].size();
    contents[i].resize(before + bytes);
    if (bytes > 0)
      if (cuda::Status status = api_.memcpyDtoH(contents[i].data() + before, addresses_[buffer], bytes))
        return failed("copy the outputs", status);
  }
  Bytes guard(kGuardBytes);
  for (size_t i = 0; i < buffers_.size(); ++i)
    for (bool after : {false, true}) {
      cuda::DevicePointer from = after ? addresses_[i] + sizes_[i] : allocations_[i];
      if (cuda::Status status = api_.memcpyDtoH(guard.data(), from, guard.size()))
        return failed("copy the outputs", status);
      checkGuard(guard, i, after, diagnostics);
    }
  return {};
}

void DeviceRun::checkGuard(const Bytes &guard, size_t buffer, bool after, Diagnostics &diagnostics) const {
  auto changed = [](std::byte b) { return b != kGuardPattern; };
  auto first = std::ranges::find_if(guard, changed);
  if (first == guard.end())
    return;
  auto last = std::find_if(guard.rbegin(), guard.rend(), changed);
  int64_t place = after ? static_cast<int64_t>(sizes_[buffer]) + (first - guard.begin()) : guard.rbegin() - last - 1;
  std::string whose = request_.launch.deviceCount() == 1 ? std::string() : text(" of device ", number_);
  diagnostics.push_back({Severity::Error,
                         "global-out-of-bounds",
                         {},
                         text(kernelText(), " wrote outside of ", bufferText(*buffers_[buffer], buffer), whose,
                              ": at byte ", place, " of ", sizes_[buffer]),
                         {{{}, "run it with `--device emulator` to see the line that does this"}}});
}

} // namespace lanescope::core
