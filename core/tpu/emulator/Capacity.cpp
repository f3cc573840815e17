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

bool couldHold(uint64_t vmemBytes, const Element &element, Space space, const std::vector<int64_t> &shape) {
  constexpr uint64_t kSharedBytes = 256 << 20, kHbmBytes = 1 << 30, kSemaphores = 1 << 16;
  uint64_t size = element.isSemaphore() ? 1 : element.bytes();
  for (int64_t each : shape)
    if (each < 0 || __builtin_mul_overflow(size, static_cast<uint64_t>(each), &size))
      return false;
  if (element.isSemaphore())
    return size <= kSemaphores;
  bool own = space == Space::Vmem || space == Space::Smem;
  return size <= (own ? vmemBytes : space == Space::VmemShared || space == Space::Cmem ? kSharedBytes : kHbmBytes);
}

static bool counts(const Subcore &s, const Buffer &buffer) {
  return buffer.space == Space::Vmem && s.location.type == CoreType::VectorSubcore;
}

bool takeRoom(Machine &m, Subcore &s, const Buffer &buffer, uint32_t place) {
  if (!counts(s, buffer))
    return true;
  s.vmemBytes += buffer.bytes.size();
  if (s.vmemBytes <= m.vmemBytes)
    return true;
  m.fail("scratch-memory", place,
         text(m.nameOf(s), " needs ", s.vmemBytes, " bytes of VMEM with this, and a vector subcore has ", m.vmemBytes));
  return false;
}

void giveRoom(Subcore &s, const Buffer &buffer) {
  if (counts(s, buffer))
    s.vmemBytes -= buffer.bytes.size();
}

} // namespace lanescope::core::sparsecore
