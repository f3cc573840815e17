#include "core/gpu/emulator/replay/StoreOrder.h"

#include "core/gpu/emulator/replay/ScFence.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace lanescope::core::emulator {

namespace {

StoreOrder storeOrderOf(const Program &program, uint32_t pc) {
  switch (globalAccessOf(program, pc)) {
  case GlobalAccess::Load: return StoreOrder::Load;
  case GlobalAccess::Write: return StoreOrder::Write;
  case GlobalAccess::None: break;
  }
  const Instr &i = program.code[pc];
  std::string_view opcode = program.function->instructions[i.source].opcode;
  auto startsWithAny = [&](auto... names) { return (opcode.starts_with(names) || ...); };
  if (isScFence(opcode))
    return StoreOrder::Full;
  if (startsWithAny("fence", "membar"))
    return StoreOrder::Fence;
  if (startsWithAny("ld.", "st.local", "ldmatrix", "prefetch"))
    return StoreOrder::None;
  bool full = startsWithAny("bar", "mbarrier", "cp.", "st", "atom", "red.", "multimem", "tcgen05", "wgmma", "exit",
                            "griddepcontrol", "clusterlaunchcontrol", "ret", "trap", "tensormap", "call");
  return full ? StoreOrder::Full : StoreOrder::None;
}

} // namespace

std::vector<StoreOrder> storeOrdersOf(const Program &program) {
  std::vector<StoreOrder> out(program.code.size());
  for (uint32_t pc = 0; pc < out.size(); ++pc)
    out[pc] = storeOrderOf(program, pc);
  return out;
}

} // namespace lanescope::core::emulator
