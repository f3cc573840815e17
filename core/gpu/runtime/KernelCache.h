// Compiled kernels on disk, found by what they were compiled from.
//
//   KernelCache cache(KernelCache::defaultFolder());
//   auto kernel = cache.find(key, source);            // nothing: compile it
//   cache.store(key, *stages.kernel);
//
// The key names the content (IR, texts of the sources, options); the cache adds the program itself, so another build of
// it never finds what this one wrote; both stand in the entry and are compared. A file that is damaged counts as not
// there, and so does what is no file: a pipe, a device, a link. What cannot be written is not kept:
// nothing here is an error. The kernels that were not asked for longest make room for new ones.
#pragma once

#include "core/gpu/kernel/CompiledKernel.h"

#include <filesystem>
#include <optional>
#include <string>

namespace lanescope::core {

class KernelCache {
public:
  /// So many kernels stay (some 20 MB) when there have come to be `kSlack` more.
  static constexpr size_t kMostKernels = 1024, kSlack = 64;

  /// An empty folder: finds and stores nothing.
  explicit KernelCache(std::filesystem::path folder) : folder_(std::move(folder)) {}
  /// `lanescope/kernels` in $XDG_CACHE_HOME, else in ~/.cache; empty when there is no home.
  static std::filesystem::path defaultFolder();

  /// `source` is what the spans of the kernel's values are in.
  std::optional<CompiledKernel> find(const std::string &key, const SourceRef &source) const;
  /// Values that come from another source than the kernel's lose their places.
  void store(const std::string &key, const CompiledKernel &kernel) const;

private:
  std::filesystem::path file(const std::string &key) const;
  std::string identity(const std::string &key) const;

  std::filesystem::path folder_;
};

} // namespace lanescope::core
