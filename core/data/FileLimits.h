// The largest number of bytes that Lanescope reads from a file, by the file's role. docs/limits.md shows this table.
//
//   readSource("launch.json", FileRole::Json)        // error if the file is larger than 64 MiB
//
// A limit keeps an untrusted file from taking all memory or time. Below it, `--memory` applies as well:
// ProcessMemory.h.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace lanescope::core {

enum class FileRole : uint8_t { Snippet, Ptx, Module, Trace, Json, Script, Text, Array, Archive, Device };

struct FileLimit {
  FileRole role;
  uint64_t mebibytes;
  std::string_view what;
  constexpr uint64_t bytes() const { return mebibytes << 20; }
};

inline constexpr auto kFileLimits = std::to_array<FileLimit>({
    {FileRole::Snippet, 16, "a snippet, or a module that one imports"},
    {FileRole::Ptx, 256, "a `.ptx` file"},
    {FileRole::Module, 64, "a module of MLIR, also with every alias written out"},
    {FileRole::Trace, 1024, "a trace, also after it was expanded from gzip"},
    {FileRole::Json, 64, "a launch description, a package's description, notes, a workspace, an entry of a cache"},
    {FileRole::Script, 1, "commands for the window or the debugger"},
    {FileRole::Text, 64, "any other text"},
    {FileRole::Array, 16385, "a `.npy` file"},
    {FileRole::Archive, 16384, "a `.npz` file, and all of its arrays together after they were expanded"},
    {FileRole::Device, 64, "a device such as `/dev/stdin` on a terminal, whatever is read from it"},
});

constexpr const FileLimit &limitOf(FileRole role) { return kFileLimits[static_cast<size_t>(role)]; }

static_assert([] {
  for (size_t n = 0; n < kFileLimits.size(); ++n)
    if (kFileLimits[n].role != static_cast<FileRole>(n))
      return false;
  return true;
}());

} // namespace lanescope::core
