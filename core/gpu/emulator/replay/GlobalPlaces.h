// Finds the places in global memory that the lanes of an access use. Perturbations use it (StaleLoads.h,
// PerturbedReads.h).
#pragma once

#include "core/gpu/emulator/costs/InstructionRecorder.h"
#include "core/gpu/emulator/machine/Block.h"
#include "core/gpu/emulator/machine/Lanes.h"

#include <algorithm>
#include <string_view>
#include <vector>

namespace lanescope::core::emulator {

/// The access to global memory that an instruction itself makes. Accesses of copies and asynchronous units do not
/// count.
enum class GlobalAccess : uint8_t { None, Load, Write };
inline GlobalAccess globalAccessOf(const Program &program, uint32_t pc) {
  const Instr &i = program.code[pc];
  std::string_view opcode = program.function->instructions[i.source].opcode;
  if ((i.space != Space::Global && i.space != Space::Generic) || opcode.find(".async") != std::string_view::npos)
    return GlobalAccess::None;
  bool writes = opcode.starts_with("st.") || opcode.starts_with("atom.") || opcode.starts_with("red.");
  return writes ? GlobalAccess::Write : opcode.starts_with("ld.") ? GlobalAccess::Load : GlobalAccess::None;
}

/// The result of globalAccessOf() for each instruction, by pc.
inline std::vector<GlobalAccess> globalAccessesOf(const Program &program) {
  std::vector<GlobalAccess> out(program.code.size());
  for (uint32_t pc = 0; pc < out.size(); ++pc)
    out[pc] = globalAccessOf(program, pc);
  return out;
}

/// The number of a lane's thread in the whole grid.
inline uint64_t threadOf(const Warp &warp, uint32_t lane) {
  uint64_t number = (warp.block->linear * warp.block->warps.size() + warp.id) * kLanes + lane;
  return uint64_t(warp.block->grid->device) << 48 | number;
}

/// The number of a warp in the whole grid.
inline uint64_t warpOf(const Warp &warp) { return threadOf(warp, 0) / kLanes; }

/// Calls visit(lane, place, address) for each lane in `mask` whose bytes lie in global memory. Skips lanes whose
/// address is not aligned, because they will fault.
template <class Visit> void forGlobalPlaces(Warp &warp, const Instr &i, uint32_t mask, Visit visit) {
  uint64_t addresses[kLanes];
  addressesOf(warp, i, addresses);
  forLanes(mask, [&](uint32_t l) {
    uint64_t offset = 0;
    const Region *region = regionOf(*warp.block->grid, addresses[l], offset);
    if (region && region->data && i.access && addresses[l] % i.access == 0 &&
        offset + i.access <= region->bytes + region->behind)
      visit(l, region->data + offset, addresses[l]);
  });
}

/// The distinct addresses of an access.
class DistinctAddresses {
public:
  /// Adds an address. Returns true if it is a new one.
  bool add(uint64_t address) {
    if (address <= highest_ && std::find(all_, all_ + count_, address) != all_ + count_)
      return false;
    highest_ = std::max(highest_, address);
    all_[count_++] = address;
    return true;
  }

private:
  uint64_t all_[kLanes], highest_ = 0;
  size_t count_ = 0;
};

/// Calls `visit` once for each distinct address, with the first lane that has it.
template <class Visit> void forDistinctPlaces(Warp &warp, const Instr &i, uint32_t mask, Visit visit) {
  DistinctAddresses distinct;
  forGlobalPlaces(warp, i, mask, [&](uint32_t lane, std::byte *at, uint64_t address) {
    if (distinct.add(address))
      visit(lane, at, address);
  });
}

} // namespace lanescope::core::emulator
