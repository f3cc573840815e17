// The limit for the local memory that a function declares.
#pragma once

#include <cstdint>

namespace lanescope::core::emulator {

inline constexpr uint32_t kMaxFrameBytes = 1u << 20; // per thread

} // namespace lanescope::core::emulator
