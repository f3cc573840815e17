// What the files of CuTe's notations share. Private to notation/.
#pragma once

#include "layouts/cute/CuteLayout.h"

#include <optional>
#include <string_view>
#include <utility>
#include <vector>

namespace lanescope::layouts {

/// Whether a text begins with a heading or a label of CuTe's printouts of atoms.
bool looksLikePrintout(std::string_view text);
/// The label that a line of a printout begins with by CuTe's C++ name, `LayoutC_TV`; empty for a heading such as
/// `TiledMMA`, nothing for other lines.
std::optional<std::string_view> printoutLabel(std::string_view line);
/// The lines of a printout in a larger text, whose labels belong together: an atom's sizes say what its layouts are of.
struct PrintedBlock {
  struct Operand {
    Span span; // the line of its label
    std::string label;
    cute::CuteLayout layout;
  };
  std::vector<Operand> operands;
  size_t end = 0; // of its last line
};
/// The block whose first line begins at `begin`; nothing where the lines with labels there do not read as a whole.
std::optional<PrintedBlock> printedBlock(const SourceRef &source, size_t begin);
/// A (thread, value) layout of an atom; a ThrID that numbers the threads as they are is left out.
Result<cute::CuteLayout> operandLayout(std::string label, cute::Layout layout, std::optional<Shape> tile,
                                       const std::optional<cute::Layout> &threadIds);
/// The operand that stands for a printout by itself: the accumulator, a tiled copy's layout, an atom's destination.
size_t mainOperand(const std::vector<std::pair<std::string, cute::CuteLayout>> &operands);

} // namespace lanescope::layouts
