// Reads PTX text from LLVM and nvcc, including inline assembly.
//
//   Result<Module> module = parsePtx(Source::make("k.ptx", text));
//
// It accepts any opcode, because the decoder knows which opcodes exist. It reports the place of anything that it cannot
// read. It is safe for any input: nesting, operand counts and sizes are limited (kMax… in the .cpp).
#pragma once

#include "core/gpu/emulator/ptx/PtxModule.h"
#include "layouts/support/Diagnostic.h"

namespace lanescope::core::emulator {

Result<Module> parsePtx(SourceRef source);

} // namespace lanescope::core::emulator
