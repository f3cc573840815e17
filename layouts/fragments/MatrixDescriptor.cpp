#include "layouts/fragments/MatrixDescriptor.h"

#include "layouts/fragments/BitField.h"
#include "layouts/support/Text.h"

namespace lanescope::layouts {

namespace {

constexpr BitField<uint64_t> kStart{0, 14}, kLeading{16, 14}, kStride{32, 14}, kVersion{46, 3}, kBase{49, 3},
    kLeadingMode{52, 1}, kSwizzle{61, 3};
constexpr uint64_t kUsed = kStart.mask() | kLeading.mask() | kStride.mask() | kVersion.mask() | kBase.mask() |
                           kLeadingMode.mask() | kSwizzle.mask();

struct Swizzle {
  uint32_t code;
  int bytes;
  bool wideAtoms;
};
constexpr Swizzle kSwizzles[] = {{0, 16, false}, {1, 128, true}, {2, 128, false}, {4, 64, false}, {6, 32, false}};

} // namespace

uint64_t encode(const MatrixDescriptor &descriptor) {
  uint64_t bits = kStart.as(descriptor.start >> 4) | kLeading.as(descriptor.leading >> 4) |
                  kStride.as(descriptor.stride >> 4) | kVersion.as(descriptor.version) |
                  kBase.as(static_cast<uint64_t>(descriptor.base)) | kLeadingMode.as(descriptor.leadingIsAddress);
  for (const Swizzle &swizzle : kSwizzles)
    if (swizzle.bytes == descriptor.swizzle && swizzle.wideAtoms == descriptor.wideAtoms)
      bits |= kSwizzle.as(swizzle.code);
  return bits;
}

std::expected<MatrixDescriptor, std::string> decode(uint64_t bits) {
  for (int bit = 0; bit < 64; ++bit)
    if (bits & ~kUsed & 1ull << bit)
      return std::unexpected(text("has bit ", bit, " set, which is reserved"));
  if (kVersion.of(bits) > 1)
    return std::unexpected(text("has ", kVersion.of(bits), " in bits 46 to 48, where 1 belongs"));
  MatrixDescriptor out{.start = kStart.of(bits) << 4,
                       .leading = kLeading.of(bits) << 4,
                       .stride = kStride.of(bits) << 4,
                       .leadingIsAddress = kLeadingMode.of(bits) != 0,
                       .base = static_cast<int>(kBase.of(bits)),
                       .version = kVersion.of(bits) == 1};
  bool known = false;
  for (const Swizzle &swizzle : kSwizzles)
    if (swizzle.code == kSwizzle.of(bits)) {
      known = true;
      out.swizzle = swizzle.bytes;
      out.wideAtoms = swizzle.wideAtoms;
    }
  if (!known)
    return std::unexpected(text("has swizzling mode ", kSwizzle.of(bits), ", which there is not"));
  return out;
}

} // namespace lanescope::layouts
