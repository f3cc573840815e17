// The error for a layout that has no memory, if a caller asks it for the places of an array's elements.
//
//   noMemory(parse("(_8:_2,_16)"))  ->  "`(_8:_2,_16)` is a tile, one layout per dimension …; it puts no elements …"
//
// ForeignLayout::memories() is empty for such layouts: CuTe's tiles, and linear layouts whose inputs have other names.
#pragma once

#include "layouts/Layout.h"

namespace lanescope::layouts {

std::unexpected<Diagnostics> noMemory(const Layout &layout);

} // namespace lanescope::layouts
