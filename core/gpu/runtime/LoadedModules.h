// Modules that stay loaded, so that a kernel that is called again is not given to the driver's compiler again.
//
//   LoadedModules modules(api);
//   modules.prepare(context, ptx);                      // before all that a run needs is there
//   cuda::Module module = modules.take(context, ptx);   // null: none is there, load it
//   modules.keep(context, ptx, module);                 // when the run is over
#pragma once

#include "core/gpu/runtime/CudaApi.h"

#include <list>
#include <string>

namespace lanescope::core {

class LoadedModules {
public:
  /// So many stay: a session's kernels, a few megabytes.
  static constexpr size_t kMost = 16;

  explicit LoadedModules(const cuda::Api &api) : api_(api) {}

  /// Loads what take() would not find into the current context, which is `context`; what the driver refuses it refuses
  /// again, with its log, when somebody wants it.
  void prepare(cuda::Context context, const std::string &ptx);
  /// Of the same context and PTX, which is the caller's from now on; null: none.
  cuda::Module take(cuda::Context context, const std::string &ptx);
  /// Takes a module back; the context is the current one. One with memory of its own is unloaded, for the next run has
  /// to find it as the PTX has it, and so is what was not asked for longest.
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
  std::list<Loaded> loaded_; // the latest first
};

} // namespace lanescope::core
