#include "Fixtures.h"

#include "viz/scene/MoveScene.h"
#include "viz/scene/Page.h"
#include "viz/scene/Palette.h"

#include <cmath>

namespace lanescope::viz::test {
namespace {

std::vector<Colour> fills() {
  std::vector<Colour> out = {kEmpty, kUnclassed, kPaper, kHairline};
  for (int warp = 0; warp < 8; ++warp)
    for (int lane = 0; lane < 32; ++lane)
      out.push_back(laneColour(warp, lane));
  for (int i = 0; i < 8; ++i)
    out.push_back(hue(i));
  for (int i = 0; i < 32; ++i) {
    out.push_back(itemColour(i, 32));
    out.push_back(bankColour(i));
  }
  for (int i = 0; i < layouts::kMoves; ++i)
    out.push_back(moveColour(static_cast<layouts::Move>(i)));
  return out;
}

TEST(Palette, TextReadsOnEveryFillInBothThemes) {
  for (ColourTheme theme : {ColourTheme::Light, ColourTheme::Dark}) {
    for (Colour fill : fills())
      EXPECT_GE(contrast(inTheme(fill, theme), inTheme(kInk, theme)), 4.5) << name(theme) << " " << hex(fill);
    EXPECT_GE(contrast(inTheme(kPaper, theme), inTheme(kFaintInk, theme)), 4.5) << name(theme);
    EXPECT_GE(contrast(inTheme(kPaper, theme), inTheme(kHighlight, theme)), 3) << name(theme);
  }
}

TEST(Palette, DarkPaperIsDarkAndLightColoursStay) {
  EXPECT_LT(inTheme(kPaper, ColourTheme::Dark).r, 40);
  EXPECT_GT(inTheme(kInk, ColourTheme::Dark).r, 220);
  for (Colour fill : fills())
    EXPECT_EQ(inTheme(fill, ColourTheme::Light), fill);
}

double linear(double v) { return v <= 0.04045 ? v / 12.92 : std::pow((v + 0.055) / 1.055, 2.4); }

struct Lab {
  double l, a, b;
};

/// The colour that an eye without one kind of cone sees, in CIELAB under D65. The matrices act on linear RGB: G.
/// Machado et al., "A Physiologically-based Model for Simulation of Color Vision Deficiency", 2009, severity 1.
Lab seen(Colour c, int deficiency) {
  static const double kMatrices[4][3][3] = {
      {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
      {{0.152286, 1.052583, -0.204868}, {0.114503, 0.786281, 0.099216}, {-0.003882, -0.048116, 1.051998}}, // protanopia
      {{0.367322, 0.860646, -0.227968},
       {0.280085, 0.672501, 0.047413},
       {-0.011820, 0.042940, 0.968881}}, // deuteranopia
      {{1.255528, -0.076749, -0.178779},
       {-0.078411, 0.930809, 0.147602},
       {0.004733, 0.691367, 0.303900}}}; // tritanopia
  double in[3] = {linear(c.r / 255.0), linear(c.g / 255.0), linear(c.b / 255.0)}, out[3];
  for (int i = 0; i < 3; ++i) {
    const double *row = kMatrices[deficiency][i];
    out[i] = std::min(1.0, std::max(0.0, row[0] * in[0] + row[1] * in[1] + row[2] * in[2]));
  }
  double x = (0.4124 * out[0] + 0.3576 * out[1] + 0.1805 * out[2]) / 0.9505;
  double y = 0.2126 * out[0] + 0.7152 * out[1] + 0.0722 * out[2];
  double z = (0.0193 * out[0] + 0.1192 * out[1] + 0.9505 * out[2]) / 1.089;
  auto f = [](double t) { return t > 0.008856 ? std::cbrt(t) : 7.787 * t + 16.0 / 116; };
  return {116 * f(y) - 16, 500 * (f(x) - f(y)), 200 * (f(y) - f(z))};
}

double distance(Colour a, Colour b, int deficiency) {
  Lab x = seen(a, deficiency), y = seen(b, deficiency);
  return std::sqrt((x.l - y.l) * (x.l - y.l) + (x.a - y.a) * (x.a - y.a) + (x.b - y.b) * (x.b - y.b));
}

TEST(Palette, ClassesStayApartForColourBlindReaders) {
  constexpr double kTellApart = 6; // CIE76; a difference of 2.3 is just noticeable
  for (ColourTheme theme : {ColourTheme::Light, ColourTheme::Dark})
    for (int deficiency = 0; deficiency < 4; ++deficiency) {
      auto apart = [&](std::string_view what, int a, int b, Colour x, Colour y) {
        EXPECT_GE(distance(inTheme(x, theme), inTheme(y, theme), deficiency), kTellApart)
            << what << " " << a << ", " << b << ", deficiency " << deficiency << ", " << name(theme);
      };
      for (int a = 0; a < 4; ++a)
        for (int b = 0; b < a; ++b)
          apart("warps", a, b, warpColour(a), warpColour(b));
      for (int a = 0; a < 8; ++a)
        for (int b = 0; b < a; ++b)
          apart("hues", a, b, hue(a), hue(b));
      for (int a = 0; a < 4; ++a)
        for (int b = 0; b < a; ++b)
          apart("moves", a, b, moveColour(static_cast<layouts::Move>(a)), moveColour(static_cast<layouts::Move>(b)));
    }
}

TEST(Theme, DarkScenesAreDarkAllOver) {
  for (const Scene &scene :
       {wgmma({64, 16}, {.theme = ColourTheme::Dark}),
        drawn(smemScene({.shape = {8, 64}, .tiling = {8, 64}, .swizzle = 128}, {.theme = ColourTheme::Dark})),
        drawn(layoutScene(*catalogue::tmemDefault(2), {128, 16}, Dtype::F16, {.theme = ColourTheme::Dark})),
        traceScene(smallTrace(), {.theme = ColourTheme::Dark})}) {
    EXPECT_EQ(scene.theme, ColourTheme::Dark);
    Page layout = page(scene);
    EXPECT_LT(layout.paper.r, 40);
    for (const Text &text : layout.furniture.texts)
      EXPECT_GE(contrast(text.colour, layout.paper), 4.5) << text.text;
    for (const Box &box : scene.body.boxes)
      EXPECT_GE(contrast(box.labelColour, box.fill), 4.5) << box.tooltip;
    for (const LegendEntry &entry : scene.legend)
      EXPECT_LT(entry.fill.r + entry.fill.g + entry.fill.b, 400) << entry.text;
  }
}

} // namespace
} // namespace lanescope::viz::test
