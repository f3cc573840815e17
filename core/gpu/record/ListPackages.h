// A table of recorded packages: what each launch was, and where the program made it.
//
//   auto row = packageRow("recorded/scale-4711-1.lspkg");
//   packageTable({*row}, false)
//     launch  grid   block    registers  us  bytes  state     from              package
//          3  4,1,1  128,1,1         16  38   8192  complete  train.py:12 step  scale-4711-1.lspkg
#pragma once

#include "layouts/support/Diagnostic.h"

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace lanescope::core::record {

struct PackageRow {
  std::string package, grid, block, state;
  std::string place;              // the innermost function of the program itself; empty: not known
  uint64_t launch = 0;            // the number of the launch in its process
  uint64_t bytes = 0;             // memory before the launch
  int registers = 0;              // per thread
  double timeUs = 0;              // on the host's clock, including waits; 0: not known
  std::vector<std::string> stack; // innermost first; Python's functions come before those of shared objects
};

/// Errors: those of a file that cannot be read.
Result<PackageRow> packageRow(const std::filesystem::path &folder);
/// A line for each package below a heading. With `stacks`, each is followed by its call stack, one function a line.
std::string packageTable(std::span<const PackageRow> rows, bool stacks);

} // namespace lanescope::core::record
