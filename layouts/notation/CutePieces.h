// What the files of CuTe's notations share. Private to notation/.
#pragma once

#include "layouts/cute/CuteLayout.h"

#include <string_view>
#include <utility>
#include <vector>

namespace lanescope::layouts {

/// Whether a text begins with a heading or a label of CuTe's printouts of atoms.
bool looksLikePrintout(std::string_view text);
/// The operand that stands for a printout by itself: the accumulator, a tiled copy's layout, an atom's destination.
size_t mainOperand(const std::vector<std::pair<std::string, cute::CuteLayout>> &operands);

} // namespace lanescope::layouts
