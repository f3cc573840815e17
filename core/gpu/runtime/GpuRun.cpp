// Gpu::run: load the PTX, put the buffers and the TMA descriptors in place, launch, watch, read back.
#include "core/gpu/kernel/DeviceBytes.h"
#include "core/gpu/kernel/LaunchCheck.h"
#include "core/gpu/runtime/Gpu.h"
#include "core/gpu/runtime/GpuTiming.h"
#include "layouts/support/Text.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <optional>
#include <thread>

namespace lanescope::core {

namespace {

using Clock = std::chrono::steady_clock;

constexpr size_t kLogBytes = 16384;
// Around each buffer lies this much memory with a known pattern, so that writes beyond its ends are noticed.
constexpr size_t kGuardBytes = 4096;
constexpr auto kGuardPattern = std::byte{0xA5};
constexpr uint32_t kPortableCluster = 8;
constexpr auto kShortestPoll = std::chrono::microseconds(20), kLongestPoll = std::chrono::microseconds(1000);

int tensorMapType(const TensorMapSpec &map) {
  switch (map.format) {
  case TmaFormat::B4x16: return cuda::k16U4Align8B;
  case TmaFormat::B4x16P64: return cuda::k16U4Align16B;
  case TmaFormat::B6x16P32: return cuda::k16U6Align16B;
  case TmaFormat::Plain: break;
  }
  switch (map.dtype) {
  case Dtype::I16:
  case Dtype::U16: return cuda::kUint16;
  case Dtype::I32: return cuda::kInt32;
  case Dtype::U32: return cuda::kUint32;
  case Dtype::I64: return cuda::kInt64;
  case Dtype::U64: return cuda::kUint64;
  case Dtype::F16: return cuda::kFloat16;
  case Dtype::BF16: return cuda::kBfloat16;
  case Dtype::F32: return cuda::kFloat32;
  case Dtype::F64: return cuda::kFloat64;
  case Dtype::TF32: return cuda::kTfloat32;
  default: return cuda::kUint8; // bytes, and pairs of 4-bit elements
  }
}

int tensorMapSwizzle(int bytes) {
  return bytes == 128  ? cuda::kSwizzle128
         : bytes == 64 ? cuda::kSwizzle64
         : bytes == 32 ? cuda::kSwizzle32
                       : cuda::kSwizzleNone;
}

/// One run; what it allocated is freed at its end, unless the context is lost, which frees everything anyway.
class GpuRun {
public:
  GpuRun(const cuda::Api &api, const GpuInfo &info, const RunRequest &request, const Progress &progress)
      : api_(api), info_(info), request_(request), progress_(progress), buffers_(request.launch.buffers()) {}

  ~GpuRun() {
    if (lost_)
      return;
    for (cuda::Event event : {start_, stop_})
      if (event)
        api_.eventDestroy(event);
    if (stream_)
      api_.streamDestroy(stream_);
    for (cuda::DevicePointer memory : allocations_)
      api_.memFree(memory);
    if (module_)
      api_.moduleUnload(module_);
  }

  Result<RunReply> run() {
    reply_.device = info_.name;
    progress_("loading the PTX");
    if (auto good = loadModule(); !good)
      return std::unexpected(good.error());
    if (auto good = checkFunction(); !good)
      return std::unexpected(good.error());
    progress_("copying the inputs to the GPU");
    if (auto good = allocate(); !good)
      return std::unexpected(good.error());
    if (auto good = makeParameters(); !good)
      return std::unexpected(good.error());
    if (auto good = launchAll(); !good)
      return std::unexpected(good.error());
    progress_("copying the outputs from the GPU");
    if (auto good = readBack(); !good)
      return std::unexpected(good.error());
    return std::move(reply_);
  }

private:
  std::string kernel() const { return text("kernel `", request_.kernel, "`"); }
  std::unexpected<Diagnostics> failed(const char *action, cuda::Status status) const {
    return error(status == cuda::kOutOfMemory ? "out-of-memory" : "gpu",
                 text("cannot ", action, " for ", kernel(), " on ", info_.name, ": ", api_.describe(status)));
  }
  /// After this the context serves no further call.
  std::unexpected<Diagnostics> faulted(cuda::Status status) {
    lost_ = true;
    return error(kKernelFault, {}, text(kernel(), " faulted on ", info_.name, ": ", api_.describe(status)),
                 {{{}, "run it with `--device emulator` to see the line that does this"}});
  }

