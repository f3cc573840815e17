#include "core/gpu/emulator/check/Clocks.h"

#include "core/gpu/emulator/machine/HostVectors.h"

namespace lanescope::core::emulator {

namespace {

LANESCOPE_WIDE void largest(Epoch *to, const Epoch *from, size_t count) {
  for (size_t n = 0; n < count; ++n)
    to[n] = std::max(to[n], from[n]);
}

} // namespace

void Clock::raiseAll(Epoch *to, const Epoch *from, size_t count) { largest(to, from, count); }

} // namespace lanescope::core::emulator
