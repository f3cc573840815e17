#include "core/gpu/emulator/replay/RacingSharedReads.h"

#include "core/gpu/emulator/check/Checker.h"
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
  return inLoops_.contains(pc) &&
         (opcode.starts_with("ldmatrix") || (shared && !instr.strong && opcode.starts_with("ld.")));
}

Step RacingSharedReads::execute(Warp &warp, const Instr &i, uint32_t mask, Own own) {
  const Ordering &order = warp.block->checks->order;
  uint32_t pc = order.pcOf(i);
  found_.execute(warp, pc, order.useOf(warp, i).epoch);
  bool turned = bits_ != std::byte{} && found_.isRacing(warp, pc);
  // Inverts all of the block's shared memory. If the instruction reads other bytes there, these reads race as well, so
  // they may be inverted, too.
  auto turn = [&] {
    if (turned)
      for (std::byte &byte : warp.block->shared)
        byte ^= bits_;
  };
  turn();
  Step step = own(warp, i, mask);
  turn();
  return step;
}

} // namespace lanescope::core::emulator
