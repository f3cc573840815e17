// Reads and writes files inside a folder, with names that cannot lead out of it. Each part of a name is opened in the
// folder of the part before it, without following symbolic links. The folder itself is given by the user and may be
// reached by links.
//
//   auto bytes = readBeneath("runs", "a/x.npy", role);     // an error if `a` or `x.npy` is a link
//
// A link that replaces a folder during the call is not followed either, because the opened folder stays the same
// (openat(2), O_NOFOLLOW). A hard link is the file itself, so it cannot be detected.
#pragma once

#include "core/data/Bytes.h"
#include "core/data/FileLimits.h"
#include "layouts/support/Diagnostic.h"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <vector>

namespace lanescope::core {

/// Identifies a file and its state: another file of that name, or changed content, has another stamp.
struct FileStamp {
  uint64_t device = 0, inode = 0;
  int64_t size = 0, changed = 0; // bytes; nanoseconds since 1970
  bool operator==(const FileStamp &) const = default;
};

/// Reads a regular file, at most the bytes that `role` allows. Errors: "file-access" if the name is absolute, has `..`
/// in it, goes through a link, or is not a regular file's; "unreadable-file".
Result<Bytes> readBeneath(const std::filesystem::path &folder, const std::filesystem::path &name, FileRole role);
/// Reads the file as text; the source gets the whole path as its name.
Result<SourceRef> readSourceBeneath(const std::filesystem::path &folder, const std::filesystem::path &name,
                                    FileRole role);
/// Error unless `name` is a folder below `folder` that can be reached without links. Errors: the same as of
/// readBeneath.
Result<void> checkFolderBeneath(const std::filesystem::path &folder, const std::filesystem::path &name);
/// The stamp of the regular file of that name; nothing if there is none.
std::optional<FileStamp> stampBeneath(const std::filesystem::path &folder, const std::filesystem::path &name);
/// Writes a file beside the final name and renames it, so that a reader never sees a half-written file. An existing
/// file is replaced only if `replacing` is its stamp. Errors: "file-exists" if another file has the name, "file-access"
/// as in readBeneath, "unwritable-file".
Result<FileStamp> writeBeneath(const std::filesystem::path &folder, const std::filesystem::path &name,
                               std::span<const std::byte> bytes, const std::optional<FileStamp> &replacing = {});

} // namespace lanescope::core
