#include "core/gpu/emulator/RacingSharedReads.h"

#include "core/gpu/emulator/check/Checker.h"
#include "core/gpu/emulator/costs/InstructionRecorder.h"
#include "core/gpu/emulator/coverage/Loops.h"
#include "core/gpu/emulator/machine/Block.h"

#include <set>
#include <string_view>

namespace lanescope::core::emulator {

RacingSharedReads::RacingSharedReads(Program &program) : program_(program) {
  std::set<uint32_t> inLoops;
  for (const Loop &loop : loopsOf(program))
    inLoops.insert(loop.body.begin(), loop.body.end());
  for (uint32_t pc : inLoops) {
    Instr &instr = program.code[pc];
    std::string_view opcode = program.function->instructions[instr.source].opcode;
    bool shared = instr.space == Space::Shared || instr.space == Space::SharedCluster || instr.space == Space::Generic;
    if (!opcode.starts_with("ldmatrix") && !(shared && !instr.strong && opcode.starts_with("ld.")))
      continue;
    own_.emplace(pc, instr.run);
    instr.run = &read;
  }
}

RacingSharedReads::~RacingSharedReads() {
  for (auto [pc, run] : own_)
    program_.code[pc].run = run;
}

Step RacingSharedReads::read(Warp &warp, const Instr &i, uint32_t mask) {
  RacingSharedReads &self = *static_cast<const RecordedGrid &>(*warp.block->grid).racingShared;
  const Ordering &order = warp.block->checks->order;
  uint32_t pc = order.pcOf(i);
  self.found_.execute(warp, pc, order.useOf(warp, i).epoch);
  bool turned = self.bits_ != std::byte{} && self.found_.isRacing(warp, pc);
  // All of the block's: what else the instruction reads there races, too.
  auto turn = [&] {
    if (turned)
      for (std::byte &byte : warp.block->shared)
        byte ^= self.bits_;
  };
  turn();
  Step step = self.own_.at(pc)(warp, i, mask);
  turn();
  return step;
}

} // namespace lanescope::core::emulator
