// Texts that the window's last frame cut off at a side: a label wider than its button, a sentence beyond its panel.
//
//   for (const std::string &text : cutTexts(*ImGui::GetDrawData(), *ImGui::GetIO().Fonts, code)) …     "Whole pictu"
//
// Found in what was drawn: a glyph whose quad is narrower than the font's, or reaches out of its command's rectangle.
// A text that is shortened with an ellipsis is whole, and so is one that ends above or below: lists scroll.
#pragma once

#include <imgui.h>

#include <span>
#include <string>
#include <vector>

namespace lanescope::viz {

/// The parts that are drawn, each once. Texts in the fonts of `code` are passed over: code scrolls sideways.
std::vector<std::string> cutTexts(const ImDrawData &drawn, const ImFontAtlas &atlas,
                                  std::span<const ImFont *const> code);

} // namespace lanescope::viz
