// The parameters of the front snippet, as a row of controls. Each change runs the snippet again.
#pragma once

#include "viz/gui/style/Theme.h"
#include "viz/gui/window/LiveFiles.h"
#include "viz/host/Arrangement.h"

namespace lanescope::viz {

/// The fields that take an array's file, and the user's request.
struct ParameterEvents {
  struct ArrayField {
    size_t parameter = 0; // index in LiveFiles::parameters()
    DockRect place;
    DockRect button = {}; // looks for the array's file
  };
  std::vector<ArrayField> arrays = {};
  std::optional<size_t> wantsFile = {}; // the parameter whose file the user wants to choose
};

/// Draws the controls; nothing if the snippet has no parameters.
ParameterEvents drawParameters(LiveFiles &live, const Theme &theme);

} // namespace lanescope::viz
