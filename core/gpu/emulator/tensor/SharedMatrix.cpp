#include "core/gpu/emulator/tensor/SharedMatrix.h"

namespace lanescope::core::emulator {

SharedMatrix::SharedMatrix(uint64_t bits, bool transposed) : mnMajor(transposed) {
  start = static_cast<uint32_t>(bits & 0x3FFF) << 4;
  leading = static_cast<uint32_t>(bits >> 16 & 0x3FFF) << 4;
  stride = static_cast<uint32_t>(bits >> 32 & 0x3FFF) << 4;
  base = static_cast<uint32_t>(bits >> 49 & 7);
  static constexpr uint32_t kSwizzles[4] = {0, 128, 64, 32}, kLineShifts[4] = {4, 7, 6, 5};
  swizzle = kSwizzles[bits >> 62];
  lineShift = kLineShifts[bits >> 62];
}

} // namespace lanescope::core::emulator
