#include "viz/gui/window/DrawnGlyphs.h"

namespace lanescope::viz {

GlyphTable::GlyphTable(const ImFontAtlas &atlas, std::span<const ImFont *const> without) {
  for (const ImFont *font : atlas.Fonts)
    if (std::ranges::find(without, font) == without.end())
      for (const ImFontGlyph &glyph : font->Glyphs)
        if (glyph.Visible) {
          byLeft_.emplace(std::pair(glyph.U0, glyph.V0), KnownGlyph{font, &glyph});
          byRight_.emplace(std::pair(glyph.U1, glyph.V0), KnownGlyph{font, &glyph});
        }
}

std::optional<KnownGlyph> GlyphTable::find(ImVec2 from, ImVec2 to) const {
  if (auto at = byLeft_.find({from.x, from.y}); at != byLeft_.end())
    return at->second;
  if (auto at = byRight_.find({to.x, from.y}); at != byRight_.end())
    return at->second;
  return std::nullopt;
}

} // namespace lanescope::viz
