#include "core/data/Beneath.h"

#include "core/data/Files.h"
#include "layouts/support/Text.h"
#include "layouts/support/Try.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

namespace lanescope::core {

namespace {

namespace fs = std::filesystem;
constexpr char kAccessKind[] = "file-access";

class Descriptor {
public:
  explicit Descriptor(int number) : number_(number) {}
  Descriptor(Descriptor &&other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Descriptor &operator=(Descriptor &&other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  ~Descriptor() {
    if (number_ >= 0)
      ::close(number_);
  }
  int number() const { return number_; }
  /// Returns 0 or an errno: some disks report only here that they are full.
  int close() { return ::close(std::exchange(number_, -1)) == 0 ? 0 : errno; }

private:
  int number_;
};

/// A file, as its opened folder and its name in the folder.
struct Place {
  Descriptor folder;
  std::string name;
  fs::path whole; // for messages
};

std::unexpected<Diagnostics> cannotRead(const fs::path &path, int problem) {
  return error("unreadable-file", Message("cannot read `{path}`: {}", path.string(), std::strerror(problem)));
}
std::unexpected<Diagnostics> cannotWrite(const fs::path &path, int problem) {
  return error("unwritable-file", Message("cannot write `{path}`: {}", path.string(), std::strerror(problem)));
}

bool isLink(int folder, const std::string &name) {
  struct stat status;
  return ::fstatat(folder, name.c_str(), &status, AT_SYMLINK_NOFOLLOW) == 0 && S_ISLNK(status.st_mode);
}

std::unexpected<Diagnostics> linkThere(const fs::path &path) {
  return error(kAccessKind, Message("`{path}` is a symbolic link, and none is followed here", path.string()));
}

Result<Descriptor> openFolder(const fs::path &folder) {
  LANESCOPE_CHECK(checkPath(folder));
  Descriptor opened(::open(folder.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (opened.number() < 0)
    return cannotRead(folder, errno);
  return opened;
}

/// Opens the folder `name` in the open folder `folder`; `whole` is for messages.
Result<Descriptor> stepInto(const Descriptor &folder, const std::string &name, const fs::path &whole) {
  Descriptor next(::openat(folder.number(), name.c_str(), O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  int problem = errno;
  if (next.number() >= 0)
    return next;
  if (isLink(folder.number(), name))
    return linkThere(whole);
  return cannotRead(whole, problem);
}

Result<Place> placeBeneath(const fs::path &folder, const fs::path &name) {
  LANESCOPE_CHECK(checkPath(name));
  Place place{LANESCOPE_TRY(openFolder(folder.empty() ? fs::path(".") : folder)), "", folder};
  if (name.is_absolute())
    return error(kAccessKind, Message("`{path}` begins at the root, not in `{}`", name.string(), folder.string()));
  for (const fs::path &part : name) {
    if (part == "." || part.empty()) // `a//b`, and `a/` at the end
      continue;
    if (part == "..")
      return error(kAccessKind, Message("`{path}` leads out of `{}` by `..`", name.string(), folder.string()));
    if (!place.name.empty())
      place.folder = LANESCOPE_TRY(stepInto(place.folder, place.name, place.whole));
    place.name = part.string();
    place.whole /= part;
  }
  if (place.name.empty())
    return error(kAccessKind, Message("`{path}` names no file", name.string()));
  return place;
}

/// The file's status, if it is a regular file.
Result<struct stat> regularFile(const Place &place) {
  struct stat status;
  if (::fstatat(place.folder.number(), place.name.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0)
    return cannotRead(place.whole, errno);
  if (S_ISLNK(status.st_mode))
    return linkThere(place.whole);
  if (S_ISDIR(status.st_mode))
    return cannotRead(place.whole, EISDIR);
  if (!S_ISREG(status.st_mode))
    return error(kAccessKind,
                 Message("`{path}` is a pipe, a device or a socket, and only files are read", place.whole.string()));
  return status;
}

FileStamp stampOf(const struct stat &status) {
  return {.device = static_cast<uint64_t>(status.st_dev),
          .inode = static_cast<uint64_t>(status.st_ino),
          .size = static_cast<int64_t>(status.st_size),
          .changed = static_cast<int64_t>(status.st_mtim.tv_sec) * 1'000'000'000 + status.st_mtim.tv_nsec};
}

/// Opens a new file under a name that only this process uses.
Result<Descriptor> openFresh(const Place &place, std::string &name) {
  constexpr int kTries = 100; // names that an earlier process with this number may have left
  for (int i = 0; i < kTries; ++i) {
    name = text(".lanescope-", ::getpid(), "-", i, ".part");
    Descriptor file(
        ::openat(place.folder.number(), name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666));
    if (file.number() >= 0)
      return file;
    if (errno != EEXIST)
      break;
  }
  return cannotWrite(place.whole, errno);
}

/// Renames the file `from` to a name that no file has. Returns 0 or an errno: EEXIST if a file has that name.
int publishNew(const Place &place, const std::string &from) {
  int folder = place.folder.number();
  if (::renameat2(folder, from.c_str(), folder, place.name.c_str(), RENAME_NOREPLACE) == 0)
    return 0;
  if (errno != EINVAL && errno != ENOSYS)
    return errno;
  // The file system lacks RENAME_NOREPLACE. A hard link works too, because linkat also fails if the name is in use.
  if (::linkat(folder, from.c_str(), folder, place.name.c_str(), 0) != 0)
    return errno;
  ::unlinkat(folder, from.c_str(), 0);
  return 0;
}

int publish(const Place &place, const std::string &from, const std::optional<FileStamp> &replacing) {
  struct stat status;
  int folder = place.folder.number();
  bool there = ::fstatat(folder, place.name.c_str(), &status, AT_SYMLINK_NOFOLLOW) == 0;
  if (!there)
    return errno == ENOENT ? publishNew(place, from) : errno;
  if (!S_ISREG(status.st_mode) || !replacing || stampOf(status) != *replacing)
    return EEXIST;
  return ::renameat(folder, from.c_str(), folder, place.name.c_str()) == 0 ? 0 : errno;
}

} // namespace

Result<Bytes> readBeneath(const fs::path &folder, const fs::path &name, FileRole role) {
  Place place = LANESCOPE_TRY(placeBeneath(folder, name));
  LANESCOPE_CHECK(regularFile(place)); // checked before opening, because opening can affect a device
  Descriptor file(::openat(place.folder.number(), place.name.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  if (file.number() < 0)
    return errno == ELOOP ? Result<Bytes>(linkThere(place.whole)) : cannotRead(place.whole, errno);
  struct stat status;
  if (::fstat(file.number(), &status) != 0 || !S_ISREG(status.st_mode)) // another file replaced it meanwhile
    return error(kAccessKind, Message("`{path}` is no regular file", place.whole.string()));
  return readOpenFile(file.number(), place.whole, role);
}

Result<SourceRef> readSourceBeneath(const fs::path &folder, const fs::path &name, FileRole role) {
  Bytes bytes = LANESCOPE_TRY(readBeneath(folder, name, role));
  return Source::make((folder / name).string(),
                      std::string(reinterpret_cast<const char *>(bytes.data()), bytes.size()));
}

Result<void> checkFolderBeneath(const fs::path &folder, const fs::path &name) {
  if (name.lexically_normal() == ".")
    return {};
  Place place = LANESCOPE_TRY(placeBeneath(folder, name));
  LANESCOPE_CHECK(stepInto(place.folder, place.name, place.whole));
  return {};
}

std::optional<FileStamp> stampBeneath(const fs::path &folder, const fs::path &name) {
  auto place = placeBeneath(folder, name);
  if (!place)
    return std::nullopt;
  auto status = regularFile(*place);
  return status ? std::optional(stampOf(*status)) : std::nullopt;
}

Result<FileStamp> writeBeneath(const fs::path &folder, const fs::path &name, std::span<const std::byte> bytes,
                               const std::optional<FileStamp> &replacing) {
  Place place = LANESCOPE_TRY(placeBeneath(folder, name));
  if (isLink(place.folder.number(), place.name))
    return linkThere(place.whole);
  std::string fresh;
  Descriptor file = LANESCOPE_TRY(openFresh(place, fresh));
  int problem = writeOpenFile(file.number(), bytes);
  struct stat status;
  if (problem == 0 && ::fstat(file.number(), &status) != 0)
    problem = errno;
  if (int closing = file.close(); problem == 0)
    problem = closing;
  if (problem == 0)
    problem = publish(place, fresh, replacing);
  if (problem == 0)
    return stampOf(status);
  ::unlinkat(place.folder.number(), fresh.c_str(), 0);
  if (problem == EEXIST)
    return error("file-exists", Message("`{path}` is there already", place.whole.string()));
  return cannotWrite(place.whole, problem);
}

} // namespace lanescope::core
