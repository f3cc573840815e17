// Finds texts that the window's last frame cut off at a side: a label wider than its button, a sentence beyond its
// panel.
//
//   for (const std::string &text : cutTexts(*ImGui::GetDrawData(), *ImGui::GetIO().Fonts, code)) …     "Whole pictu"
//
// The search reads the drawn quads. A glyph is cut if its quad is narrower than the font's, or if it extends beyond its
// command's rectangle. A text shortened with an ellipsis counts as whole. A text that ends above or below also counts
// as whole, because lists scroll.
#pragma once

#include <imgui.h>

#include <span>
#include <string>
#include <vector>

namespace lanescope::viz {

/// The visible parts of cut texts, each once. Texts in the fonts of `code` are ignored, because code scrolls sideways.
std::vector<std::string> cutTexts(const ImDrawData &drawn, const ImFontAtlas &atlas,
                                  std::span<const ImFont *const> code);

} // namespace lanescope::viz
