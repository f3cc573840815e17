// How far a launch that runs in parts has come, as a file.
//
//   Checkpoint done = LANESCOPE_TRY(readCheckpoint(file, key));      // {} if there is no such file
//   …run the clusters from done.clusters on…
//   LANESCOPE_CHECK(writeCheckpoint(file, key, done));
//
// The file is a line with the format and a checksum of the rest, a line of JSON, and the bytes of memory that the JSON
// describes: the pages that the launch has changed. Numbers are little-endian. It is written beside its final name and
// renamed, so a reader never sees half of it. It holds the contents of the launch's arrays.
#pragma once

#include "core/gpu/emulator/Emulator.h"
#include "core/gpu/emulator/RunPart.h"

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

namespace lanescope::core::emulator {

struct Checkpoint {
  uint64_t clusters = 0; // the number of the grid's first clusters that have ended
  uint64_t parts = 0;    // the number of parts that they were run in
  EmulatorStatistics counted = {};
  std::string printed = {};
  MemoryState memory = {};
  GlobalTouches touches = {};
};

/// The size of its file, without the lines at the start.
uint64_t checkpointSize(const Checkpoint &done);
/// `key` identifies the launch, its arrays and options. Errors: "unwritable-file".
Result<void> writeCheckpoint(const std::filesystem::path &file, std::string_view key, const Checkpoint &done);
/// An empty one if there is no file of that name. Errors: "checkpoint": the file is of another launch, or damaged;
/// "unreadable-file".
Result<Checkpoint> readCheckpoint(const std::filesystem::path &file, std::string_view key);

/// The same for bytes in memory; `name` is for messages.
Result<Checkpoint> parseCheckpoint(std::string_view bytes, std::string_view key, const std::string &name);

} // namespace lanescope::core::emulator
