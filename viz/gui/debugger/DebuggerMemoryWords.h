// Describes a place in the memory of a stopped run: what wrote it, the copy in flight to it, and the array element
// there.
#pragma once

#include "viz/gui/debugger/DebuggerPage.h"

namespace lanescope::viz {

/// The last writer of the address; null if unknown.
const core::SharedWriter *writerOf(const core::SharedMemory &shared, uint32_t address);
/// The index in DebugPage::flights of the copy in flight that touches the byte, if any.
std::optional<uint32_t> flightOver(const DebugPage &page, uint32_t address);
/// The element that contains the byte. Nothing if the array has no element there.
std::optional<int64_t> elementAt(const DebugTile &tile, uint32_t address);
/// "address 1028, bank 1: 0x3f800000, as f32 1; tile[0, 1]; written by a copy, line 13".
std::string sharedWordWords(const DebugPage &page, uint32_t address);

/// A column of tensor memory as the number of its array and the column within the array.
struct TensorColumn {
  size_t number = 0;
  uint32_t column = 0;
};
std::optional<TensorColumn> tensorPlaceAt(const DebugPage &page, uint32_t column);
/// "lane 3, column 12: 0x3f800000, as f32 1; total[3, 12]".
std::string tensorCellWords(const DebugPage &page, uint32_t lane, uint32_t column);

} // namespace lanescope::viz
