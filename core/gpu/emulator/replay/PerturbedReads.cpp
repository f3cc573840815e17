#include "core/gpu/emulator/replay/PerturbedReads.h"

#include "core/gpu/emulator/replay/GlobalPlaces.h"

#include <algorithm>
#include <array>
#include <string_view>

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
  if (!reads_.contains({grid.device, warp.block->linear, warp.id, grid.pcOf(i)}))
    return own(warp, i, mask);
  forGlobalPlaces(warp, i, mask,
                  [&](uint32_t lane, std::byte *, uint64_t address) { pending_.add(threadOf(warp, lane), address); });
  std::byte *places[kLanes];
  std::array<std::byte, kLineBytes> now[kLanes];
  uint32_t count = 0;
  forDistinctPlaces(warp, i, mask, [&](uint32_t, std::byte *place, uint64_t) {
    places[count] = place;
    std::copy_n(place, i.access, now[count++].begin());
  });
  for (uint32_t n = 0; n < count; ++n)
    for (uint32_t byte = 0; byte < i.access; ++byte)
      places[n][byte] = bits_ ? now[n][byte] ^ *bits_ : std::byte{};
  Step step = own(warp, i, mask);
  for (uint32_t n = 0; n < count; ++n)
    std::copy_n(now[n].begin(), i.access, places[n]);
  return step;
}

Step PerturbedReads::compare(Warp &warp, const Instr &i, uint32_t mask, Own own) {
  const Grid &grid = *warp.block->grid;
  forGlobalPlaces(warp, i, mask, [&](uint32_t lane, std::byte *, uint64_t address) {
    pending_.remove(threadOf(warp, lane), address);
    uint64_t offset = 0;
    size_t array = static_cast<size_t>(regionOf(grid, address, offset) - grid.regions.data()) - grid.firstCopy;
    if (array != lastArray_)
      arrays_.insert(lastArray_ = array);
  });
  return own(warp, i, mask);
}

} // namespace lanescope::core::emulator
