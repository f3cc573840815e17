#include "core/gpu/kernel/SharedArrays.h"

#include "layouts/SharedMemory.h"
#include "layouts/support/Text.h"
#include "layouts/support/Try.h"

#include <algorithm>

namespace lanescope::core {

namespace {

int bitsOf(const SharedArray &array) {
  return array.dtype == layouts::Dtype::I1 ? 8 : layouts::bitwidth(array.dtype); // a truth value takes a byte
}

layouts::Shape coordinates(int64_t element, const layouts::Shape &shape) {
  layouts::Shape at(shape.size());
  for (size_t d = shape.size(); d-- > 0; element /= shape[d])
    at[d] = element % shape[d];
  return at;
}

/// Names the box from `low` to `high`, both inclusive: "`x[1, 32:40]`".
std::string boxText(const std::string &name, const layouts::Shape &low, const layouts::Shape &high) {
  std::vector<std::string> indices;
  for (size_t d = 0; d < low.size(); ++d)
    indices.push_back(low[d] == high[d] ? text(low[d]) : text(low[d], ":", high[d] + 1));
  return indices.empty() ? text("`", name, "`") : text("`", name, "[", joined(indices, ", "), "]`");
}

/// The elements of one array in bits [begin, end) after the start of `map`; empty: none.
std::string elementsIn(const SharedArray &array, const layouts::AddressMap &map, int64_t begin, int64_t end) {
  int64_t bits = map.bitwidth(), count = 0, volume = 1;
  layouts::Shape low, high, first, last;
  for (int64_t at = begin / bits; at * bits < end; ++at) {
    int32_t element = at < map.extent() ? map.element(at) : -1;
    if (element < 0)
      continue;
    layouts::Shape index = coordinates(element, array.shape);
    if (count++ == 0)
      low = high = first = last = index;
    first = std::min(first, index);
    last = std::max(last, index);
    for (size_t d = 0; d < index.size(); ++d) {
      low[d] = std::min(low[d], index[d]);
      high[d] = std::max(high[d], index[d]);
    }
  }
  if (count == 0)
    return {};
  for (size_t d = 0; d < low.size(); ++d)
    volume *= high[d] - low[d] + 1;
  return volume == count ? boxText(array.name, low, high)
                         : text(boxText(array.name, first, first), " to ", boxText(array.name, last, last));
}

} // namespace

std::string SharedArray::type() const {
  std::string out = text(layouts::name(dtype), "[", joined(shape, ", "), "]");
  if (!tiling.empty())
    out += text(" in tiles of ", layouts::tupleText(tiling));
  return swizzle ? text(out, ", ", swizzle, "-byte swizzle") : out;
}

Result<SharedElements> elementsOf(const SharedArray &array, uint32_t address) {
  int bits = bitsOf(array);
  auto map = LANESCOPE_TRY(layouts::SmemMap::of(array.shape, bits, array.tiling, std::nullopt));
  constexpr uint32_t kPattern = 1024; // the period of swizzles
  uint32_t first = address / kPattern * kPattern;
  std::vector<int32_t> offsets;
  for (int64_t n = 0, count = layouts::elementCount(array.shape); n < count; ++n) {
    auto bit = static_cast<uint64_t>(map.elementOffset(coordinates(n, array.shape)) * bits);
    uint64_t byte = layouts::swizzledByte(address + bit / 8, array.swizzle ? array.swizzle : 16);
    offsets.push_back(static_cast<int32_t>(((byte - first) * 8 + bit % 8) / static_cast<uint64_t>(bits)));
  }
  auto made = LANESCOPE_TRY(layouts::AddressMap::make(array.type(), array.shape, bits, std::move(offsets)));
  return SharedElements{first, std::move(made)};
}

std::string elementsAt(std::span<const SharedArray> arrays, uint32_t offset, uint32_t bytes, uint32_t dynamic) {
  std::vector<std::string> found;
  for (const SharedArray &array : arrays) {
    uint64_t size =
        (static_cast<uint64_t>(layouts::elementCount(array.shape)) * static_cast<uint64_t>(bitsOf(array)) + 7) / 8;
    if (array.name.empty() || offset >= array.offset + size || offset + uint64_t{bytes} <= array.offset)
      continue;
    auto elements = elementsOf(array, dynamic + array.offset);
    if (!elements)
      continue;
    int64_t begin = (int64_t{dynamic} + offset - elements->first) * 8;
    std::string one = elementsIn(array, elements->map, std::max<int64_t>(begin, 0), begin + int64_t{bytes} * 8);
    if (!one.empty())
      found.push_back(std::move(one));
  }
  return joined(found, " or ");
}

} // namespace lanescope::core
