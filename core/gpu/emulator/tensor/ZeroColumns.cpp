#include "core/gpu/emulator/tensor/ZeroColumns.h"

#include "layouts/support/Text.h"

namespace lanescope::core::emulator {

ZeroColumns::ZeroColumns(uint64_t descriptor) {
  for (int part = 0; part < 4; ++part) {
    starts[part] = static_cast<uint8_t>(descriptor >> 8 * part);
    zeroFirst[part] = descriptor >> (32 + part) & 1;
  }
  some = descriptor >> 39 & 1;
  zeros = (descriptor >> 40 & 0xFF) + 1;
  ones = (descriptor >> 48 & 0xFF) + 1;
  shift = descriptor >> 56 & 0x3F;
}

bool ZeroColumns::isZero(uint32_t n, uint32_t m, uint32_t columns) const {
  if (!some)
    return false;
  uint32_t perPart = columns / (m == 32 ? 4 : m == 64 ? 2 : 1), part = n / perPart;
  uint32_t at = (n % perPart + starts[part]) % (zeros + ones);
  return zeroFirst[part] ? at < zeros : at >= ones;
}

std::string ZeroColumns::problem(uint64_t descriptor, uint32_t m) {
  constexpr uint64_t kReserved = 7ull << 36 | 3ull << 62;
  if (descriptor & kReserved)
    return "the zero-column mask descriptor has reserved bits set (36-38, 62-63)";
  uint32_t shift = ZeroColumns(descriptor).shift, most = m == 32 ? 16 : 32;
  if (shift > most)
    return text("the zero-column mask descriptor shifts B by ", shift, " columns; with M = ", m, " at most ", most,
                " are possible");
  return {};
}

} // namespace lanescope::core::emulator
