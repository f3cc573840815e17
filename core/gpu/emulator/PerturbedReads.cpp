#include "core/gpu/emulator/PerturbedReads.h"

#include "core/gpu/emulator/costs/InstructionRecorder.h"
#include "core/gpu/emulator/machine/Block.h"
#include "core/gpu/emulator/machine/Lanes.h"

#include <set>

namespace lanescope::core::emulator {

PerturbedReads::PerturbedReads(Program &program, const RacingReads &reads, std::byte bits)
    : program_(program), reads_(reads), bits_(bits) {
  for (const RacingRead &read : reads)
    if (own_.try_emplace(read.pc, program.code[read.pc].run).second)
      program.code[read.pc].run = &load;
}

PerturbedReads::~PerturbedReads() {
  for (auto [pc, run] : own_)
    program_.code[pc].run = run;
}

Step PerturbedReads::load(Warp &warp, const Instr &i, uint32_t mask) {
  const Grid &grid = *warp.block->grid;
  const PerturbedReads &self = *static_cast<const RecordedGrid &>(grid).perturbed;
  auto pc = static_cast<uint32_t>(&i - grid.program->code.data());
  std::set<std::byte *> places;
  if (self.reads_.contains({grid.device, warp.block->linear, warp.id, pc})) {
    uint64_t addresses[kLanes];
    addressesOf(warp, i, addresses);
    forLanes(mask, [&](uint32_t l) {
      uint64_t offset = 0;
      const Region *region = regionOf(grid, addresses[l], offset);
      if (region && region->data && offset + i.access <= region->bytes)
        places.insert(region->data + offset);
    });
  }
  auto turn = [&] {
    for (std::byte *place : places)
      for (uint32_t n = 0; n < i.access; ++n)
        place[n] ^= self.bits_;
  };
  turn();
  Step step = self.own_.at(pc)(warp, i, mask);
  turn();
  return step;
}

} // namespace lanescope::core::emulator
