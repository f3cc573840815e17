#include "core/gpu/emulator/decode/MatrixDecode.h"

namespace lanescope::core::emulator {

std::optional<layouts::Mnk> takeShape(Modifiers &mods) {
  return layouts::readShape(mods.takeIf([](std::string_view part) { return layouts::readShape(part).has_value(); }));
}

const layouts::MatrixInstruction *matrixInstruction(Decoder &d, const layouts::MatrixQuery &query) {
  auto rows = layouts::chooseMatrixInstructions(query);
  if (rows)
    return rows->front();
  d.fail(Message("`{instruction}`: {}", d.current().opcode, rows.error().message), "unknown-instruction");
  return nullptr;
}

} // namespace lanescope::core::emulator
