#include "core/gpu/emulator/replay/StaleLoads.h"

#include "core/gpu/emulator/check/Checker.h"
#include "core/gpu/emulator/replay/GlobalPlaces.h"

#include <utility>
#include <vector>

namespace lanescope::core::emulator {

bool StaleLoads::concerns(const Program &program, uint32_t pc) const {
  const Instr &instr = program.code[pc];
  std::string_view opcode = program.function->instructions[instr.source].opcode;
  return globalAccessOf(program, pc) != GlobalAccess::None &&
         (instr.strong || opcode.starts_with("atom.") || opcode.starts_with("red."));
}

Step StaleLoads::execute(Warp &warp, const Instr &i, uint32_t mask, Own own) {
  const Grid &grid = *warp.block->grid;
  bool loads = globalAccessOf(*grid.program, grid.pcOf(i)) == GlobalAccess::Load;
  return loads ? load(warp, i, mask, own) : write(warp, i, mask, own);
}

void StaleLoads::met(const Warp &warp, uint32_t lane, const std::byte *at, uint32_t bytes) {
  for (uint32_t n = 0; n < bytes; ++n)
    if (written_.contains(at + n))
      met_.emplace(threadOf(warp, lane), at + n);
}

Step StaleLoads::write(Warp &warp, const Instr &i, uint32_t mask, Own own) {
  forGlobalPlaces(warp, i, mask, [&](uint32_t lane, std::byte *at, uint64_t) {
    ++writes_;
    for (uint32_t n = 0; n < i.access; ++n)
      written_[at + n] = {at[n], writes_};
    met(warp, lane, at, i.access);
  });
  return own(warp, i, mask);
}

void StaleLoads::findStale(Warp &warp, uint32_t lane, std::byte *at, uint64_t address, uint32_t bytes,
                           std::set<Part> &stale) {
  for (uint32_t n = 0, end = 0; n < bytes; n = end) {
    auto first = written_.find(at + n);
    uint64_t number = first == written_.end() ? 0 : first->second.number;
    bool gives = number != 0;
    std::vector<Part> parts;
    for (end = n; end < bytes; ++end) {
      auto byte = written_.find(at + end);
      if ((byte == written_.end() ? 0 : byte->second.number) != number)
        break;
      gives = gives && !met_.contains({threadOf(warp, lane), at + end});
      parts.push_back({at + end, gives ? byte->second.before : at[end]});
    }
    if (gives && warp.block->checks->global.mayBeStale(warp, address + n))
      for (const Part &part : parts)
        if (part.before != *part.at)
          stale.insert(part);
  }
}

Step StaleLoads::load(Warp &warp, const Instr &i, uint32_t mask, Own own) {
  bool gives = warp.block->grid->pcOf(i) == load_;
  std::set<Part> stale; // of several lanes one, where they load the same
  forGlobalPlaces(warp, i, mask, [&](uint32_t lane, std::byte *at, uint64_t address) {
    if (gives)
      findStale(warp, lane, at, address, i.access, stale);
  });
  forGlobalPlaces(warp, i, mask, [&](uint32_t lane, std::byte *at, uint64_t) { met(warp, lane, at, i.access); });
  if (!stale.empty())
    ++warp.block->effects; // who polls will read something else
  std::vector<std::byte> now;
  for (const Part &part : stale)
    now.push_back(std::exchange(*part.at, part.before));
  Step step = own(warp, i, mask);
  auto newer = now.begin();
  for (const Part &part : stale)
    *part.at = *newer++;
  return step;
}

} // namespace lanescope::core::emulator
