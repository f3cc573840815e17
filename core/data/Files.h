// Whole files as bytes and text, with errors that name the file and the reason.
//
//   auto source = readSource("launch.json");   // Result<SourceRef>
#pragma once

#include "core/data/FileLimits.h"
#include "layouts/support/Diagnostic.h"

#include <cstddef>
#include <filesystem>
#include <span>
#include <vector>

namespace lanescope::core {

/// Error "unreadable-file" unless the system can look for such a name: one that is empty, or holds a NUL byte, at which
/// the system would take it to end. All functions that open files here ask it first.
Result<void> checkPath(const std::filesystem::path &path);

/// The whole file. A pipe is read until its other end is closed; it is an error where nothing comes for a minute, or no
/// writer for ten seconds. Errors: kind "unreadable-file", also for a directory and for more bytes than `role` allows;
/// "out-of-memory".
Result<std::vector<std::byte>> readFile(const std::filesystem::path &path, FileRole role);
/// The same of a file that is open for reading, which stays open. `path` is for messages. A pipe has to be opened with
/// O_NONBLOCK for the time limits to hold.
Result<std::vector<std::byte>> readOpenFile(int file, const std::filesystem::path &path, FileRole role);
/// The same as text that diagnostics can point into. Errors point at the file's start.
Result<SourceRef> readSource(const std::filesystem::path &path, FileRole role = FileRole::Text);
/// Error "unreadable-file" where `bytes` are more than is read of a file that turned out to be that.
Result<void> checkSize(const std::filesystem::path &path, uint64_t bytes, FileRole role);
/// Replaces the file: written beside it first and renamed, so that a reader never sees half of it. A link stays one,
/// and a file keeps its permissions; what is no file, a pipe or a device, is written to. Errors: kind
/// "unwritable-file".
Result<void> writeFile(const std::filesystem::path &path, std::span<const std::byte> bytes);
Result<void> writeFile(const std::filesystem::path &path, std::string_view text);

/// Writes all the bytes to an open file. 0, or the problem's errno.
int writeOpenFile(int file, std::span<const std::byte> bytes);

/// A name from elsewhere, of a kernel say, as a file's: letters, digits, `_`, `-` and single dots stay, everything else
/// becomes `_`, and a long one is cut. It holds no `/`, and is neither empty nor hidden.
std::string plainFileName(std::string_view name);

/// The decompressed bytes of a gzip stream, at most `limit` of them. `name` is for messages. Errors: kind "gzip";
/// "out-of-memory".
Result<std::string> gunzip(std::string_view bytes, const std::string &name, uint64_t limit);
bool isGzip(std::string_view bytes);
/// A gzip stream of the bytes, the same for the same bytes: it holds no time and no name.
std::string gzipped(std::string_view bytes);

} // namespace lanescope::core
