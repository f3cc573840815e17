// The colours of code in both themes.
#pragma once

#include "viz/gui/style/Theme.h"
#include "viz/scene/Syntax.h"

namespace lanescope::viz {

/// The colour of a kind of syntax. Its contrast with the background of a text field is at least 4.5, also in a lit
/// line.
ImU32 syntaxColour(SyntaxKind kind, const Theme &theme);
/// The background of a lit line. `pointed`: it is the line under the pointer, for which the others are lit.
ImU32 litGround(bool pointed, const Theme &theme);

} // namespace lanescope::viz
