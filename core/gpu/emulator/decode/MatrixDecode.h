// Functions that the decoders of `mma` and `wgmma` share: the shape in an opcode, and the table of matrix instructions.
#pragma once

#include "core/gpu/emulator/decode/Decoder.h"

#include "layouts/fragments/MatrixInstruction.h"

namespace lanescope::core::emulator {

/// Takes a shape like `m64n128k16`.
std::optional<layouts::Mnk> takeShape(Modifiers &mods);
/// Returns the table's row. Records an error and returns null if the instruction does not exist.
const layouts::MatrixInstruction *matrixInstruction(Decoder &d, const layouts::MatrixQuery &query);

} // namespace lanescope::core::emulator
