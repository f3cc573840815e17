#include "viz/gui/window/CutTexts.h"

#include "layouts/support/Utf8.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>

namespace lanescope::viz {

namespace {

constexpr float kSlack = 1.01f; // pixels; glyphs are placed on whole pixels

/// A glyph of the atlas, indexed by its upper left corner there.
struct Known {
  const ImFont *font;
  const ImFontGlyph *glyph;
};
using Glyphs = std::map<std::pair<float, float>, Known>;

Glyphs glyphsOf(const ImFontAtlas &atlas, std::span<const ImFont *const> code) {
  Glyphs out;
  for (const ImFont *font : atlas.Fonts)
    if (std::ranges::find(code, font) == code.end())
      for (const ImFontGlyph &glyph : font->Glyphs)
        if (glyph.Visible)
          // Indexed by the right edge, because the left may be cut, too.
          out.emplace(std::pair(glyph.U1, glyph.V0), Known{font, &glyph});
  return out;
}

/// Adjacent glyphs of one line, which a reader sees as one text.
struct Run {
  std::string text;
  const ImFont *font = nullptr;
  float top = 0, right = -1;
  bool cut = false;
};

class Finder {
public:
  Finder(Glyphs glyphs, std::set<std::string> &out) : glyphs_(std::move(glyphs)), out_(out) {
    for (const auto &[place, known] : glyphs_)
      byLeft_.emplace(std::pair(known.glyph->U0, known.glyph->V0), known);
  }

  /// Handles the quad from `upperLeft` to `lowerRight`, if it is a glyph's.
  void quad(const ImDrawVert &upperLeft, const ImDrawVert &lowerRight, const ImVec4 &clip) {
    std::optional<Known> known = find(upperLeft.uv, lowerRight.uv);
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
  std::optional<Known> find(ImVec2 from, ImVec2 to) const {
    if (auto at = byLeft_.find({from.x, from.y}); at != byLeft_.end())
      return at->second;
    if (auto at = glyphs_.find({to.x, from.y}); at != glyphs_.end())
      return at->second;
    return std::nullopt;
  }

  Glyphs glyphs_, byLeft_;
  std::set<std::string> &out_;
  Run run_;
};

} // namespace

std::vector<std::string> cutTexts(const ImDrawData &drawn, const ImFontAtlas &atlas,
                                  std::span<const ImFont *const> code) {
  std::set<std::string> found;
  Finder finder(glyphsOf(atlas, code), found);
  for (int n = 0; n < drawn.CmdListsCount; ++n) {
    const ImDrawList &list = *drawn.CmdLists[n];
    for (const ImDrawCmd &command : list.CmdBuffer) {
      if (command.UserCallback || command.GetTexID() != atlas.TexID)
        continue;
      auto index = [&](unsigned i) { return list.IdxBuffer[static_cast<int>(command.IdxOffset + i)]; };
      auto vertex = [&](unsigned i) -> const ImDrawVert & {
        return list.VtxBuffer[static_cast<int>(index(i) + command.VtxOffset)];
      };
      const ImVec2 corner = drawn.DisplayPos, size = drawn.DisplaySize; // the window's edge cuts, too
      const ImVec4 clip{std::max(command.ClipRect.x, corner.x), std::max(command.ClipRect.y, corner.y),
                        std::min(command.ClipRect.z, corner.x + size.x),
                        std::min(command.ClipRect.w, corner.y + size.y)};
      // A rectangle is two triangles that share a diagonal. The triangles of lines and curves do not have this form.
      for (unsigned i = 0; i + 6 <= command.ElemCount;) {
        bool rectangle = index(i) == index(i + 3) && index(i + 2) == index(i + 4) && index(i + 5) == index(i + 2) + 1;
        if (rectangle)
          finder.quad(vertex(i), vertex(i + 2), clip);
        i += rectangle ? 6 : 3;
      }
      finder.end();
    }
  }
  return {found.begin(), found.end()};
}

} // namespace lanescope::viz
