// Checkpoints of runs in parts (core/gpu/emulator/parts). No crash, and no more memory than a few times the file. The
// fuzzer's input comes after the first line, whose checksum is right; the input as a whole file is read, too. A
// checkpoint that is accepted has whole pages.
#include "core/gpu/emulator/parts/Checkpoint.h"

#include <cstdio>
#include <cstdlib>
#include <zlib.h>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  using namespace lanescope::core;
  constexpr char kKey[] = "key";
  std::string_view input(reinterpret_cast<const char *>(data), size);
  char line[64];
  std::snprintf(line, sizeof line, "lanescope checkpoint 2 %08x\n", static_cast<unsigned>(::crc32_z(0, data, size)));
  for (const std::string &file : {std::string(input), line + std::string(input)}) {
    auto read = emulator::parseCheckpoint(file, kKey, "fuzz");
    if (!read && render(read.error()).empty())
      std::abort();
    if (!read)
      continue;
    for (const auto &[number, changed] : read->memory.regions)
      if (changed.contentBytes() != changed.contents.size())
        std::abort();
    if (emulator::checkpointSize(*read) > 8 * size)
      std::abort();
  }
  return 0;
}
