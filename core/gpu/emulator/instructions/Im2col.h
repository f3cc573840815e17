// Copies in the im2col modes (PTX ISA, "im2col mode", "im2col::w and im2col::w::128 modes"): what they want of a
// descriptor, of coordinates and of offsets. async/TileRows.h walks over the pixels.
#pragma once

#include "core/gpu/emulator/machine/AsyncOp.h"
#include "core/gpu/emulator/machine/Program.h"

#include <string>

namespace lanescope::core::emulator {

/// Of a tensor copy in `mode`: coordinates in the instruction's list, before its offsets.
uint32_t coordinatesIn(const Instr &i, TmaMode mode, bool toGlobal);

/// Fills Tile::offsets from what the instruction names behind the coordinates; says what is wrong with the copy, or
/// nothing. The descriptor is of the instruction's mode.
std::string placePixels(Tile &tile, std::array<uint16_t, 3> named, bool toGlobal);

} // namespace lanescope::core::emulator
