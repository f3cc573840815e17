// Merges the findings of an unrolled loop in PTX that names no source lines. In such PTX, each unrolled iteration
// repeats products, copies of registers and loads on lines of its own.
//
//   UnrolledFindings unrolled(grid);
//   if (!unrolled.take(diagnostics, finding)) diagnostics.push_back(finding);   // true: merged into another
//   unrolled.addNotes(diagnostics);       // "so do 3 more `wgmma.mma_async…` up to here"
//
// Two findings are merged if they have the same kind and opcode, and if the code between them neither branches nor
// synchronises. In this case, one missing synchronisation causes both.
#pragma once

#include "core/gpu/emulator/machine/Grid.h"
#include "layouts/support/Diagnostic.h"

#include <cstdint>
#include <map>

namespace lanescope::core::emulator {

class UnrolledFindings {
public:
  explicit UnrolledFindings(const Grid &grid) : grid_(grid) {}
  bool take(const Diagnostics &told, const Diagnostic &finding);
  void addNotes(Diagnostics &told) const;

private:
  struct More {
    uint64_t count = 0;
    Span last;
  };
  bool areUnrolled(const Diagnostic &a, const Diagnostic &b) const;
  std::string_view opcodeAt(uint32_t offset) const;

  const Grid &grid_;
  std::map<size_t, More> more_; // by the index of the finding that represents the merged ones
};

} // namespace lanescope::core::emulator
