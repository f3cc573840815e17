// A program's code by lines: which instructions belong to a line of the snippet or of the PTX, where a line's code
// begins, which instructions synchronise or issue what runs beside the warps.
#pragma once

#include "core/gpu/emulator/debug/DebugTypes.h"
#include "core/gpu/emulator/machine/Grid.h"

#include <vector>

namespace lanescope::core::emulator {

class CodeTable {
public:
  explicit CodeTable(const Grid &grid);

  /// From 1; 0: none.
  uint32_t line(uint32_t pc, bool inSnippet) const { return (inSnippet ? snippetLines_ : ptxLines_)[pc]; }
  /// Of the snippet where there is one, else of the PTX.
  uint32_t line(uint32_t pc) const { return snippetLines_[pc] ? snippetLines_[pc] : ptxLines_[pc]; }
  bool hasSnippet() const { return grid_.snippet != nullptr; }
  /// A control flow that comes from before may enter the line here.
  bool beginsLine(uint32_t pc) const { return beginsLine_[pc]; }
  /// Where a stop at the line is: its first instruction in each basic block. Empty: none was made of it.
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
