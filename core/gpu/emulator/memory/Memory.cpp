#include "core/gpu/emulator/memory/Memory.h"

#include "core/gpu/emulator/check/Checker.h"
#include "core/gpu/emulator/machine/Cluster.h"
#include "core/gpu/emulator/machine/Fault.h"
#include "core/gpu/emulator/machine/Lanes.h"
#include "core/gpu/emulator/machine/Names.h"
#include "core/HostVectors.h"
#include "layouts/support/Text.h"
#include "layouts/support/Words.h"

#include <algorithm>
#include <array>
#include <cstring>

namespace lanescope::core::emulator {

namespace {

const char *verb(Access access) {
  return access == Access::Read ? "reads" : access == Access::Write ? "writes" : "updates";
}

std::byte *outOfBounds(Warp &warp, const Instr &i, uint32_t lane, std::string kind, std::string message) {
  fault(warp, i, std::move(kind), std::move(message), lane);
  return nullptr;
}

std::byte *misaligned(Warp &warp, const Instr &i, uint32_t lane, std::string_view place, uint32_t align) {
  return outOfBounds(warp, i, lane, "misaligned-access",
                     text("`", warp.block->grid->opcodeOf(i), "` at ", place, ", which is not a multiple of ", align));
}

/// True if a load or an `atom.cas` accesses the word that contains an array's last bytes. Such an access is harmless,
/// because no allocation ends within a word.
bool isOfLastWord(const Grid &grid, const Instr &i, const Region &region, uint64_t offset, uint64_t bytes) {
  if (offset >= region.bytes || offset + bytes > region.bytes + region.behind || offset % bytes != 0)
    return false;
  std::string_view opcode = grid.opcodeOf(i);
  bool loads = opcode.starts_with("ld.") && opcode.find(".v") == std::string_view::npos;
  return loads || (opcode.starts_with("atom.") && opcode.find(".cas.") != std::string_view::npos);
}

/// Reports an access beyond an array's end, within the array's last word, as a hazard. Returns false after a fault,
/// which is only possible in a strict run.
bool tellWordEnd(Warp &warp, const Instr &i, uint32_t lane, const Region &region, uint64_t offset, uint64_t bytes) {
  Block &block = *warp.block;
  const Grid &grid = *block.grid;
  if (!block.checks || !isNews(block, kWordEndKind, block.checks->order.pcOf(i)))
    return true;
  return hazard(warp, i, std::string(kWordEndKind),
                Message("`{}` accesses the {bytes} bytes at byte {byte} of {}, which has {other_bytes} bytes: the "
                        "bytes after them belong to another array or to none; make the array's size a multiple of {}",
                        grid.opcodeOf(i), bytes, offset, region.name, region.bytes, bytes),
                lane);
}

/// Reports a generic address as an operand in `.shared`. It works, because its low 32 bits equal the address in the
/// shared window. Returns false after a fault, which is only possible in a strict run.
bool tellGenericShared(Warp &warp, const Instr &i, uint32_t lane) {
  Block &block = *warp.block;
  const Grid &grid = *block.grid;
  if (!block.checks || !isNews(block, kGenericSharedKind, block.checks->order.pcOf(i)))
    return true;
  return hazard(warp, i, std::string(kGenericSharedKind),
                Message("`{}` takes an address in `.shared` and is given a generic one: the emulator uses its low 32 "
                        "bits; `cvta.to.shared.u64` (`__cvta_generic_to_shared()`) converts it",
                        grid.opcodeOf(i)),
                lane);
}

/// "16 bytes before argument `x`": an address just below a region is described as before the region's start. Empty if
/// no region starts there.
std::string beforeWhat(const Grid &grid, uint64_t address) {
  auto offset = static_cast<int64_t>(address & ((uint64_t{1} << kRegionShift) - 1));
  int64_t before = (int64_t(1) << kRegionShift) - offset;
  uint64_t next = 0;
  if (before >= (int64_t(1) << (kRegionShift - 1)))
    return {};
  const Region *owner = regionOf(grid, address + static_cast<uint64_t>(before), next);
  return owner ? text(before, " bytes before ", owner->name) : std::string();
}

std::byte *resolveGlobal(Warp &warp, const Instr &i, uint32_t lane, uint64_t address, uint64_t bytes, uint32_t align,
                         Access access) {
  const Grid &grid = *warp.block->grid;
  uint64_t offset = 0;
  const Region *region = regionOf(grid, address, offset);
  if (!region) [[unlikely]] {
    if (std::string below = beforeWhat(grid, address); !below.empty())
      return outOfBounds(
          warp, i, lane, "global-out-of-bounds",
          text("`", grid.opcodeOf(i), "` ", verb(access), " ", bytes, " bytes of global memory that start ", below));
    return outOfBounds(warp, i, lane, "global-out-of-bounds",
                       text("`", grid.opcodeOf(i), "` ", verb(access), " global address ", hexText(address),
                            ", which is in none of the kernel's arrays"));
  }
  if (offset > region->bytes || region->bytes - offset < bytes) [[unlikely]] {
    if (isOfLastWord(grid, i, *region, offset, bytes))
      return tellWordEnd(warp, i, lane, *region, offset, bytes) ? region->data + offset : nullptr;
    if (region->spreadBytes)
      return outOfBounds(warp, i, lane, "multicast",
                         text("`", grid.opcodeOf(i), "` ", verb(access), " byte ", offset, " of ", region->name,
                              "; such addresses are for `multimem` instructions and stores of TMA alone (PTX ISA, "
                              "`multimem`)"));
    if (std::string below = beforeWhat(grid, address); !below.empty())
      return outOfBounds(
          warp, i, lane, "global-out-of-bounds",
          text("`", grid.opcodeOf(i), "` ", verb(access), " ", bytes, " bytes of global memory that start ", below));
    std::string elements = elementsOf(*region, offset, bytes);
    return outOfBounds(warp, i, lane, "global-out-of-bounds",
                       text("`", grid.opcodeOf(i), "` ", verb(access), " ", bytes, " bytes at byte ", offset, " of ",
                            region->name, ", which has ", region->bytes, " bytes", elements.empty() ? "" : "; ",
                            elements, elements.empty() ? "" : " would be there"));
  }
  if (region->readOnly && access != Access::Read) [[unlikely]] {
    if (region->lent)
      region->lent->written = true;
    return outOfBounds(warp, i, lane, "read-only-memory",
                       text("`", grid.opcodeOf(i), "` ", verb(access), " byte ", offset, " of ", region->name,
                            ", which a kernel may only read"));
  }
  if (address % align != 0) [[unlikely]]
    return misaligned(warp, i, lane, describeGlobal(*region, offset, bytes), align);
  return region->data + offset;
}

/// The block that a shared address names by its rank, or the own block if the address names none. Null after a fault.
Block *blockNamed(Warp &warp, const Instr &i, uint32_t lane, uint64_t &address, bool others) {
  uint64_t rank = (address >> kRankShift) - kRankBias;
  Block *named = address >> kRankShift ? blockOfRank(*warp.block, static_cast<uint32_t>(std::min<uint64_t>(rank, ~0u)))
                                       : warp.block;
  if (!named)
    return warp.block;
  address &= (1u << kRankShift) - 1;
  if (named == warp.block)
    return named;
  if (!others) {
    outOfBounds(warp, i, lane, "cluster",
                text("`", warp.block->grid->opcodeOf(i),
                     "` reaches the block's own shared memory only, but the address is ",
                     describeShared(*named, static_cast<uint32_t>(address)), " of ", named->name(),
                     "; `.shared::cluster` reaches it"));
    return nullptr;
  }
  if (named->liveWarps == 0) {
    outOfBounds(warp, i, lane, "cluster",
                text("`", warp.block->grid->opcodeOf(i), "` accesses ",
                     describeShared(*named, static_cast<uint32_t>(address)), " of ", named->name(),
                     ", which has exited; a block must not exit before others are done with its shared memory"));
    return nullptr;
  }
  return named;
}

/// `space`: Shared, or SharedCluster, which other blocks' memory belongs to.
std::byte *resolveShared(Warp &warp, const Instr &i, uint32_t lane, uint64_t address, Space space, AccessedBytes what) {
  auto [bytes, align, access] = what;
  Block *named = warp.block;
  if (address >> kRankShift) [[unlikely]]
    if (named = blockNamed(warp, i, lane, address, space == Space::SharedCluster); !named)
      return nullptr;
  Block &block = *named;
  uint64_t offset = address - kSharedBase;
  if (offset > block.shared.size() || block.shared.size() - offset < bytes) [[unlikely]]
    return outOfBounds(warp, i, lane, "shared-out-of-bounds",
                       text("`", block.grid->opcodeOf(i), "` ", verb(access), " ", bytes, " bytes at ",
                            describeShared(block, static_cast<uint32_t>(address), static_cast<uint32_t>(bytes)),
                            ", outside the block's ", block.shared.size(), " bytes of shared memory"));
  if (address % align != 0) [[unlikely]]
    return misaligned(warp, i, lane, describeShared(block, static_cast<uint32_t>(address)), align);
  return block.shared.data() + offset;
}

} // namespace

std::byte *resolve(Warp &warp, const Instr &i, uint32_t lane, uint64_t address, Space space, AccessedBytes what) {
  auto [bytes, align, access] = what;
  Block &block = *warp.block;
  if (space == Space::Generic) {
    switch (address >> 56) {
    case kSharedWindow >> 56: space = Space::SharedCluster; break;
    case kLocalWindow >> 56: space = Space::Local; break;
    case kParamWindow >> 56: space = Space::Param; break;
    default: space = Space::Global; break;
    }
    if (space != Space::Global)
      address &= (1ull << 56) - 1;
  }
  switch (space) {
  case Space::Shared:
  case Space::SharedCluster: return resolveShared(warp, i, lane, address, space, what);
  case Space::Local: {
    uint32_t size = warp.localBytes;
    if (address > size || size - address < bytes)
      return outOfBounds(warp, i, lane, "local-out-of-bounds",
                         text("`", block.grid->opcodeOf(i), "` ", verb(access), " ", bytes, " bytes at byte ", address,
                              " of the thread's ", size, " bytes of local memory"));
    if (address % align != 0)
      return misaligned(warp, i, lane, text("byte ", address, " of the thread's local memory"), align);
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

namespace {

/// Informs the checker about an access whose addresses are valid.
bool checkLanes(Warp &warp, const Instr &i, uint32_t mask, const uint64_t *addresses, uint32_t bytes, Access access) {
  Checker &checks = *warp.block->checks;
  bool isShared = i.space == Space::Shared || i.space == Space::SharedCluster;
  uint32_t shared = isShared ? mask : 0, global = i.space == Space::Global ? mask : 0;
  if (i.space == Space::Generic)
    forLanes(mask, [&](uint32_t l) {
      shared |= static_cast<uint32_t>(addresses[l] >> 56 == kSharedWindow >> 56) << l;
      global |= static_cast<uint32_t>(addresses[l] >> 56 == 0) << l;
    });
  if (global && !checks.global.access(warp, i, global, addresses, bytes, access))
    return false;
  uint32_t named = 0, own = warp.block->clusterRank;
  if (shared == kAllLanes)
    for (int l = 0; l < kLanes; ++l)
      named |= static_cast<uint32_t>(addresses[l]) >> kRankShift;
  else
    forLanes(shared, [&](uint32_t l) { named |= static_cast<uint32_t>(addresses[l]) >> kRankShift; });
  if (named == 0)
    return !shared || checks.shared.access(warp, i, shared, addresses, bytes, access, own);
  // Checks the lanes of each block separately.
  alignas(32) uint64_t local[kLanes];
  auto rankOf = [&](uint32_t l) {
    uint32_t rank = static_cast<uint32_t>(addresses[l]) >> kRankShift;
    return rank ? rank - kRankBias : own;
  };
  forLanes(shared, [&](uint32_t l) { local[l] = addresses[l] & ((1u << kRankShift) - 1); });
  for (uint32_t left = shared; left;) {
    uint32_t rank = rankOf(static_cast<uint32_t>(__builtin_ctz(left))), same = 0;
    forLanes(left, [&](uint32_t l) { same |= static_cast<uint32_t>(rankOf(l) == rank) << l; });
    if (!checks.shared.access(warp, i, same, local, bytes, access, rank))
      return false;
    left &= ~same;
  }
  return true;
}

/// True if each values[l] is values[0] + l * stride.
template <class T> [[gnu::always_inline]] inline bool areInRow(const T *values, T stride) {
  T odd = 0, expected = values[0];
  for (int l = 0; l < kLanes; ++l) { // one addition per lane, which lets compilers vectorise the loop
    odd |= values[l] ^ expected;
    expected += stride;
  }
  return odd == 0;
}

/// Computes the host addresses of 32 places in an array of `size` bytes at `base`. The result is not 0 if one of the
/// accesses, of `bytes` each, is outside of the array or not a multiple of its size.
LANESCOPE_WIDE uint64_t placesIn(const uint64_t *addresses, uint64_t base, uint64_t size, uint64_t bytes,
                                 uintptr_t data, std::byte **out) {
  uint64_t last = size - bytes, align = bytes - 1, bad = 0, odd = 0;
  for (int l = 0; l < kLanes; ++l) {
    uint64_t offset = addresses[l] - base;
    bad |= (last - offset) | offset; // negative if the place is outside
    odd |= addresses[l];
    // Computed as integers, because until `bad` is known, an offset may be anything, and a pointer must not leave its
    // array.
    out[l] = reinterpret_cast<std::byte *>(data + offset);
  }
  return bad >> 63 | (odd & align);
}

// placesIn() loads these sums with wide vectors. The host forwards a store to a load only if the store is not narrower,
// so these functions store wide vectors, too.
LANESCOPE_WIDE void addAll(const uint64_t *base, uint64_t offset, uint64_t *out) {
  for (int l = 0; l < kLanes; ++l)
    out[l] = base[l] + offset;
}
LANESCOPE_WIDE void addAllNarrow(const uint32_t *base, uint32_t offset, uint64_t *out) {
  for (int l = 0; l < kLanes; ++l)
    out[l] = base[l] + offset;
}

/// addressesOf() for all lanes.
void allAddresses(Warp &warp, const Instr &i, uint64_t *out) {
  if (i.a == kNone)
    std::fill_n(out, kLanes, i.imm);
  else if (i.wideAddress)
    addAll(warp.reg<uint64_t>(i.a), i.imm, out);
  else
    addAllNarrow(warp.reg<uint32_t>(i.a), static_cast<uint32_t>(i.imm), out);
}

LANESCOPE_WIDE bool areInRowWide(const uint64_t *values, uint64_t stride) { return areInRow(values, stride); }
LANESCOPE_WIDE bool areInRowNarrow(const uint32_t *values, uint32_t stride) { return areInRow(values, stride); }

} // namespace

namespace {

/// Checks all lanes. This is a separate function, because checkRow() usually does not need the addresses.
[[gnu::noinline]] bool checkOneByOne(Warp &warp, const Instr &i, uint32_t bytes, Access access) {
  alignas(64) uint64_t addresses[kLanes];
  allAddresses(warp, i, addresses);
  return checkLanes(warp, i, kAllLanes, addresses, bytes, access);
}

} // namespace

namespace {

/// True if the addresses of each group of four lanes are adjacent.
template <class T> [[gnu::always_inline]] inline bool areFoursOf(const T *addresses, T bytes) {
  T odd = 0;
  for (uint32_t l = 0; l + 1 < kLanes; ++l)
    odd |= l % 4 == 3 ? T{0} : static_cast<T>(addresses[l + 1] - addresses[l] - bytes);
  return odd == 0;
}
LANESCOPE_WIDE bool areFours(const uint64_t *addresses, uint64_t bytes) { return areFoursOf(addresses, bytes); }
LANESCOPE_WIDE bool areNarrowFours(const uint32_t *addresses, uint32_t bytes) { return areFoursOf(addresses, bytes); }

void findFours(Warp &warp, const Instr &i) {
  AddressRow &row = warp.row;
  if (i.wideAddress ? !areFours(warp.reg<uint64_t>(i.a), i.access) : !areNarrowFours(warp.reg<uint32_t>(i.a), i.access))
    return;
  row.foursApart = i.access;
  for (uint32_t n = 0; n < 8; ++n)
    row.fours[n] = i.wideAddress ? warp.reg<uint64_t>(i.a)[4 * n] : warp.reg<uint32_t>(i.a)[4 * n];
  row.lowestFour = *std::ranges::min_element(row.fours);
  row.highestFour = *std::ranges::max_element(row.fours);
  row.bitsOfFours = 0;
  for (uint64_t four : row.fours)
    row.bitsOfFours |= four;
}

} // namespace

void findRow(Warp &warp, const Instr &i) {
  AddressRow &row = warp.row;
  row.slot = i.a;
  row.bytes = row.foursApart = 0;
  if (i.a == kNone) {
    row.first = 0;
    row.stride = 0;
    row.inRow = true;
  } else if (i.wideAddress) {
    const uint64_t *base = warp.reg<uint64_t>(i.a);
    uint64_t step = base[1] - base[0];
    row.first = base[0];
    row.stride = static_cast<int64_t>(step);
    row.inRow = base[kLanes - 1] - base[0] == step * (kLanes - 1) &&
                row.stride == static_cast<int32_t>(row.stride) && // all places can be computed
                areInRowWide(base, step);
  } else {
    const uint32_t *base = warp.reg<uint32_t>(i.a);
    uint32_t step = base[1] - base[0];
    row.first = base[0];
    row.stride = static_cast<int32_t>(step);
    row.inRow = base[kLanes - 1] - base[0] == step * (kLanes - 1) && areInRowNarrow(base, step);
  }
  if (!row.inRow)
    findFours(warp, i);
  if (!row.inRow && row.foursApart == 0)
    return;
  uint64_t address = row.addressOf(i), window = i.space == Space::Generic ? address >> 56 << 56 : 0;
  Space space = i.space;
  if (space == Space::Generic)
    space = window == kSharedWindow ? Space::Shared : window ? Space::Local : Space::Global;
  Block &block = *warp.block;
  row.writable = true;
  if (space == Space::Global) {
    uint64_t offset = 0;
    if (const Region *region = regionOf(*block.grid, address, offset)) {
      row.begin = address - offset;
      row.bytes = region->bytes;
      row.data = region->data;
      row.region = region;
      row.writable = !region->readOnly;
    }
  } else if (space == Space::Shared || space == Space::SharedCluster) {
    uint64_t named = (address - window) >> kRankShift << kRankShift;
    if (named == 0 || named == rankedAddress(block.clusterRank, 0)) { // the own block
      row.begin = window + named + kSharedBase;
      row.bytes = block.shared.size();
      row.data = block.shared.data();
    }
  } else if (space == Space::Param) {
    row.begin = 0;
    row.bytes = block.grid->params.size();
    row.data = block.grid->params.data();
    row.writable = false;
  }
}

bool checkRow(Warp &warp, const Instr &i, uint64_t offset, uint32_t bytes, Access access) {
  if (i.space == Space::Param)
    return true;
  Checker &checks = *warp.block->checks;
  const AddressRow &row = warp.row;
  if (!i.strong && i.space == Space::Shared)
    return checks.shared.accessRow(warp, i, static_cast<uint32_t>(kSharedBase + offset), bytes, access);
  if (!i.strong && i.space == Space::Global && row.stride == bytes)
    return checks.global.accessRow(warp, i, offset, bytes, access);
  return checkOneByOne(warp, i, bytes, access);
}

Step settled(Warp &warp, const Instr &i) {
  Checker *checks = warp.block->checks;
  if (!checks)
    return Step::Next;
  bool fine = !checks->shared.doubtful() || checks->shared.settle(warp, i);
  return fine && (!checks->global.doubtful() || checks->global.settle(warp, i)) ? Step::Next : Step::Fault;
}

bool resolveLanes(Warp &warp, const Instr &i, uint32_t mask, uint32_t bytes, Access access, std::byte **out) {
  alignas(64) uint64_t addresses[kLanes];
  allAddresses(warp, i, addresses);
  return resolvePlaces(warp, i, mask, addresses, bytes, access, out);
}

namespace {

/// Finds the place of the first lane of each group of four: its host address and its offset. The address is the
/// register plus `shift`.
LANESCOPE_WIDE void placeFours(const AddressRow &row, uint64_t shift, uint64_t *offsets, std::byte **out) {
  auto data = reinterpret_cast<uintptr_t>(row.data);
  for (uint32_t n = 0; n < 8; ++n) {
    offsets[n] = row.fours[n] + shift - row.begin;
    out[n] = reinterpret_cast<std::byte *>(data + offsets[n]);
  }
}

} // namespace

bool resolveFours(Warp &warp, const Instr &i, uint32_t bytes, Access access, std::byte **out, bool &found) {
  const AddressRow &row = warp.row;
  if (!i.findsRow || row.inRow || row.foursApart != bytes || row.bytes < 4 * bytes ||
      (access != Access::Read && !row.writable))
    return true;
  auto shift = i.wideAddress ? i.imm : static_cast<uint64_t>(static_cast<int32_t>(i.imm));
  uint64_t last = row.bytes - 4 * bytes;
  if (row.lowestFour + shift - row.begin > last || row.highestFour + shift - row.begin > last ||
      ((row.bitsOfFours | shift) & (bytes - 1)))
    return true;
  found = true;
  alignas(64) uint64_t places[8];
  placeFours(row, shift, places, out);
  if (!warp.block->checks)
    return true;
  if (!i.strong && i.space == Space::Global)
    return warp.block->checks->global.accessFours(warp, i, *row.region, places, bytes, access);
  return checkOneByOne(warp, i, bytes, access);
}

namespace {

/// True if an instruction reads the register, so that its value matters.
bool isTaken(const Program &program, uint32_t slot) {
  return std::ranges::any_of(program.code, [&](const Instr &other) {
    if (other.a == slot || other.b == slot || other.c == slot || other.e == slot || other.guard == slot)
      return true;
    const uint32_t *list = program.lists.data() + other.list;
    return !other.load && std::find(list, list + other.listSize, slot) != list + other.listSize;
  });
}

/// Handles a vector load that begins in the block's shared memory and reaches past its end, if the missing bytes go
/// into registers that no instruction reads. (Compilers widen loads, and blocks get their memory in larger units.)
/// Returns the bytes that the load reads, followed by the missing bytes. Null if it is no such load. `ok` is false
/// after a fault.
std::byte *firstRegisters(Warp &warp, const Instr &i, uint32_t lane, uint64_t address, uint32_t bytes, Access access,
                          bool &ok) {
  Block &block = *warp.block;
  const Program &program = *block.grid->program;
  uint64_t offset = address - kSharedBase, size = block.shared.size();
  if (access != Access::Read || i.space != Space::Shared || !i.load || i.listSize < 2 || address % bytes != 0 ||
      offset >= size || offset + bytes <= size || block.grid->form == StrictForm::VectorEnd)
    return nullptr;
  uint32_t each = bytes / i.listSize, inside = static_cast<uint32_t>(size - offset) / each;
  for (uint32_t n = inside; n < i.listSize; ++n)
    if (isTaken(program, program.lists[i.list + n]))
      return nullptr;
  static thread_local std::array<std::array<std::byte, 32>, kLanes> copies; // one per lane
  copies[lane].fill(block.grid->unwritten);
  std::memcpy(copies[lane].data(), block.shared.data() + offset, inside * each);
  if (!block.checks)
    return copies[lane].data();
  alignas(64) uint64_t places[kLanes];
  for (uint32_t n = 0; n < inside && ok; ++n) {
    places[lane] = address + n * each;
    ok = block.checks->shared.access(warp, i, 1u << lane, places, each, access, block.clusterRank);
  }
  return ok ? copies[lane].data() : nullptr;
}

} // namespace

namespace {

/// The memory for an access with a wrong address in a run that continues after faults: reads return 0, and writes are
/// lost. Null if the run ends.
std::byte *skippedAccess(Warp &warp, uint32_t lane, uint32_t bytes) {
  static thread_local std::array<std::array<std::byte, 32>, kLanes> nowhere;
  Block &block = *warp.block;
  if (!block.fault || !isAccessFault(block.fault->kind) || bytes > nowhere[lane].size() || !goesOnAfterFault(block))
    return nullptr;
  nowhere[lane].fill(std::byte{0});
  return nowhere[lane].data();
}

} // namespace

bool resolvePlaces(Warp &warp, const Instr &i, uint32_t mask, const uint64_t *addresses, uint32_t bytes, Access access,
                   std::byte **out) {
  Block &block = *warp.block;
  // Fast path for one buffer or shared memory. It checks all lanes at once. If any lane may be wrong, the slow path
  // below reports it.
  if (mask && (i.space == Space::Global || i.space == Space::Shared)) {
    uint64_t base = kSharedBase, size = block.shared.size(), first = addresses[__builtin_ctz(mask)];
    std::byte *data = block.shared.data();
    if (i.space == Space::Global) {
      uint64_t offset = 0;
      const Region *region = regionOf(*block.grid, first, offset);
      base = first - offset;
      bool fits = region && (!region->readOnly || access == Access::Read);
      size = fits ? region->bytes : 0;
      data = fits ? region->data : nullptr;
    }
    if (size >= bytes) {
      auto start = reinterpret_cast<uintptr_t>(data);
      alignas(64) uint64_t filled[kLanes];
      const uint64_t *all = addresses;
      if (mask != kAllLanes) { // inactive lanes use the first active lane's address
        for (uint32_t l = 0; l < kLanes; ++l)
          filled[l] = mask >> l & 1 ? addresses[l] : first;
        all = filled;
      }
      if (placesIn(all, base, size, bytes, start, out) == 0) {
        Checker *checks = block.checks;
        if (!checks)
          return true;
        return i.space == Space::Global
                   ? checks->global.access(warp, i, mask, addresses, bytes, access)
                   : checks->shared.access(warp, i, mask, addresses, bytes, access, block.clusterRank);
      }
    }
  }
  bool ok = true, shared = i.space == Space::Shared || i.space == Space::SharedCluster;
  alignas(64) uint64_t plain[kLanes];
  uint32_t whole = mask; // lanes whose access is inside the memory
  for (uint32_t l = 0; l < kLanes && ok; ++l)
    if (mask >> l & 1) {
      if (shared && addresses[l] >> 56 == kSharedWindow >> 56) {
        if (addresses != plain) {
          std::copy_n(addresses, kLanes, plain);
          addresses = plain;
        }
        plain[l] &= (1ull << 56) - 1;
        if (!tellGenericShared(warp, i, l))
          return false;
      }
      if (out[l] = firstRegisters(warp, i, l, addresses[l], bytes, access, ok); out[l]) {
        whole &= ~(1u << l);
        continue;
      }
      out[l] = ok ? resolve(warp, i, l, addresses[l], i.space, {bytes, bytes, access}) : nullptr;
      if (!out[l] && ok)
        if (out[l] = skippedAccess(warp, l, bytes); out[l])
          whole &= ~(1u << l);
      ok = out[l] != nullptr;
    }
  return ok && (!block.checks || checkLanes(warp, i, whole, addresses, bytes, access));
}

const Region *resolveSpread(Warp &warp, const Instr &i, uint32_t lane, uint64_t address, uint64_t bytes, uint32_t align,
                            uint64_t &offset) {
  const Grid &grid = *warp.block->grid;
  const Region *spread = regionOf(grid, address, offset);
  if (!spread || !spread->spreadBytes) {
    outOfBounds(warp, i, lane, "multicast",
                text("`", grid.opcodeOf(i), "` needs an address of a multicast object, and ",
                     spread ? text("byte ", offset, " of ", spread->name, " is none")
                            : text(hexText(address), " is in none of the kernel's arrays")));
    return nullptr;
  }
  if (offset > spread->spreadBytes || spread->spreadBytes - offset < bytes) {
    outOfBounds(warp, i, lane, "global-out-of-bounds",
                text("`", grid.opcodeOf(i), "` is of ", bytes, " bytes at byte ", offset, " of ", spread->name,
                     ", whose copies have ", spread->spreadBytes, " bytes"));
    return nullptr;
  }
  if (address % align != 0) {
    misaligned(warp, i, lane, text("byte ", offset, " of ", spread->name), align);
    return nullptr;
  }
  return spread;
}

bool resolveSpread(Warp &warp, const Instr &i, uint32_t mask, uint32_t bytes, SpreadPlace *out) {
  alignas(32) uint64_t addresses[kLanes];
  addressesOf(warp, i, addresses);
  for (uint32_t l = 0; l < kLanes; ++l)
    if (mask >> l & 1) {
      out[l].spread = resolveSpread(warp, i, l, addresses[l], bytes, bytes, out[l].offset);
      if (!out[l].spread)
        return false;
    }
  return true;
}

bool sharedAddress(Warp &warp, const Instr &i, uint32_t lane, uint64_t address, uint32_t &out, Space space) {
  uint64_t window = address >> 56;
  if (window == kSharedWindow >> 56) {
    address &= (1ull << 56) - 1;
    if ((space == Space::Shared || space == Space::SharedCluster) && !tellGenericShared(warp, i, lane))
      return false;
  } else if (window != 0 || address > UINT32_MAX) {
    fault(warp, i, "shared-out-of-bounds",
          Message("`{}` needs a shared-memory address, not {}", warp.block->grid->opcodeOf(i), hexText(address)), lane);
    return false;
  }
  out = static_cast<uint32_t>(address);
  if (out >> kRankShift == warp.block->clusterRank + kRankBias)
    out &= (1u << kRankShift) - 1;
  return true;
}

Block *sharedPlace(Warp &warp, const Instr &i, uint32_t lane, uint64_t address, uint32_t &out, Space space) {
  if (!sharedAddress(warp, i, lane, address, out, space))
    return nullptr;
  uint64_t local = out;
  Block *named = blockNamed(warp, i, lane, local, true);
  out = static_cast<uint32_t>(local);
  return named;
}

} // namespace lanescope::core::emulator
