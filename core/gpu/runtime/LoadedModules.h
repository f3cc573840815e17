// Modules that stay loaded, so that a kernel that is called again is not given to the driver's compiler again.
//
//   LoadedModules modules(api);
//   modules.prepare(context, ptx);                      // while something else is done
//   cuda::Module module = modules.take(context, ptx);   // null: none is there, load it
//   modules.keep(context, ptx, module);                 // when the run is over
#pragma once

#include "core/gpu/runtime/CudaApi.h"

#include <future>
#include <list>
#include <string>

namespace lanescope::core {

class LoadedModules {
public:
  /// So many stay: a session's kernels, a few megabytes.
  static constexpr size_t kMost = 16;

  explicit LoadedModules(const cuda::Api &api) : api_(api) {}

  /// Has the driver compile on a thread of its own what take() would not find.
  void prepare(cuda::Context context, const std::string &ptx);
  /// Of the same context and PTX, which is the caller's from now on; null: none, or the driver refused it. Waits for
  /// what is being prepared.
  cuda::Module take(cuda::Context context, const std::string &ptx);
  /// Takes a module back; the context is the current one. One with memory of its own is unloaded, for the next run has
  /// to find it as the PTX has it, and so is what was not asked for longest.
  void keep(cuda::Context context, const std::string &ptx, cuda::Module module);

  /// What was prepared and not taken, as by a run that failed before, is kept.
  void settle();

private:
  struct Loaded {
    cuda::Context context = nullptr;
    std::string ptx;
    cuda::Module module = nullptr;
  };

  struct Preparing {
    cuda::Context context = nullptr;
    std::string ptx;
    std::future<cuda::Module> module;
  };
  std::list<Loaded>::iterator find(cuda::Context context, const std::string &ptx);

  const cuda::Api &api_;
  std::list<Loaded> loaded_;       // the latest first
  std::list<Preparing> preparing_; // nodes stay where they are: threads read the PTX
};

} // namespace lanescope::core
