// Entries for the first steps. They are above the list of files and in the palette.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace lanescope::viz {

class Workspace;

struct StartEntry {
  std::string title, about;
  std::function<void(Workspace &)> run;
};

/// The entries whose files exist: "Continue" if an earlier session has left a state, a layout, a kernel, a trace.
std::vector<StartEntry> startEntries(const Workspace &workspace);

} // namespace lanescope::viz
