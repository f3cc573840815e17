// Where the lanes of an access go in global memory, for handlers that take the place of others (StaleLoads.h,
// PerturbedReads.h).
#pragma once

#include "core/gpu/emulator/costs/InstructionRecorder.h"
#include "core/gpu/emulator/machine/Block.h"
#include "core/gpu/emulator/machine/Lanes.h"

#include <string_view>

namespace lanescope::core::emulator {

/// What an instruction of a program does with global memory by itself: copies and units are none of it.
enum class GlobalAccess : uint8_t { None, Load, Write };
inline GlobalAccess globalAccessOf(const Program &program, uint32_t pc) {
  const Instr &i = program.code[pc];
  std::string_view opcode = program.function->instructions[i.source].opcode;
  if ((i.space != Space::Global && i.space != Space::Generic) || opcode.find(".async") != std::string_view::npos)
    return GlobalAccess::None;
  bool writes = opcode.starts_with("st.") || opcode.starts_with("atom.") || opcode.starts_with("red.");
  return writes ? GlobalAccess::Write : opcode.starts_with("ld.") ? GlobalAccess::Load : GlobalAccess::None;
}

/// The number of a lane's thread, of all of the grid.
inline uint64_t threadOf(const Warp &warp, uint32_t lane) {
  uint64_t number = (warp.block->linear * warp.block->warps.size() + warp.id) * kLanes + lane;
  return uint64_t(warp.block->grid->device) << 48 | number;
}

/// Calls visit(lane, place, address) for each lane of `mask` whose bytes lie in global memory.
template <class Visit> void forGlobalPlaces(Warp &warp, const Instr &i, uint32_t mask, Visit visit) {
  uint64_t addresses[kLanes];
  addressesOf(warp, i, addresses);
  forLanes(mask, [&](uint32_t l) {
    uint64_t offset = 0;
    const Region *region = regionOf(*warp.block->grid, addresses[l], offset);
    if (region && region->data && offset + i.access <= region->bytes + region->behind)
      visit(l, region->data + offset, addresses[l]);
  });
}

} // namespace lanescope::core::emulator
