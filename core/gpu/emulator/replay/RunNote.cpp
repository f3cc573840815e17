#include "core/gpu/emulator/replay/RunNote.h"

#include "core/gpu/kernel/GpuTarget.h"
#include "layouts/support/Text.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace lanescope::core::emulator {

namespace {

std::string listed(const std::vector<std::string> &names) {
  constexpr size_t kShown = 8;
  std::string out;
  for (size_t n = 0; n < names.size() && n < kShown; ++n)
    out += text(n ? ", `" : "`", names[n], "`");
  if (names.size() > kShown)
    out += text(" and ", names.size() - kShown, " more");
  return out;
}

} // namespace

TrafficBounds TrafficBounds::of(const GlobalTraffic &traffic, const Program &program,
                                const EmulatorStatistics &counted) {
  const GpuSpeeds &speeds = program.machine->speeds;
  TrafficBounds bounds{.l2Bytes = counted.l2Bytes, .dramBytes = traffic.dramBytes(), .schedule = counted.cycles};
  bounds.l2 = bounds.l2Bytes / static_cast<uint64_t>(speeds.l2Bytes);
  bounds.dram = bounds.dramBytes / static_cast<uint64_t>(speeds.dramBytes);
  return bounds;
}

uint64_t TrafficBounds::cycles() const {
  return static_cast<uint64_t>(std::hypot(static_cast<double>(schedule), static_cast<double>(std::max(l2, dram))));
}

std::string figuresText(const EmulatorStatistics &statistics, const std::optional<TrafficBounds> &bounds,
                        bool faulted) {
  if (faulted)
    return "emulated until a fault; ";
  std::string parts =
      statistics.wavefronts ? text("warps lost ", *statistics.wavefronts, " to bank conflicts; ") : "bank conflicts, ";
  if (bounds)
    parts += text("the schedule of warps takes ", bounds->schedule, ", ", bounds->l2Bytes, " bytes of L2 take ",
                  bounds->l2, ", ", bounds->dramBytes, " of DRAM ", bounds->dram, "; spills are not included");
  else
    parts += "L2, DRAM and spills are not included";
  return text("emulated ", statistics.warpInstructions, " warp instructions in ", statistics.cycles,
              " modelled cycles (", parts, "); ");
}

std::string exactnessText(const Program &program) {
  std::string note;
  if (program.approximate.empty())
    note += "all instructions are exact";
  else
    note += text("approximate: ", listed(program.approximate), "; all others are exact");
  if (program.fused)
    note += text("; fused into one operation, as ptxas does: ", program.fused,
                 program.fused == 1 ? " sum with its product" : " sums with their products");
  if (!program.ignored.empty())
    note += text("; without effect here: ", listed(program.ignored));
  return note + "; unsupported: none";
}

} // namespace lanescope::core::emulator
