// The parameters of the snippet in front, as a row of controls; each change runs it again.
#pragma once

#include "viz/gui/style/Theme.h"
#include "viz/gui/window/LiveFiles.h"

namespace lanescope::viz {

/// Nothing is drawn where the snippet has none.
void drawParameters(LiveFiles &live, const Theme &theme);

} // namespace lanescope::viz
