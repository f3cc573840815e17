// Copies in the im2col modes (PTX ISA, "im2col mode", "im2col::w and im2col::w::128 modes"): their requirements on the
// descriptor, coordinates and offsets. async/TileRows.h walks over the pixels.
#pragma once

#include "core/gpu/emulator/machine/AsyncOp.h"
#include "core/gpu/emulator/machine/Program.h"

#include <string>

namespace lanescope::core::emulator {

/// The number of coordinates of a tensor copy in `mode`. They precede the offsets in the instruction's list.
uint32_t coordinatesIn(const Instr &i, TmaMode mode, bool toGlobal);

/// Sets Tile::offsets from the operands after the coordinates. Returns an error about the copy, or an empty string. The
/// descriptor must have the instruction's mode.
std::string placePixels(Tile &tile, std::array<uint16_t, 3> named, bool toGlobal);

} // namespace lanescope::core::emulator
