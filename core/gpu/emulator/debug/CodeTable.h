// A program's code by lines. The table has the instructions of each line of the snippet or the PTX, the places at which
// a line's code begins, and the instructions that synchronise or start asynchronous work.
#pragma once

#include "core/gpu/emulator/debug/DebugTypes.h"
#include "core/gpu/emulator/machine/Grid.h"

#include <vector>

namespace lanescope::core::emulator {

class CodeTable {
public:
  explicit CodeTable(const Grid &grid);

  /// The line of the instruction, from 1; 0 if it has none.
  uint32_t line(uint32_t pc, bool inSnippet) const { return (inSnippet ? snippetLines_ : ptxLines_)[pc]; }
  /// The instruction's line in the snippet or, if it has none there, in the PTX.
  uint32_t line(uint32_t pc) const { return snippetLines_[pc] ? snippetLines_[pc] : ptxLines_[pc]; }
  bool hasSnippet() const { return grid_.snippet != nullptr; }
  /// True if control may enter the line here from another line.
  bool beginsLine(uint32_t pc) const { return beginsLine_[pc]; }
  /// The pcs at which a breakpoint on the line stops: the line's first instruction in each basic block. Empty if the
  /// line has no code.
  std::vector<uint32_t> entries(uint32_t line, bool inSnippet) const;
  bool isEvent(uint32_t pc) const { return events_[pc]; }
  /// The lines that have code, in ascending order.
  std::vector<uint32_t> lines(bool inSnippet) const;
  CodePlace place(uint32_t pc, uint32_t lanes) const;
  size_t size() const { return ptxLines_.size(); }

private:
  const Grid &grid_;
  // By pc; blocks_: the first pc of the instruction's basic block.
  std::vector<uint32_t> ptxLines_, snippetLines_, blocks_;
  std::vector<bool> beginsLine_, events_;
};

} // namespace lanescope::core::emulator
