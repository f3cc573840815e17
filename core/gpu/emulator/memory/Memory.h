// Addresses to host memory, with every access checked: inside a buffer, inside the shared memory of the block (or,
// where the instruction allows it, of another of its cluster that still runs), aligned.
#pragma once

#include "core/gpu/emulator/machine/Block.h"
#include "core/gpu/emulator/machine/Lanes.h"

namespace lanescope::core::emulator {

inline constexpr std::string_view kWordEndKind = "word-end"; // of hazards
inline constexpr std::string_view kGenericSharedKind = "generic-shared-address";

/// Host pointers of all lanes in `mask` for the access of `bytes` at an instruction's address operand.
/// False after setting the block's fault.
bool resolveLanes(Warp &warp, const Instr &i, uint32_t mask, uint32_t bytes, Access access, std::byte **out);

/// The same at addresses that the instruction's operand does not give by itself.
bool resolvePlaces(Warp &warp, const Instr &i, uint32_t mask, const uint64_t *addresses, uint32_t bytes, Access access,
                   std::byte **out);

/// Fills in Warp::row.
void findRow(Warp &warp, const Instr &i);
/// How the addresses of all lanes in the instruction's register lie, of one that findsRow. `known`: Instr::rowKnown.
inline const AddressRow &addressRow(Warp &warp, const Instr &i, bool known) {
  if (!known || warp.row.slot != i.a)
    findRow(warp, i);
  return warp.row;
}

/// Lane l's place is first + l * stride.
struct Row {
  std::byte *first = nullptr;
  int64_t stride = 0;

  std::byte *at(uint32_t lane) const { return first + static_cast<int64_t>(lane) * stride; }
};

/// The checker's part of an access to Warp::row that is all right; `offset` from its `begin`.
bool checkRow(Warp &warp, const Instr &i, uint64_t offset, uint32_t bytes, Access access);

inline constexpr uintptr_t kHostLine = 64; // bytes of the host's caches

/// Asks for what a later access will use, so that it does not wait: of memory that is not in the host's caches, as a
/// kernel's output is at first, each line takes longer than the instruction that writes it.
inline void fetchAhead(const std::byte *at, int32_t distance, uint32_t bytes) {
  uintptr_t from = reinterpret_cast<uintptr_t>(at) + static_cast<uintptr_t>(static_cast<intptr_t>(distance));
  for (uintptr_t end = from + bytes; from < end; from += kHostLine)
    __builtin_prefetch(reinterpret_cast<const void *>(from));
}
/// Likewise for a part of a line, if it is the line's first.
inline void fetchLineAhead(const std::byte *at, int32_t distance, uint32_t bytes) {
  uintptr_t from = reinterpret_cast<uintptr_t>(at) + static_cast<uintptr_t>(static_cast<intptr_t>(distance));
  if (from % kHostLine < bytes)
    __builtin_prefetch(reinterpret_cast<const void *>(from));
}

/// The same where the lanes' places follow one another at equal distances in a buffer or in the block's shared memory,
/// as they mostly do: out.first is null when they do not or when anything is odd, and nothing has been done then.
inline bool resolveRow(Warp &warp, const Instr &i, uint32_t mask, uint32_t bytes, Access access, Row &out) {
  if (mask != kAllLanes)
    return true;
  const AddressRow &row = addressRow(warp, i, i.rowKnown);
  if (!row.inRow || row.bytes < bytes || (access != Access::Read && !row.writable))
    return true;
  uint64_t address = row.addressOf(i), offset = address - row.begin;
  uint64_t last = offset + static_cast<uint64_t>(row.stride * (kLanes - 1)), most = row.bytes - bytes;
  if (offset > most || last > most || ((address | static_cast<uint64_t>(row.stride)) & (bytes - 1)) != 0)
    return true;
  if (warp.block->checks && !checkRow(warp, i, offset, bytes, access))
    return false;
  out = {row.data + offset, row.stride};
  return true;
}

/// Where every four lanes' places follow one another in a buffer or in the block's shared memory: those of lanes 0, 4,
/// 8, …; nothing is done where they do not, and `found` stays false. Behind resolveRow(), which has found no row. False
/// after setting the fault.
bool resolveFours(Warp &warp, const Instr &i, uint32_t bytes, Access access, std::byte **out, bool &found);

/// Behind a write through resolveLanes(), resolveRow() or resolveFours(): a race that the written values decide about
/// is told.
Step settled(Warp &warp, const Instr &i);

/// One address. Null after setting the fault.
std::byte *resolve(Warp &warp, const Instr &i, uint32_t lane, uint64_t address, Space space, uint64_t bytes,
                   uint32_t align, Access access);

/// A place in a multicast object.
struct SpreadPlace {
  const Region *spread = nullptr;
  uint64_t offset = 0;
};
/// Places of the lanes in `mask` for an access of `bytes` to every device's copy. False after setting the block's
/// fault.
bool resolveSpread(Warp &warp, const Instr &i, uint32_t mask, uint32_t bytes, SpreadPlace *out);
/// One address, of which `bytes` are accessed. Null after setting the fault.
const Region *resolveSpread(Warp &warp, const Instr &i, uint32_t lane, uint64_t address, uint64_t bytes, uint32_t align,
                            uint64_t &offset);

/// Offset into the shared window (what shared instructions use) of an address that may be generic; one that names the
/// own block by its rank is given without. `space`: what the operand says; in shared memory's own spaces a generic
/// address is a hazard. False after a fault.
bool sharedAddress(Warp &warp, const Instr &i, uint32_t lane, uint64_t address, uint32_t &out,
                   Space space = Space::Generic);

/// Like sharedAddress(), for instructions that reach other blocks of the cluster: the block, and the address as that
/// block itself writes it. Null after a fault.
Block *sharedPlace(Warp &warp, const Instr &i, uint32_t lane, uint64_t address, uint32_t &out,
                   Space space = Space::Generic);

} // namespace lanescope::core::emulator
