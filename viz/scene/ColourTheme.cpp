// Makes the dark theme from the light one in the OKLab space (B. Ottosson, "A perceptual color space for image
// processing", 2020), in which equal steps of lightness look equal.
#include "viz/scene/Palette.h"

#include <algorithm>
#include <cmath>

namespace lanescope::viz {
namespace {

constexpr std::pair<ColourTheme, std::string_view> kThemes[] = {{ColourTheme::Light, "light"},
                                                                {ColourTheme::Dark, "dark"}};

/// Maps the lightness on light paper to that on dark paper, by linear pieces: paper, pale fills, strong fills, ink.
constexpr std::pair<double, double> kLightness[] = {{0.0, 1.0},   {0.24, 0.955},  {0.45, 0.74},
                                                    {0.70, 0.49}, {0.955, 0.285}, {1.0, 0.185}};
constexpr double kMostChroma = 0.12, kChromaGain = 1.35, kNeutral = 0.012;
// The saturation of a fill also counts as strength. Otherwise yellow, which is very light, would become a dark brown.
// kMostFill is the highest lightness of a fill on which text is readable.
constexpr double kFill = 0.6, kStrength = 0.45, kMostFill = 0.512;

double linear(uint8_t value) {
  double v = value / 255.0;
  return v <= 0.04045 ? v / 12.92 : std::pow((v + 0.055) / 1.055, 2.4);
}

double encoded(double v) { return v <= 0.0031308 ? 12.92 * v : 1.055 * std::pow(v, 1 / 2.4) - 0.055; }

struct Lab {
  double l, a, b;
};

Lab toLab(Colour c) {
  double r = linear(c.r), g = linear(c.g), b = linear(c.b);
  double l = std::cbrt(0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b);
  double m = std::cbrt(0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b);
  double s = std::cbrt(0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b);
  return {0.2104542553 * l + 0.7936177850 * m - 0.0040720468 * s,
          1.9779984951 * l - 2.4285922050 * m + 0.4505937099 * s,
          0.0259040371 * l + 0.7827717662 * m - 0.8086757660 * s};
}

Colour fromLab(Lab lab, uint8_t alpha) {
  double l = lab.l + 0.3963377774 * lab.a + 0.2158037573 * lab.b;
  double m = lab.l - 0.1055613458 * lab.a - 0.0638541728 * lab.b;
  double s = lab.l - 0.0894841775 * lab.a - 1.2914855480 * lab.b;
  l = l * l * l, m = m * m * m, s = s * s * s;
  auto byte = [](double v) { return static_cast<uint8_t>(std::lround(std::clamp(encoded(v), 0.0, 1.0) * 255)); };
  return {byte(4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s),
          byte(-1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s),
          byte(-0.0041960863 * l - 0.7034186147 * m + 1.7076147010 * s), alpha};
}

double turned(double lightness) {
  for (size_t i = 1; i < std::size(kLightness); ++i) {
    auto [x0, y0] = kLightness[i - 1];
    auto [x1, y1] = kLightness[i];
    if (lightness <= x1)
      return y0 + (lightness - x0) / (x1 - x0) * (y1 - y0);
  }
  return kLightness[std::size(kLightness) - 1].second;
}

/// Caches one result, because neighbours usually have the same colours.
class Turner {
public:
  explicit Turner(ColourTheme theme) : theme_(theme) {}
  void operator()(Colour &colour) {
    if (!(colour == light_)) {
      light_ = colour;
      turned_ = inTheme(colour, theme_);
    }
    colour = turned_;
  }

private:
  ColourTheme theme_;
  Colour light_{0, 0, 0, 0}, turned_{0, 0, 0, 0};
};

} // namespace

Colour inTheme(Colour light, ColourTheme theme) {
  if (theme == ColourTheme::Light || light.a == 0)
    return light;
  if (light == kHighlight)
    return {255, 107, 107, light.a};
  Lab lab = toLab(light);
  double chroma = std::hypot(lab.a, lab.b);
  double want = chroma < kNeutral ? chroma : std::min(chroma * kChromaGain, std::max(chroma, kMostChroma));
  double gain = chroma > 0 ? want / chroma : 1;
  double lightness = turned(lab.l);
  if (lab.l > kFill && chroma >= kNeutral)
    lightness = std::max(lightness, std::min(kMostFill, lightness + kStrength * chroma));
  return fromLab({lightness, lab.a * gain, lab.b * gain}, light.a);
}

void applyTheme(Scene &scene, ColourTheme theme) {
  if (theme == scene.theme)
    return;
  scene.theme = theme;
  Turner fills(theme), inks(theme), others(theme);
  for (Box &box : scene.body.boxes) {
    fills(box.fill);
    inks(box.labelColour);
    if (box.strokeWidth > 0)
      others(box.stroke);
    for (int i = 0; i < box.bandCount; ++i)
      box.bands[i] = inTheme(box.bands[i], theme);
  }
  for (Line &line : scene.body.lines)
    others(line.colour);
  for (Text &text : scene.body.texts)
    inks(text.colour);
  for (Axis *axis : {&scene.top, &scene.left})
    for (Axis::Group &group : axis->groups)
      fills(group.fill);
  for (LegendEntry &entry : scene.legend) {
    fills(entry.fill);
    for (int i = 0; i < entry.bandCount; ++i)
      entry.bands[i] = inTheme(entry.bands[i], theme);
  }
}

std::string_view name(ColourTheme theme) {
  for (auto [t, n] : kThemes)
    if (t == theme)
      return n;
  return "";
}

std::optional<ColourTheme> themeNamed(std::string_view name) {
  for (auto [t, n] : kThemes)
    if (n == name)
      return t;
  return std::nullopt;
}

} // namespace lanescope::viz
