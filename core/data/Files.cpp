#include "core/data/Files.h"

#include "layouts/support/Text.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace lanescope::core {

namespace {

std::unexpected<Diagnostics> unreadable(const std::filesystem::path &path, int problem) {
  return error("unreadable-file", text("cannot read `", path.string(), "`: ", std::strerror(problem)));
}
std::unexpected<Diagnostics> unwritable(const std::filesystem::path &path, int problem) {
  return error("unwritable-file", text("cannot write `", path.string(), "`: ", std::strerror(problem)));
}

/// 0, or the problem's errno.
int writeAll(int file, std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    ssize_t wrote = ::write(file, bytes.data(), bytes.size());
    if (wrote < 0 && errno == EINTR)
      continue;
    if (wrote < 0)
      return errno;
    bytes = bytes.subspan(static_cast<size_t>(wrote));
  }
  return 0;
}

/// The file's bytes as `Bytes`, a vector or a string: once, as files may be as large as memory allows.
template <typename Bytes> Result<Bytes> readInto(const std::filesystem::path &path, uint64_t limit) {
  int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0)
    return unreadable(path, errno);
  struct stat status;
  if (::fstat(file, &status) != 0 || S_ISDIR(status.st_mode)) {
    int problem = errno;
    ::close(file);
    return unreadable(path, S_ISDIR(status.st_mode) ? EISDIR : problem);
  }
  Bytes bytes;
  // A pipe or device has no size to go by, so the file is read in pieces up to the limit.
  constexpr size_t kPiece = size_t{1} << 20;
  bytes.reserve(std::min<uint64_t>(static_cast<uint64_t>(std::max<int64_t>(status.st_size, 0)), limit));
  std::vector<typename Bytes::value_type> piece(kPiece);
  for (;;) {
    ssize_t got = ::read(file, piece.data(), piece.size());
    if (got < 0 && errno == EINTR)
      continue;
    if (got <= 0) {
      int problem = errno;
      ::close(file);
      if (got < 0)
        return unreadable(path, problem);
      return bytes;
    }
    if (bytes.size() + static_cast<size_t>(got) > limit) {
      ::close(file);
      return error("unreadable-file",
                   text("`", path.string(), "` is larger than the ", limit >> 20, " MiB that are read of it"));
    }
    bytes.insert(bytes.end(), piece.begin(), piece.begin() + got);
  }
}

} // namespace

Result<std::vector<std::byte>> readFile(const std::filesystem::path &path, uint64_t limit) {
  return readInto<std::vector<std::byte>>(path, limit);
}

Result<SourceRef> readSource(const std::filesystem::path &path) {
  Result<std::string> bytes = readInto<std::string>(path, uint64_t{1} << 30);
  if (!bytes)
    return at({Source::make(path.string(), ""), 0, 0}, std::move(bytes.error()));
  return Source::make(path.string(), std::move(*bytes));
}

Result<void> writeFile(const std::filesystem::path &path, std::span<const std::byte> bytes) {
  struct stat status;
  bool exists = ::stat(path.c_str(), &status) == 0;
  if (exists && !S_ISREG(status.st_mode)) { // nothing to replace: a device, a pipe, or a folder, which open refuses
    int file = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
    if (file < 0)
      return unwritable(path, errno);
    int problem = writeAll(file, bytes);
    if (::close(file) != 0 && problem == 0)
      problem = errno;
    return problem == 0 ? Result<void>() : unwritable(path, problem);
  }
  std::error_code ignored;
  std::filesystem::path target = exists ? std::filesystem::canonical(path, ignored) : path;
  if (target.empty())
    target = path;
  std::filesystem::path beside = target;
  beside += text(".", ::getpid(), ".part");
  int file = ::open(beside.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (file < 0)
    return unwritable(path, errno);
  int problem = exists && ::fchmod(file, status.st_mode & 07777) != 0 ? errno : 0;
  if (problem == 0)
    problem = writeAll(file, bytes);
  if (::close(file) != 0 && problem == 0)
    problem = errno;
  if (problem == 0 && std::rename(beside.c_str(), target.c_str()) != 0)
    problem = errno;
  if (problem == 0)
    return {};
  ::unlink(beside.c_str());
  return unwritable(path, problem);
}

Result<void> writeFile(const std::filesystem::path &path, std::string_view text) {
  return writeFile(path, std::as_bytes(std::span(text.data(), text.size())));
}

} // namespace lanescope::core
