#include "core/gpu/emulator/memory/TmemAccess.h"

#include "core/gpu/emulator/machine/Fault.h"
#include "core/gpu/emulator/machine/Lanes.h"
#include "core/gpu/emulator/machine/Names.h"
#include "layouts/support/Text.h"

namespace lanescope::core::emulator {

bool tmemAddress(Warp &warp, const Instr &i, uint32_t mask, const AddressRef &ref, uint32_t &out) {
  auto first = static_cast<uint32_t>(__builtin_ctz(mask));
  out = static_cast<uint32_t>(addressIn(warp, ref, first));
  if (ref.slot == kNone)
    return true;
  for (uint32_t rest = mask & (mask - 1); rest; rest &= rest - 1) {
    auto lane = static_cast<uint32_t>(__builtin_ctz(rest));
    if (auto other = static_cast<uint32_t>(addressIn(warp, ref, lane)); other != out) {
      fault(warp, i, "tmem-address",
            Message("`{}` takes one address in tensor memory for the whole warp, but lane {} gives {place} and lane {} "
                    "gives {}",
                    warp.block->grid->opcodeOf(i), first, describeTmem(out), lane, describeTmem(other)),
            lane);
      return false;
    }
  }
  return true;
}

bool tmemAllocated(Warp &warp, const Instr &i, const Block &block, std::span<const CellBox> boxes,
                   std::string_view what, bool pair) {
  const Grid &grid = *block.grid;
  std::string of = &block == warp.block ? text() : text(" of ", block.name());
  for (const CellBox &box : boxes) {
    uint32_t end = box.column + box.columns;
    std::string touches = text(what, " takes lanes ", box.lane, " to ", box.lane + box.lanes - 1, ", columns ",
                               box.column, " to ", end - 1, " of tensor memory", of);
    if (box.lane + box.lanes > kTensorLanes || end > kTensorColumns) {
      fault(warp, i, "tmem-out-of-bounds",
            Message("{}, which has {lanes} lanes and {columns} columns", touches, kTensorLanes, kTensorColumns));
      return false;
    }
    for (uint32_t column = box.column; column < end; column = (column / kTmemUnit + 1) * kTmemUnit) {
      const TmemAllocation *owner = block.tmem.owner(column);
      if (!owner) {
        fault(warp, i, "tmem-out-of-bounds",
              Message("{}, but column {column} is not allocated; allocated: {}", touches, column,
                      allocatedColumns(block)));
        return false;
      }
      if (owner->freed) {
        fault(warp, i, "tmem-after-free", Message("{}, but column {column} has been given back", touches, column),
              kNone, {Note{grid.spanOf(*owner->freed), "it was given back here"}});
        return false;
      }
      if (pair && !owner->pair) {
        fault(warp, i, "tcgen05-pair",
              Message("{}, which was allocated for one block alone; `.cta_group::2` needs an allocation of the pair",
                      touches),
              kNone, {Note{grid.spanOf(*owner->by), "it was allocated here"}});
        return false;
      }
    }
  }
  return true;
}

} // namespace lanescope::core::emulator
