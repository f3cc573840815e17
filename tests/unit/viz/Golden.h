// Golden pictures: compared with tests/golden/viz/<name>; `unit_viz --update` writes them anew, so that a change is a
// diff to read.
#pragma once

#include <string>
#include <string_view>

namespace lanescope::viz::test {

extern bool updateGolden;

/// Empty when `actual` is what the golden file holds (or --update has just written it), else what differs.
std::string compareGolden(std::string_view name, std::string_view actual);

} // namespace lanescope::viz::test
