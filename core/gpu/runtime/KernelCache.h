// A disk cache of compiled kernels, by the content that they were compiled from.
//
//   KernelCache cache(KernelCache::defaultFolder());
//   auto kernel = cache.find(key, source);            // nothing: compile it
//   cache.store(key, *stages.kernel);
//
// The key hashes the content (IR, texts of the sources, options); the cache adds an identifier of the program, so that
// a different build does not find the entry. An entry contains both, and find() compares them. A damaged file, a pipe,
// a device or a link is treated as absent, and an entry that cannot be written is not kept. None of this is an error.
// New kernels replace the least recently used ones.
#pragma once

#include "core/gpu/kernel/CompiledKernel.h"

#include <filesystem>
#include <optional>
#include <string>

namespace lanescope::core {

class KernelCache {
public:
  /// The number of kernels to keep (some 20 MB); entries are removed once there are `kSlack` more.
  static constexpr size_t kMostKernels = 1024, kSlack = 64;

  /// With an empty folder, the cache finds and stores nothing.
  explicit KernelCache(std::filesystem::path folder) : folder_(std::move(folder)) {}
  /// The folder `lanescope/kernels` in $XDG_CACHE_HOME, or else in ~/.cache; empty if there is no home.
  static std::filesystem::path defaultFolder();

  /// `source`: the source of the spans of the kernel's values.
  std::optional<CompiledKernel> find(const std::string &key, const SourceRef &source) const;
  /// Stores the kernel. A value whose place is not in the kernel's own source loses its place.
  void store(const std::string &key, const CompiledKernel &kernel) const;

private:
  std::filesystem::path file(const std::string &key) const;
  std::string identity(const std::string &key) const;

  std::filesystem::path folder_;
};

} // namespace lanescope::core
