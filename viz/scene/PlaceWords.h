// Sentences about places and their elements. The hover texts of all views use them.
//
//   elementWords(map, 74)   ->  "element (9, 2) is held by warp 0, lane 5 in register 1, position 0"
//   threadWords(map, 5)
//       ->  "warp 0, lane 5 (thread 5) holds 4 values in 2 registers of 2: (1, 2) (1, 3) (9, 2) (9, 3)"
#pragma once

#include "viz/scene/Scene.h"

#include <string>

namespace lanescope::viz {

/// Python's tuple of the element's indices: "(9, 2)".
std::string indexWords(const layouts::Shape &shape, int64_t element);
std::string elementWords(const layouts::ElementMap &map, int64_t element);
/// Describes the element in one slot: "warp 0, lane 5, register 1, position 0 holds element (9, 2)".
std::string slotWords(const layouts::ElementMap &map, int thread, int reg, int position);
/// Describes a thread. Lists at most `limit` of its elements.
std::string threadWords(const layouts::ElementMap &map, int thread, int64_t limit = 8);
/// "element (37, 10) is in TMEM lane 37 (quarter of warp 1), column 5, bits 0 to 15"
std::string tmemCellWords(const layouts::TmemMap &map, int lane, int column, int sub);
/// Describes the same from the element's side, with every copy of a replicated element.
std::string tmemElementWords(const layouts::TmemMap &map, int64_t element);
/// "element (1, 0) is in bytes 144 to 145: line 1, bank 4; without the swizzle it would be in bytes 128 to 129, bank
/// 0". `element`: the element at `offset` of the map; -1 if there is none. `before`: the map without its swizzle, or
/// null.
std::string addressWords(const layouts::AddressMap &map, const layouts::AddressMap *before, int64_t offset,
                         int64_t element);
/// The runs in a sorted list: "0 to 3, 8, 16 to 19".
std::string rangeWords(const std::vector<int32_t> &sorted);

} // namespace lanescope::viz
