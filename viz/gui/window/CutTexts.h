// Finds texts that the window's last frame has cut off at a side: a label that is wider than its button, or a sentence
// that extends beyond its panel.
//
//   for (const std::string &text : cutTexts(*ImGui::GetDrawData(), *ImGui::GetIO().Fonts, code)) …     "Whole pictu"
//
// The search reads the rectangles that were drawn. A glyph is cut off if its rectangle is narrower than the font's
// glyph, or if it extends beyond the rectangle of its draw command. A text that is shortened with an ellipsis is not
// reported. The same holds for a text that is cut off above or below, because lists scroll.
#pragma once

#include <imgui.h>

#include <span>
#include <string>
#include <vector>

namespace lanescope::viz {

/// The visible parts of texts that were cut off, without duplicates. Texts in the fonts of `code` are ignored, because
/// code scrolls sideways.
std::vector<std::string> cutTexts(const ImDrawData &drawn, const ImFontAtlas &atlas,
                                  std::span<const ImFont *const> code);

} // namespace lanescope::viz
