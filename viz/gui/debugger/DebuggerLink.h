// A link to the web page that shows the run in the debugger: the kernel with its launch, arrays and source, and the
// place of the run.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace lanescope::viz {

class DebuggerModel;

struct DebuggerLink {
  std::string link;
  bool hasArrays = true; // false: the link would be too long with the arrays, so random numbers stand in on the page
};

/// `page` is the address of the page. Nothing: no run is offered, or its link would be too long even without arrays.
std::optional<DebuggerLink> debuggerLink(const DebuggerModel &model, std::string_view page);

} // namespace lanescope::viz
