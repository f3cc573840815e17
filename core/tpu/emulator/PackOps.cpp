// Packs vectors of wide elements into one of narrow elements, and unpacks them (JAX, tpu_ops.td: PackSubelementsOp).
//
//   interleaved  pack([a0 a1 …], [b0 b1 …])  ->  [a0 b0 a1 b1 …]
//   compressed   the same for rows of one column each: result[i] = [a[i] b[i]]; sources that are packed already stay
//   together
#include "core/tpu/emulator/ElementArithmetic.h"
#include "core/tpu/emulator/Operations.h"
#include "core/tpu/emulator/TpuCostModel.h"

#include <cmath>

namespace lanescope::core::sparsecore {
namespace {

/// Integers lose their high bits; floats round to nearest even, also to integers.
uint64_t narrowed(const Element &from, const Element &to, bool isUnsigned, uint64_t bits) {
  if (from.isFloat() && !to.isFloat()) {
    uint64_t out = 0, whole = floatBits(from, std::nearbyint(floatOf(from, bits)));
    elementwise({isUnsigned ? Elementwise::FloatToUnsigned : Elementwise::FloatToSigned, 0, from, to}, {&whole, 1}, {},
                {}, {&out, 1});
    return out;
  }
  if (to.isFloat())
    return floatBits(to, from.isFloat() ? floatOf(from, bits) : static_cast<double>(signedOf(from, bits)));
  return integerBits(to, static_cast<int64_t>(bits));
}

uint64_t widened(const Element &from, const Element &to, bool isUnsigned, uint64_t bits) {
  if (from.isFloat())
    return to.isFloat() ? floatBits(to, floatOf(from, bits)) : bits;
  int64_t value = isUnsigned ? static_cast<int64_t>(bits) : signedOf(from, bits);
  return to.isFloat() ? floatBits(to, static_cast<double>(value)) : integerBits(to, value);
}

/// The place of element `k` of source `position`. `packed`: the number of a source's elements that stay together.
size_t placeOf(PackFormat format, size_t k, size_t position, size_t parts, size_t packed) {
  if (format == PackFormat::Interleaved)
    return k * parts + position;
  return (k / packed * parts + position) * packed + k % packed;
}

/// The size of the last dimension of a compressed vector, if its words hold several elements; else 1.
size_t packedIn(PackFormat format, const Type &type) {
  bool some = format == PackFormat::Compressed && type.shape.size() > 1 && type.element.bits < 32;
  return some ? static_cast<size_t>(type.shape.back()) : 1;
}

Outcome pack(Machine &m, Subcore &s, const Instruction &i) {
  const Type &from = typeOf(m, s, i.operands[0]), &to = typeOf(m, s, i.results[0]);
  auto format = static_cast<PackFormat>(i.sub);
  auto target = cells(s, i.results[0]);
  auto content = contents(s, i.results[0]);
  size_t parts = target.size() / from.cells;
  std::ranges::fill(target, 0);
  std::ranges::fill(content, kUndefined); // positions without a source
  for (size_t source = 0; source < i.operands.size(); ++source) {
    auto values = cells(s, i.operands[source]);
    auto known = contents(s, i.operands[source]);
    for (size_t k = 0; k < values.size(); ++k) {
      size_t place = placeOf(format, k, static_cast<size_t>(i.numbers[source]), parts, packedIn(format, from));
      target[place] = narrowed(from.element, to.element, i.flag, values[k]);
      if (!content.empty())
        content[place] = computedWith(known[k]);
    }
  }
  charge(m, s, i.results[0], cost::kVector);
  return Outcome::Next;
}

Outcome unpack(Machine &m, Subcore &s, const Instruction &i) {
  const Type &from = typeOf(m, s, i.operands[0]), &to = typeOf(m, s, i.results[0]);
  auto format = static_cast<PackFormat>(i.sub);
  auto source = cells(s, i.operands[0]), target = cells(s, i.results[0]);
  auto known = contents(s, i.operands[0]), content = contents(s, i.results[0]);
  size_t parts = source.size() / target.size();
  for (size_t k = 0; k < target.size(); ++k) {
    size_t place = placeOf(format, k, static_cast<size_t>(i.mode), parts, packedIn(format, to));
    target[k] = widened(from.element, to.element, i.flag, source[place]);
    if (!content.empty())
      content[k] = computedWith(known[place]);
  }
  charge(m, s, i.results[0], cost::kVector);
  return Outcome::Next;
}

} // namespace

void addPacking(Handlers &handlers) {
  handlers[static_cast<size_t>(Op::Pack)] = pack;
  handlers[static_cast<size_t>(Op::Unpack)] = unpack;
}

} // namespace lanescope::core::sparsecore
