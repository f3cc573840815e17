// Declarations that the files of CuTe's notations share. Private to notation/.
#pragma once

#include "layouts/cute/CuteLayout.h"

#include <optional>
#include <string_view>
#include <utility>
#include <vector>

namespace lanescope::layouts {

/// True if a text begins with a heading or a label of CuTe's printouts of atoms.
bool looksLikePrintout(std::string_view text);
/// The label at the start of a printout's line, under CuTe's C++ name: `LayoutC_TV`. It is empty for a heading such as
/// `TiledMMA`, and nothing for other lines.
std::optional<std::string_view> printoutLabel(std::string_view line);
/// The lines of a printout in a larger text. They must be read together, because the sizes of the atom give the shapes
/// of its layouts.
struct PrintedBlock {
  struct Operand {
    Span span; // the line of the main operand's label
    std::string label;
    cute::CuteLayout layout;
  };
  std::vector<Operand> operands;
  size_t end = 0; // end of the block's last line
};
/// The block whose first line begins at `begin`; nothing if the labelled lines there do not read as a whole.
std::optional<PrintedBlock> printedBlock(const SourceRef &source, size_t begin);
/// A (thread, value) layout of an atom. A ThrID that leaves the threads' numbers unchanged is dropped.
Result<cute::CuteLayout> operandLayout(std::string label, cute::Layout layout, std::optional<Shape> tile,
                                       const std::optional<cute::Layout> &threadIds);
/// The operand that represents a whole printout: the accumulator, a tiled copy's layout, an atom's destination.
size_t mainOperand(const std::vector<std::pair<std::string, cute::CuteLayout>> &operands);

} // namespace lanescope::layouts
