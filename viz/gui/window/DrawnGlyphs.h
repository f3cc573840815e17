// Finds the glyphs of a frame among the drawn rectangles: those whose corners in the atlas are the corners of a glyph.
//
//   GlyphTable table(atlas, {});
//   forDrawnParts(drawn, atlas, [&](const DrawnPart &part) {
//     if (auto known = part.rectangle ? table.find(…) : std::nullopt) …
//   });
#pragma once

#include <imgui.h>

#include <algorithm>
#include <map>
#include <optional>
#include <span>

namespace lanescope::viz {

/// A glyph and its place in the atlas.
struct KnownGlyph {
  const ImFont *font;
  const ImFontGlyph *glyph;
};

class GlyphTable {
public:
  /// All glyphs of the atlas, except those of the fonts in `without`.
  GlyphTable(const ImFontAtlas &atlas, std::span<const ImFont *const> without);
  /// The glyph of a rectangle, found by the rectangle's upper left and lower right corner in the atlas. One side may
  /// have been cut off.
  std::optional<KnownGlyph> find(ImVec2 from, ImVec2 to) const;

private:
  std::map<std::pair<float, float>, KnownGlyph> byLeft_, byRight_; // by one side and the top
};

/// One drawn part: a rectangle (two triangles that share a diagonal), or one triangle.
struct DrawnPart {
  bool rectangle = false;
  bool ofAtlas = true; // false: the part uses another texture, which is a picture
  const ImDrawVert *corners[4]{};
  ImVec4 clip; // within the window
};

/// Calls `visit` for each part in the order of drawing, and `end` after each command.
template <typename Visit, typename End>
void forDrawnParts(const ImDrawData &drawn, const ImFontAtlas &atlas, Visit visit, End end) {
  for (int n = 0; n < drawn.CmdListsCount; ++n) {
    const ImDrawList &list = *drawn.CmdLists[n];
    for (const ImDrawCmd &command : list.CmdBuffer) {
      if (command.UserCallback)
        continue;
      auto index = [&](unsigned i) { return list.IdxBuffer[static_cast<int>(command.IdxOffset + i)]; };
      auto vertex = [&](unsigned i) { return &list.VtxBuffer[static_cast<int>(index(i) + command.VtxOffset)]; };
      const ImVec2 corner = drawn.DisplayPos, size = drawn.DisplaySize; // the edge of the window also cuts off parts
      const ImVec4 clip{std::max(command.ClipRect.x, corner.x), std::max(command.ClipRect.y, corner.y),
                        std::min(command.ClipRect.z, corner.x + size.x),
                        std::min(command.ClipRect.w, corner.y + size.y)};
      const bool ofAtlas = command.GetTexID() == atlas.TexID;
      // A rectangle is two triangles that share a diagonal. Lines and curves consist of other triangles.
      for (unsigned i = 0; i + 3 <= command.ElemCount;) {
        bool rectangle = i + 6 <= command.ElemCount && index(i) == index(i + 3) && index(i + 2) == index(i + 4) &&
                         index(i + 5) == index(i + 2) + 1;
        if (rectangle)
          visit(DrawnPart{true, ofAtlas, {vertex(i), vertex(i + 1), vertex(i + 2), vertex(i + 5)}, clip});
        else
          visit(DrawnPart{false, ofAtlas, {vertex(i), vertex(i + 1), vertex(i + 2), nullptr}, clip});
        i += rectangle ? 6 : 3;
      }
      end();
    }
  }
}

} // namespace lanescope::viz
