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

std::unexpected<Diagnostics> failed(const char *action, const std::filesystem::path &path, int problem) {
  return error("file", text("cannot ", action, " `", path.string(), "`: ", std::strerror(problem)));
}

} // namespace

Result<std::vector<std::byte>> readFile(const std::filesystem::path &path, uint64_t limit) {
  int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0)
    return failed("open", path, errno);
  struct stat status;
  if (::fstat(file, &status) != 0 || S_ISDIR(status.st_mode)) {
    int problem = errno;
    ::close(file);
    return failed("read", path, S_ISDIR(status.st_mode) ? EISDIR : problem);
  }
  std::vector<std::byte> bytes;
  // A pipe or device has no size to go by, so the file is read in pieces up to the limit.
  constexpr size_t kPiece = size_t{1} << 20;
  bytes.reserve(std::min<uint64_t>(static_cast<uint64_t>(std::max<int64_t>(status.st_size, 0)), limit));
  std::vector<std::byte> piece(kPiece);
  for (;;) {
    ssize_t got = ::read(file, piece.data(), piece.size());
    if (got < 0 && errno == EINTR)
      continue;
    if (got <= 0) {
      int problem = errno;
      ::close(file);
      if (got < 0)
        return failed("read", path, problem);
      return bytes;
    }
    if (bytes.size() + static_cast<size_t>(got) > limit) {
      ::close(file);
      return error("file", text("`", path.string(), "` is larger than the ", limit >> 20, " MiB that are read of it"));
    }
    bytes.insert(bytes.end(), piece.begin(), piece.begin() + got);
  }
}

Result<SourceRef> readSource(const std::filesystem::path &path) {
  Result<std::vector<std::byte>> bytes = readFile(path, 0xFFFFFFF0);
  if (!bytes)
    return std::unexpected(bytes.error());
  return Source::make(path.string(), std::string(reinterpret_cast<const char *>(bytes->data()), bytes->size()));
}

Result<void> writeFile(const std::filesystem::path &path, std::span<const std::byte> bytes) {
  std::filesystem::path beside = path;
  beside += text(".", ::getpid(), ".part");
  int file = ::open(beside.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (file < 0)
    return failed("write", path, errno);
  size_t done = 0;
  while (done < bytes.size()) {
    ssize_t wrote = ::write(file, bytes.data() + done, bytes.size() - done);
    if (wrote < 0 && errno == EINTR)
      continue;
    if (wrote < 0) {
      int problem = errno;
      ::close(file);
      ::unlink(beside.c_str());
      return failed("write", path, problem);
    }
    done += static_cast<size_t>(wrote);
  }
  if (::close(file) != 0 || std::rename(beside.c_str(), path.c_str()) != 0) {
    int problem = errno;
    ::unlink(beside.c_str());
    return failed("write", path, problem);
  }
  return {};
}

Result<void> writeFile(const std::filesystem::path &path, std::string_view text) {
  return writeFile(path, std::as_bytes(std::span(text.data(), text.size())));
}

} // namespace lanescope::core
