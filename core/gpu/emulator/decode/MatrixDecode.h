// What the decoders of `mma` and `wgmma` share: the shape in an opcode, and the table of matrix instructions.
#pragma once

#include "core/gpu/emulator/decode/Decoder.h"

#include "layouts/fragments/MatrixInstruction.h"

namespace lanescope::core::emulator {

/// Takes `m64n128k16`.
std::optional<layouts::Mnk> takeShape(Modifiers &mods);
/// The row of the table; null, after noting the error, when the instruction does not exist.
const layouts::MatrixInstruction *matrixInstruction(Decoder &d, const layouts::MatrixQuery &query);

} // namespace lanescope::core::emulator
