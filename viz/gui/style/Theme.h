// Fonts and colours of the window: two themes, one scale.
//
// Fonts are DejaVu Sans for words and JetBrains Mono for code and cells, found at run time: those installed with the
// program, else Debian's (fonts-dejavu-core, fonts-jetbrains-mono). Without them Dear ImGui's built-in font is used.
// Text and its ground keep a contrast of at least 4.5 to 1.
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

  /// Pixels of a length given for scale 1.
  float px(float length) const { return length * scale; }
  SceneStyle sceneStyle() const;
  /// Of the lines over copies: seen on all fills; fainter where text above them is to be read.
  ImU32 hatch(bool underText = false) const {
    return dark ? IM_COL32(255, 255, 255, underText ? 48 : 96) : IM_COL32(20, 25, 30, underText ? 48 : 96);
  }
  ImU32 ansiColour(uint8_t palette) const;
  /// Ink or paper, whichever reads better on `fill`.
  static ImU32 inkOn(uint32_t fill);
};

/// Colours and spacing into `theme` and ImGui's style.
void applyTheme(Theme &theme, bool dark, float scale);
/// Puts the fonts into ImGui's atlas (which it clears) for theme.scale; the caller renews the texture.
void loadFonts(Theme &theme);
/// The first of the known places that holds the font file; empty when none does.
std::string findFont(const std::string &fileName);

inline ImVec4 toVec4(ImU32 colour) { return ImGui::ColorConvertU32ToFloat4(colour); }

} // namespace lanescope::viz
