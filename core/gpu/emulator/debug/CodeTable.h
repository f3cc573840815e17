// A program's code by lines: the instructions of each line of the snippet or the PTX, where a line's code begins, and
// the instructions that synchronise or start asynchronous work.
#pragma once

#include "core/gpu/emulator/debug/DebugTypes.h"
#include "core/gpu/emulator/machine/Grid.h"

#include <vector>

namespace lanescope::core::emulator {

class CodeTable {
public:
  explicit CodeTable(const Grid &grid);

  /// The instruction's line, from 1; 0: none.
  uint32_t line(uint32_t pc, bool inSnippet) const { return (inSnippet ? snippetLines_ : ptxLines_)[pc]; }
  /// The line in the snippet if it has one there, else in the PTX.
  uint32_t line(uint32_t pc) const { return snippetLines_[pc] ? snippetLines_[pc] : ptxLines_[pc]; }
  bool hasSnippet() const { return grid_.snippet != nullptr; }
  /// True if control may enter the line here from another line.
  bool beginsLine(uint32_t pc) const { return beginsLine_[pc]; }
  /// Where a breakpoint at the line stops: at its first instruction in each basic block. Empty: the line has no code.
  std::vector<uint32_t> entries(uint32_t line, bool inSnippet) const;
  bool isEvent(uint32_t pc) const { return events_[pc]; }
  /// Ascending, each once.
  std::vector<uint32_t> lines(bool inSnippet) const;
  CodePlace place(uint32_t pc, uint32_t lanes) const;
  size_t size() const { return ptxLines_.size(); }

private:
  const Grid &grid_;
  std::vector<uint32_t> ptxLines_, snippetLines_, blocks_; // by pc; blocks_: first pc of its basic block
  std::vector<bool> beginsLine_, events_;
};

} // namespace lanescope::core::emulator
