#include "core/gpu/emulator/PerturbedReads.h"

#include "core/gpu/emulator/GlobalPlaces.h"

#include <string_view>
#include <vector>

namespace lanescope::core::emulator {

PerturbedReads::PerturbedReads(Program &program, const RacingReads &reads, std::optional<std::byte> bits)
    : program_(program), reads_(reads), bits_(bits) {
  auto replace = [&](uint32_t pc, Handler with) {
    if (own_.try_emplace(pc, program.code[pc].run).second)
      program.code[pc].run = with;
  };
  for (const RacingRead &read : reads)
    replace(read.pc, &load);
  for (uint32_t pc = 0; pc < program.code.size(); ++pc) {
    std::string_view opcode = program.function->instructions[program.code[pc].source].opcode;
    if (opcode.starts_with("atom.") && opcode.find(".cas") != std::string_view::npos)
      replace(pc, &compare);
  }
}

PerturbedReads::~PerturbedReads() {
  for (auto [pc, run] : own_)
    program_.code[pc].run = run;
}

Step PerturbedReads::load(Warp &warp, const Instr &i, uint32_t mask) {
  const Grid &grid = *warp.block->grid;
  PerturbedReads &self = *static_cast<const RecordedGrid &>(grid).perturbed;
  auto pc = static_cast<uint32_t>(&i - grid.program->code.data());
  std::set<std::byte *> places;
  if (self.reads_.contains({grid.device, warp.block->linear, warp.id, pc}))
    forGlobalPlaces(warp, i, mask, [&](uint32_t l, std::byte *place, uint64_t) {
      places.insert(place);
      self.pending_.emplace(threadOf(warp, l), place);
    });
  std::vector<std::byte> now;
  for (std::byte *place : places)
    for (uint32_t n = 0; n < i.access; ++n) {
      now.push_back(place[n]);
      place[n] = self.bits_ ? place[n] ^ *self.bits_ : std::byte{};
    }
  Step step = self.own_.at(pc)(warp, i, mask);
  auto before = now.end(); // the last ones first: places may overlap
  for (auto place = places.rbegin(); place != places.rend(); ++place)
    for (uint32_t n = i.access; n-- > 0;)
      (*place)[n] = *--before;
  return step;
}

Step PerturbedReads::compare(Warp &warp, const Instr &i, uint32_t mask) {
  const Grid &grid = *warp.block->grid;
  PerturbedReads &self = *static_cast<const RecordedGrid &>(grid).perturbed;
  forGlobalPlaces(warp, i, mask, [&](uint32_t l, std::byte *place, uint64_t address) {
    self.pending_.erase({threadOf(warp, l), place});
    uint64_t offset = 0;
    self.arrays_.insert(static_cast<size_t>(regionOf(grid, address, offset) - grid.regions.data()) - grid.firstCopy);
  });
  return self.own_.at(static_cast<uint32_t>(&i - self.program_.code.data()))(warp, i, mask);
}

} // namespace lanescope::core::emulator
