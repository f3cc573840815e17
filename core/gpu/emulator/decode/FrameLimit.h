// How much local memory a function may declare.
#pragma once

#include <cstdint>

namespace lanescope::core::emulator {

inline constexpr uint32_t kMaxFrameBytes = 1u << 20; // of a thread

} // namespace lanescope::core::emulator
