// Reads the run's state at earlier moments, and then returns to the current moment.
#include "core/gpu/emulator/debug/DebuggerState.h"

#include <algorithm>

namespace lanescope::core {

using namespace emulator;

std::vector<std::optional<Debugger::Passage>> Debugger::lastAt(std::span<const WarpRef> warps,
                                                               std::span<const uint32_t> ptxLines) {
  State &s = *state_;
  s.machine->begin();
  Stop kept = s.stop;
  Marks marks = s.marksOf(ptxLines);
  std::vector<std::optional<Passage>> out(warps.size()), stretch;
  s.sweepBack(
      kept.moment, marks,
      [&](const State::Step &step) {
        if (!step.warp || !marks.pcs[step.pc] || s.machine->moment() >= kept.moment)
          return;
        WarpRef warp = refOf(*step.warp);
        for (size_t n = 0; n < warps.size(); ++n)
          if (warps[n] == warp)
            stretch[n] = {s.machine->moment(), s.code.line(step.pc, false)};
      },
      [&] { stretch.assign(warps.size(), std::nullopt); },
      [&] {
        for (size_t n = 0; n < out.size(); ++n)
          if (!out[n])
            out[n] = stretch[n];
        return std::ranges::any_of(out, [](const auto &one) { return !one; });
      });
  s.seek(kept.moment);
  s.stop = std::move(kept);
  return out;
}

bool Debugger::observe(std::span<const uint32_t> ptxLines, std::function<void(const Glance &)> look) {
  State &s = *state_;
  s.machine->begin();
  Stop kept = s.stop;
  s.observers.push_back({s.marksOf(ptxLines).pcs, std::move(look)});
  s.machine->rewind(0);
  s.seek(kept.moment);
  bool whole = !s.machine->limited();
  if (whole)
    s.stop = std::move(kept);
  return whole;
}

void Debugger::lookBack(std::vector<uint64_t> moments, const std::function<void(uint64_t)> &look) {
  State &s = *state_;
  s.machine->begin();
  Stop kept = s.stop;
  std::ranges::sort(moments);
  for (uint64_t moment : moments) {
    s.seek(moment);
    look(moment);
  }
  s.seek(kept.moment);
  s.stop = std::move(kept);
}

} // namespace lanescope::core
