#include "core/gpu/emulator/replay/RacingSharedReads.h"

#include "core/gpu/emulator/check/Checker.h"
#include "core/gpu/emulator/check/DiscardedValues.h"
#include "core/gpu/emulator/costs/InstructionRecorder.h"
#include "core/gpu/emulator/coverage/Loops.h"
#include "core/gpu/emulator/machine/Block.h"

#include <string_view>

namespace lanescope::core::emulator {

RacingSharedReads::RacingSharedReads(const Program &program) {
  for (const Loop &loop : loopsOf(program))
    inLoops_.insert(loop.body.begin(), loop.body.end());
}

bool RacingSharedReads::concerns(const Program &program, uint32_t pc) const {
  const Instr &instr = program.code[pc];
  std::string_view opcode = program.function->instructions[instr.source].opcode;
  bool shared = instr.space == Space::Shared || instr.space == Space::SharedCluster || instr.space == Space::Generic;
  bool loads = shared && !instr.strong && opcode.starts_with("ld.");
  return inLoops_.contains(pc) ? loads || opcode.starts_with("ldmatrix") : loads && mayDiscard(program, pc);
}

Step RacingSharedReads::execute(Warp &warp, const Instr &i, uint32_t mask, Own own) {
  const Ordering &order = warp.block->checks->order;
  uint32_t pc = order.pcOf(i);
  found_.execute(warp, pc, order.useOf(warp, i).epoch);
  uint32_t racing = bits_ != std::byte{} ? found_.racingLanes(warp, pc) & mask : 0;
  if (racing == 0)
    return own(warp, i, mask);
  if (i.access == 0) // all lanes together load the rows of matrices
    racing = mask;
  if (racing != mask)
    if (Step step = own(warp, i, mask & ~racing); step != Step::Next)
      return step;
  // Inverts all of the block's shared memory. If the lanes read other bytes there, these reads race as well, so they
  // may be inverted, too.
  auto turn = [&] {
    for (std::byte &byte : warp.block->shared)
      byte ^= bits_;
  };
  turn();
  Step step = own(warp, i, racing);
  turn();
  return step;
}

} // namespace lanescope::core::emulator
