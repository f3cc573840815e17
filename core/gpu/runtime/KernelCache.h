// A disk cache of compiled kernels, by the content that they were compiled from.
//
//   KernelCache cache(KernelCache::defaultFolder());
//   auto kernel = cache.find(key, source);            // nothing: compile it
//   cache.store(key, *stages.kernel);
//
// The key hashes the content (IR, texts of the sources, options); the cache adds the program itself, so a different
// build never finds the entry. An entry contains both, and they are compared. A damaged file, a pipe, a device or a
// link is treated as absent, and an entry that cannot be written is not kept: nothing here is an error. New kernels
// replace those used longest ago.
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
  /// `lanescope/kernels` in $XDG_CACHE_HOME, else in ~/.cache; empty if there is no home.
  static std::filesystem::path defaultFolder();

  /// `source`: the source of the spans of the kernel's values.
  std::optional<CompiledKernel> find(const std::string &key, const SourceRef &source) const;
  /// Values from a source other than the kernel's lose their places.
  void store(const std::string &key, const CompiledKernel &kernel) const;

private:
  std::filesystem::path file(const std::string &key) const;
  std::string identity(const std::string &key) const;

  std::filesystem::path folder_;
};

} // namespace lanescope::core
