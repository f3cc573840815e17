// Maps as JSON, the machine-readable results of `element_map`, `smem_map` and TMEM maps.
//
//   elementMapJson(map)  ->  {"layout":"TiledLayout(…)","shape":[64,8],"threads":128,"registers":2,"vector":2,
//                             "replication":1,"map":[[0,1,64,65],…]}
//
// map[t][r*vector + v] is the row-major index of the element that thread t holds in position v of register r. Warps
// have 32 threads unless a field "threadsPerWarp" gives another number. A field "note" holds the note of MapCoverage.h,
// if there is one. The text is compact: no spaces, one line, no line break at the end.
#pragma once

#include "layouts/AddressMap.h"
#include "layouts/ElementMap.h"
#include "layouts/SharedMemory.h"
#include "layouts/TmemMap.h"

#include <string>
#include <string_view>

namespace lanescope::layouts {

std::string elementMapJson(const ElementMap &map);
/// `dtypeName` goes into the "dtype" field; map[lane][column*packing + p] is null for an empty cell.
std::string tmemMapJson(const TmemMap &map, std::string_view dtypeName);
/// image[k] is the row-major index of the element at element offset k of the buffer.
std::string smemMapJson(const SmemMap &map);
/// {"layout":…,"bytes":2,"shape":[8,64],"offsets":[…],"image":[…]}: offsets[e] is the offset of element e, and image[k]
/// is the element at offset k, null for a hole.
std::string addressMapJson(const AddressMap &map);

} // namespace lanescope::layouts
