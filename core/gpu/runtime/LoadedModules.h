// Keeps modules loaded, so that the driver need not compile a kernel again when it is called again.
//
//   LoadedModules modules(api);
//   modules.prepare(context, ptx);                      // before the run's inputs are complete
//   cuda::Module module = modules.take(context, ptx);   // null: none is there, load it
//   modules.keep(context, ptx, module);                 // when the run is over
#pragma once

#include "core/gpu/runtime/CudaApi.h"

#include <list>
#include <string>

namespace lanescope::core {

class LoadedModules {
public:
  /// Number of modules to keep: a session's kernels, a few megabytes.
  static constexpr size_t kMost = 16;

  explicit LoadedModules(const cuda::Api &api) : api_(api) {}

  /// Loads a module that take() would not find. `context` must be current. If the driver refuses the PTX, nothing is
  /// reported here, because it will refuse it again, with its log, when a run needs it.
  void prepare(cuda::Context context, const std::string &ptx);
  /// Returns the module of the same context and PTX, which then belongs to the caller; null: none.
  cuda::Module take(cuda::Context context, const std::string &ptx);
  /// Takes a module back; its context must be current. A module with memory of its own is unloaded, because the next
  /// run needs the PTX's initial values. If there are too many modules, the least recently used one is unloaded, too.
  void keep(cuda::Context context, const std::string &ptx, cuda::Module module);

private:
  struct Loaded {
    cuda::Context context = nullptr;
    std::string ptx;
    cuda::Module module = nullptr;
  };

  std::list<Loaded>::iterator find(cuda::Context context, const std::string &ptx);
  void add(cuda::Context context, const std::string &ptx, cuda::Module module);

  const cuda::Api &api_;
  std::list<Loaded> loaded_; // latest first
};

} // namespace lanescope::core
