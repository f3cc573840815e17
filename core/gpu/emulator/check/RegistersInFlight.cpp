#include "core/gpu/emulator/check/RegistersInFlight.h"

#include "core/gpu/emulator/machine/Fault.h"
#include "layouts/support/Text.h"

#include <algorithm>
#include <span>

namespace lanescope::core::emulator {

void RegistersInFlight::begin() {
  warps_.assign(order_.warps(), WarpState{});
  for (WarpState &state : warps_)
    state.registers.resize(order_.grid().program->trackedRegisters.size());
}

RegistersInFlight::Use RegistersInFlight::use(Warp &warp, const Instr &i) {
  Use out;
  WarpState &state = warps_[order_.numberOf(warp)];
  const Program &program = *order_.grid().program;
  uint32_t pc = order_.pcOf(i), begin = program.trackedBegin[pc];
  std::span<const TrackedUse> uses(program.trackedUses.data() + begin, program.trackedBegin[pc + 1] - begin);
  bool inFlight = state.issued != state.waited;
  RegisterState *registers = state.registers.data();
  for (const TrackedUse &use : uses) {
    if (!use.write && !inFlight)
      continue;
    RegisterState &reg = registers[use.reg];
    bool writing = reg.written > state.waited, reading = reg.read > state.waited;
    if (writing || (use.write && reading)) {
      Epoch by = writing ? reg.written : reg.read;
      out.after = std::max(out.after, by);
      out.right = reportInFlight(warp, i, use, state.pcs[by - state.waited - 1], writing);
      if (!out.right)
        return out;
    }
    if (use.write) {
      bool harmless = use.fromCount > 0;
      for (uint32_t source : std::span(program.trackedSources).subspan(use.from, use.fromCount)) {
        const RegisterState &from = registers[source];
        harmless = harmless && ((from.constant && from.holdsIt) || from.fences < state.fences);
      }
      reg.fences = state.fences;
      reg.constant = reg.holdsIt = use.constant || harmless;
    }
  }
  return out;
}

/// If ptxas sees the instruction that uses the register, it inserts the wait itself and runs the wgmmas one by one (its
/// messages C7514 and C7517). Compilers rely on that only for copies: nvcc without optimisation, and Triton between the
/// halves of f16 accumulators. If a wgmma reads the register as its A, ptxas keeps the value until the wgmma has read
/// it, as it must wherever it reuses a register. Triton's loops load the next A there.
bool RegistersInFlight::reportInFlight(Warp &warp, const Instr &i, const TrackedUse &use, uint32_t wgmma,
                                       bool writing) {
  constexpr std::string_view kCopiedKind = "copied-in-flight";
  constexpr std::string_view kReplacedKind = "replaced-in-flight";
  bool replaced = use.write && !writing, fatal = !use.copied && !replaced;
  std::string_view kind = use.copied ? kCopiedKind : kReplacedKind;
  if (!fatal && !isNews(*warp.block, kind, order_.pcOf(i)))
    return true;
  const Grid &grid = order_.grid();
  std::string message = text("`", grid.opcodeOf(i), "` ",
                             use.write    ? "writes"
                             : use.copied ? "copies"
                                          : "reads",
                             " register `", grid.program->trackedRegisters[use.reg], "`, which a wgmma in flight ",
                             writing ? "accumulates into" : "reads as its A");
  std::vector<Note> notes{Note{grid.spanOf(grid.program->code[wgmma]), "the wgmma was issued here"},
                          Note{grid.spanOf(i), "the missing wait: `wgmma.wait_group`"}};
  if (!fatal)
    return hazard(warp, i, std::string(kind), std::move(message), kNone, std::move(notes));
  fault(warp, i, "wgmma-in-flight", std::move(message), kNone, std::move(notes));
  return false;
}

bool RegistersInFlight::issue(Warp &warp, const Instr &i) {
  WarpState &state = warps_[order_.numberOf(warp)];
  const Grid &grid = order_.grid();
  const Program &program = *grid.program;
  uint32_t pc = order_.pcOf(i), begin = program.trackedBegin[pc];
  std::span<const TrackedUse> uses(program.trackedUses.data() + begin, program.trackedBegin[pc + 1] - begin);
  Epoch now = ++state.issued;
  state.pcs.push_back(pc);
  RegisterState *registers = state.registers.data();
  const Epoch waited = state.waited;
  const uint32_t fences = state.fences;
  for (const TrackedUse &use : uses) {
    RegisterState &reg = registers[use.reg];
    if (!use.write && reg.written > waited) {
      fault(warp, i, "wgmma-in-flight",
            Message("`{}` takes register `{register}` as its A, which a wgmma in flight accumulates into",
                    grid.opcodeOf(i), program.trackedRegisters[use.reg]),
            kNone,
            {Note{grid.spanOf(program.code[state.pcs[reg.written - state.waited - 1]]), "that wgmma was issued here"},
             Note{grid.spanOf(i), "the missing wait: `wgmma.wait_group`"}});
      return false;
    }
    if (reg.fences == fences && !reportUnfenced(warp, i, use.reg, reg))
      return false;
    (use.write ? reg.written : reg.read) = now;
    reg.holdsIt = reg.holdsIt && !use.write;
  }
  return true;
}

/// A missing fence after the write of a constant is only a hazard: the constant is in its register long before the
/// tensor core needs it, and several of JAX's own kernels begin so. A copy of a fenced register counts as a constant,
/// too. ptxas moves the copy above the fence, or drops it, and Triton's kernels have such copies after the fence. nvcc
/// without optimisation reloads accumulators there, and ptxas adds the fence (its message C7519).
bool RegistersInFlight::reportUnfenced(Warp &warp, const Instr &i, uint32_t reg, const RegisterState &state) {
  constexpr std::string_view kKind = "unfenced-constant";
  if (state.constant && !isNews(*warp.block, kKind, order_.pcOf(i)))
    return true;
  const Grid &grid = order_.grid();
  std::string message = text("`", grid.opcodeOf(i), "` uses register `", grid.program->trackedRegisters[reg],
                             state.fences > 0 ? "`, which was written since the last `wgmma.fence`"
                                              : "` before the first `wgmma.fence` of this warp");
  std::vector<Note> notes{Note{grid.spanOf(i), "the missing fence: `wgmma.fence.sync.aligned` before the first wgmma"}};
  if (state.constant)
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
}

bool RegistersInFlight::coveredBy(const View &barrier) const {
  uint32_t first = static_cast<uint32_t>(AsyncUnit::Wgmma) * order_.warps();
  for (uint32_t w = 0; w < order_.warps(); ++w)
    if (warps_[w].issued > barrier.seen[static_cast<Agent>(first + w / 4)])
      return false;
  return true;
}

} // namespace lanescope::core::emulator