  Result<void> loadModule() {
    if (auto good = checkArch(request_.arch, info_); !good)
      return good;
    std::string info(kLogBytes, '\0'), problems(kLogBytes, '\0');
    int options[] = {cuda::kJitInfoLogBuffer, cuda::kJitInfoLogBufferSizeBytes, cuda::kJitErrorLogBuffer,
                     cuda::kJitErrorLogBufferSizeBytes};
    void *values[] = {info.data(), reinterpret_cast<void *>(kLogBytes), problems.data(),
                      reinterpret_cast<void *>(kLogBytes)};
    cuda::Status status = api_.moduleLoadDataEx(&module_, request_.ptx.c_str(),
                                                static_cast<unsigned>(std::size(options)), options, values);
    if (status) {
      module_ = nullptr;
      problems.resize(std::strlen(problems.c_str()));
      std::vector<Note> notes;
      if (!problems.empty())
        notes.push_back({{}, text("the driver's assembler says: ", problems)});
      if (status == cuda::kUnsupportedPtxVersion)
        notes.push_back({{},
                         text("the driver supports CUDA ", cudaVersionText(info_.driverVersion),
                              ", which is older than the PTX; a newer driver runs it")});
      return error("ptx-rejected", {},
                   text("the driver does not accept the PTX of ", kernel(), ": ", api_.describe(status)),
                   std::move(notes));
    }
    if (cuda::Status found = api_.moduleGetFunction(&function_, module_, request_.launch.entry.c_str()))
      return error("launch", text("the PTX of ", kernel(), " has no entry `", request_.launch.entry,
                                  "`: ", api_.describe(found)));
    return {};
  }

  int attribute(int which) const {
    int value = 0;
    api_.funcGetAttribute(&value, which, function_);
    return value;
  }

  /// What the driver would refuse as an invalid value, or not notice at all, in words.
  Result<void> checkFunction() {
    const Launch &launch = request_.launch;
    int64_t fixedShared = attribute(cuda::kSharedSizeBytes), wanted = fixedShared + launch.dynamicSmem;
    if (wanted > info_.sharedMemoryPerBlock)
      return error("launch", text(kernel(), " needs ", wanted, " bytes of shared memory per block; ", info_.name,
                                  " has ", info_.sharedMemoryPerBlock));
    int64_t threads = int64_t{launch.block[0]} * launch.block[1] * launch.block[2];
    int most = attribute(cuda::kMaxThreadsPerBlock);
    if (most > 0 && threads > most)
      return error("launch", text(kernel(), " is launched with ", threads, " threads per block; with its ",
                                  attribute(cuda::kRegisterCount), " registers per thread at most ", most, " fit"));
    if (launch.dynamicSmem > 0)
      if (cuda::Status status =
              api_.funcSetAttribute(function_, cuda::kMaxDynamicSharedSizeBytes, static_cast<int>(launch.dynamicSmem)))
        return failed("reserve shared memory", status);
    if (clusterSize() > kPortableCluster)
      if (cuda::Status status = api_.funcSetAttribute(function_, cuda::kNonPortableClusterSizeAllowed, 1))
        return failed("allow so large a cluster", status);
    if (!api_.funcGetParamInfo)
      return {};
    size_t index = 0, offset = 0, bytes = 0;
    for (; api_.funcGetParamInfo(function_, index, &offset, &bytes) == cuda::kSuccess; ++index) {
      // Scalars of any width are passed from eight bytes, so a PTX file may well declare a wider one.
      if (index >= launch.params.size() || std::holds_alternative<ScalarParam>(launch.params[index]))
        continue;
      size_t described = parameterBytes(launch.params[index]);
      if (described != bytes)
        return error("launch", text("parameter ", index, " of entry `", launch.entry, "` takes ", bytes,
                                    " bytes; the launch describes ", described));
    }
    if (index != launch.params.size())
      return error("launch", text("entry `", launch.entry, "` takes ", index, " parameters; the launch describes ",
                                  launch.params.size()));
    return {};
  }

