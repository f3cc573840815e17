// Colours that colour-blind readers can distinguish (after Okabe and Ito, lightened so that dark text is readable on
// them).
//
// Pictures are made with the colours of the light theme. inTheme() returns the corresponding colour on dark paper: the
// same hue, with the order of lightness reversed. So strong colours stay strong, and text keeps its contrast.
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

/// The colour in the theme that corresponds to a light colour.
Colour inTheme(Colour light, ColourTheme theme);
/// Converts a finished scene with light colours to the theme.
void applyTheme(Scene &scene, ColourTheme theme);
std::string_view name(ColourTheme theme); // "light", "dark"
std::optional<ColourTheme> themeNamed(std::string_view name);

/// Warp 0 is blue, 1 orange, 2 green, 3 purple, 4 yellow, 5 red, 6 indigo, 7 grey (in a middle shade). Then the colours
/// repeat.
Colour warpColour(int warp);
/// The warp's colour, darker for higher lanes.
Colour laneColour(int warp, int lane, int lanes = layouts::kLanesPerWarp);
/// The colour of a thread of the map.
Colour threadColour(const layouts::ElementMap &map, int thread);
/// The colour of item `index` of `count`. Up to 8 items have distinct hues, and more have a scale from light to dark.
Colour itemColour(int64_t index, int64_t count);
/// The colour of one of shared memory's 32 banks. Four neighbouring banks, which one 16-byte access uses, have the same
/// hue.
Colour bankColour(int64_t bank);
/// Distinct hues for names; they repeat after 8.
Colour hue(int64_t index);
Colour mix(Colour a, Colour b, double t);
/// WCAG 2 contrast ratio, 1 to 21.
double contrast(Colour a, Colour b);
/// "#rrggbb".
std::string hex(Colour colour);

} // namespace lanescope::viz
