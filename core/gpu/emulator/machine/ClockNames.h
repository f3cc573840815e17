// The names of the registers that read a clock (PTX ISA, "Special Registers").
#pragma once

#include "core/gpu/emulator/machine/CostModel.h"
#include "core/gpu/emulator/machine/Program.h"

namespace lanescope::core::emulator {

struct ClockName {
  std::string_view name;
  Special kind;
  uint32_t bits;
};
inline constexpr ClockName kClocks[] = {
    {"%clock", Special::Clock, 32},
    {"%clock_hi", Special::ClockHi, 32},
    {"%clock64", Special::Clock64, 64},
    {"%globaltimer", Special::GlobalTimer, 64},
    {"%globaltimer_lo", Special::GlobalTimerLo, 32},
    {"%globaltimer_hi", Special::GlobalTimerHi, 32},
};

/// Returns null if the register reads no clock.
inline const ClockName *clockNamed(std::string_view name) {
  for (const ClockName &clock : kClocks)
    if (clock.name == name)
      return &clock;
  return nullptr;
}

inline bool isWideClock(Special kind) { return kind == Special::Clock64 || kind == Special::GlobalTimer; }

/// The value of a clock register at the time that a warp has reached.
inline uint64_t clockNow(uint64_t time, Special kind) {
  bool global = kind == Special::GlobalTimer || kind == Special::GlobalTimerLo || kind == Special::GlobalTimerHi;
  uint64_t now = time + (global ? cost::kFirstNanosecond : 0);
  return kind == Special::ClockHi || kind == Special::GlobalTimerHi ? now >> 32 : now;
}

} // namespace lanescope::core::emulator