  static size_t parameterBytes(const Param &param) {
    if (const auto *scalar = std::get_if<ScalarParam>(&param))
      return static_cast<size_t>(layouts::hostBytes(scalar->dtype));
    if (const auto *block = std::get_if<BytesParam>(&param))
      return block->size;
    return sizeof(cuda::DevicePointer);
  }

  uint32_t clusterSize() const {
    return request_.launch.cluster[0] * request_.launch.cluster[1] * request_.launch.cluster[2];
  }

  Result<void> allocate() {
    for (const BufferSpec *buffer : buffers_) {
      size_t bytes = deviceBytes(buffer->dtype, buffer->shape);
      cuda::DevicePointer memory = 0;
      if (cuda::Status status = api_.memAlloc(&memory, bytes + 2 * kGuardBytes))
        return failed(text("allocate ", bytes >> 20, " MiB").c_str(), status);
      allocations_.push_back(memory);
      addresses_.push_back(memory + kGuardBytes);
      sizes_.push_back(bytes);
      for (cuda::DevicePointer guard : {memory, memory + kGuardBytes + bytes})
        if (cuda::Status status = api_.memsetD8(guard, static_cast<unsigned char>(kGuardPattern), kGuardBytes))
          return failed("prepare memory", status);
    }
    return {};
  }

  Result<void> fill() {
    for (size_t i = 0; i < buffers_.size(); ++i) {
      if (sizes_[i] == 0)
        continue;
      const Bytes &bytes = request_.contents[i];
      cuda::Status status = bytes.empty() ? api_.memsetD8(addresses_[i], 0, sizes_[i])
                                          : api_.memcpyHtoD(addresses_[i], bytes.data(), bytes.size());
      if (status)
        return failed("copy the inputs", status);
    }
    // Copies from pageable memory may still be under way, and the kernel's stream does not wait for them.
    if (cuda::Status status = api_.ctxSynchronize())
      return failed("copy the inputs", status);
    return {};
  }

  Result<void> makeParameters() {
    const Launch &launch = request_.launch;
    if (!launch.variables.empty() || launch.cooperative)
      return error("launch", "the emulator alone fills module variables and launches cooperatively");
    if (launch.devices)
      return error("launch", text("the launch is for ", launch.devices,
                                  " devices side by side, and a worker runs kernels on one GPU",
                                  info_.deviceCount == 1 ? ", the only one here" : "",
                                  "; the emulator runs it (`--device emulator`)"));
    for (const BufferLink &link : launch.links) {
      cuda::DevicePointer address = addresses_[link.target] + link.at;
      if (cuda::Status status = api_.memcpyHtoD(addresses_[link.buffer] + link.offset, &address, sizeof address))
        return failed("write a pointer", status);
    }
    size_t next = 0; // buffer
    for (const Param &param : request_.launch.params) {
      Bytes &value = values_.emplace_back(std::max<size_t>(parameterBytes(param), sizeof(uint64_t)));
      if (const auto *scalar = std::get_if<ScalarParam>(&param)) {
        std::memcpy(value.data(), &scalar->bits, sizeof scalar->bits);
      } else if (const auto *pointer = std::get_if<PointerParam>(&param)) {
        cuda::DevicePointer address = addresses_[pointer->buffer] + pointer->at;
        std::memcpy(value.data(), &address, sizeof address);
      } else if (const auto *block = std::get_if<BytesParam>(&param)) {
        if (auto good = fillBlock(*block, next, value); !good)
          return good;
        next += block->buffers.size();
      } else {
        std::memcpy(value.data(), &addresses_[next++], sizeof(cuda::DevicePointer));
      }
    }
    return {};
  }

