#include "core/gpu/emulator/replay/PerturbedReads.h"

#include "core/gpu/emulator/replay/GlobalPlaces.h"

#include <string_view>
#include <vector>

namespace lanescope::core::emulator {

PerturbedReads::PerturbedReads(const RacingReads &reads, std::optional<std::byte> bits) : reads_(reads), bits_(bits) {
  for (const RacingRead &read : reads)
    loads_.insert(read.pc);
}

bool PerturbedReads::concerns(const Program &program, uint32_t pc) const {
  std::string_view opcode = program.function->instructions[program.code[pc].source].opcode;
  return loads_.contains(pc) || (opcode.starts_with("atom.") && opcode.find(".cas") != std::string_view::npos);
}

Step PerturbedReads::execute(Warp &warp, const Instr &i, uint32_t mask, Own own) {
  return loads_.contains(warp.block->grid->pcOf(i)) ? load(warp, i, mask, own) : compare(warp, i, mask, own);
}

Step PerturbedReads::load(Warp &warp, const Instr &i, uint32_t mask, Own own) {
  const Grid &grid = *warp.block->grid;
  std::set<std::byte *> places;
  if (reads_.contains({grid.device, warp.block->linear, warp.id, grid.pcOf(i)}))
    forGlobalPlaces(warp, i, mask, [&](uint32_t l, std::byte *place, uint64_t) {
      places.insert(place);
      pending_.emplace(threadOf(warp, l), place);
    });
  std::vector<std::byte> now;
  for (std::byte *place : places)
    for (uint32_t n = 0; n < i.access; ++n) {
      now.push_back(place[n]);
      place[n] = bits_ ? place[n] ^ *bits_ : std::byte{};
    }
  Step step = own(warp, i, mask);
  auto before = now.end(); // the last ones first: places may overlap
  for (auto place = places.rbegin(); place != places.rend(); ++place)
    for (uint32_t n = i.access; n-- > 0;)
      (*place)[n] = *--before;
  return step;
}

Step PerturbedReads::compare(Warp &warp, const Instr &i, uint32_t mask, Own own) {
  const Grid &grid = *warp.block->grid;
  forGlobalPlaces(warp, i, mask, [&](uint32_t l, std::byte *place, uint64_t address) {
    pending_.erase({threadOf(warp, l), place});
    uint64_t offset = 0;
    arrays_.insert(static_cast<size_t>(regionOf(grid, address, offset) - grid.regions.data()) - grid.firstCopy);
  });
  return own(warp, i, mask);
}

} // namespace lanescope::core::emulator
