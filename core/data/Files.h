// Whole files as bytes and text, with errors that name the file and the reason.
//
//   auto source = readSource("launch.json");   // Result<SourceRef>
#pragma once

#include "layouts/support/Diagnostic.h"

#include <cstddef>
#include <filesystem>
#include <span>
#include <vector>

namespace lanescope::core {

/// The whole file. Errors: kind "unreadable-file"; a directory, or one larger than `limit` bytes, is an error too.
Result<std::vector<std::byte>> readFile(const std::filesystem::path &path, uint64_t limit = uint64_t{1} << 35);
/// The same as text that diagnostics can point into; at most 1 GiB. Errors point at the file's start.
Result<SourceRef> readSource(const std::filesystem::path &path);
/// Replaces the file: written beside it first and renamed, so that a reader never sees half of it. A link stays one,
/// and a file keeps its permissions; what is no file, a pipe or a device, is written to. Errors: kind
/// "unwritable-file".
Result<void> writeFile(const std::filesystem::path &path, std::span<const std::byte> bytes);
Result<void> writeFile(const std::filesystem::path &path, std::string_view text);

/// What a gzip stream holds, at most `limit` bytes of it. `name` is for messages. Errors: kind "gzip".
Result<std::string> gunzip(std::string_view bytes, const std::string &name, uint64_t limit);
bool isGzip(std::string_view bytes);

} // namespace lanescope::core