  Result<void> fillBlock(const BytesParam &block, size_t firstBuffer, Bytes &value) {
    std::ranges::copy(block.data, value.begin());
    for (const PointerSpec &pointer : block.pointers) {
      cuda::DevicePointer address = addresses_[firstBuffer + pointer.buffer] + pointer.at;
      std::memcpy(value.data() + pointer.offset, &address, sizeof address);
    }
    for (const TensorMapSpec &map : block.tensorMaps) {
      cuda::TensorMap encoded;
      if (auto good = encode(map, addresses_[firstBuffer + map.buffer], encoded); !good)
        return good;
      std::memcpy(value.data() + map.offset, &encoded, sizeof encoded);
    }
    return {};
  }

  Result<void> encode(const TensorMapSpec &map, cuda::DevicePointer address, cuda::TensorMap &to) {
    bool wide = map.mode == TmaMode::Im2colW || map.mode == TmaMode::Im2colW128;
    if (map.mode == TmaMode::Tiled ? !api_.tensorMapEncodeTiled
        : wide                     ? !api_.tensorMapEncodeIm2colWide
                                   : !api_.tensorMapEncodeIm2col)
      return error("gpu", text("the driver is too old for TMA descriptors of the mode `", name(map.mode), "`, which ",
                               kernel(), " uses"));
    // Plain pairs of 4-bit elements are bytes to the driver.
    int perByte = map.format == TmaFormat::Plain && layouts::bitwidth(map.dtype) == 4 ? 2 : 1;
    auto rank = static_cast<uint32_t>(map.shape.size());
    std::vector<uint64_t> sizes(map.shape.rbegin(), map.shape.rend());
    std::vector<uint64_t> strides(map.stridesBytes.rbegin(), map.stridesBytes.rend());
    std::vector<uint32_t> box(map.box.rbegin(), map.box.rend());
    std::vector<uint32_t> steps(map.elementStrides.rbegin(), map.elementStrides.rend());
    steps.resize(rank, 1);
    sizes[0] /= perByte;
    strides.resize(rank); // the driver reads none of rank 1, but is given a valid pointer
    auto channels = static_cast<uint32_t>(map.im2col.channels / perByte),
         pixels = static_cast<uint32_t>(map.im2col.pixels);
    std::vector<int> lower(map.im2col.lower.rbegin(), map.im2col.lower.rend());
    std::vector<int> upper(map.im2col.upper.rbegin(), map.im2col.upper.rend());
    int type = tensorMapType(map), fill = map.oobNan ? cuda::kFillNan : cuda::kFillZeros;
    int swizzle = map.atom == 32 ? cuda::kSwizzle128Atom32 : tensorMapSwizzle(map.swizzle);
    auto *array = reinterpret_cast<void *>(address);
    cuda::Status status;
    if (map.mode == TmaMode::Tiled) {
      box[0] /= perByte;
      status = api_.tensorMapEncodeTiled(&to, type, rank, array, sizes.data(), strides.data(), box.data(), steps.data(),
                                         cuda::kInterleaveNone, swizzle, cuda::kL2PromotionNone, fill);
    } else if (wide) {
      int mode = map.mode == TmaMode::Im2colW128 ? cuda::kWideModeW128 : cuda::kWideModeW;
      status = api_.tensorMapEncodeIm2colWide(&to, type, rank, array, sizes.data(), strides.data(), lower[0], upper[0],
                                              channels, pixels, steps.data(), cuda::kInterleaveNone, mode, swizzle,
                                              cuda::kL2PromotionNone, fill);
    } else {
      status = api_.tensorMapEncodeIm2col(&to, type, rank, array, sizes.data(), strides.data(), lower.data(),
                                          upper.data(), channels, pixels, steps.data(), cuda::kInterleaveNone, swizzle,
                                          cuda::kL2PromotionNone, fill);
    }
    if (status)
      return error("tensor-map", text("the driver refuses a TMA descriptor of the mode `", name(map.mode), "`, shape ",
                                      layouts::tupleText(map.shape), ", strides ", layouts::tupleText(map.stridesBytes),
                                      " bytes, box ", layouts::tupleText(map.box), ", swizzle ", map.swizzle, " for ",
                                      kernel(), ": ", api_.describe(status)));
    return {};
  }

