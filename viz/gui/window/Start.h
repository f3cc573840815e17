// What someone may do first: a few entries above the list of files, and in the palette.
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

/// Those whose files are there: "Continue" where an earlier session has left something, a layout, a kernel, a trace.
std::vector<StartEntry> startEntries(const Workspace &workspace);

} // namespace lanescope::viz
