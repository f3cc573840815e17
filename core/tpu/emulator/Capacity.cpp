#include "core/tpu/emulator/Capacity.h"

#include "core/tpu/kernel/TpuTarget.h"
#include "layouts/support/Text.h"

namespace lanescope::core::sparsecore {

uint64_t largestVmem() {
  int64_t most = 0;
  for (const TpuTarget &target : tpuTargets())
    most = std::max(most, target.vmemBytes);
  return static_cast<uint64_t>(most);
}

bool couldHold(uint64_t vmemBytes, const Element &element, Space space, const std::vector<int64_t> &shape,
               const std::optional<layouts::TiledMemoryLayout> &layout) {
  constexpr uint64_t kSharedBytes = 256 << 20, kHbmBytes = 1 << 30, kSemaphores = 1 << 16;
  uint64_t elements = 1;
  for (int64_t each : shape)
    if (each < 0 || __builtin_mul_overflow(elements, static_cast<uint64_t>(each), &elements))
      return false;
  if (element.isSemaphore())
    return elements <= kSemaphores;
  if (layout)
    elements = static_cast<uint64_t>(layout->extent(shape));
  bool own = space == Space::Vmem || space == Space::Smem;
  return elements <= (own                                                  ? vmemBytes
                      : space == Space::VmemShared || space == Space::Cmem ? kSharedBytes
                                                                           : kHbmBytes) *
                         8 / element.bits;
}

/// "(64, 16) elements of i32 in tiles of (1, 128), 32768 bytes"
static std::string sizeText(const Element &element, const std::vector<int64_t> &shape,
                            const std::optional<layouts::TiledMemoryLayout> &layout, uint64_t bytes) {
  return text("(", joined(shape, ", "), ") elements of ", name(element),
              layout && !layout->tiles().empty() ? text(" in tiles of (", joined(layout->tiles().front(), ", "), ")")
                                                 : "",
              ", ", bytes, " bytes");
}

void failTooLarge(Machine &m, const Element &element, Space space, const std::vector<int64_t> &shape,
                  const std::optional<layouts::TiledMemoryLayout> &layout, uint32_t place) {
  uint64_t elements = layout ? static_cast<uint64_t>(layout->extent(shape)) : 1;
  for (size_t d = 0; !layout && d < shape.size(); ++d)
    elements = static_cast<uint64_t>(
        layouts::saturatingMultiply(static_cast<int64_t>(elements), std::max<int64_t>(shape[d], 0)));
  uint64_t bytes = elements / 8 * element.bits + (elements % 8 * element.bits + 7) / 8;
  m.fail("scratch-memory", place,
         Message("an allocation of {}, which {} cannot hold{}", sizeText(element, shape, layout, bytes), name(space),
                 space == Space::Vmem ? text(": a vector subcore has ", m.vmemBytes) : ""));
}

static bool counts(const Subcore &s, const Buffer &buffer) {
  return buffer.space == Space::Vmem && s.location.type == CoreType::VectorSubcore;
}

bool takeRoom(Machine &m, Subcore &s, const Buffer &buffer, uint32_t place) {
  if (!counts(s, buffer))
    return true;
  s.vmemBytes += buffer.deviceBytes;
  if (s.vmemBytes <= m.vmemBytes)
    return true;
  m.fail("scratch-memory", place,
         Message("{} needs {bytes} bytes of VMEM with this ({}), and a vector subcore has {}", m.nameOf(s), s.vmemBytes,
                 sizeText(buffer.element, buffer.shape, buffer.layout, buffer.deviceBytes), m.vmemBytes));
  return false;
}

void giveRoom(Subcore &s, const Buffer &buffer) {
  if (counts(s, buffer))
    s.vmemBytes -= buffer.deviceBytes;
}

} // namespace lanescope::core::sparsecore
