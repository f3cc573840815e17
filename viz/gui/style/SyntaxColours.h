// The colours of code in both themes.
#pragma once

#include "viz/gui/style/Theme.h"
#include "viz/scene/Syntax.h"

namespace lanescope::viz {

/// Of each, a contrast of at least 4.5 to the ground of a text field, also where a line of it is lit.
ImU32 syntaxColour(SyntaxKind kind, const Theme &theme);
/// Over the ground of a line that is lit; `pointed`: the one that the others are lit for.
ImU32 litGround(bool pointed, const Theme &theme);

} // namespace lanescope::viz
