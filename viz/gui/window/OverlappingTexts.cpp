#include "viz/gui/window/OverlappingTexts.h"

#include "layouts/support/Utf8.h"
#include "viz/gui/window/DrawnGlyphs.h"

#include <cmath>
#include <cstdint>
#include <set>

namespace lanescope::viz {

namespace {

// Two glyphs may share this many pixels, because the boxes of consecutive lines touch each other.
constexpr float kShared = 2;
constexpr unsigned kOpaque = 250;

unsigned alphaOf(const ImDrawVert &vertex) { return vertex.col >> IM_COL32_A_SHIFT & 255; }

/// A visible part of a text.
struct Glyph {
  ImVec2 from, to; // after clipping
  uint32_t text = 0, order = 0;
};

/// For each pixel: the last opaque part that was drawn there.
class Ground {
public:
  explicit Ground(const ImDrawData &drawn)
      : corner_(drawn.DisplayPos), width_(static_cast<int>(drawn.DisplaySize.x)),
        height_(static_cast<int>(drawn.DisplaySize.y)),
        last_(static_cast<size_t>(std::max(width_, 0)) * static_cast<size_t>(std::max(height_, 0))) {}

  void cover(const DrawnPart &part, uint32_t order) {
    for (size_t n = 0; n < (part.rectangle ? 4 : 3); ++n)
      if (alphaOf(*part.corners[n]) < kOpaque)
        return;
    triangle(part.corners[0]->pos, part.corners[1]->pos, part.corners[2]->pos, part.clip, order);
    if (part.rectangle)
      triangle(part.corners[0]->pos, part.corners[2]->pos, part.corners[3]->pos, part.clip, order);
  }
  /// True if at least one of five places in the glyph is not covered by a later part.
  bool shows(const Glyph &glyph) const {
    for (auto [x, y] : {std::pair{0.5f, 0.5f}, {0.25f, 0.25f}, {0.75f, 0.25f}, {0.25f, 0.75f}, {0.75f, 0.75f}}) {
      int column = static_cast<int>(std::lerp(glyph.from.x, glyph.to.x, x) - corner_.x);
      int row = static_cast<int>(std::lerp(glyph.from.y, glyph.to.y, y) - corner_.y);
      if (column >= 0 && column < width_ && row >= 0 && row < height_ &&
          last_[static_cast<size_t>(row) * static_cast<size_t>(width_) + static_cast<size_t>(column)] < glyph.order)
        return true;
    }
    return false;
  }

private:
  /// A row of pixels counts as covered if its middle is covered.
  void triangle(ImVec2 a, ImVec2 b, ImVec2 c, const ImVec4 &clip, uint32_t order) {
    float top = std::max(std::min({a.y, b.y, c.y}), clip.y), bottom = std::min(std::max({a.y, b.y, c.y}), clip.w);
    int first = std::max(static_cast<int>(std::ceil(top - corner_.y - 0.5f)), 0);
    int last = std::min(static_cast<int>(std::ceil(bottom - corner_.y - 0.5f)), height_);
    for (int row = first; row < last; ++row) {
      float y = static_cast<float>(row) + 0.5f + corner_.y, left = clip.z, right = clip.x;
      for (auto [from, to] : {std::pair{a, b}, {b, c}, {c, a}}) {
        if ((y < from.y) == (y < to.y))
          continue;
        float x = from.x + (to.x - from.x) * (y - from.y) / (to.y - from.y);
        left = std::min(left, x);
        right = std::max(right, x);
      }
      left = std::max(left, clip.x);
      right = std::min(right, clip.z);
      int begin = std::max(static_cast<int>(std::ceil(left - corner_.x - 0.5f)), 0);
      int end = std::min(static_cast<int>(std::ceil(right - corner_.x - 0.5f)), width_);
      if (begin < end)
        std::fill(last_.begin() + (static_cast<long>(row) * width_ + begin),
                  last_.begin() + (static_cast<long>(row) * width_ + end), order);
    }
  }

