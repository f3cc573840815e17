// Fonts and colours of the window: two themes, one scale.
//
// Fonts are DejaVu Sans for words and JetBrains Mono for code and cells. They are searched at run time: first among the
// fonts that are installed with the program, then among Debian's (fonts-dejavu-core, fonts-jetbrains-mono). Without
// them, Dear ImGui's built-in font is used. The contrast between text and its background is at least 4.5 to 1.
#pragma once

#include "viz/gui/style/Ansi.h"
#include "viz/gui/style/SceneStyle.h"

#include <imgui.h>

#include <string>

namespace lanescope::viz {

struct Theme {
  bool dark = true;
  float scale = 1;
  ImFont *ui = nullptr, *bold = nullptr, *mono = nullptr, *monoBold = nullptr, *small = nullptr;

  ImU32 ground, panel, field, raised, rule, ink, faint, accent, accentInk, link, good, warning, error, selection, dim,
      lit, chosen;

  /// Converts a length at scale 1 to pixels.
  float px(float length) const { return length * scale; }
  SceneStyle sceneStyle() const;
  /// The colour of the lines over copies. It is visible on all fills, and fainter under text.
  ImU32 hatch(bool underText = false) const {
    return dark ? IM_COL32(255, 255, 255, underText ? 48 : 96) : IM_COL32(20, 25, 30, underText ? 48 : 96);
  }
  ImU32 ansiColour(uint8_t palette) const;
  /// The ink or the paper colour, whichever is easier to read on `fill`.
  static ImU32 inkOn(uint32_t fill);
};

/// Sets the colours and the spacing in `theme` and in ImGui's style.
void applyTheme(Theme &theme, bool dark, float scale);
/// Loads the fonts for theme.scale into ImGui's atlas, after clearing it. The caller must then renew the texture.
void loadFonts(Theme &theme);
/// The path of the font file in the first known folder that has it; empty if none has.
std::string findFont(const std::string &fileName);

inline ImVec4 toVec4(ImU32 colour) { return ImGui::ColorConvertU32ToFloat4(colour); }

} // namespace lanescope::viz
