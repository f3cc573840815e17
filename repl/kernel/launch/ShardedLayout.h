// `sharded(layout, mesh, sharding)`: an array that is split over devices, whose parts have a layout each.
//
//   s = sharded(WGMMA, {"x": 2}, ("x", None))      prints what it says in words
//   owners(s, (128, 64), (70, 3))                  the device, then its thread, warp, lane and register
#pragma once

#include "repl/lang/values/Builtin.h"

namespace lanescope::repl {

Builtin shardedBuiltin();

} // namespace lanescope::repl
