#include "core/emulator/Memory.h"

#include "core/emulator/Checks.h"
#include "core/emulator/Deadlock.h"
#include "core/emulator/Lanes.h"
#include "layouts/support/Text.h"

namespace lanescope::core::emulator {

namespace {

std::string hex(uint64_t value) {
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string out;
  do
    out.insert(out.begin(), kDigits[value & 15]);
  while (value >>= 4);
  return "0x" + out;
}

const char *verb(Access access) {
  return access == Access::Read ? "reads" : access == Access::Write ? "writes" : "updates";
}

std::byte *outOfBounds(Warp &warp, const Instr &i, uint32_t lane, std::string kind, std::string message) {
  fault(warp, i, std::move(kind), std::move(message), lane);
  return nullptr;
}

std::byte *misaligned(Warp &warp, const Instr &i, uint32_t lane, uint64_t address, uint32_t align) {
  return outOfBounds(
      warp, i, lane, "misaligned-access",
      text("`", warp.block->grid->opcodeOf(i), "` at address ", hex(address), ", which is not a multiple of ", align));
}

std::byte *resolveGlobal(Warp &warp, const Instr &i, uint32_t lane, uint64_t address, uint64_t bytes, uint32_t align,
                         Access access) {
  const Grid &grid = *warp.block->grid;
  uint64_t offset = 0;
  const Region *region = regionOf(grid, address, offset);
  if (!region) [[unlikely]]
    return outOfBounds(warp, i, lane, "global-out-of-bounds",
                       text("`", grid.opcodeOf(i), "` ", verb(access), " global address ", hex(address),
                            ", which is in none of the kernel's arrays"));
  if (offset > region->bytes || region->bytes - offset < bytes) [[unlikely]] {
    // Just below the next region means before the start of that one.
    auto before = static_cast<int64_t>(offset) - (int64_t(1) << kRegionShift);
    if (-before < (int64_t(1) << (kRegionShift - 1))) {
      uint64_t next = 0;
      if (const Region *owner = regionOf(grid, address + static_cast<uint64_t>(-before), next))
        return outOfBounds(warp, i, lane, "global-out-of-bounds",
                           text("`", grid.opcodeOf(i), "` ", verb(access), " ", bytes,
                                " bytes of global memory that start ", -before, " bytes before ", owner->name));
    }
    return outOfBounds(warp, i, lane, "global-out-of-bounds",
                       text("`", grid.opcodeOf(i), "` ", verb(access), " ", bytes, " bytes at byte ", offset, " of ",
                            region->name, ", which has ", region->bytes, " bytes"));
  }
  if (address % align != 0) [[unlikely]]
    return misaligned(warp, i, lane, address, align);
  return region->data + offset;
}

std::byte *resolveShared(Warp &warp, const Instr &i, uint32_t lane, uint64_t address, uint64_t bytes, uint32_t align,
                         Access access) {
  Block &block = *warp.block;
  uint64_t offset = address - kSharedBase;
  if (offset > block.shared.size() || block.shared.size() - offset < bytes) [[unlikely]]
    return outOfBounds(warp, i, lane, "shared-out-of-bounds",
                       text("`", block.grid->opcodeOf(i), "` ", verb(access), " ", bytes, " bytes at ",
                            describeShared(block, static_cast<uint32_t>(address)), ", outside the block's ",
                            block.shared.size(), " bytes of shared memory"));
  if (address % align != 0) [[unlikely]]
    return misaligned(warp, i, lane, address, align);
  return block.shared.data() + offset;
}

} // namespace

const Region *regionOf(const Grid &grid, uint64_t address, uint64_t &offset) {
  if (address < kGlobalBase)
    return nullptr;
  uint64_t index = (address - kGlobalBase) >> kRegionShift;
  if (index >= grid.regions.size())
    return nullptr;
  offset = address & ((1ull << kRegionShift) - 1);
  return &grid.regions[index];
}

std::byte *resolve(Warp &warp, const Instr &i, uint32_t lane, uint64_t address, Space space, uint64_t bytes,
                   uint32_t align, Access access) {
  Block &block = *warp.block;
  if (space == Space::Generic) {
    switch (address >> 56) {
    case kSharedWindow >> 56: space = Space::Shared; break;
    case kLocalWindow >> 56: space = Space::Local; break;
    case kParamWindow >> 56: space = Space::Param; break;
    default: space = Space::Global; break;
    }
    if (space != Space::Global)
      address &= (1ull << 56) - 1;
  }
  switch (space) {
  case Space::Shared: return resolveShared(warp, i, lane, address, bytes, align, access);
  case Space::Local: {
    uint32_t size = block.grid->program->localBytes;
    if (address > size || size - address < bytes)
      return outOfBounds(warp, i, lane, "local-out-of-bounds",
                         text("`", block.grid->opcodeOf(i), "` ", verb(access), " ", bytes, " bytes at byte ", address,
                              " of the thread's ", size, " bytes of local memory"));
    if (address % align != 0)
      return misaligned(warp, i, lane, address, align);
    return warp.local.data() + static_cast<size_t>(lane) * size + address;
  }
  case Space::Param: {
    size_t size = block.grid->params.size();
    if (address > size || size - address < bytes)
      return outOfBounds(warp, i, lane, "param-out-of-bounds",
                         text("`", block.grid->opcodeOf(i), "` ", verb(access), " ", bytes, " bytes at byte ", address,
                              " of the kernel's ", size, " bytes of parameters"));
    if (access != Access::Read)
      return outOfBounds(warp, i, lane, "param-out-of-bounds", "a kernel's parameters cannot be written");
    return block.grid->params.data() + address;
  }
  default: return resolveGlobal(warp, i, lane, address, bytes, align, access);
  }
}

/// The checker's part of an access whose addresses are all right.
static bool checkLanes(Warp &warp, const Instr &i, uint32_t mask, const uint64_t *addresses, uint32_t bytes,
                       Access access) {
  Checker &checks = *warp.block->checks;
  uint32_t shared = i.space == Space::Shared ? mask : 0, global = i.space == Space::Global ? mask : 0;
  if (i.space == Space::Generic)
    forLanes(mask, [&](uint32_t l) {
      shared |= static_cast<uint32_t>(addresses[l] >> 56 == kSharedWindow >> 56) << l;
      global |= static_cast<uint32_t>(addresses[l] >> 56 == 0) << l;
    });
  if (global && (i.strong || access == Access::Atomic))
    checks.globalFlag(warp, i, global, addresses, access);
  return !shared || checks.access(warp, i, shared, addresses, bytes, access, warp.block->clusterRank);
}

bool resolveLanes(Warp &warp, const Instr &i, uint32_t mask, uint32_t bytes, Access access, std::byte **out) {
  alignas(32) uint64_t addresses[kLanes];
  addressesOf(warp, i, addresses);
  Block &block = *warp.block;
  // Fast path for one buffer or shared memory: check all lanes at once, fall back to the reporting path on any doubt.
  if (mask == kAllLanes && (i.space == Space::Global || i.space == Space::Shared)) {
    uint64_t base = kSharedBase, size = block.shared.size();
    std::byte *data = block.shared.data();
    if (i.space == Space::Global) {
      uint64_t offset = 0;
      const Region *region = regionOf(*block.grid, addresses[0], offset);
      base = addresses[0] - offset;
      size = region ? region->bytes : 0;
      data = region ? region->data : nullptr;
    }
    if (size >= bytes) {
      uint64_t last = size - bytes, align = bytes - 1, bad = 0;
      for (int l = 0; l < kLanes; ++l) {
        uint64_t offset = addresses[l] - base;
        bad |= (last - offset) >> 63 | offset >> 63 | (addresses[l] & align);
        out[l] = data + offset;
      }
      if (bad == 0)
        return !block.checks || checkLanes(warp, i, mask, addresses, bytes, access);
    }
  }
  bool ok = true;
  for (uint32_t l = 0; l < kLanes && ok; ++l)
    if (mask >> l & 1) {
      out[l] = resolve(warp, i, l, addresses[l], i.space, bytes, bytes, access);
      ok = out[l] != nullptr;
    }
  return ok && (!block.checks || checkLanes(warp, i, mask, addresses, bytes, access));
}

bool sharedAddress(Warp &warp, const Instr &i, uint32_t lane, uint64_t address, uint32_t &out) {
  uint64_t window = address >> 56;
  if (window == kSharedWindow >> 56)
    address &= (1ull << 56) - 1;
  else if (window != 0 || address > UINT32_MAX) {
    fault(warp, i, "shared-out-of-bounds",
          text("`", warp.block->grid->opcodeOf(i), "` needs a shared-memory address, not ", hex(address)), lane);
    return false;
  }
  out = static_cast<uint32_t>(address);
  return true;
}

} // namespace lanescope::core::emulator
