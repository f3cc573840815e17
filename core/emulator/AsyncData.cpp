#include "core/emulator/AsyncData.h"

#include "core/emulator/Cluster.h"
#include "core/emulator/Memory.h"
#include "core/emulator/Reduce.h"

#include <algorithm>
#include <cstring>

namespace lanescope::core::emulator {

namespace {

/// Calls visit(row's global address or nothing, shared byte offset in the box, elements before/after the array) for
/// each innermost row of the tile.
template <class F> void forRows(const AsyncOp &op, F visit) {
  const TensorMap &map = op.map;
  uint32_t rowBytes = static_cast<uint32_t>(map.box[0]) * map.elementBytes;
  std::array<uint32_t, 5> at{};
  uint32_t offset = 0;
  for (;;) {
    uint64_t address = map.global;
    bool inside = true;
    for (int n = 1; n < map.rank; ++n) {
      int64_t index = static_cast<int64_t>(op.coordinates[n]) + at[n];
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
      if (++at[n] < map.box[n])
        break;
      at[n] = 0;
    }
    if (n >= map.rank)
      return;
  }
}

/// Copies bytes [from, to) of a row between a plain buffer and swizzled shared memory, 16-byte chunk by chunk.
template <class F>
void forChunks(uint32_t shared, uint32_t offset, uint32_t from, uint32_t to, uint32_t swizzle, F visit) {
  if (swizzle == 0) {
    if (from < to)
      visit(shared + offset + from, from, to - from);
    return;
  }
  while (from < to) {
    uint32_t address = shared + offset + from;
    uint32_t size = std::min(to - from, 16 - (address & 15));
    visit(swizzled(address, swizzle), from, size);
    from += size;
  }
}

/// Nearly all pieces are whole chunks, whose copy is two moves.
void copyChunk(std::byte *to, const std::byte *from, uint32_t size) {
  if (size == 16)
    std::memcpy(to, from, 16);
  else
    std::memcpy(to, from, size);
}

std::byte *globalBytes(Block &block, const AsyncOp &op, uint64_t address, uint64_t bytes, Access access) {
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
  Block &target = targetOf(block, op);
  bool ok = true;
  std::vector<std::byte> row(static_cast<size_t>(op.map.box[0]) * op.map.elementBytes);
  forRows(op, [&](uint64_t address, uint32_t offset, uint32_t first, uint32_t last, uint32_t rowBytes) {
    if (!ok)
      return;
    if (first > 0 || last < rowBytes)
      fillOutside(op.map, row.data(), rowBytes);
    if (first < last) {
      const std::byte *from = globalBytes(block, op, address, last - first, Access::Read);
      if (!from) {
        ok = false;
        return;
      }
      std::memcpy(row.data() + first, from, last - first);
    }
    forChunks(op.shared, offset, 0, rowBytes, op.map.swizzle, [&](uint32_t to, uint32_t from, uint32_t size) {
      copyChunk(target.shared.data() + (to - kSharedBase), row.data() + from, size);
    });
  });
  return ok;
}

bool writeTile(Block &block, const AsyncOp &op) {
  bool ok = true;
  forRows(op, [&](uint64_t address, uint32_t offset, uint32_t first, uint32_t last, uint32_t) {
    if (!ok || first >= last)
      return;
    std::byte *to = globalBytes(block, op, address, last - first, Access::Write);
    if (!to)
      ok = false;
    else if (op.reduce != ReduceOp::None)
      reduceInto(op.reduce, op.map.dtype, to, op.staged.data() + offset + first, last - first);
    else
      std::memcpy(to, op.staged.data() + offset + first, last - first);
  });
  return ok;
}

bool stageTile(Block &block, AsyncOp &op) {
  op.staged.resize(op.bytes);
  forRows(op, [&](uint64_t, uint32_t offset, uint32_t first, uint32_t last, uint32_t) {
    forChunks(op.shared, offset, first, last, op.map.swizzle, [&](uint32_t at, uint32_t from, uint32_t size) {
      copyChunk(op.staged.data() + offset + from, block.shared.data() + (at - kSharedBase), size);
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
  if (!readSource(block, op))
    return false;
  op.written = true;
  if (op.kind == AsyncKind::TensorStore)
    return writeTile(block, op);
  std::byte *to = globalBytes(block, op, op.global, op.bytes, Access::Write);
  if (!to)
    return false;
  copyOrReduce(op, to, op.staged.data());
  return true;
}

} // namespace lanescope::core::emulator
