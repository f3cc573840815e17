// Files in a folder that no name leads out of: each part of a name is opened by itself, below the one before it, and
// no symbolic link is followed. The folder is the user's word, and may be reached by links.
//
//   auto bytes = readBeneath("runs", "a/x.npy", role);     // an error where `a` or `x.npy` is a link
//
// A link that takes a folder's place meanwhile is not followed either: what was opened stays what it was (openat(2),
// O_NOFOLLOW). A hard link is the file itself, and nothing tells them apart.
#pragma once

#include "core/data/FileLimits.h"
#include "layouts/support/Diagnostic.h"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <vector>

namespace lanescope::core {

/// Which file it was, and in which state: another file of that name, or another content, has another stamp.
struct FileStamp {
  uint64_t device = 0, inode = 0;
  int64_t size = 0, changed = 0; // bytes; nanoseconds since 1970
  bool operator==(const FileStamp &) const = default;
};

/// A regular file's bytes, at most what `role` allows. Errors: "file-access" where the name is absolute, has `..` in
/// it, goes through a link, or is no regular file's; "unreadable-file".
Result<std::vector<std::byte>> readBeneath(const std::filesystem::path &folder, const std::filesystem::path &name,
                                           FileRole role);
/// The same as text; the source is called by the whole path.
Result<SourceRef> readSourceBeneath(const std::filesystem::path &folder, const std::filesystem::path &name,
                                    FileRole role);
/// Error unless `name` is a folder below `folder` that no link leads to. Errors as those of readBeneath.
Result<void> checkFolderBeneath(const std::filesystem::path &folder, const std::filesystem::path &name);
/// The stamp of the regular file of that name; nothing where there is none.
std::optional<FileStamp> stampBeneath(const std::filesystem::path &folder, const std::filesystem::path &name);
/// Makes the file, written beside it first and renamed, so that a reader never sees half of it. What is there already
/// is replaced only where it is the file that `replacing` is the stamp of. Errors: "file-exists" where another one is
/// there, "file-access" as of readBeneath, "unwritable-file".
Result<FileStamp> writeBeneath(const std::filesystem::path &folder, const std::filesystem::path &name,
                               std::span<const std::byte> bytes, const std::optional<FileStamp> &replacing = {});

} // namespace lanescope::core
