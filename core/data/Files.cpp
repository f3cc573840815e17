#include "core/data/Files.h"

#include "core/data/ProcessMemory.h"
#include "core/data/Scratch.h"
#include "layouts/support/Text.h"
#include "layouts/support/Try.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

namespace lanescope::core {

namespace {

std::unexpected<Diagnostics> unreadable(const std::filesystem::path &path, int problem) {
  return error("unreadable-file", Message("cannot read `{path}`: {}", path.string(), std::strerror(problem)));
}
std::unexpected<Diagnostics> unwritable(const std::filesystem::path &path, int problem) {
  return error("unwritable-file", Message("cannot write `{path}`: {}", path.string(), std::strerror(problem)));
}

// Time limits for a pipe without a writer, and for a silent writer.
constexpr int kWriterSeconds = 10, kSilentSeconds = 60;

class OpenFile {
public:
  explicit OpenFile(const std::filesystem::path &path) : path_(path) {
    // Without O_NONBLOCK, opening a pipe without a writer would block for ever, and so would reading it.
    file_ = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    look();
  }
  OpenFile(int file, const std::filesystem::path &path) : path_(path), file_(file), borrowed_(true) { look(); }
  ~OpenFile() {
    if (file_ >= 0 && !borrowed_)
      ::close(file_);
  }
  OpenFile(const OpenFile &) = delete;
  OpenFile &operator=(const OpenFile &) = delete;

  int problem() const { return problem_; }
  bool isDevice() const { return S_ISCHR(status_.st_mode) || S_ISBLK(status_.st_mode); }
  /// The file's size as the system reports it; 0 if it reports none.
  uint64_t size() const { return S_ISREG(status_.st_mode) ? static_cast<uint64_t>(status_.st_size) : 0; }

  /// Returns the bytes read, 0 at the end.
  Result<size_t> read(std::span<std::byte> into) {
    for (;;) {
      ssize_t got = ::read(file_, into.data(), into.size());
      if (got > 0)
        return static_cast<size_t>(got);
      bool silent = got == 0 && S_ISFIFO(status_.st_mode) && !began_; // no writer has come yet
      if (got == 0 && !silent)
        return size_t{0};
      if (got < 0 && errno == EINTR)
        continue;
      if (got < 0 && errno != EAGAIN)
        return unreadable(path_, errno);
      int seconds = silent ? kWriterSeconds : kSilentSeconds;
      if (!waitForBytes(seconds))
        return error("unreadable-file",
                     Message("`{}` is a pipe that gives nothing for {} seconds", path_.string(), seconds));
    }
  }

private:
  void look() {
    if (file_ < 0 || ::fstat(file_, &status_) != 0)
      problem_ = errno;
    else if (S_ISDIR(status_.st_mode))
      problem_ = EISDIR;
  }
  bool waitForBytes(int seconds) {
    began_ = true; // from now on, an end of data is the file's end
    pollfd wanted{.fd = file_, .events = POLLIN, .revents = 0};
    int limit = isDevice() ? -1 : seconds * 1000; // no limit for a person at a terminal
    int ready;
    do
      ready = ::poll(&wanted, 1, limit);
    while (ready < 0 && errno == EINTR);
    return ready > 0;
  }

