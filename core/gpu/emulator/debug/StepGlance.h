// A step of the machine in the form that breakpoint conditions and observers read.
#pragma once

#include "core/gpu/emulator/debug/DebuggerState.h"

namespace lanescope::core {

class StepGlance final : public Glance {
public:
  StepGlance(const Debugger::State &state, const emulator::StepWatch::Step &step) : state_(state), step_(step) {}
  WarpRef warp() const override { return emulator::refOf(*step_.warp); }
  uint32_t device() const override { return step_.block.grid->device; }
  std::array<uint32_t, 3> blockId() const override { return step_.block.id; }
  uint32_t lanes() const override { return step_.mask; }
  uint64_t cycle() const override { return step_.warp->time; }
  uint64_t moment() const override { return state_.machine->moment(); }
  uint32_t ptxLine() const override { return state_.code.line(step_.pc, false); }
  std::optional<uint64_t> value(std::string_view name, uint32_t lane) const override {
    auto at = state_.registerNamed(name);
    if (!at || lane >= 32)
      return std::nullopt;
    return state_.registerValue(*step_.warp, name, *at).lanes[lane];
  }

private:
  const Debugger::State &state_;
  const emulator::StepWatch::Step &step_;
};

} // namespace lanescope::core
