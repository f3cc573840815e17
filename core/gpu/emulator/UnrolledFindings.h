// One finding for the instructions of an unrolled loop, in PTX that names no source lines: products, copies of
// registers and loads stand there as often as the compiler unrolled them, each at a line of its own.
//
//   UnrolledFindings unrolled(grid);
//   if (!unrolled.take(diagnostics, finding)) diagnostics.push_back(finding);   // true: as one that is there
//   unrolled.addNotes(diagnostics);       // "so do 3 more `wgmma.mma_async…` up to here"
//
// Two findings are one where they are of the same kind and opcode, and what stands between them neither branches nor
// synchronises: what is missing is missing for both at one place.
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
  std::map<size_t, More> more_; // by index of the finding that stands for them
};

} // namespace lanescope::core::emulator
