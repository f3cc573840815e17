// Golden pictures are compared with tests/golden/viz/<name>. `unit_viz --update` rewrites them, so that a change is a
// diff to read.
#pragma once

#include <string>
#include <string_view>

namespace lanescope::viz::test {

extern bool updateGolden;

/// Empty if `actual` equals the golden file (or if --update has just written it), otherwise the difference.
std::string compareGolden(std::string_view name, std::string_view actual);

} // namespace lanescope::viz::test