  const std::filesystem::path &path_;
  int file_ = -1, problem_ = 0;
  struct stat status_{};
  bool began_ = false, borrowed_ = false;
};

std::unexpected<Diagnostics> tooLarge(const std::filesystem::path &path, FileRole role) {
  const FileLimit &limit = limitOf(role);
  return error("unreadable-file", Message("`{path}` is larger than the {limit} MiB that are read of {}", path.string(),
                                          limit.mebibytes, limit.what));
}

/// Reads the file into `Content`, a vector or a string. Reserves memory before allocating it, in doubling steps if the
/// file's size is unknown.
template <typename Content>
Result<Content> readInto(OpenFile &&file, const std::filesystem::path &path, FileRole role) {
  if (file.problem())
    return unreadable(path, file.problem());
  if (file.isDevice() && limitOf(role).bytes() > limitOf(FileRole::Device).bytes())
    role = FileRole::Device;
  uint64_t limit = limitOf(role).bytes();
  if (file.size() > limit)
    return tooLarge(path, role);
  constexpr size_t kPiece = size_t{1} << 20;
  const std::string what = text("`", path.string(), "`");
  constexpr bool kIsText = std::is_same_v<Content, std::string>;
  Content bytes;
  auto grow = [&](uint64_t size) -> Result<void> {
    if (size > kPiece)
      LANESCOPE_CHECK(kIsText ? reserveMemory(size, what) : reserveBytes(size, what));
    bytes.reserve(size);
    return {};
  };
  LANESCOPE_CHECK(grow(file.size()));
  Bytes piece(std::min<uint64_t>(kPiece, std::max<uint64_t>(file.size(), 1 << 16)));
  for (;;) {
    size_t got = LANESCOPE_TRY(file.read(piece));
    if (got == 0)
      return bytes;
    if (bytes.size() + got > limit)
      return tooLarge(path, role);
    if (bytes.size() + got > bytes.capacity())
      LANESCOPE_CHECK(grow(std::min<uint64_t>(2 * (bytes.size() + got), limit)));
    auto *begin = reinterpret_cast<const typename Content::value_type *>(piece.data());
    bytes.insert(bytes.end(), begin, begin + got);
  }
}

} // namespace

Result<void> checkPath(const std::filesystem::path &path) {
  if (path.empty())
    return error("unreadable-file", "an empty name names no file");
  if (path.native().find('\0') != std::string::npos)
    return error("unreadable-file", Message("`{path}` has a NUL byte, which a file's name cannot have", path.string()));
  return {};
}

std::string plainFileName(std::string_view name) {
  constexpr size_t kLongest = 120; // leaves room for endings
  std::string out;
  for (char c : name.substr(0, kLongest)) {
    bool dot = c == '.' && !out.empty() && out.back() != '.';
    bool plain =
        dot || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
    out += plain && !(out.empty() && c == '-') ? c : '_';
  }
  return out.empty() ? "_" : out;
}

int writeOpenFile(int file, std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    ssize_t wrote = ::write(file, bytes.data(), bytes.size());
    if (wrote < 0 && errno == EINTR)
      continue;
    if (wrote <= 0)
      return wrote < 0 ? errno : EIO;
    bytes = bytes.subspan(static_cast<size_t>(wrote));
  }
  return 0;
}

Result<Bytes> readFile(const std::filesystem::path &path, FileRole role) {
  LANESCOPE_CHECK(checkPath(path));
  return readInto<Bytes>(OpenFile(path), path, role);
}

Result<Bytes> readOpenFile(int file, const std::filesystem::path &path, FileRole role) {
  return readInto<Bytes>(OpenFile(file, path), path, role);
}

Result<SourceRef> readSource(const std::filesystem::path &path, FileRole role) {
  Result<void> good = checkPath(path);
  auto bytes = good ? readInto<std::string>(OpenFile(path), path, role)
                    : Result<std::string>(std::unexpected(std::move(good.error())));
  if (!bytes)
    return at({Source::make(path.string(), ""), 0, 0}, std::move(bytes.error()));
  return Source::make(path.string(), std::move(*bytes));
}

Result<void> checkSize(const std::filesystem::path &path, uint64_t bytes, FileRole role) {
  if (bytes <= limitOf(role).bytes())
    return {};
  return at({Source::make(path.string(), ""), 0, 0}, tooLarge(path, role).error());
}

/// Returns 0 or an errno.
static int writePiecesTo(int file, std::span<const std::span<const std::byte>> pieces) {
  int problem = 0;
  for (size_t n = 0; n < pieces.size() && problem == 0; ++n)
    problem = writeOpenFile(file, pieces[n]);
  return problem;
}

Result<void> writePieces(const std::filesystem::path &path, std::span<const std::span<const std::byte>> pieces) {
  LANESCOPE_CHECK(checkPath(path));
  struct stat status;
  bool exists = ::stat(path.c_str(), &status) == 0;
  if (exists && !S_ISREG(status.st_mode)) { // nothing to replace: a device, a pipe, or a folder, which open refuses
    int file = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
    if (file < 0)
      return unwritable(path, errno);
    int problem = writePiecesTo(file, pieces);
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
    problem = writePiecesTo(file, pieces);
  if (::close(file) != 0 && problem == 0)
    problem = errno;
  if (problem == 0 && std::rename(beside.c_str(), target.c_str()) != 0)
    problem = errno;
  if (problem == 0)
    return {};
  ::unlink(beside.c_str());
  return unwritable(path, problem);
}

Result<void> writeFile(const std::filesystem::path &path, std::span<const std::byte> bytes) {
  return writePieces(path, {&bytes, 1});
}

Result<void> writeFile(const std::filesystem::path &path, std::string_view text) {
  return writeFile(path, std::as_bytes(std::span(text.data(), text.size())));
}

} // namespace lanescope::core
