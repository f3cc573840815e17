#include "tests/unit/device/gpu/FakeCuda.h"

#include "core/gpu/runtime/GpuClocks.h"

#include <algorithm>
#include <chrono>
#include <cstring>

namespace lanescope::core {

using cuda::kSuccess;
using cuda::Status;

static FakeCuda *fake = nullptr;
static thread_local int current = -1; // the current GPU

/// The functions of the fake driver.
struct FakeCalls {
  static void *handle(size_t number) { return reinterpret_cast<void *>(number + 1); }
  template <class T> static size_t number(T *handle) { return reinterpret_cast<size_t>(handle) - 1; }
  static Status log(const char *call) {
    std::scoped_lock lock(fake->mutex_);
    return fake->calls_.emplace_back(call), kSuccess;
  }
  static FakeCuda::Stream &stream(cuda::Stream s) { return *fake->streams_[number(s)]; }
  static bool reaches(int from, int to) { return from < fake->gpus_ && to < fake->gpus_ && !fake->cut[{from, to}]; }

  static Status launch(const cuda::LaunchConfig *config, cuda::Function function, void **parameters, void **) {
    log("launch");
    FakeCuda::Stream &on = stream(config->stream);
    FakeLaunch how{.gpu = on.gpu, .words = {}, .block = {}};
    bool clock = number(function) == 1;
    for (size_t i = 0; i < (clock ? 1 : fake->parameters); ++i) {
      uint64_t word = 0;
      std::memcpy(&word, parameters[i], sizeof word);
      how.words.push_back(word);
    }
    if (!clock && fake->blockBytes) {
      auto *first = static_cast<const std::byte *>(parameters[0]);
      how.block.assign(first, first + fake->blockBytes);
    }
    if (on.thread.joinable())
      on.thread.join();
    if (!clock && fake->atOnce.contains(on.gpu))
      return on.status = fake->kernel(how), kSuccess;
    on.status = cuda::kNotReady;
    on.thread = std::thread([&on, how, clock] { on.status = clock ? answer(how) : fake->kernel(how); });
    return kSuccess;
  }

  /// Runs the kernel of GpuClocks.
  static Status answer(const FakeLaunch &how) {
    auto *page = reinterpret_cast<uint64_t *>(how.words[0]);
    for (uint64_t call = 1; call <= kClockCalls; ++call) {
      while (std::atomic_ref<uint64_t>(page[0]).load() < call)
        std::this_thread::yield();
      auto now = std::chrono::steady_clock::now().time_since_epoch();
      uint64_t ns = static_cast<uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(now).count());
      std::atomic_ref<uint64_t>(page[call]).store(ns + fake->clockAhead[how.gpu]);
    }
    return kSuccess;
  }

  static Status allocate(cuda::DevicePointer *address, size_t bytes) {
    log("memAlloc");
    std::scoped_lock lock(fake->mutex_);
    auto memory = std::make_unique<std::byte[]>(bytes);
    *address = reinterpret_cast<uint64_t>(memory.get());
    fake->memory_[*address] = {current, std::move(memory), bytes};
    return kSuccess;
  }
};

