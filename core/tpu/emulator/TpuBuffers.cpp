#include "core/tpu/emulator/TpuBuffers.h"

#include "layouts/support/Text.h"

#include <algorithm>
#include <cstring>
#include <numeric>

namespace lanescope::core::sparsecore {

std::string name(const Location &location, bool severalDevices) {
  std::string where = severalDevices ? text("device ", location.device, " ") : "";
  where += text("core ", location.core);
  return where + (location.type == CoreType::VectorSubcore ? text(" subcore ", location.subcore) : " scalar subcore");
}

uint64_t Buffer::elements() const { return static_cast<uint64_t>(layouts::elementCount(shape)); }

int64_t MemRef::elements() const {
  int64_t count = 1;
  for (uint32_t d = 0; d < rank; ++d)
    count *= sizes[d];
  return count;
}

int64_t MemRef::step(uint32_t d, int64_t index, int64_t piece) const {
  if (static_cast<int32_t>(d) != packed)
    return along(d, index);
  return packing > 1 ? along(d, index / packing) + index % packing * element.bytes() : along(d, index * pieces + piece);
}

int64_t MemRef::address(const int64_t *indices, int64_t piece) const {
  int64_t at = offset;
  if (pieces > 1 && packed < 0)
    at += pieceAt[static_cast<size_t>(piece)];
  for (uint32_t d = 0; d < rank; ++d)
    at += step(d, indices[d], piece);
  return at;
}

int64_t MemRef::run() const {
  if (pieces > 1)
    return 1;
  int64_t run = 1, unit = element.isSemaphore() ? 1 : element.bytes();
  for (uint32_t d = rank; d-- > 0;) {
    if (sizes[d] == 1)
      continue;
    if (static_cast<int32_t>(d) == packed)
      break;
    if (tables[d]) { // the number of elements that are contiguous from every place where a run can begin
      const OffsetTable &table = *tables[d];
      int64_t together = sizes[d];
      for (int64_t k = 1; k < sizes[d] && together > 1; ++k) {
        size_t at = static_cast<size_t>(starts[d] + k);
        if (table[at] - table[at - 1] != run * unit)
          together = std::gcd(together, k);
      }
      run *= together;
      if (together < sizes[d])
        break;
      continue;
    }
    if (strides[d] != run * unit)
      break;
    run *= sizes[d];
  }
  return std::max<int64_t>(run, 1);
}

void MemRef::advance(const int64_t *indices) {
  for (uint32_t d = 0; d < rank; ++d) {
    int64_t row = static_cast<int32_t>(d) != packed ? indices[d]
                  : packing > 1                     ? indices[d] / packing
                                                    : indices[d] * pieces;
    if (tables[d])
      starts[d] += row;
    else
      offset += row * strides[d];
  }
}

void MemRef::drop(uint32_t d, int64_t index) {
  if (static_cast<int32_t>(d) == packed) {
    for (int64_t piece = 0; piece < pieces && pieces > 1; ++piece)
      pieceAt[static_cast<size_t>(piece)] = step(d, index, piece) - step(d, index, 0);
    offset += step(d, index, 0);
    packed = -1;
    packing = 1;
  } else {
    offset += step(d, index, 0);
    packed -= packed > static_cast<int32_t>(d);
  }
  --rank;
  for (uint32_t k = d; k < rank; ++k) {
    sizes[k] = sizes[k + 1];
    strides[k] = strides[k + 1];
    tables[k] = tables[k + 1];
    starts[k] = starts[k + 1];
  }
}

int64_t Buffer::addressOf(int64_t number) const {
  if (!layout)
    return number * element.bytes();
  int64_t at = 0;
  for (size_t d = shape.size(); d-- > 0; number /= shape[d])
    at += tables[d][static_cast<size_t>(number % shape[d])];
  return at;
}

MemRef whole(Buffer &buffer) {
  MemRef ref;
  ref.buffer = &buffer;
  ref.element = buffer.element;
  ref.rank = static_cast<uint32_t>(buffer.shape.size());
  int64_t stride = buffer.element.isSemaphore() ? 1 : buffer.element.bytes();
  for (uint32_t d = ref.rank; d-- > 0;) {
    ref.sizes[d] = buffer.shape[d];
    ref.strides[d] = stride;
    stride *= buffer.shape[d];
    if (buffer.layout)
      ref.tables[d] = &buffer.tables[d];
  }
  return ref;
}

uint64_t loadElement(const Element &element, const std::byte *from) {
  uint64_t bits = 0;
  std::memcpy(&bits, from, element.bytes()); // little endian, as all supported hosts
  return bits;
}
void storeElement(const Element &element, std::byte *to, uint64_t bits) { std::memcpy(to, &bits, element.bytes()); }

} // namespace lanescope::core::sparsecore
