#include "viz/gui/window/CutTexts.h"

#include "layouts/support/Utf8.h"
#include "viz/gui/window/DrawnGlyphs.h"

#include <cmath>
#include <set>

namespace lanescope::viz {

namespace {

constexpr float kSlack = 1.01f; // in pixels, because glyphs are placed at whole pixels

/// Adjacent glyphs in a line, which a reader sees as one text.
struct Run {
  std::string text;
  const ImFont *font = nullptr;
  float top = 0, right = -1;
  bool cut = false;
};

class Finder {
public:
  Finder(const GlyphTable &glyphs, std::set<std::string> &out) : glyphs_(glyphs), out_(out) {}

  /// Handles the rectangle from `upperLeft` to `lowerRight`, if it is that of a glyph.
  void quad(const ImDrawVert &upperLeft, const ImDrawVert &lowerRight, const ImVec4 &clip) {
    std::optional<KnownGlyph> known = glyphs_.find(upperLeft.uv, lowerRight.uv);
    if (!known)
      return;
    const ImFontGlyph &glyph = *known->glyph;
    float share = (lowerRight.uv.x - upperLeft.uv.x) / std::max(glyph.U1 - glyph.U0, 1e-9f);
    float width = lowerRight.pos.x - upperLeft.pos.x;
    bool cropped = width / std::max(share, 0.01f) - width > kSlack;
    bool beyond = upperLeft.pos.x < clip.z && lowerRight.pos.x > clip.z + kSlack;
    beyond |= upperLeft.pos.x < clip.x - kSlack && lowerRight.pos.x > clip.x;
    bool seen = upperLeft.pos.y < clip.w && lowerRight.pos.y > clip.y && upperLeft.pos.x < clip.z;
    if (!seen)
      return;
    float baseline = upperLeft.pos.y - glyph.Y0;
    if (known->font != run_.font || std::abs(baseline - run_.top) > 1 || upperLeft.pos.x < run_.right - 4 ||
        upperLeft.pos.x > run_.right + known->font->FontSize)
      end();
    if (!run_.text.empty() && upperLeft.pos.x > run_.right + known->font->FontSize * 0.2f)
      run_.text += ' ';
    run_.font = known->font, run_.top = baseline, run_.right = lowerRight.pos.x;
    appendCharacter(run_.text, static_cast<char32_t>(glyph.Codepoint));
    run_.cut |= cropped || beyond;
  }
  void end() {
    if (run_.cut)
      out_.insert(run_.text);
    run_ = {};
  }

private:
  const GlyphTable &glyphs_;
  std::set<std::string> &out_;
  Run run_;
};

} // namespace

std::vector<std::string> cutTexts(const ImDrawData &drawn, const ImFontAtlas &atlas,
                                  std::span<const ImFont *const> code) {
  std::set<std::string> found;
  GlyphTable glyphs(atlas, code);
  Finder finder(glyphs, found);
  forDrawnParts(
      drawn, atlas,
      [&](const DrawnPart &part) {
        if (part.rectangle && part.ofAtlas)
          finder.quad(*part.corners[0], *part.corners[2], part.clip);
      },
      [&] { finder.end(); });
  return {found.begin(), found.end()};
}

} // namespace lanescope::viz
