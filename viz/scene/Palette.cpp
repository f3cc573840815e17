#include "viz/scene/Palette.h"

#include <algorithm>
#include <cmath>

namespace lanescope::viz {
namespace {

struct Shades {
  Colour light, dark;
};
// The light and the dark end of each warp's colours for lanes. Dark text has a contrast of at least 5 on all of them.
constexpr Shades kWarps[] = {{{222, 239, 251}, {98, 178, 228}},  {{254, 240, 209}, {238, 174, 52}},
                             {{213, 242, 231}, {70, 186, 146}},  {{248, 226, 238}, {214, 140, 181}},
                             {{252, 248, 206}, {224, 209, 66}},  {{253, 226, 211}, {240, 148, 108}},
                             {{223, 229, 247}, {138, 164, 224}}, {{234, 236, 239}, {163, 170, 177}}};

constexpr Colour kHues[] = {{140, 200, 238}, {243, 192, 75}, {108, 203, 169}, {227, 166, 198},
                            {244, 236, 132}, {236, 134, 96}, {131, 156, 214}, {213, 218, 223}};

constexpr Colour kScale[] = {{255, 247, 205}, {154, 216, 181}, {88, 166, 205}};

double channel(uint8_t value) {
  double v = value / 255.0;
  return v <= 0.04045 ? v / 12.92 : std::pow((v + 0.055) / 1.055, 2.4);
}

double luminance(Colour c) { return 0.2126 * channel(c.r) + 0.7152 * channel(c.g) + 0.0722 * channel(c.b); }

} // namespace

Colour mix(Colour a, Colour b, double t) {
  auto part = [t](uint8_t x, uint8_t y) { return static_cast<uint8_t>(std::lround(x + (y - x) * t)); };
  return {part(a.r, b.r), part(a.g, b.g), part(a.b, b.b), part(a.a, b.a)};
}

Colour laneColour(int warp, int lane, int lanes) {
  const Shades &shades = kWarps[warp & 7];
  int last = std::max(lanes - 1, 1);
  return mix(shades.light, shades.dark, std::clamp(lane, 0, last) / static_cast<double>(last));
}

Colour threadColour(const layouts::ElementMap &map, int thread) {
  return laneColour(map.warpOf(thread), map.laneOf(thread), map.threadsPerWarp());
}

Colour warpColour(int warp) { return laneColour(warp, 16); }

Colour bankColour(int64_t bank) {
  constexpr double kStep = 0.16; // how far each further bank of a group is moved towards white
  return mix(hue(bank / 4 % 8), kPaper, 0.48 - kStep * static_cast<double>(bank % 4));
}

Colour hue(int64_t index) { return kHues[((index % 8) + 8) % 8]; }

Colour itemColour(int64_t index, int64_t count) {
  if (count <= 8)
    return hue(index);
  double t = 2.0 * std::clamp<int64_t>(index, 0, count - 1) / static_cast<double>(count - 1);
  return t <= 1 ? mix(kScale[0], kScale[1], t) : mix(kScale[1], kScale[2], t - 1);
}

double contrast(Colour a, Colour b) {
  double la = luminance(a), lb = luminance(b);
  return (std::max(la, lb) + 0.05) / (std::min(la, lb) + 0.05);
}

std::string hex(Colour colour) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string out = "#";
  for (uint8_t c : {colour.r, colour.g, colour.b}) {
    out += kDigits[c >> 4];
    out += kDigits[c & 15];
  }
  return out;
}

} // namespace lanescope::viz
