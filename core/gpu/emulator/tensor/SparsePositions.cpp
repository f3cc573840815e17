#include "core/gpu/emulator/tensor/SparsePositions.h"

namespace lanescope::core::emulator {

bool sparsePositions(const SparseRow &row, const uint8_t *fields, bool ordered, uint8_t *out) {
  for (uint32_t field = 0; field < row.fields(); ++field) {
    uint32_t index = fields[field];
    if (row.fieldBits == 4) { // the row stores one of every two elements
      if (index != 0b0100 && index != 0b1110)
        return false;
      out[field] = static_cast<uint8_t>(field * 2 + (index == 0b1110));
      continue;
    }
    if (field % 2 == 1) {
      uint32_t before = fields[field - 1];
      if (before == index || (ordered && before > index))
        return false;
    }
    for (uint32_t n = 0; n < row.wide; ++n)
      out[field * row.wide + n] = static_cast<uint8_t>((field / 2 * 4 + index) * row.wide + n);
  }
  return true;
}

} // namespace lanescope::core::emulator
