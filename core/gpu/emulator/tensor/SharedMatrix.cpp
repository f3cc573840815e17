#include "core/gpu/emulator/tensor/SharedMatrix.h"

#include "layouts/support/Text.h"

#include <algorithm>

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

SharedMatrix::SharedMatrix(const layouts::MatrixDescriptor &descriptor, bool transposed)
    : start(descriptor.start), leading(descriptor.leading), stride(descriptor.stride),
      swizzle(descriptor.swizzle == 16 ? 0 : static_cast<uint32_t>(descriptor.swizzle)),
      base(static_cast<uint32_t>(descriptor.base)),
      lineShift(static_cast<uint32_t>(__builtin_ctz(static_cast<unsigned>(descriptor.swizzle)))), mnMajor(transposed),
      wideAtoms(descriptor.wideAtoms), leadingIsAddress(descriptor.leadingIsAddress) {}

std::string SharedMatrix::problem(uint32_t along, uint32_t across, uint32_t sharedBase, uint32_t sharedBytes) const {
  uint32_t line = lineBytes(), inLine = start % line;
  if (swizzle && !leadingIsAddress && inLine + std::min(along, line) > line)
    return text("starts ", inLine, " bytes into a ", line, "-byte line of its swizzle, so that its ",
                std::min(along, line), " bytes cross the end of the line");
  if (swizzle && !mnMajor && along > line)
    return text("has lines of ", line, " bytes, but the instruction takes ", along, " bytes of K");
  // The last byte is in the last chunk or, if lines overlap, in the last chunk of the last full line. A swizzle moves
  // chunks only within their line.
  uint32_t last = linear(along - 16, across - 1);
  if (along > line)
    last = std::max(last, linear((along - 16) / line * line - 16, across - 1));
  uint32_t first = start;
  if (leadingIsAddress && inLine + along > line) {
    last = std::max(last, linear(line - inLine - 16, across - 1));
    first = std::min(first, leading);
  }
  uint64_t end = static_cast<uint64_t>(last) / line * line + line;
  if (first < sharedBase || end - sharedBase > sharedBytes)
    return text("covers shared addresses ", first, " to ", end, ", outside the block's ", sharedBytes, " bytes from ",
                sharedBase);
  return {};
}

} // namespace lanescope::core::emulator
