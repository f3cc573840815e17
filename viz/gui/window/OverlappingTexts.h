// Texts of the window's last frame that are drawn over each other: two labels at one place, a note over a table.
//
//   for (const auto &[under, over] : overlappingTexts(*ImGui::GetDrawData(), *ImGui::GetIO().Fonts)) …
//
// Found in what was drawn: two glyphs of different texts whose rectangles share more than two pixels each way, both of
// which can be seen. A glyph that something opaque covers cannot: so popups, hints and windows may lie over texts, as
// long as their ground hides these. A text that is drawn twice at one place, for its outline, counts once.
#pragma once

#include <imgui.h>

#include <string>
#include <utility>
#include <vector>

namespace lanescope::viz {

/// The two texts of each overlap, the lower one first, each pair once.
std::vector<std::pair<std::string, std::string>> overlappingTexts(const ImDrawData &drawn, const ImFontAtlas &atlas);

} // namespace lanescope::viz
