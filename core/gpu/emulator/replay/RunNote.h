// The remark on a run: its figures, and the instructions that it computed exactly, approximately or not at all.
//
//   result.note = figuresText(statistics, bounds) + exactnessText(program);
//   // "emulated 5120 warp instructions in 4203 modelled cycles (…); all instructions are exact; unsupported: none"
#pragma once

#include "core/gpu/emulator/conflicts/GlobalTraffic.h"
#include "core/gpu/emulator/Emulator.h"
#include "core/gpu/emulator/machine/Program.h"

#include <cstdint>
#include <optional>
#include <string>

namespace lanescope::core::emulator {

/// The bytes that pass through the resources which all multiprocessors share, and the cycles that this takes.
struct TrafficBounds {
  uint64_t l2Bytes = 0, dramBytes = 0;
  // Cycles; `schedule` is the time that the warps need by the emulator's schedule.
  uint64_t schedule = 0, l2 = 0, dram = 0;

  static TrafficBounds of(const GlobalTraffic &traffic, const Program &program, const EmulatorStatistics &counted);
  /// The square root of the sum of the squares of `schedule` and the longer bound. The closer the two are to each
  /// other, the less they overlap.
  uint64_t cycles() const;
};

/// `faulted`: the run ended in a fault. Then there are no figures, because the number of host threads decides how far
/// the other blocks came.
std::string figuresText(const EmulatorStatistics &statistics, const std::optional<TrafficBounds> &bounds, bool faulted);
/// The instructions of the program that the emulator computes exactly, approximately or not at all.
std::string exactnessText(const Program &program);

} // namespace lanescope::core::emulator
