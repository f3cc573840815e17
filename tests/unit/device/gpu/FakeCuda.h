// A fake CUDA driver. Its GPUs' memory is the host's, its kernels are functions of the test, and each launch is a
// thread. It enforces the rules between GPUs that matter: a kernel reaches another context's memory only after
// cuCtxEnablePeerAccess.
#pragma once

#include "core/gpu/runtime/CudaApi.h"

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace lanescope::core {

/// The driver refuses PTX that begins with this.
constexpr std::string_view kRefusedPtx = "refused";
constexpr cuda::Status kInvalidPtx = 218;

/// One launch, as its kernel sees it.
struct FakeLaunch {
  int gpu = 0;
  std::vector<uint64_t> words;  // the first eight bytes of each parameter
  std::vector<std::byte> block; // all bytes of the first parameter
};

/// The driver's state. The driver's functions have no other place for it, so there is one at a time.
struct FakeCuda {
  explicit FakeCuda(int gpus);
  ~FakeCuda();
  FakeCuda(const FakeCuda &) = delete;
  FakeCuda &operator=(const FakeCuda &) = delete;

  /// The effect of a launch. Its result is the stream's status afterwards.
  std::function<cuda::Status(const FakeLaunch &)> kernel;
  std::set<int> atOnce;                                    // GPUs whose launches end before cuLaunchKernelEx returns
  size_t parameters = 0;                                   // number of the kernel's parameters
  size_t blockBytes = 0;                                   // size of the first parameter
  int residentBlocks = 1;                                  // per multiprocessor; a GPU has 4 multiprocessors
  std::map<std::pair<int, int>, bool> cut, withoutAtomics; // links, by source and destination
  std::map<int, uint64_t> clockAhead;                      // offset of each GPU's %globaltimer
  cuda::Status hostAlloc = cuda::kSuccess;

  /// The memory of a GPU, for a kernel on `gpu`; null if the kernel may not use it.
  void *reach(int gpu, uint64_t address);
  uint32_t &word(int gpu, uint64_t address) { return *static_cast<uint32_t *>(reach(gpu, address)); }
  /// Ends kernels that wait forever.
  std::atomic<bool> over = false;

  int count(const std::string &call) const;
  const cuda::Api &api() const { return api_; }

private:
  friend struct FakeCalls;
  struct Stream {
    int gpu = 0;
    std::atomic<int> status = cuda::kSuccess;
    std::thread thread;
  };
  struct Allocation {
    int gpu = 0;
    std::unique_ptr<std::byte[]> bytes;
    size_t size = 0;
  };

  cuda::Api api_{};
  int gpus_;
  std::map<uint64_t, Allocation> memory_;
  std::set<std::pair<int, int>> joined_;
  std::vector<std::unique_ptr<Stream>> streams_; // including destroyed ones
  std::vector<std::string> calls_;
  std::mutex mutex_; // guards memory_, which kernels access, and calls_
};

} // namespace lanescope::core