FakeCuda::FakeCuda(int gpus) : gpus_(gpus) {
  fake = this;
  using Calls = FakeCalls;
  api_.init = [](unsigned) { return kSuccess; };
  api_.driverGetVersion = [](int *version) { return *version = 13000, kSuccess; };
  api_.getErrorName = [](Status, const char **name) { return *name = "CUDA_ERROR_TEST", kSuccess; };
  api_.getErrorString = [](Status, const char **words) { return *words = "made up", kSuccess; };
  api_.deviceGetCount = [](int *count) { return *count = fake->gpus_, kSuccess; };
  api_.deviceGet = [](cuda::Device *device, int ordinal) { return *device = ordinal, kSuccess; };
  api_.deviceGetName = [](char *name, int length, cuda::Device) {
    return std::strncpy(name, "Fake", length), kSuccess;
  };
  api_.deviceGetAttribute = [](int *value, int attribute, cuda::Device) {
    *value = attribute == cuda::kComputeCapabilityMajor ? 9 : attribute == cuda::kMultiprocessorCount ? 4 : 0;
    return kSuccess;
  };
  api_.deviceTotalMem = [](size_t *bytes, cuda::Device) { return *bytes = 1 << 30, kSuccess; };
  api_.deviceCanAccessPeer = [](int *can, cuda::Device from, cuda::Device to) {
    return *can = Calls::reaches(from, to), kSuccess;
  };
  api_.deviceGetP2PAttribute = [](int *value, int, cuda::Device from, cuda::Device to) {
    return *value = !fake->withoutAtomics[{from, to}], kSuccess;
  };
  api_.devicePrimaryCtxRetain = [](cuda::Context *context, cuda::Device device) {
    *context = static_cast<cuda::Context>(Calls::handle(static_cast<size_t>(device)));
    return Calls::log("retain");
  };
  api_.ctxSetCurrent = [](cuda::Context context) {
    return current = static_cast<int>(Calls::number(context)), kSuccess;
  };
  api_.ctxSynchronize = [] { return kSuccess; };
  api_.ctxEnablePeerAccess = [](cuda::Context peer, unsigned) {
    Calls::log("enable");
    std::pair pair(current, static_cast<int>(Calls::number(peer)));
    return fake->joined_.insert(pair).second ? kSuccess : cuda::kPeerAccessAlreadyEnabled;
  };
  api_.moduleLoadDataEx = [](cuda::Module *module, const void *image, unsigned, int *, void **) -> Status {
    Calls::log("load");
    if (std::string_view(static_cast<const char *>(image)).starts_with(kRefusedPtx))
      return kInvalidPtx;
    *module = static_cast<cuda::Module>(Calls::handle(0));
    return kSuccess;
  };
  api_.moduleUnload = [](cuda::Module) { return Calls::log("unload"); };
  api_.moduleGetFunction = [](cuda::Function *function, cuda::Module, const char *name) {
    *function = static_cast<cuda::Function>(Calls::handle(std::string_view(name) == kClockEntry));
    return kSuccess;
  };
  api_.funcGetAttribute = [](int *value, int, cuda::Function) { return *value = 0, kSuccess; };
  api_.funcSetAttribute = [](cuda::Function, int, int) { return kSuccess; };
  api_.occupancyMaxActiveBlocks = [](int *blocks, cuda::Function, int, size_t) {
    return *blocks = fake->residentBlocks, kSuccess;
  };
  api_.occupancyMaxActiveClusters = [](int *clusters, cuda::Function, const cuda::LaunchConfig *) {
    return *clusters = fake->residentBlocks, kSuccess;
  };
  api_.memAlloc = &Calls::allocate;
  api_.memFree = [](cuda::DevicePointer address) {
    Calls::log("memFree");
    std::scoped_lock lock(fake->mutex_);
    return fake->memory_.erase(address) ? kSuccess : cuda::kInvalidValue;
  };
  api_.memcpyHtoD = [](cuda::DevicePointer to, const void *from, size_t bytes) {
    return std::memcpy(reinterpret_cast<void *>(to), from, bytes), kSuccess;
  };
  api_.memcpyDtoH = [](void *to, cuda::DevicePointer from, size_t bytes) {
    return std::memcpy(to, reinterpret_cast<const void *>(from), bytes), kSuccess;
  };
  api_.memsetD8 = [](cuda::DevicePointer to, unsigned char value, size_t bytes) {
    return std::memset(reinterpret_cast<void *>(to), value, bytes), Calls::log("memset");
  };
  api_.memHostAlloc = [](void **memory, size_t bytes, unsigned) {
    cuda::DevicePointer address = 0;
    if (fake->hostAlloc)
      return fake->hostAlloc;
    Calls::allocate(&address, bytes);
    return *memory = reinterpret_cast<void *>(address), kSuccess;
  };
  api_.memFreeHost = [](void *memory) { return fake->api_.memFree(reinterpret_cast<uint64_t>(memory)); };
  api_.memHostGetDevicePointer = [](cuda::DevicePointer *address, void *memory, unsigned) {
    return *address = reinterpret_cast<uint64_t>(memory), kSuccess;
  };
  api_.streamCreate = [](cuda::Stream *stream, unsigned) {
    *stream = static_cast<cuda::Stream>(Calls::handle(fake->streams_.size()));
    fake->streams_.push_back(std::make_unique<Stream>());
    fake->streams_.back()->gpu = current;
    return kSuccess;
  };
  api_.streamDestroy = [](cuda::Stream) { return Calls::log("streamDestroy"); };
  api_.streamQuery = [](cuda::Stream stream) { return Status{Calls::stream(stream).status}; };
  api_.eventCreate = [](cuda::Event *event, unsigned) {
    return *event = static_cast<cuda::Event>(Calls::handle(static_cast<size_t>(current))), kSuccess;
  };
  api_.eventDestroy = [](cuda::Event) { return kSuccess; };
  api_.eventRecord = [](cuda::Event, cuda::Stream) { return kSuccess; };
  // A launch on GPU n takes n + 1 milliseconds.
  api_.eventElapsedTime = [](float *time, cuda::Event event, cuda::Event) {
    return *time = static_cast<float>(Calls::number(event) + 1), kSuccess;
  };
  api_.launchKernelEx = &Calls::launch;
  api_.tensorMapEncodeTiled = [](cuda::TensorMap *map, int, uint32_t, void *address, const uint64_t *, const uint64_t *,
                                 const uint32_t *, const uint32_t *, int, int, int,
                                 int) { return map->opaque[0] = reinterpret_cast<uint64_t>(address), kSuccess; };
}

FakeCuda::~FakeCuda() {
  over = true;
  for (const std::unique_ptr<Stream> &stream : streams_)
    if (stream->thread.joinable())
      stream->thread.join();
  fake = nullptr;
}

void *FakeCuda::reach(int gpu, uint64_t address) {
  std::scoped_lock lock(mutex_);
  auto found = memory_.upper_bound(address);
  if (found == memory_.begin())
    return nullptr;
  const auto &[begin, memory] = *--found;
  bool allowed = memory.gpu == gpu || joined_.contains({gpu, memory.gpu});
  return allowed && address < begin + memory.size ? reinterpret_cast<void *>(address) : nullptr;
}

int FakeCuda::count(const std::string &call) const { return static_cast<int>(std::ranges::count(calls_, call)); }

} // namespace lanescope::core
