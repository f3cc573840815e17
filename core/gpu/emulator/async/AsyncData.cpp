#include "core/gpu/emulator/async/AsyncData.h"

#include "core/gpu/emulator/memory/Memory.h"
#include "core/gpu/emulator/numbers/Reduce.h"
#include "core/gpu/emulator/schedule/Cluster.h"

#include <algorithm>
#include <cstring>
#include <type_traits>

namespace lanescope::core::emulator {

namespace {

/// Calls visit(row's global address or nothing, shared byte offset in the box, elements before/after the array) for
/// each innermost row of the tile.
template <class F> void forRows(const AsyncOp &op, F visit) {
  const TensorMap &map = op.map;
  uint32_t rowBytes = static_cast<uint32_t>(map.box[0]) * map.elementBytes;
  std::array<uint32_t, 5> at{};
  std::array<uint16_t, 5> box = map.box;
  if (op.chosenRows)
    box[1] = kChosenRows;
  uint32_t offset = 0;
  for (;;) {
    uint64_t address = map.global;
    bool inside = true;
    for (int n = 1; n < map.rank; ++n) {
      int64_t index = op.chosenRows ? int64_t{op.coordinates[1 + at[n]]} : int64_t{op.coordinates[n]} + at[n];
      inside &= index >= 0 && static_cast<uint64_t>(index) < map.sizes[n];
      address += static_cast<uint64_t>(index) * map.strides[n];
    }
    // The part of the row that lies in the array, in elements of the box.
    int64_t first = std::clamp<int64_t>(-static_cast<int64_t>(op.coordinates[0]), 0, map.box[0]);
    int64_t last = std::clamp<int64_t>(static_cast<int64_t>(map.sizes[0]) - op.coordinates[0], first, map.box[0]);
    if (!inside)
      last = first;
    address += static_cast<uint64_t>(static_cast<int64_t>(op.coordinates[0]) + first) * map.elementBytes;
    visit(address, offset, static_cast<uint32_t>(first) * map.elementBytes,
          static_cast<uint32_t>(last) * map.elementBytes, rowBytes);
    offset += rowBytes;
    int n = 1;
    for (; n < map.rank; ++n) {
      if (++at[n] < box[n])
        break;
      at[n] = 0;
    }
    if (n >= map.rank)
      return;
  }
}

using WholeChunk = std::integral_constant<uint32_t, 16>; // its copy is two moves

/// Calls visit(shared address, byte of the row, size) for the pieces of bytes [from, to) of a row that lie together in
/// swizzled shared memory: chunks of 16 bytes, nearly all whole.
template <class F>
void forChunks(uint32_t shared, uint32_t offset, uint32_t from, uint32_t to, uint32_t swizzle, F visit) {
  uint32_t row = shared + offset;
  if (swizzle == 0) {
    if (from < to)
      visit(row + from, from, to - from);
  } else if (((row | from | to) & 15) == 0) {
    for (; from < to; from += 16)
      visit(swizzled(row + from, swizzle), from, WholeChunk{});
  } else {
    while (from < to) {
      uint32_t size = std::min(to - from, 16 - ((row + from) & 15));
      visit(swizzled(row + from, swizzle), from, size);
      from += size;
    }
  }
}

std::byte *globalBytes(Block &block, const AsyncOp &op, uint64_t address, uint64_t bytes, Access access) {
  uint64_t offset = 0; // most are right, and any doubt is for resolve()
  const Region *region = regionOf(*block.grid, address, offset);
  if (region && offset <= region->bytes && region->bytes - offset >= bytes) [[likely]]
    return region->data + offset;
  return resolve(block.warps[op.warp], *op.instr, op.lane, address, Space::Generic, bytes, 1, access);
}
Block &targetOf(Block &block, const AsyncOp &op) { return *block.cluster->blocks[op.target]; }

/// Of the block that the operation is for.
std::byte *sharedBytes(Block &block, const AsyncOp &op, uint32_t address, uint32_t bytes, Access access) {
  if (op.target != block.clusterRank)
    return resolve(block.warps[op.warp], *op.instr, op.lane, rankedAddress(op.target, address), Space::SharedCluster,
                   bytes, 1, access);
  return resolve(block.warps[op.warp], *op.instr, op.lane, address, Space::Shared, bytes, 1, access);
}

void fillOutside(const TensorMap &map, std::byte *row, uint32_t bytes) {
  std::memset(row, 0, bytes);
  if (!map.oobNan)
    return;
  // The NaN that the hardware fills with has all bits set.
  std::memset(row, 0xFF, bytes);
}

bool loadTile(Block &block, const AsyncOp &op) {
  if (!sharedBytes(block, op, op.shared, op.bytes, Access::Write))
    return false;
  std::byte *shared = targetOf(block, op).shared.data();
  bool ok = true;
  std::vector<std::byte> row; // of one that leaves the array
  forRows(op, [&](uint64_t address, uint32_t offset, uint32_t first, uint32_t last, uint32_t rowBytes) {
    if (!ok)
      return;
    const std::byte *from = first < last ? globalBytes(block, op, address, last - first, Access::Read) : nullptr;
    if (first < last && !from) {
      ok = false;
      return;
    }
    if (first > 0 || last < rowBytes) {
      row.resize(rowBytes);
      fillOutside(op.map, row.data(), rowBytes);
      if (from)
        std::memcpy(row.data() + first, from, last - first);
      from = row.data();
    }
    forChunks(op.shared, offset, 0, rowBytes, op.map.swizzle,
              [&](uint32_t to, uint32_t at, auto size) { std::memcpy(shared + (to - kSharedBase), from + at, size); });
  });
  return ok;
}

/// From shared memory, or from what was read of it before.
bool writeTile(Block &block, const AsyncOp &op) {
  const std::byte *shared = block.shared.data();
  bool ok = true, staged = !op.staged.empty();
  forRows(op, [&](uint64_t address, uint32_t offset, uint32_t first, uint32_t last, uint32_t) {
    if (!ok || first >= last)
      return;
    std::byte *to = globalBytes(block, op, address, last - first, Access::Write);
    if (!to)
      ok = false;
    else if (op.reduce != ReduceOp::None)
      reduceInto(op.reduce, op.map.dtype, to, op.staged.data() + offset + first, last - first);
    else if (staged)
      std::memcpy(to, op.staged.data() + offset + first, last - first);
    else
      forChunks(op.shared, offset, first, last, op.map.swizzle, [&](uint32_t at, uint32_t from, auto size) {
        std::memcpy(to + (from - first), shared + (at - kSharedBase), size);
      });
  });
  return ok;
}

bool stageTile(Block &block, AsyncOp &op) {
  op.staged.resize(op.bytes);
  std::byte *to = op.staged.data();
  const std::byte *shared = block.shared.data();
  forRows(op, [&](uint64_t, uint32_t offset, uint32_t first, uint32_t last, uint32_t) {
    forChunks(op.shared, offset, first, last, op.map.swizzle, [&](uint32_t at, uint32_t from, auto size) {
      std::memcpy(to + offset + from, shared + (at - kSharedBase), size);
    });
  });
  return true;
}

void copyOrReduce(const AsyncOp &op, std::byte *to, const std::byte *from) {
  if (op.reduce == ReduceOp::None)
    std::memcpy(to, from, op.bytes);
  else
    reduceInto(op.reduce, op.reduceType, to, from, op.bytes);
}

} // namespace

void globalStretches(const AsyncOp &op, std::vector<GlobalStretch> &out) {
  out.clear();
  auto add = [&](uint64_t address, uint64_t bytes) {
    if (!out.empty() && out.back().address + out.back().bytes == address)
      out.back().bytes += bytes;
    else if (bytes)
      out.push_back({address, bytes});
  };
  switch (op.kind) {
  case AsyncKind::TensorLoad:
  case AsyncKind::TensorStore:
    forRows(op, [&](uint64_t address, uint32_t, uint32_t first, uint32_t last, uint32_t) {
      add(address, last > first ? last - first : 0);
    });
    break;
  case AsyncKind::BulkLoad:
  case AsyncKind::BulkStore: add(op.global, op.bytes); break;
  case AsyncKind::CpAsync: add(op.global, op.sourceBytes); break;
  default: break;
  }
}

bool changesTarget(Block &block, const AsyncOp &op) {
  AsyncOp copy = op;
  if (!readSource(block, copy))
    return true;
  bool same = true;
  auto compare = [&](uint64_t address, uint32_t at, uint64_t bytes) {
    uint64_t offset = 0;
    const Region *region = regionOf(*block.grid, address, offset);
    same = same && region && region->bytes - offset >= bytes &&
           std::memcmp(region->data + offset, copy.staged.data() + at, bytes) == 0;
  };
  if (op.kind == AsyncKind::BulkStore)
    compare(op.global, 0, op.bytes);
  else
    forRows(op, [&](uint64_t address, uint32_t offset, uint32_t first, uint32_t last, uint32_t) {
      if (first < last)
        compare(address, offset + first, last - first);
    });
  return !same;
}

bool isStore(const AsyncOp &op) { return op.kind == AsyncKind::BulkStore || op.kind == AsyncKind::TensorStore; }

bool land(Block &block, AsyncOp &op) {
  if (op.moved)
    return true;
  op.moved = true;
  switch (op.kind) {
  case AsyncKind::BulkLoad:
  case AsyncKind::SharedCopy: {
    const std::byte *from = globalBytes(block, op, op.global, op.bytes, Access::Read);
    std::byte *to = sharedBytes(block, op, op.shared, op.bytes, Access::Write);
    if (!from || !to)
      return false;
    copyOrReduce(op, to, from);
    return true;
  }
  case AsyncKind::TensorLoad: return loadTile(block, op);
  case AsyncKind::CpAsync: {
    const std::byte *from = op.sourceBytes ? globalBytes(block, op, op.global, op.sourceBytes, Access::Read) : nullptr;
    std::byte *to = sharedBytes(block, op, op.shared, op.bytes, Access::Write);
    if ((op.sourceBytes && !from) || !to)
      return false;
    std::memset(to, 0, op.bytes);
    if (from)
      std::memcpy(to, from, op.sourceBytes);
    return true;
  }
  case AsyncKind::RemoteStore: {
    std::byte *to = sharedBytes(block, op, op.shared, op.bytes, Access::Write);
    if (!to)
      return false;
    copyOrReduce(op, to, op.staged.data());
    return true;
  }
  case AsyncKind::CpArrive:
  case AsyncKind::BulkStore:
  case AsyncKind::TensorStore: break;
  }
  return true;
}

bool readSource(Block &block, AsyncOp &op) {
  if (op.moved)
    return true;
  op.moved = true;
  if (op.kind == AsyncKind::TensorStore)
    return stageTile(block, op);
  const std::byte *from = sharedBytes(block, op, op.shared, op.bytes, Access::Read);
  if (!from)
    return false;
  op.staged.assign(from, from + op.bytes);
  return true;
}

bool writeBack(Block &block, AsyncOp &op) {
  if (op.written)
    return true;
  bool isTile = op.kind == AsyncKind::TensorStore;
  if (isTile && op.reduce == ReduceOp::None && !op.moved)
    op.moved = true; // straight from shared memory
  else if (!readSource(block, op))
    return false;
  op.written = true;
  std::byte *to = isTile ? nullptr : globalBytes(block, op, op.global, op.bytes, Access::Write);
  if (!(isTile ? writeTile(block, op) : to != nullptr))
    return false;
  if (to)
    copyOrReduce(op, to, op.staged.data());
  op.staged = {};
  return true;
}

} // namespace lanescope::core::emulator
