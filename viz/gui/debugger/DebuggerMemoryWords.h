// What memory of a stopped run holds at a place: who wrote it, what is on its way there, which element of which array.
#pragma once

#include "viz/gui/debugger/DebuggerPage.h"

namespace lanescope::viz {

/// Null: nobody is known to have written it.
const core::SharedWriter *writerOf(const core::SharedMemory &shared, uint32_t address);
/// The copy in flight that touches a byte, in DebugPage::flights; none.
std::optional<uint32_t> flightOver(const DebugPage &page, uint32_t address);
/// The element that has the byte; none: the array has none there.
std::optional<int64_t> elementAt(const DebugTile &tile, uint32_t address);
/// "address 1028, bank 1: 0x3f800000, as f32 1; tile[0, 1]; written by a copy, line 13".
std::string sharedWordWords(const DebugPage &page, uint32_t address);

/// The array that has a column of tensor memory: its number, and the column in it.
struct TensorColumn {
  size_t number = 0;
  uint32_t column = 0;
};
std::optional<TensorColumn> tensorPlaceAt(const DebugPage &page, uint32_t column);
/// "lane 3, column 12: 0x3f800000, as f32 1; total[3, 12]".
std::string tensorCellWords(const DebugPage &page, uint32_t lane, uint32_t column);

} // namespace lanescope::viz
