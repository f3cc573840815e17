#include "core/tpu/emulator/Memory.h"

#include "layouts/support/Text.h"

#include <cstring>

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

int64_t MemRef::address(const int64_t *indices) const {
  int64_t at = offset;
  for (uint32_t d = 0; d < rank; ++d) {
    if (static_cast<int32_t>(d) == packed)
      at += indices[d] / packing * strides[d] + indices[d] % packing * element.bytes();
    else
      at += indices[d] * strides[d];
  }
  return at;
}

int64_t MemRef::run() const {
  int64_t run = 1, unit = element.isSemaphore() ? 1 : element.bytes();
  for (uint32_t d = rank; d-- > 0;) {
    if (sizes[d] == 1)
      continue;
    if (static_cast<int32_t>(d) == packed || strides[d] != run * unit)
      break;
    run *= sizes[d];
  }
  return std::max<int64_t>(run, 1);
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
  }
  return ref;
}

uint64_t loadElement(const Element &element, const std::byte *from) {
  uint64_t bits = 0;
  std::memcpy(&bits, from, element.bytes()); // little endian, as every host that we build for
  return bits;
}
void storeElement(const Element &element, std::byte *to, uint64_t bits) { std::memcpy(to, &bits, element.bytes()); }

} // namespace lanescope::core::sparsecore
