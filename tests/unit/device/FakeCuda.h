// A CUDA driver that is none: GPUs whose memory is the host's, whose kernels are functions of the test, each launch a
// thread. It keeps the rules that matter between GPUs: a kernel reaches another context's memory after
// cuCtxEnablePeerAccess alone.
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

/// What PTX begins with that the driver refuses.
constexpr std::string_view kRefusedPtx = "refused";
constexpr cuda::Status kInvalidPtx = 218;

/// One launch, as its kernel sees it.
struct FakeLaunch {
  int gpu = 0;
  std::vector<uint64_t> words;  // the first eight bytes of each parameter
  std::vector<std::byte> block; // all of the first one's
};

/// The driver's state; its functions have no other place for it, so that there is one at a time.
struct FakeCuda {
  explicit FakeCuda(int gpus);
  ~FakeCuda();
  FakeCuda(const FakeCuda &) = delete;
  FakeCuda &operator=(const FakeCuda &) = delete;

  /// What a launch does; its result is what the stream says afterwards.
  std::function<cuda::Status(const FakeLaunch &)> kernel;
  std::set<int> atOnce;   // GPUs whose launches have ended before cuLaunchKernelEx returns
  size_t parameters = 0;  // that the kernel has
  size_t blockBytes = 0;  // of the first
  int residentBlocks = 1; // of a multiprocessor, of which a GPU has 4
  std::map<std::pair<int, int>, bool> cut, withoutAtomics; // links, by from and to
  std::map<int, uint64_t> clockAhead;                      // of GPUs' %globaltimer
  cuda::Status hostAlloc = cuda::kSuccess;

  /// Memory of a GPU that a kernel on `gpu` may use; null: it may not.
  void *reach(int gpu, uint64_t address);
  uint32_t &word(int gpu, uint64_t address) { return *static_cast<uint32_t *>(reach(gpu, address)); }
  /// Ends kernels that wait for ever.
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
  std::vector<std::unique_ptr<Stream>> streams_; // also of destroyed ones
  std::vector<std::string> calls_;
  std::mutex mutex_; // of memory_, which kernels look into, and of calls_
};

} // namespace lanescope::core
