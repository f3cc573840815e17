#include "core/gpu/record/PackageFiles.h"

#include "core/data/Array.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <unistd.h>

namespace lanescope::core::record {

namespace {

namespace fs = std::filesystem;
constexpr size_t kPage = 4096;
constexpr mode_t kMode = 0600; // only the user can read the files, because arrays may hold secrets

bool isZero(std::span<const std::byte> bytes) {
  return std::ranges::all_of(bytes, [](std::byte one) { return one == std::byte{0}; });
}

} // namespace

Result<void> writeSparse(const fs::path &path, std::span<const std::byte> bytes) {
  auto failed = [&] {
    return error("unwritable-file", Message("cannot write `{path}`: {}", path.string(), std::strerror(errno)));
  };
  int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, kMode);
  if (file < 0)
    return failed();
  bool good = ::ftruncate(file, static_cast<off_t>(bytes.size())) == 0;
  for (size_t at = 0; good && at < bytes.size(); at += kPage) {
    std::span<const std::byte> page = bytes.subspan(at, std::min(kPage, bytes.size() - at));
    if (isZero(page))
      continue;
    for (size_t done = 0; good && done < page.size();) {
      ssize_t wrote = ::pwrite(file, page.data() + done, page.size() - done, static_cast<off_t>(at + done));
      good = wrote > 0 || (wrote < 0 && errno == EINTR);
      done += wrote > 0 ? static_cast<size_t>(wrote) : 0;
    }
  }
  Result<void> out = good ? Result<void>() : failed();
  if (::close(file) != 0 && out)
    out = failed();
  return out;
}

Result<void> writeText(const fs::path &path, std::string_view text) {
  return writeSparse(path, std::as_bytes(std::span(text)));
}

Result<void> writeArray(const fs::path &path, const Array &array) { return writeSparse(path, npyBytes(array)); }

Result<void> exchangeFolder(const fs::path &part, const fs::path &folder) {
  std::error_code ignored;
  if (::renameat2(AT_FDCWD, part.c_str(), AT_FDCWD, folder.c_str(), RENAME_EXCHANGE) != 0 && errno != ENOENT) {
    // The file system cannot exchange two folders, so for a moment there is no package.
    fs::remove_all(folder, ignored);
    if (::rename(part.c_str(), folder.c_str()) != 0)
      return error("unwritable-file", Message("cannot create `{path}`: {}", folder.string(), std::strerror(errno)));
  }
  fs::remove_all(part, ignored);
  return {};
}

} // namespace lanescope::core::record
