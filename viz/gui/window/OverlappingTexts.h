// Finds texts in the window's last frame that are drawn over each other: two labels at one place, or a note over a
// table.
//
//   for (const auto &[under, over] : overlappingTexts(*ImGui::GetDrawData(), *ImGui::GetIO().Fonts)) …
//
// The search reads what was drawn. Two texts overlap if a glyph of each is visible and the rectangles of the two glyphs
// share more than two pixels in each direction. A glyph is not visible if something opaque covers it. So popups, hints
// and windows may be over texts, if their background hides the texts. A text that is drawn twice at one place, for its
// outline, counts once.
#pragma once

#include <imgui.h>

#include <string>
#include <utility>
#include <vector>

namespace lanescope::viz {

/// The two texts of each overlap, with the lower one first. There are no duplicates.
std::vector<std::pair<std::string, std::string>> overlappingTexts(const ImDrawData &drawn, const ImFontAtlas &atlas);

} // namespace lanescope::viz