  ImVec2 corner_;
  int width_ = 0, height_ = 0;
  std::vector<uint32_t> last_;
};

/// The texts of a frame, and the glyphs of each text.
class Texts {
public:
  void add(const KnownGlyph &known, const DrawnPart &part, uint32_t order) {
    const ImDrawVert &from = *part.corners[0], &to = *part.corners[2];
    Glyph glyph{{std::max(from.pos.x, part.clip.x), std::max(from.pos.y, part.clip.y)},
                {std::min(to.pos.x, part.clip.z), std::min(to.pos.y, part.clip.w)},
                0,
                order};
    if (glyph.from.x >= glyph.to.x || glyph.from.y >= glyph.to.y || alphaOf(from) < 40)
      return end();
    float baseline = from.pos.y - known.glyph->Y0, size = known.font->FontSize;
    if (!open_ || known.font != font_ || std::abs(baseline - baseline_) > 1 || from.pos.x < right_ - 4 ||
        from.pos.x > right_ + size) {
      open_ = true;
      words.emplace_back();
    } else if (from.pos.x > right_ + size * 0.2f) {
      words.back() += ' ';
    }
    font_ = known.font, baseline_ = baseline, right_ = to.pos.x;
    appendCharacter(words.back(), static_cast<char32_t>(known.glyph->Codepoint));
    glyph.text = static_cast<uint32_t>(words.size() - 1);
    glyphs.push_back(glyph);
  }
  void end() { open_ = false; }

  std::vector<std::string> words;
  std::vector<Glyph> glyphs;

private:
  bool open_ = false;
  const ImFont *font_ = nullptr;
  float baseline_ = 0, right_ = 0;
};

} // namespace

std::vector<std::pair<std::string, std::string>> overlappingTexts(const ImDrawData &drawn, const ImFontAtlas &atlas) {
  GlyphTable table(atlas, {});
  Ground ground(drawn);
  Texts texts;
  uint32_t order = 0;
  forDrawnParts(
      drawn, atlas,
      [&](const DrawnPart &part) {
        ++order;
        bool glyph = part.rectangle && part.ofAtlas && part.corners[0]->uv.x != part.corners[2]->uv.x;
        if (!glyph)
          return ground.cover(part, order);
        if (auto known = table.find(part.corners[0]->uv, part.corners[2]->uv))
          texts.add(*known, part, order);
      },
      [&] { texts.end(); });
  std::erase_if(texts.glyphs, [&](const Glyph &glyph) { return !ground.shows(glyph); });
  // Glyphs are grouped by rows of 32 pixels, so that only glyphs near to each other are compared.
  constexpr float kRow = 32;
  std::map<int, std::vector<const Glyph *>> rows;
  for (const Glyph &glyph : texts.glyphs)
    for (int row = static_cast<int>(glyph.from.y / kRow); row <= static_cast<int>(glyph.to.y / kRow); ++row)
      rows[row].push_back(&glyph);
  std::set<std::pair<uint32_t, uint32_t>> found;
  for (auto &[row, glyphs] : rows) {
    std::ranges::sort(glyphs, {}, [](const Glyph *glyph) { return glyph->from.x; });
    for (size_t n = 0; n < glyphs.size(); ++n)
      for (size_t m = n + 1; m < glyphs.size() && glyphs[m]->from.x < glyphs[n]->to.x - kShared; ++m) {
        const Glyph &a = *glyphs[n], &b = *glyphs[m];
        bool same =
            a.text == b.text || (texts.words[a.text] == texts.words[b.text] &&
                                 std::abs(a.from.x - b.from.x) <= kShared && std::abs(a.from.y - b.from.y) <= kShared);
        float width = std::min(a.to.x, b.to.x) - std::max(a.from.x, b.from.x);
        float height = std::min(a.to.y, b.to.y) - std::max(a.from.y, b.from.y);
        if (!same && width > kShared && height > kShared)
          found.emplace(std::min(a.text, b.text), std::max(a.text, b.text));
      }
  }
  std::vector<std::pair<std::string, std::string>> out;
  for (auto [under, over] : found)
    out.emplace_back(texts.words[under], texts.words[over]);
  return out;
}

} // namespace lanescope::viz
