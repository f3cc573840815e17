// The parameters of the snippet in front, as a row of controls; each change runs it again.
#pragma once

#include "viz/gui/style/Theme.h"
#include "viz/gui/window/LiveFiles.h"
#include "viz/host/Arrangement.h"

namespace lanescope::viz {

/// Where arrays of a launch take files, and what was asked for.
struct ParameterEvents {
  struct ArrayField {
    size_t parameter = 0; // of LiveFiles::parameters()
    DockRect place;
  };
  std::vector<ArrayField> arrays = {};
  std::optional<size_t> wantsFile = {}; // the parameter whose file is to be chosen
};

/// Nothing is drawn where the snippet has none.
ParameterEvents drawParameters(LiveFiles &live, const Theme &theme);

} // namespace lanescope::viz
