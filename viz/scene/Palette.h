// Colours that colour-blind readers can tell apart (after Okabe and Ito, lightened so that dark text is readable on
// them).
//
// Pictures are made of the light theme's colours. inTheme() gives each its counterpart on dark paper: the same hue,
// with the order of lightness reversed, so that strong colours stay strong and text keeps its contrast.
#pragma once

#include "viz/scene/Scene.h"

namespace lanescope::viz {

constexpr Colour kInk{27, 31, 36};          // text
constexpr Colour kFaintInk{87, 96, 106};    // axes, notes
constexpr Colour kHairline{208, 215, 222};  // rules
constexpr Colour kPaper{255, 255, 255};     // background
constexpr Colour kEmpty{246, 248, 250};     // an empty cell
constexpr Colour kUnclassed{228, 231, 235}; // an element without a class, or without an owner
constexpr Colour kHighlight{214, 39, 40};   // outline under the pointer

/// The counterpart of a light colour in the theme.
Colour inTheme(Colour light, ColourTheme theme);
/// Converts a finished scene, made of light colours, to the theme.
void applyTheme(Scene &scene, ColourTheme theme);
std::string_view name(ColourTheme theme); // "light", "dark"
std::optional<ColourTheme> themeNamed(std::string_view name);

/// Warp 0 blue, 1 orange, 2 green, 3 purple, 4 yellow, 5 red, 6 indigo, 7 grey (middle shade), then again.
Colour warpColour(int warp);
/// The warp's colour, darker for higher lanes.
Colour laneColour(int warp, int lane, int lanes = layouts::kLanesPerWarp);
/// The colour of a thread of the map.
Colour threadColour(const layouts::ElementMap &map, int thread);
/// Item `index` of `count`: distinct hues for at most 8 items, a light-to-dark scale for more.
Colour itemColour(int64_t index, int64_t count);
/// The colour of one of shared memory's 32 banks. Four neighbours, which one 16-byte access uses, share a hue.
Colour bankColour(int64_t bank);
/// Distinct hues for names; they repeat after 8.
Colour hue(int64_t index);
Colour mix(Colour a, Colour b, double t);
/// WCAG 2 contrast ratio, 1 to 21.
double contrast(Colour a, Colour b);
/// "#rrggbb".
std::string hex(Colour colour);

} // namespace lanescope::viz
