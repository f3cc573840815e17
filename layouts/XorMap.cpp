#include "layouts/XorMap.h"

#include <algorithm>
#include <bit>

namespace lanescope::layouts {

namespace {

constexpr size_t kBlockBits = 12; // a block of int32 stays in the first-level cache

/// Calls visit(first entry, value to add) for each further block of `block` entries, until it returns false.
template <typename Visit> bool eachBlock(std::span<const int32_t> bases, size_t low, Visit &&visit) {
  int32_t offset = 0;
  for (size_t block = 1; block < (size_t(1) << (bases.size() - low)); ++block) {
    // Counting up flips the lowest zero and the ones below it.
    for (int bit = std::countr_zero(block); bit >= 0; --bit)
      offset ^= bases[low + static_cast<size_t>(bit)];
    if (!visit(block << low, offset))
      return false;
  }
  return true;
}

bool isXorOf(const int32_t *__restrict table, const int32_t *__restrict source, size_t n, int32_t offset) {
  int32_t different = 0;
  for (size_t i = 0; i < n; ++i)
    different |= table[i] ^ source[i] ^ offset;
  return different == 0;
}

} // namespace

void xorSums(std::span<const int32_t> bases, int32_t *out) {
  auto add = [](int32_t *__restrict dst, const int32_t *__restrict src, size_t n, int32_t offset) {
    for (size_t i = 0; i < n; ++i)
      dst[i] = src[i] ^ offset;
  };
  size_t low = std::min(bases.size(), kBlockBits);
  out[0] = 0;
  for (size_t bit = 0; bit < low; ++bit)
    add(out + (size_t(1) << bit), out, size_t(1) << bit, bases[bit]);
  eachBlock(bases, low, [&](size_t first, int32_t offset) {
    add(out + first, out, size_t(1) << low, offset);
    return true;
  });
}

std::optional<std::vector<int32_t>> xorBasesOf(std::span<const int32_t> table) {
  if (!std::has_single_bit(table.size()) || table[0] != 0)
    return std::nullopt;
  std::vector<int32_t> bases;
  for (size_t k = 1; k < table.size(); k *= 2) {
    if (table[k] < 0)
      return std::nullopt;
    bases.push_back(table[k]);
  }
  size_t low = std::min(bases.size(), kBlockBits);
  for (size_t bit = 0; bit < low; ++bit)
    if (!isXorOf(table.data() + (size_t(1) << bit), table.data(), size_t(1) << bit, bases[bit]))
      return std::nullopt;
  if (!eachBlock(bases, low, [&](size_t first, int32_t offset) {
        return isXorOf(table.data() + first, table.data(), size_t(1) << low, offset);
      }))
    return std::nullopt;
  return bases;
}

std::optional<XorInverse> invertXor(std::span<const int32_t> bases, int elementBits) {
  struct Vector {
    int32_t element, slot; // slot: the bits whose bases make up `element`
  };
  XorInverse out;
  std::vector<Vector> byTop(static_cast<size_t>(elementBits)); // indexed by the element's highest bit; 0: none
  auto top = [](int32_t value) { return static_cast<size_t>(std::bit_width(static_cast<uint32_t>(value)) - 1); };
  for (size_t bit = 0; bit < bases.size(); ++bit) {
    Vector next{bases[bit], int32_t(1) << bit};
    while (next.element != 0) {
      size_t at = top(next.element);
      if (at >= byTop.size())
        return std::nullopt;
      if (byTop[at].element == 0) {
        byTop[at] = next;
        break;
      }
      next = {next.element ^ byTop[at].element, next.slot ^ byTop[at].slot};
    }
    // The sum is zero, so this combination of bits belongs to the kernel: it leads from a slot to another slot of the
    // same element. Its highest bit is `bit`. No vector in byTop has this bit, so an element's first slot is the lowest
    // one, and the kernel's vectors lead upwards to the others.
    if (next.element == 0)
      out.bases.push_back(next.slot);
  }
  out.kernelBits = static_cast<int>(out.bases.size());
  for (size_t bit = 0; bit < byTop.size(); ++bit) {
    Vector unit = byTop[bit];
    if (unit.element == 0)
      return std::nullopt;
    for (int32_t rest = unit.element ^ (int32_t(1) << bit); rest != 0; rest = unit.element ^ (int32_t(1) << bit))
      unit = {unit.element ^ byTop[top(rest)].element, unit.slot ^ byTop[top(rest)].slot};
    byTop[bit] = unit; // from now on, the vector that consists of this bit alone
    out.bases.push_back(unit.slot);
  }
  return out;
}

} // namespace lanescope::layouts
