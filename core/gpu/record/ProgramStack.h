// The call stack of a recorded launch: where the program made it.
//
//   auto stack = programStack("recorded/scale-4711-1.lspkg");
//   stack->frames[0]     {.words = "step, train.py:12", .file = "/home/me/train.py", .line = 12}
#pragma once

#include "layouts/support/Diagnostic.h"

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace lanescope::core::record {

struct ProgramFrame {
  std::string words; // the frame as it was recorded
  std::string place; // "train.py:12 step", "main+12 (program)"; empty for a function of a library
  std::string file;  // the source of a function of Python; empty for all others
  uint32_t line = 0; // in the file
  bool python = false;
};

struct ProgramStack {
  std::string kernel;
  uint64_t launch = 0;              // its number in the process
  std::vector<ProgramFrame> frames; // innermost first; Python's come before those of shared objects

  /// The place of the innermost function of the program itself; empty: it is not known.
  std::string place() const;
};

/// Reads `recorded.json` of a package. Errors: those of a file that cannot be read.
Result<ProgramStack> programStack(const std::filesystem::path &package);

} // namespace lanescope::core::record
