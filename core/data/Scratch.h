// The scratch folder of this process: where arrays lie that exceed its limit on memory (`--scratch DIR`).
//
//   LANESCOPE_CHECK(useScratch("/var/tmp"));             // at a program's start
//   LANESCOPE_CHECK(reserveBytes(size, "the array"));    // room in memory or in the folder
//   Bytes bytes(size);
//
// Half of the limit (ProcessMemory.h) is for Bytes in memory; all further ones lie in files. A file has no name, so it
// is gone when the process ends, in whatever way. Its blocks on the disk are allocated before it is mapped: a disk that
// is full is an error of reserveBytes(), or memory is taken from the heap. It never ends the process by a signal.
//
// The pages of files count as memory of this process while it uses them. A thread takes them back when they exceed the
// limit. They then stay in the system's cache as long as it has room for them.
#pragma once

#include "core/data/Bytes.h"
#include "layouts/support/Diagnostic.h"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace lanescope::core {

/// From now on, Bytes beyond the limit lie in files of the folder. Call it once, before any Bytes are made. Error
/// "scratch-folder": there is no such folder, no file can be made in it, or it lies in memory itself.
Result<void> useScratch(const std::filesystem::path &folder);
/// The folder, to be passed to child processes; nothing if there is none.
std::optional<std::filesystem::path> scratchFolder();

/// Like reserveMemory(), for Bytes. If memory has no room for them, there must be room in the scratch folder.
Result<void> reserveBytes(uint64_t bytes, std::string_view what);
Result<void> reserveBytes(uint64_t bytes, std::string_view what, uint64_t limit);

/// Takes the pages of files out of this process's memory. Their contents stay, and return when they are used.
void releasePages();
/// The bytes that lie in files now.
uint64_t scratchBytes();
/// "; `DIR` has no room for 20 MiB: No space left on device" after a file could not be made; empty otherwise.
std::string scratchProblem();

} // namespace lanescope::core