  Result<void> launchAll() {
    if (cuda::Status status = api_.streamCreate(&stream_, cuda::kStreamNonBlocking))
      return failed("create a stream", status);
    for (cuda::Event *event : {&start_, &stop_})
      if (cuda::Status status = api_.eventCreate(event, 0))
        return failed("create an event", status);
    if (auto good = fill(); !good)
      return good;
    progress_("running the kernel");
    Result<double> first = launchOnce();
    if (!first)
      return std::unexpected(first.error());
    reply_.timeUs = *first;
    if (request_.repeat == 1)
      return {};
    progress_("timing the kernel");
    Result<double> time = writesOutputsAlone() ? timeLaunches(api_, stream_,
                                                              {.launch = [this] { return queueLaunch(); },
                                                               .await = [this] { return await(); },
                                                               .firstUs = *first,
                                                               .samples = request_.repeat})
                                               : timeFromTheSameContents();
    if (!time)
      return std::unexpected(time.error());
    reply_.timeUs = *time;
    return {};
  }

  /// Whether a second launch finds what the first one found: nothing that is read is written. What is neither wanted
  /// nor given is scratch, of which nothing is known.
  bool writesOutputsAlone() const {
    for (size_t i = 0; i < buffers_.size(); ++i) {
      bool wanted = std::ranges::find(request_.wanted, i) != request_.wanted.end();
      bool given = !request_.contents[i].empty();
      if (sizes_[i] > 0 && wanted == given)
        return false;
    }
    return true;
  }

  /// Launches one by one, everything put back before each; what lies between a launch and its events counts.
  Result<double> timeFromTheSameContents() {
    std::vector<double> times;
    for (uint32_t i = 0; i < request_.repeat; ++i) {
      if (auto good = fill(); !good)
        return std::unexpected(good.error());
      Result<double> time = launchOnce();
      if (!time)
        return std::unexpected(time.error());
      times.push_back(*time);
    }
    std::ranges::sort(times);
    return times[times.size() / 2];
  }

  /// Time in microseconds.
  Result<double> launchOnce() {
    if (cuda::Status status = api_.eventRecord(start_, stream_))
      return failed("record an event", status);
    if (auto good = queueLaunch(); !good)
      return std::unexpected(good.error());
    if (cuda::Status status = api_.eventRecord(stop_, stream_))
      return faulted(status);
    if (auto good = await(); !good)
      return std::unexpected(good.error());
    float milliseconds = 0;
    if (cuda::Status status = api_.eventElapsedTime(&milliseconds, start_, stop_))
      return failed("read the time", status);
    return double{milliseconds} * 1000;
  }

  Result<void> queueLaunch() {
    const Launch &launch = request_.launch;
    std::vector<void *> parameters;
    for (Bytes &value : values_)
      parameters.push_back(value.data());
    cuda::LaunchAttribute attribute{};
    attribute.id = cuda::kLaunchAttributeClusterDimension;
    attribute.clusterDimension = {launch.cluster[0], launch.cluster[1], launch.cluster[2]};
    cuda::LaunchConfig config{
        launch.grid[0],  launch.grid[1],     launch.grid[2], launch.block[0], launch.block[1],
        launch.block[2], launch.dynamicSmem, stream_,        &attribute,      clusterSize() > 1 ? 1u : 0u};
    if (cuda::Status status = api_.launchKernelEx(&config, function_, parameters.data(), nullptr))
      return error("launch", text("the driver refuses to launch ", kernel(), " (grid ", joined(launch.grid, " x "),
                                  ", block ", joined(launch.block, " x "), ", cluster ", joined(launch.cluster, " x "),
                                  ", ", launch.dynamicSmem, " bytes of shared memory): ", api_.describe(status)));
    return {};
  }

