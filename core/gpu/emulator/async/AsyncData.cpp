#include "core/gpu/emulator/async/AsyncData.h"

#include "core/gpu/emulator/async/SwizzledRows.h"
#include "core/gpu/emulator/async/Tcgen05.h"
#include "core/gpu/emulator/async/TileRows.h"
#include "core/gpu/emulator/machine/Cluster.h"
#include "core/gpu/emulator/memory/Memory.h"
#include "core/gpu/emulator/numbers/Tf32.h"

#include <cstring>

namespace lanescope::core::emulator {

namespace {

std::byte *globalBytes(Block &block, const AsyncOp &op, uint64_t address, uint64_t bytes, Access access) {
  uint64_t offset = 0; // the common case; resolve() handles all others
  const Region *region = regionOf(*block.grid, address, offset);
  bool allowed = region && (!region->readOnly || access == Access::Read);
  if (allowed && offset <= region->bytes && region->bytes - offset >= bytes) [[likely]]
    return region->data + offset;
  return resolve(block.warps[op.warp], *op.instr, op.lane, address, Space::Generic, {bytes, 1, access});
}

/// Calls visit(address) for each place that a store writes. For a multicast object, these are the places on all
/// devices.
template <class F> void forTargets(const Grid &grid, uint64_t address, F visit) {
  uint64_t offset = 0;
  const Region *spread = spreadOf(grid, address, offset);
  if (!spread) [[likely]]
    return visit(address);
  for (uint32_t device = 0; device < grid.devices; ++device)
    visit(copyAddress(grid, *spread, device, offset));
}

/// All of the shared memory that the operation uses.
std::byte *sharedBytes(Block &block, const AsyncOp &op, SharedPlace place, Access access) {
  if (place.rank != block.clusterRank)
    return resolve(block.warps[op.warp], *op.instr, op.lane, rankedAddress(place.rank, place.address),
                   Space::SharedCluster, {sharedExtent(op), 1, access});
  return resolve(block.warps[op.warp], *op.instr, op.lane, place.address, Space::Shared, {sharedExtent(op), 1, access});
}

void fillOutside(const TensorMap &map, std::byte *row, uint32_t bytes) {
  std::memset(row, 0, bytes);
  if (!map.oobNan)
    return;
  // An H200 fills arrays of f32 with the same 16 bits, repeated. They are a NaN in every type.
  for (uint32_t n = 0; n < bytes; ++n)
    row[n] = std::byte{uint8_t(n % 2 ? 0x7F : 0xF7)};
}

void copyOrReduce(const Reduction &reduction, std::byte *to, const std::byte *from, uint32_t bytes) {
  if (reduction.op == ReduceOp::None)
    std::memcpy(to, from, bytes);
  else
    reduceInto(reduction.op, reduction.dtype, to, from, bytes);
}

/// Calls visit(first row's bytes in the array, lines) for each plane of a tile whose rows are whole lines of swizzled
/// shared memory at `shared`. Returns false and does nothing if the rows are no whole lines, or if they leave the array
/// or its buffer.
template <class F>
bool forSwizzledPlanes(Block &block, const AsyncOp &op, const Tile &tile, uint32_t shared, Access access, F visit) {
  const TensorMap &map = tile.map;
  if (map.swizzle == 0 || map.sharedBytes != 0 || uint32_t{map.box[0]} * map.elementBytes != SwizzledLines::kBytes ||
      shared % SwizzledLines::kBytes != 0 || !hasWholePlanes(tile))
    return false;
  SwizzledLines lines{{shared, map.swizzle}, map.taken(1), map.strides[1] * map.steps[1]};
  uint64_t extent = lines.stride * (lines.count - 1) + SwizzledLines::kBytes;
  auto placeOf = [&](uint64_t address) -> std::byte * {
    uint64_t offset = 0;
    const Region *region = regionOf(*block.grid, address, offset);
    bool fits = region && !region->spreadBytes && (!region->readOnly || access == Access::Read) &&
                offset <= region->bytes && region->bytes - offset >= extent;
    return fits ? region->data + offset : nullptr;
  };
  bool fits = true;
  forPlanes(tile, [&](uint64_t address, uint32_t) { fits = fits && placeOf(address); });
  if (fits)
    forPlanes(tile, [&](uint64_t address, uint32_t offset) {
      lines.row.address = shared + offset;
      visit(placeOf(address), lines);
    });
  return fits;
}

// --- to shared memory ------------------------------------------------------------------------------------------------

bool landAs(Block &block, const AsyncOp &op, const BulkLoad &load) {
  const std::byte *from = globalBytes(block, op, load.global, op.bytes, Access::Read);
  std::byte *to = sharedBytes(block, op, load.to, Access::Write);
  if (!from || !to)
    return false;
  std::memcpy(to, from, op.bytes);
  return true;
}

/// Rounds a tile in shared memory. The tile may be swizzled, because a swizzle moves whole words.
void roundToTf32(std::byte *tile, uint32_t bytes) {
  for (uint32_t at = 0; at + 4 <= bytes; at += 4) {
    uint32_t word = 0;
    std::memcpy(&word, tile + at, 4);
    word = nearestTf32(word);
    std::memcpy(tile + at, &word, 4);
  }
}

bool landTile(Block &block, const AsyncOp &op, const TensorLoad &load, std::byte *shared) {
  if (forSwizzledPlanes(
          block, op, load.tile, load.to.address, Access::Read,
          [&](const std::byte *from, const SwizzledLines &lines) { copyLinesToShared(shared, lines, from); }))
    return true;
  const TensorMap &map = load.tile.map;
  bool ok = true;
  std::vector<std::byte> row; // scratch memory for a row that partly leaves the array
  forRows(load.tile, [&](uint64_t address, uint32_t offset, uint32_t first, uint32_t last, uint32_t rowBytes) {
    if (!ok)
      return;
    const std::byte *from = first < last ? globalBytes(block, op, address, last - first, Access::Read) : nullptr;
    if (first < last && !from) {
      ok = false;
      return;
    }
    if (first > 0 || last < rowBytes) {
      row.resize(rowBytes);
      fillOutside(load.tile.map, row.data(), rowBytes);
      if (from)
        std::memcpy(row.data() + first, from, last - first);
      from = row.data();
    }
    if (uint32_t each = map.sharedBytes) { // elements with gaps between them, which are not written
      for (uint32_t at = 0; at < rowBytes; at += map.elementBytes) {
        uint32_t to = load.to.address + (offset + at) / map.elementBytes * each;
        std::memcpy(shared + (swizzled(to, map.swizzle) - kSharedBase), from + at, map.elementBytes);
      }
      return;
    }
    copyToShared(shared, {load.to.address + offset, map.swizzle}, 0, rowBytes, from);
  });
  return ok;
}

bool landAs(Block &block, const AsyncOp &op, const TensorLoad &load) {
  std::byte *tile = sharedBytes(block, op, load.to, Access::Write);
  if (!tile || !landTile(block, op, load, block.cluster->blocks[load.to.rank]->shared.data()))
    return false;
  if (load.tile.map.dtype == layouts::Dtype::TF32)
    roundToTf32(tile, sharedExtent(op));
  return true;
}

bool landAs(Block &block, const AsyncOp &op, const SharedCopy &copy) {
  const std::byte *from = globalBytes(block, op, copy.from, op.bytes, Access::Read);
  std::byte *to = sharedBytes(block, op, copy.to, Access::Write);
  if (!from || !to)
    return false;
  copyOrReduce(copy.reduction, to, from, op.bytes);
  return true;
}

bool landAs(Block &block, const AsyncOp &op, const RemoteStore &store) {
  std::byte *to = sharedBytes(block, op, store.to, Access::Write);
  if (!to)
    return false;
  copyOrReduce(store.reduction, to, store.value.data(), op.bytes);
  return true;
}

bool landAs(Block &block, const AsyncOp &op, const LaunchAnswer &answer) {
  std::byte *to = sharedBytes(block, op, answer.to, Access::Write);
  if (!to)
    return false;
  std::memcpy(to, answer.value.data(), op.bytes);
  return true;
}

bool landAs(Block &block, const AsyncOp &op, const CpAsync &copy) {
  const std::byte *from =
      copy.sourceBytes ? globalBytes(block, op, copy.global, copy.sourceBytes, Access::Read) : nullptr;
  std::byte *to = sharedBytes(block, op, {block.clusterRank, copy.to}, Access::Write);
  if ((copy.sourceBytes && !from) || !to)
    return false;
  std::memset(to, 0, op.bytes);
  if (from)
    std::memcpy(to, from, copy.sourceBytes);
  return true;
}

bool landAs(Block &, const AsyncOp &, const CpArrive &) { return true; }

bool landAs(Block &block, const AsyncOp &, const Tcgen05Commit &commit) { return carryOut(block, commit); }

// --- to global memory ------------------------------------------------------------------------------------------------

bool stage(Block &block, const AsyncOp &op, BulkStore &store) {
  const std::byte *from = sharedBytes(block, op, {block.clusterRank, store.from}, Access::Read);
  if (!from)
    return false;
  store.state.staged.assign(from, from + op.bytes);
  return true;
}

bool stage(Block &block, const AsyncOp &op, TensorStore &store) {
  store.state.staged.resize(op.bytes);
  std::byte *to = store.state.staged.data();
  const std::byte *shared = block.shared.data();
  forRows(store.tile, [&](uint64_t, uint32_t offset, uint32_t first, uint32_t last, uint32_t) {
    copyFromShared(to + offset + first, {store.from + offset, store.tile.map.swizzle}, first, last, shared);
  });
  return true;
}

/// Calls visit(byte of the copy) for the bytes that `.cp_mask` selects.
template <class F> void forMasked(const BulkStore &store, uint32_t bytes, F visit) {
  for (uint32_t at = 0; at < bytes; ++at)
    if (store.byteMask >> at % 16 & 1)
      visit(at);
}

/// Reads the store's source, unless this has been done before.
template <class Store> bool readSourceOf(Block &block, const AsyncOp &op, Store &store) {
  if (store.state.sourceRead)
    return true;
  store.state.sourceRead = true;
  return stage(block, op, store);
}

bool landAs(Block &block, const AsyncOp &op, BulkStore &store) {
  if (!readSourceOf(block, op, store))
    return false;
  bool ok = true;
  forTargets(*block.grid, store.global, [&](uint64_t address) {
    std::byte *to = globalBytes(block, op, address, op.bytes, Access::Write);
    if (!to)
      ok = false;
    else if (store.byteMask == 0xFFFF)
      copyOrReduce(store.reduction, to, store.state.staged.data(), op.bytes);
    else
      forMasked(store, op.bytes, [&](uint32_t at) { to[at] = store.state.staged[at]; });
  });
  store.state.staged = {};
  return ok;
}

/// Copies directly from shared memory or, if the source has been read before, from the staged data.
bool landAs(Block &block, const AsyncOp &op, TensorStore &store) {
  bool straight = store.reduction == ReduceOp::None && !store.state.sourceRead;
  if (straight)
    store.state.sourceRead = true;
  else if (!readSourceOf(block, op, store))
    return false;
  const std::byte *shared = block.shared.data(), *staged = store.state.staged.data();
  if (straight &&
      forSwizzledPlanes(block, op, store.tile, store.from, Access::Write,
                        [&](std::byte *to, const SwizzledLines &lines) { copyLinesFromShared(to, lines, shared); }))
    return true;
  const TensorMap &map = store.tile.map;
  bool ok = true;
  forRows(store.tile, [&](uint64_t address, uint32_t offset, uint32_t first, uint32_t last, uint32_t) {
    if (!ok || first >= last)
      return;
    forTargets(*block.grid, address, [&](uint64_t target) {
      std::byte *to = globalBytes(block, op, target, last - first, Access::Write);
      if (!to)
        ok = false;
      else if (straight)
        copyFromShared(to, {store.from + offset, map.swizzle}, first, last, shared);
      else
        copyOrReduce({store.reduction, map.dtype}, to, staged + offset + first, last - first);
    });
  });
  store.state.staged = {};
  return ok;
}

// --- places in global memory -----------------------------------------------------------------------------------------

/// Calls visit(global address, byte of the copy, bytes) for the stretches of global memory that the operation uses.
template <class F> void forStretches(const AsyncOp &op, F visit) {
  std::visit(
      [&](const auto &what) {
        if constexpr (requires { what.tile; })
          forRows(what.tile, [&](uint64_t address, uint32_t offset, uint32_t first, uint32_t last, uint32_t) {
            if (first < last)
              visit(address, offset + first, uint64_t{last} - first);
          });
        else if constexpr (requires { what.byteMask; }) {
          if (what.byteMask == 0xFFFF)
            visit(what.global, 0u, uint64_t{op.bytes});
          else
            forMasked(what, op.bytes, [&](uint32_t at) { visit(what.global + at, at, uint64_t{1}); });
        } else if constexpr (requires { what.sourceBytes; })
          visit(what.global, 0u, uint64_t{what.sourceBytes});
        else if constexpr (requires { what.global; })
          visit(what.global, 0u, uint64_t{op.bytes});
      },
      op.what);
}

/// Null if the operation has no tile.
const Tile *tileOf(const AsyncOp &op) {
  return std::visit(
      [](const auto &what) -> const Tile * {
        if constexpr (requires { what.tile; })
          return &what.tile;
        else
          return nullptr;
      },
      op.what);
}

} // namespace

bool land(Block &block, AsyncOp &op) {
  if (op.landed)
    return true;
  op.landed = true;
  return std::visit([&](auto &what) { return landAs(block, op, what); }, op.what);
}

bool stageSource(Block &block, AsyncOp &op) {
  if (auto *bulk = std::get_if<BulkStore>(&op.what))
    return readSourceOf(block, op, *bulk);
  return readSourceOf(block, op, std::get<TensorStore>(op.what));
}

/// Adds the global memory of a tile for which hasWholePlanes() holds. Dimensions whose elements follow each other make
/// one stretch, whatever their order in the descriptor is: a tile that covers whole rows of an array is one stretch.
static void addWholeTile(const Tile &tile, std::vector<GlobalStretch> &out) {
  struct Dimension {
    uint64_t stride = 0, count = 1;
  };
  const TensorMap &map = tile.map;
  std::array<Dimension, 5> dimensions{};
  size_t count = 0;
  GlobalStretch part{map.global + static_cast<uint64_t>(tile.coordinates[0]) * map.elementBytes,
                     uint64_t{map.box[0]} * map.elementBytes};
  for (int n = 1; n < map.rank; ++n) {
    part.address += static_cast<uint64_t>(tile.coordinates[n]) * map.strides[n];
    if (map.taken(n) > 1)
      dimensions[count++] = {map.strides[n] * map.steps[n], map.taken(n)};
  }
  std::stable_sort(dimensions.begin(), dimensions.begin() + count,
                   [](const Dimension &one, const Dimension &other) { return one.stride < other.stride; });
  size_t next = 0;
  while (next < count && dimensions[next].stride == part.bytes)
    part.bytes *= dimensions[next++].count;
  if (next < count) {
    part.rows = dimensions[next].count;
    part.stride = dimensions[next++].stride;
  }
  const uint64_t start = part.address;
  for (std::array<uint64_t, 5> at{};;) {
    part.address = start;
    for (size_t n = next; n < count; ++n)
      part.address += at[n] * dimensions[n].stride;
    out.push_back(part);
    size_t n = next;
    for (; n < count && ++at[n] == dimensions[n].count; ++n)
      at[n] = 0;
    if (n == count)
      return;
  }
}

void globalStretches(const Grid &grid, const AsyncOp &op, std::vector<GlobalStretch> &out) {
  out.clear();
  const Tile *tile = tileOf(op);
  if (tile && hasWholePlanes(*tile)) {
    addWholeTile(*tile, out);
  } else {
    forStretches(op, [&](uint64_t address, uint32_t, uint64_t bytes) {
      if (!out.empty() && out.back().address + out.back().bytes == address)
        out.back().bytes += bytes;
      else if (bytes)
        out.push_back({address, bytes});
    });
  }
  if (!isStore(op))
    return;
  for (size_t n = 0, count = out.size(); n < count; ++n) {
    GlobalStretch one = out[n];
    size_t copies = 0;
    forTargets(grid, one.address, [&](uint64_t address) {
      if (copies++ == 0)
        out[n].address = address;
      else
        out.push_back({address, one.bytes, one.rows, one.stride});
    });
  }
}

bool changesTarget(Block &block, const AsyncOp &op) {
  AsyncOp copy = op;
  if (!stageSource(block, copy))
    return true;
  const std::byte *staged = storeOf(copy)->staged.data();
  bool same = true;
  forStretches(op, [&](uint64_t address, uint32_t at, uint64_t bytes) {
    forTargets(*block.grid, address, [&](uint64_t target) {
      uint64_t offset = 0;
      const Region *region = regionOf(*block.grid, target, offset);
      same = same && region && region->bytes - offset >= bytes &&
             std::memcmp(region->data + offset, staged + at, bytes) == 0;
    });
  });
  return !same;
}

} // namespace lanescope::core::emulator
