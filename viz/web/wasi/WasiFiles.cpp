// core/data/Files.h for a module of WebAssembly: the files are those that the page was given.
#include "core/data/Files.h"

#include "viz/web/GivenFiles.h"

namespace lanescope::core {

namespace fs = std::filesystem;

Result<void> checkSize(const fs::path &path, uint64_t bytes, FileRole role) {
  const FileLimit &limit = limitOf(role);
  if (bytes <= limit.bytes())
    return {};
  return error("unreadable-file", Message("`{path}` has {bytes} bytes; {} may have {} MiB", path.string(), bytes,
                                          limit.what, limit.mebibytes));
}

Result<core::Bytes> readFile(const fs::path &path, FileRole role) {
  const core::Bytes *given = viz::givenFile(path.lexically_normal().string());
  if (!given)
    return error("unreadable-file", Message("`{path}` is not among the files that the page was given", path.string()));
  if (Result<void> small = checkSize(path, given->size(), role); !small)
    return std::unexpected(std::move(small.error()));
  return *given;
}

Result<SourceRef> readSource(const fs::path &path, FileRole role) {
  Result<core::Bytes> bytes = readFile(path, role);
  if (!bytes)
    return std::unexpected(std::move(bytes.error()));
  return Source::make(path.string(), std::string(reinterpret_cast<const char *>(bytes->data()), bytes->size()));
}

} // namespace lanescope::core
