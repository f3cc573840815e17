// Converts addresses to host memory, and checks every access. It must be aligned, and inside a buffer or inside the
// shared memory of the block. If the instruction allows it, it may be inside the shared memory of another block of the
// cluster that still runs.
#pragma once

#include "core/gpu/emulator/machine/Block.h"
#include "core/gpu/emulator/machine/Lanes.h"

namespace lanescope::core::emulator {

// the kind of hazards in the word that contains an array's end
inline constexpr std::string_view kWordEndKind = "word-end";
inline constexpr std::string_view kGenericSharedKind = "generic-shared-address";

/// Finds the host pointers of all lanes in `mask` for an access of `bytes` at the instruction's address operand.
/// Returns false after setting the block's fault.
bool resolveLanes(Warp &warp, const Instr &i, uint32_t mask, uint32_t bytes, Access access, std::byte **out);

/// Does what resolveLanes() does, for addresses that do not come from the instruction's operand.
bool resolvePlaces(Warp &warp, const Instr &i, uint32_t mask, const uint64_t *addresses, uint32_t bytes, Access access,
                   std::byte **out);

/// Sets Warp::row.
void findRow(Warp &warp, const Instr &i);
/// Describes how the lanes' addresses in the instruction's register are arranged. The instruction must have findsRow.
/// `known`: Instr::rowKnown.
inline const AddressRow &addressRow(Warp &warp, const Instr &i, bool known) {
  if (!known || warp.row.slot != i.a)
    findRow(warp, i);
  return warp.row;
}

/// A row: the place of lane l is first + l * stride.
struct Row {
  std::byte *first = nullptr;
  int64_t stride = 0;

  std::byte *at(uint32_t lane) const { return first + static_cast<int64_t>(lane) * stride; }
};

/// Informs the checker about a valid access to Warp::row. `offset` is relative to its `begin`.
bool checkRow(Warp &warp, const Instr &i, uint64_t offset, uint32_t bytes, Access access);

inline constexpr uintptr_t kHostLine = 64; // bytes of the host's caches

/// Prefetches the memory that a later access will use. If memory is not in the host's caches, as a kernel's output
/// usually is at first, each line takes longer than the instruction that writes it.
inline void fetchAhead(const std::byte *at, int32_t distance, uint32_t bytes) {
  uintptr_t from = reinterpret_cast<uintptr_t>(at) + static_cast<uintptr_t>(static_cast<intptr_t>(distance));
  for (uintptr_t end = from + bytes; from < end; from += kHostLine)
    __builtin_prefetch(reinterpret_cast<const void *>(from));
}
/// Prefetches a line if the given part is the line's first part.
inline void fetchLineAhead(const std::byte *at, int32_t distance, uint32_t bytes) {
  uintptr_t from = reinterpret_cast<uintptr_t>(at) + static_cast<uintptr_t>(static_cast<intptr_t>(distance));
  if (from % kHostLine < bytes)
    __builtin_prefetch(reinterpret_cast<const void *>(from));
}

/// Does the same as resolveLanes() for the usual case: the lanes' places are at equal distances in a buffer or in the
/// block's shared memory. In all other cases, sets out.first to null and does nothing else.
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

/// Finds the places of lanes 0, 4, 8, … if the places of each group of four lanes are adjacent in a buffer or in the
/// block's shared memory. Otherwise does nothing, and `found` stays false. Call this after resolveRow() has found no
/// row. Returns false after setting the fault.
bool resolveFours(Warp &warp, const Instr &i, uint32_t bytes, Access access, std::byte **out, bool &found);

/// Call this after a write through resolveLanes(), resolveRow() or resolveFours(). It reports races that depend on the
/// written values.
Step settled(Warp &warp, const Instr &i);

/// An access to the bytes from an address on, which must be a multiple of `align`.
struct AccessedBytes {
  uint64_t bytes = 0;
  uint32_t align = 1;
  Access access = Access::Read;
};
/// Resolves one address. Returns null after setting the fault.
std::byte *resolve(Warp &warp, const Instr &i, uint32_t lane, uint64_t address, Space space, AccessedBytes what);

/// A place in a multicast object.
struct SpreadPlace {
  const Region *spread = nullptr;
  uint64_t offset = 0;
};
/// Finds the places of the lanes in `mask` for an access of `bytes` to the copies of all devices. Returns false after
/// setting the block's fault.
bool resolveSpread(Warp &warp, const Instr &i, uint32_t mask, uint32_t bytes, SpreadPlace *out);
/// Resolves one address for an access of `bytes`. Returns null after setting the fault.
const Region *resolveSpread(Warp &warp, const Instr &i, uint32_t lane, uint64_t address, uint64_t bytes, uint32_t align,
                            uint64_t &offset);

/// Converts an address that may be generic to an offset in the shared window, as shared instructions use it. If the
/// address names the own block by its rank, the rank is removed. `space`: the operand's state space; in the state
/// spaces of shared memory, a generic address is a hazard. Returns false after a fault.
bool sharedAddress(Warp &warp, const Instr &i, uint32_t lane, uint64_t address, uint32_t &out,
                   Space space = Space::Generic);

/// Does what sharedAddress() does, for instructions that can access other blocks of the cluster. Finds the block, and
/// the address in the form that this block itself uses. Returns null after a fault.
Block *sharedPlace(Warp &warp, const Instr &i, uint32_t lane, uint64_t address, uint32_t &out,
                   Space space = Space::Generic);

} // namespace lanescope::core::emulator
