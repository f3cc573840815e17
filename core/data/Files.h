// Reads and writes whole files as bytes and text, with errors that name the file and the reason.
//
//   auto source = readSource("launch.json");   // Result<SourceRef>
#pragma once

#include "core/data/Bytes.h"
#include "core/data/FileLimits.h"
#include "layouts/support/Diagnostic.h"

#include <cstddef>
#include <filesystem>
#include <span>

namespace lanescope::core {

/// Error "unreadable-file" for a name that the system cannot look up: an empty name, or one with a NUL byte, where the
/// system would cut it off. All functions here that open files call it first.
Result<void> checkPath(const std::filesystem::path &path);

/// Reads the whole file. A pipe is read until its other end is closed. It is an error if a pipe stays silent for a
/// minute, or has no writer for ten seconds. Errors: kind "unreadable-file", also for a directory and for more bytes
/// than `role` allows; "out-of-memory".
Result<Bytes> readFile(const std::filesystem::path &path, FileRole role);
/// Reads an open file, which stays open. `path` is for messages. A pipe must have been opened with O_NONBLOCK;
/// otherwise the time limits do not work.
Result<Bytes> readOpenFile(int file, const std::filesystem::path &path, FileRole role);
/// Reads the file as text that diagnostics can point into. Errors point at the file's start.
Result<SourceRef> readSource(const std::filesystem::path &path, FileRole role = FileRole::Text);
/// Error "unreadable-file" if `bytes` exceeds the limit of the role that the file turned out to have.
Result<void> checkSize(const std::filesystem::path &path, uint64_t bytes, FileRole role);
/// Replaces the file: writes a new file in the same folder and renames it, so that a reader never sees a half-written
/// file. A link stays a link, and a file keeps its permissions. A pipe or a device is written to directly. Errors: kind
/// "unwritable-file".
Result<void> writeFile(const std::filesystem::path &path, std::span<const std::byte> bytes);
Result<void> writeFile(const std::filesystem::path &path, std::string_view text);
/// The same for the bytes of several pieces, one after the other.
Result<void> writePieces(const std::filesystem::path &path, std::span<const std::span<const std::byte>> pieces);

/// Writes all the bytes to an open file. Returns 0 or an errno.
int writeOpenFile(int file, std::span<const std::byte> bytes);

/// Turns an untrusted name, such as a kernel's, into a file's name. Letters, digits, `_`, `-` and single dots stay, all
/// other characters become `_`, and a long name is cut. The result has no `/` and is neither empty nor hidden.
std::string plainFileName(std::string_view name);

/// The decompressed bytes of a gzip stream, at most `limit` of them. `name` is for messages. Errors: kind "gzip";
/// "out-of-memory".
Result<std::string> gunzip(std::string_view bytes, const std::string &name, uint64_t limit);
bool isGzip(std::string_view bytes);
/// A gzip stream of the bytes. Equal bytes give equal streams, because the stream holds no time and no name.
std::string gzipped(std::string_view bytes);

} // namespace lanescope::core
