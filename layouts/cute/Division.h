// CuTe's divisions (cut a layout into tiles) and products (repeat a layout over another).
//
//   logicalDivide((4,2,3):(2,1,8), 4:2)     ->  ((2,2),(2,3)):((4,1),(2,8))      // (tile, rest)
//   zippedDivide((9,(4,8)):(59,(13,1)), <3:3, (2,4):(1,8)>)   // ((TileM,TileN),(RestM,RestN))
//   blockedProduct((2,5):(5,1), (3,4):(1,3))  ->  ((2,3),(5,4)):((5,10),(1,30))
//
// Every result is built of composition and complement (02_layout_algebra.md), and so are the errors.
#pragma once

#include "layouts/cute/Algebra.h"

namespace lanescope::layouts::cute {

/// The result is ((TileM,RestM),(TileN,RestN),L,…) if the tiler is a tuple, and (Tile,Rest) if it is a layout.
Result<Layout> logicalDivide(const Layout &layout, const Tiler &tiler);
/// The result is ((TileM,TileN),(RestM,RestN,L,…)).
Result<Layout> zippedDivide(const Layout &layout, const Tiler &tiler);
/// The result is ((TileM,TileN),RestM,RestN,L,…).
Result<Layout> tiledDivide(const Layout &layout, const Tiler &tiler);
/// The result is (TileM,TileN,RestM,RestN,L,…).
Result<Layout> flatDivide(const Layout &layout, const Tiler &tiler);

/// The result is (block, block* o tiler), where block* is the complement of the block. A tuple applies mode by mode.
Result<Layout> logicalProduct(const Layout &block, const Tiler &tiler);
Result<Layout> zippedProduct(const Layout &block, const Tiler &tiler);
Result<Layout> tiledProduct(const Layout &block, const Tiler &tiler);
Result<Layout> flatProduct(const Layout &block, const Tiler &tiler);
/// The block repeated over `tiler`, mode beside mode: ((BlockM,TilerM),(BlockN,TilerN),…).
Result<Layout> blockedProduct(const Layout &block, const Layout &tiler);
/// Like blockedProduct, but interleaved: ((TilerM,BlockM),(TilerN,BlockN),…).
Result<Layout> rakedProduct(const Layout &block, const Layout &tiler);

} // namespace lanescope::layouts::cute