  Result<void> await() {
    Clock::time_point deadline =
        Clock::now() + std::chrono::microseconds(static_cast<int64_t>(request_.timeoutSeconds * 1e6));
    auto pause = std::chrono::duration_cast<Clock::duration>(kShortestPoll);
    for (;;) {
      cuda::Status status = api_.streamQuery(stream_);
      if (status == cuda::kSuccess)
        break;
      if (status != cuda::kNotReady)
        return faulted(status);
      if (Clock::now() > deadline) {
        lost_ = true;
        return error(kKernelTimeout, {},
                     text(kernel(), " did not finish in ", secondsText(request_.timeoutSeconds), " s on ", info_.name,
                          "; it was ended"),
                     {{{},
                       "it may wait for a barrier that nobody arrives at, or loop for ever; `--device emulator` shows "
                       "where each warp stands"}});
      }
      std::this_thread::sleep_for(pause);
      pause = std::min<Clock::duration>(pause * 2, kLongestPoll);
    }
    if (cuda::Status status = api_.ctxSynchronize()) // what the kernel printed arrives here
      return faulted(status);
    return {};
  }

  static std::string secondsText(double seconds) {
    auto tenths = static_cast<int64_t>(seconds * 10 + 0.5);
    return tenths % 10 ? text(tenths / 10, ".", tenths % 10) : text(tenths / 10);
  }

  Result<void> readBack() {
    for (uint32_t index : request_.wanted) {
      Bytes &bytes = reply_.contents.emplace_back(sizes_[index]);
      if (!bytes.empty())
        if (cuda::Status status = api_.memcpyDtoH(bytes.data(), addresses_[index], bytes.size()))
          return failed("copy the outputs", status);
    }
    Bytes guard(kGuardBytes);
    for (size_t i = 0; i < buffers_.size(); ++i)
      for (bool after : {false, true}) {
        cuda::DevicePointer from = after ? addresses_[i] + sizes_[i] : allocations_[i];
        if (cuda::Status status = api_.memcpyDtoH(guard.data(), from, guard.size()))
          return failed("copy the outputs", status);
        checkGuard(guard, i, after);
      }
    return {};
  }

  void checkGuard(const Bytes &guard, size_t buffer, bool after) {
    auto changed = [](std::byte b) { return b != kGuardPattern; };
    auto first = std::ranges::find_if(guard, changed);
    if (first == guard.end())
      return;
    auto last = std::find_if(guard.rbegin(), guard.rend(), changed);
    int64_t place = after ? static_cast<int64_t>(sizes_[buffer]) + (first - guard.begin()) : guard.rbegin() - last - 1;
    reply_.diagnostics.push_back({Severity::Error,
                                  "global-out-of-bounds",
                                  {},
                                  text(kernel(), " wrote outside of ", bufferText(*buffers_[buffer], buffer),
                                       ": at byte ", place, " of ", sizes_[buffer]),
                                  {{{}, "run it with `--device emulator` to see the line that does this"}}});
  }

  const cuda::Api &api_;
  const GpuInfo &info_;
  const RunRequest &request_;
  const Progress &progress_;
  std::vector<const BufferSpec *> buffers_;
  RunReply reply_;
  cuda::Module module_ = nullptr;
  cuda::Function function_ = nullptr;
  cuda::Stream stream_ = nullptr;
  cuda::Event start_ = nullptr, stop_ = nullptr;
  std::vector<cuda::DevicePointer> allocations_, addresses_; // with and without the guard before
  std::vector<size_t> sizes_;
  std::vector<Bytes> values_; // of the parameters
  bool lost_ = false;
};

} // namespace

Result<RunReply> Gpu::run(const RunRequest &request, const Progress &progress) {
  if (auto good = checkLaunch(request.launch); !good)
    return std::unexpected(good.error());
  std::vector<const BufferSpec *> buffers = request.launch.buffers();
  if (request.contents.size() != buffers.size())
    return error("launch", text("a run of ", buffers.size(), " buffers comes with ", request.contents.size()));
  for (size_t i = 0; i < buffers.size(); ++i)
    if (!request.contents[i].empty() && request.contents[i].size() != deviceBytes(buffers[i]->dtype, buffers[i]->shape))
      return error("launch", text("the contents of ", bufferText(*buffers[i], i), " have the wrong size"));
  for (uint32_t index : request.wanted)
    if (index >= buffers.size())
      return error("launch", text("buffer ", index, " is wanted of ", buffers.size()));
  if (auto good = makeContext(); !good)
    return std::unexpected(good.error());
  return GpuRun(api_, info_, request, progress).run();
}

} // namespace lanescope::core
