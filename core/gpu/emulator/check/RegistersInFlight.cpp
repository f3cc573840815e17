#include "core/gpu/emulator/check/RegistersInFlight.h"

#include "core/gpu/emulator/machine/Fault.h"
#include "layouts/support/Text.h"

namespace lanescope::core::emulator {

void RegistersInFlight::begin() {
  warps_.assign(order_.warps(), WarpState{});
  for (WarpState &state : warps_)
    state.registers.resize(order_.grid().program->trackedRegisters.size());
}

bool RegistersInFlight::use(Warp &warp, const Instr &i) {
  WarpState &state = warps_[order_.numberOf(warp)];
  const Grid &grid = order_.grid();
  const Program &program = *grid.program;
  uint32_t pc = order_.pcOf(i);
  for (uint32_t n = program.trackedBegin[pc]; n < program.trackedBegin[pc + 1]; ++n) {
    const TrackedUse &use = program.trackedUses[n];
    RegisterState &reg = state.registers[use.reg];
    bool writing = reg.written > state.waited, reading = reg.read > state.waited;
    if (writing || (use.write && reading)) {
      Epoch by = writing ? reg.written : reg.read;
      const Instr &other = program.code[state.pcs[by - state.waited - 1]];
      fault(warp, i, "wgmma-in-flight",
            text("`", grid.opcodeOf(i), "` ", use.write ? "writes" : "reads", " register `",
                 program.trackedRegisters[use.reg], "`, which a wgmma in flight ",
                 writing ? "accumulates into" : "reads as its A"),
            kNone,
            {Note{grid.spanOf(other), "the wgmma was issued here"},
             Note{grid.spanOf(i), "the missing wait: `wgmma.wait_group`"}});
      return false;
    }
    if (use.write) {
      reg.fences = state.fences;
      reg.constant = reg.holdsIt = use.constant || (use.from != kNone && state.registers[use.from].constant &&
                                                    state.registers[use.from].holdsIt);
    }
  }
  return true;
}

bool RegistersInFlight::issue(Warp &warp, const Instr &i) {
  WarpState &state = warps_[order_.numberOf(warp)];
  const Grid &grid = order_.grid();
  const Program &program = *grid.program;
  uint32_t pc = order_.pcOf(i);
  ++state.issued;
  state.pcs.push_back(pc);
  for (uint32_t n = program.trackedBegin[pc]; n < program.trackedBegin[pc + 1]; ++n) {
    const TrackedUse &use = program.trackedUses[n];
    RegisterState &reg = state.registers[use.reg];
    if (!use.write && reg.written > state.waited) {
      fault(warp, i, "wgmma-in-flight",
            text("`", grid.opcodeOf(i), "` takes register `", program.trackedRegisters[use.reg],
                 "` as its A, which a wgmma in flight accumulates into"),
            kNone,
            {Note{grid.spanOf(program.code[state.pcs[reg.written - state.waited - 1]]), "that wgmma was issued here"},
             Note{grid.spanOf(i), "the missing wait: `wgmma.wait_group`"}});
      return false;
    }
    if (reg.fences == state.fences && !reportUnfenced(warp, i, use.reg, state.fences > 0, reg.constant))
      return false;
    (use.write ? reg.written : reg.read) = state.issued;
    reg.holdsIt = reg.holdsIt && !use.write;
  }
  return true;
}

/// Constants are in their registers long before the tensor core asks for them: several of JAX's own kernels begin so.
bool RegistersInFlight::reportUnfenced(Warp &warp, const Instr &i, uint32_t reg, bool fencedBefore, bool constant) {
  constexpr std::string_view kKind = "unfenced-constant";
  if (constant && !isNews(*warp.block, kKind, order_.pcOf(i)))
    return true;
  const Grid &grid = order_.grid();
  std::string message = text("`", grid.opcodeOf(i), "` uses register `", grid.program->trackedRegisters[reg],
                             fencedBefore ? "`, which was written since the last `wgmma.fence`"
                                          : "` before the first `wgmma.fence` of this warp");
  std::vector<Note> notes{Note{grid.spanOf(i), "the missing fence: `wgmma.fence.sync.aligned` before the first wgmma"}};
  if (constant)
    return hazard(warp, i, std::string(kKind), std::move(message), kNone, std::move(notes));
  fault(warp, i, "missing-wgmma-fence", std::move(message), kNone, std::move(notes));
  return false;
}

void RegistersInFlight::waited(const Warp &warp, Epoch operations) {
  WarpState &state = warps_[order_.numberOf(warp)];
  if (operations <= state.waited)
    return;
  state.pcs.erase(state.pcs.begin(), state.pcs.begin() + (operations - state.waited));
  state.waited = operations;
  order_.waited(warp, AsyncUnit::Wgmma, operations);
}

bool RegistersInFlight::coveredBy(const View &barrier) const {
  uint32_t first = static_cast<uint32_t>(AsyncUnit::Wgmma) * order_.warps();
  for (uint32_t w = 0; w < order_.warps(); ++w)
    if (warps_[w].issued > barrier.seen[static_cast<Agent>(first + w / 4)])
      return false;
  return true;
}

} // namespace lanescope::core::emulator
