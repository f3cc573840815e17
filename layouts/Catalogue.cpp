#include "layouts/Catalogue.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <numeric>

namespace lanescope::layouts::catalogue {

namespace {

constexpr int64_t kTmaRowsPerTile = 8;
constexpr int64_t kMaxPacking = 8;
constexpr int64_t kColumnGranularity = 16;

/// Builds one of our constants; an error here is a mistake in this program.
TiledLayout constant(std::vector<Shape> tiles, std::vector<PartitionDim> warpDims, std::vector<PartitionDim> laneDims,
                     int64_t vectorDim) {
  Result<Tiling> tiling = Tiling::make(std::move(tiles));
  assert(tiling);
  Result<TiledLayout> layout = TiledLayout::make(*tiling, std::move(warpDims), std::move(laneDims), vectorDim);
  assert(layout);
  return *std::move(layout);
}

Result<TiledLayout> canonical(std::vector<Shape> tiles, std::vector<PartitionDim> warpDims,
                              std::vector<PartitionDim> laneDims, int64_t vectorDim) {
  Result<Tiling> tiling = Tiling::make(std::move(tiles));
  if (!tiling)
    return std::unexpected(std::move(tiling.error()));
  return TiledLayout::makeCanonical(*tiling, std::move(warpDims), std::move(laneDims), vectorDim);
}

Result<TMEMLayout> canonicalTmem(std::vector<Shape> tiles, std::vector<PartitionDim> warpDims,
                                 std::vector<PartitionDim> laneDims, int64_t vectorDim) {
  Result<TiledLayout> layout = canonical(std::move(tiles), std::move(warpDims), std::move(laneDims), vectorDim);
  if (!layout)
    return std::unexpected(std::move(layout.error()));
  return TMEMLayout(*std::move(layout));
}

/// The members of MmaScaleLayout without the layout.
struct ScaleTiles {
  int64_t neighbours, tiles;
};
/// `tile` rows are one tile of a warp, `warps` warps share the rows, and four lanes hold the scales of at most
/// `mostTiles` tiles.
Result<ScaleTiles> scaleTiles(const Shape &shape, int64_t tile, int64_t warps, int64_t mostTiles) {
  constexpr int64_t kWidestLoad = 16;
  if (shape.size() != 2 || shape[0] < 1 || shape[1] < 1 || shape[0] % (tile * warps) != 0)
    return error(
        "mma-scales",
        Message("the rows of block scales are a multiple of {} and have one or more scales each, got shape {shape}",
                tile * warps, tupleText(shape)));
  return ScaleTiles{std::gcd(shape[1], kWidestLoad), std::gcd(shape[0] / (tile * warps), mostTiles)};
}

Result<void> checkRowWarps(int warpsAlongM) {
  if (warpsAlongM != 1 && warpsAlongM != 2 && warpsAlongM != 4)
    return error("mma-warps", Message("m_warps must be 1, 2 or 4, got {}", warpsAlongM));
  return {};
}

bool isPowerOfTwo(int64_t n) { return n > 0 && std::has_single_bit(static_cast<uint64_t>(n)); }

Result<void> checkColumns(int64_t columns) {
  if (columns <= 0 || columns % kColumnGranularity != 0)
    return error("columns",
                 Message("columns must be a multiple of {limit}, got {columns}", kColumnGranularity, columns));
  return {};
}

} // namespace

const TiledLayout &wgmma() {
  static const TiledLayout layout = constant({{64, 8}, {16, 8}, {8, 8}, {2}}, {-7}, {-3, -2}, -1);
  return layout;
}

const TiledLayout &wgmmaAcc32Bit() {
  static const TiledLayout layout = constant({{64, 8}, {16, 8}, {8, 8}, {2}, {1}}, {-8}, {-4, -3}, -1);
  return layout;
}

const TiledLayout &wgmma8Bit() {
  static const TiledLayout layout = constant({{64, 16}, {16, 16}, {8, 16}, {4}}, {-7}, {-3, -2}, -1);
  return layout;
}

const TiledLayout &wgmmaLeft(int64_t bitwidth) { return bitwidth == 8 ? wgmma8Bit() : wgmma(); }

const TiledLayout &wgmmaUpcast2x() {
  static const TiledLayout layout = constant({{64, 16}, {16, 16}, {8, 16}, {8}, {4}}, {-8}, {-4, -2, -3}, -1);
  return layout;
}

const TiledLayout &wgmmaUpcast4x() {
  static const TiledLayout layout = constant({{64, 32}, {16, 32}, {8, 32}, {8}}, {-7}, {-3, -2}, -1);
  return layout;
}

const TiledLayout &wgmmaTransposed() {
  static const TiledLayout layout = constant({{64, 8}, {16, 8}, {8, 8}, {2, 2}, {2, 1}}, {-10}, {-6, -3, -5}, -2);
  return layout;
}

const TiledLayout &wgmmaRow() {
  static const TiledLayout layout = constant({{64}, {16}, {8}, {1}}, {-4}, {-2, Replicated{4}}, -1);
  return layout;
}

const TiledLayout &wgmmaCol() {
  static const TiledLayout layout = constant({{8}, {2}}, {Replicated{4}}, {Replicated{8}, -2}, -1);
  return layout;
}

const TiledLayout &tcgen05() {
  static const TiledLayout layout = constant({{128, 8}, {32, 8}, {8, 8}, {2}}, {-7}, {-3, -2}, -1);
  return layout;
}

const TiledLayout &tcgen05Transposed() {
  static const TiledLayout layout = constant({{128, 8}, {32, 8}, {8, 8}, {2, 2}, {2, 1}}, {-10}, {-6, -3, -5}, -2);
  return layout;
}

const TiledLayout &tcgen05Row() {
  static const TiledLayout layout = constant({{128}, {32}, {8}, {1}}, {-4}, {-2, Replicated{4}}, -1);
  return layout;
}

const TiledLayout &tcgen05Col() { return wgmmaCol(); }

Result<TiledLayout> tmemNative(int64_t n) { return canonical({{kTmemLanes, n}, {kLanesPerWarp, n}}, {-4}, {-2}, -1); }

const TiledLayout &tmaIndices() {
  static const TiledLayout layout = constant({{16}, {4}}, {-2}, {Replicated{32}}, -1);
  return layout;
}

const TiledLayout &tmaIndices4() {
  static const TiledLayout layout = constant({{4}}, {Replicated{4}}, {Replicated{32}}, -1);
  return layout;
}

Result<TiledLayout> faM64Collective(int64_t columns) {
  if (Result<void> checked = checkColumns(columns); !checked)
    return std::unexpected(std::move(checked.error()));
  return canonical({{kTmemLanes / 2, columns}, {kLanesPerWarp, columns / 2}, {8, 8}, {2}}, {-6, -7}, {-3, -2}, -1);
}

Result<MmaLayouts> mmaLayouts(int bitwidth, int warpsAlongM) {
  if (bitwidth != 4 && bitwidth != 8 && bitwidth != 16 && bitwidth != 32)
    return error("bitwidth", Message("mma operands have 4, 8, 16 or 32 bits, got {bits}", bitwidth));
  if (Result<void> checked = checkRowWarps(warpsAlongM); !checked)
    return std::unexpected(std::move(checked.error()));
  int64_t mw = warpsAlongM, nw = kWarpsPerWarpgroup / mw;
  int64_t perRegister = 32 / bitwidth, k = 8 * perRegister, halfK = 4 * perRegister;
  Result<TiledLayout> lhs =
      canonical({{16 * mw, k}, {16, halfK}, {8, halfK}, {perRegister}}, {-7, Replicated{4 / mw}}, {-3, -2}, -1);
  if (!lhs)
    return std::unexpected(std::move(lhs.error()));
  Result<TiledLayout> rhs =
      canonical({{k, 8 * nw}, {halfK, 8}, {perRegister, 1}}, {Replicated{4 / nw}, -5}, {-3, -4}, -2);
  if (!rhs)
    return std::unexpected(std::move(rhs.error()));
  Result<TiledLayout> acc = canonical({{16 * mw, 8 * nw}, {16, 8}, {8, 8}, {2}}, {-7, -6}, {-3, -2}, -1);
  if (!acc)
    return std::unexpected(std::move(acc.error()));
  return MmaLayouts{*std::move(lhs), *std::move(rhs), *std::move(acc)};
}

// PTX ISA, "Block Scaling for mma.sync": s is the thread-id.
Result<MmaScaleLayout> mmaLhsScale(const Shape &shape, int warpsAlongM) {
  constexpr int64_t kRows = 16, kMostTiles = 2;
  if (Result<void> checked = checkRowWarps(warpsAlongM); !checked)
    return std::unexpected(std::move(checked.error()));
  int64_t mw = warpsAlongM;
  Result<ScaleTiles> dealt = scaleTiles(shape, kRows, mw, kMostTiles);
  if (!dealt)
    return std::unexpected(std::move(dealt.error()));
  PartitionDim thread = Replicated{kMostTiles};
  if (dealt->tiles > 1)
    thread = int64_t(-8);
  int64_t v = dealt->neighbours;
  Result<TiledLayout> layout = canonical({{kRows * mw * dealt->tiles, v}, {kRows * mw, v}, {kRows, v}, {8, v}},
                                         {-6, Replicated{4 / mw}}, {-2, thread, -4}, -1);
  if (!layout)
    return std::unexpected(std::move(layout.error()));
  return MmaScaleLayout{*std::move(layout), dealt->neighbours, dealt->tiles};
}

Result<MmaScaleLayout> mmaRhsScale(const Shape &shape, int warpsAlongM) {
  constexpr int64_t kColumns = 8, kMostTiles = 4;
  if (Result<void> checked = checkRowWarps(warpsAlongM); !checked)
    return std::unexpected(std::move(checked.error()));
  int64_t nw = kWarpsPerWarpgroup / warpsAlongM;
  Result<ScaleTiles> dealt = scaleTiles(shape, kColumns, nw, kMostTiles);
  if (!dealt)
    return std::unexpected(std::move(dealt.error()));
  int64_t v = dealt->neighbours;
  Result<TiledLayout> layout = canonical({{kColumns * nw * dealt->tiles, v}, {kColumns * nw, v}, {kColumns, v}},
                                         {Replicated{4 / nw}, -4}, {-2, Replicated{kMostTiles / dealt->tiles}, -6}, -1);
  if (!layout)
    return std::unexpected(std::move(layout.error()));
  return MmaScaleLayout{*std::move(layout), dealt->neighbours, dealt->tiles};
}

Result<TiledLayout> tiledCopySmemGmem(int64_t rowTiles, int64_t colTiles, int64_t swizzle, int64_t bitwidth) {
  if (rowTiles < 1 || colTiles < 1)
    return error("copy-tiles", Message("numbers of tiles must be positive, got {} x {}", rowTiles, colTiles));
  if (swizzle != 16 && swizzle != 32 && swizzle != 64 && swizzle != 128)
    return error("swizzle", Message("swizzle must be 16 (none), 32, 64 or 128 bytes, got {}", swizzle));
  if (bitwidth < 1 || bitwidth > 64 || !isPowerOfTwo(bitwidth))
    return error("bitwidth", Message("element widths are powers of two up to 64 bits, got {bits}", bitwidth));
  // The columns of one shared-memory tile, which are `swizzle` bytes wide.
  int64_t tileColumns = 8 * swizzle / bitwidth;
  int64_t warpRows, warpCols;
  if (rowTiles % 4 == 0)
    warpRows = 4, warpCols = 1;
  else if (rowTiles % 2 == 0 && colTiles % 2 == 0)
    warpRows = 2, warpCols = 2;
  else if (rowTiles % 2 != 0 && colTiles % 4 == 0)
    warpRows = 1, warpCols = 4;
  else
    return error("unsupported",
                 Message("number of tiles is not a multiple of 4 that warps can share: {} x {}", rowTiles, colTiles));
  rowTiles /= warpRows;
  colTiles /= warpCols;

  // Aim at 16 bytes per thread: if one tile is too small for a warp, the warp takes several.
  constexpr int64_t kWidestAccess = 16;
  int64_t bytesPerThread = std::min(kWidestAccess, kTmaRowsPerTile * swizzle / kLanesPerWarp);
  int64_t laneRows = 1, laneCols = 1;
  int64_t budget = kWidestAccess / bytesPerThread;
  for (; budget > 1 && colTiles % 2 == 0; budget /= 2, colTiles /= 2)
    laneCols *= 2;
  for (; budget > 1 && rowTiles % 2 == 0; budget /= 2, rowTiles /= 2)
    laneRows *= 2;
  bytesPerThread *= laneRows * laneCols;
  if (8 * bytesPerThread < bitwidth)
    return error("unsupported", Message("a thread would copy {bytes} bytes, less than one element of {bits} bits",
                                        bytesPerThread, bitwidth));
  int64_t vector = 8 * bytesPerThread / bitwidth;
  int64_t warpElements = vector * kLanesPerWarp, tileElements = kTmaRowsPerTile * tileColumns;
  int64_t steps = warpElements > tileElements ? 1 : tileElements / warpElements;
  return canonical({{warpRows * laneRows * kTmaRowsPerTile, warpCols * laneCols * tileColumns},
                    {laneRows * kTmaRowsPerTile, laneCols * tileColumns},
                    {kTmaRowsPerTile, tileColumns},
                    {kTmaRowsPerTile / steps, tileColumns},
                    {vector}},
                   {-9, -8}, {-7, -6, -3, -2}, -1);
}

Result<TiledLayout> smemGmemCopy(const Shape &shape, int bitwidth, int64_t swizzle) {
  if (shape.size() != 2)
    return error("shape-rank", Message("a tiled copy takes a 2-D shape, got {shape}", tupleText(shape)));
  int64_t tileColumns = bitwidth > 0 ? 8 * swizzle / bitwidth : 0;
  if (tileColumns < 1 || shape[0] < 1 || shape[1] < 1 || shape[0] % kTmaRowsPerTile || shape[1] % tileColumns)
    return error("copy-shape", Message("shape {shape} is not a multiple of the shared-memory tile {other_shape}",
                                       tupleText(shape), tupleText({kTmaRowsPerTile, tileColumns})));
  return tiledCopySmemGmem(shape[0] / kTmaRowsPerTile, shape[1] / tileColumns, swizzle, bitwidth);
}

Result<TMEMLayout> tmemDefault(int64_t packing) {
  if (!isPowerOfTwo(packing))
    return error("tmem-packing", Message("packing must be a power of 2, got {}", packing));
  return canonicalTmem({{kTmemLanes, packing}, {kLanesPerWarp, packing}}, {-4}, {-2}, -1);
}

Result<TMEMLayout> tmemHalfLane(int64_t columns, int64_t packing) {
  if (Result<void> checked = checkColumns(columns); !checked)
    return std::unexpected(std::move(checked.error()));
  if (!isPowerOfTwo(packing) || packing > columns / 2)
    return error(
        "tmem-packing",
        Message("packing must be a power of 2 and at most half of the {columns} columns, got {}", columns, packing));
  return canonicalTmem({{kTmemLanes / 2, columns}, {kLanesPerWarp / 2, columns / 2}, {packing}}, {-5}, {-4, -3}, -1);
}

Result<TMEMLayout> tmemM64Collective(int64_t columns, int64_t packing) {
  if (!isPowerOfTwo(packing) || packing > kMaxPacking)
    return error("tmem-packing", Message("packing must be a power of 2 up to {limit}, got {}", kMaxPacking, packing));
  if (Result<void> checked = checkColumns(columns); !checked)
    return std::unexpected(std::move(checked.error()));
  return canonicalTmem({{kTmemLanes / 2, columns}, {kLanesPerWarp, columns / 2}, {packing}}, {-4, -5}, {-3}, -1);
}

const TMEMLayout &scales() {
  static const TMEMLayout layout(constant({{128, 4}, {32, 1}}, {Replicated{4}}, {-2}, -3));
  return layout;
}

const TMEMLayout &bScalesM64Collective() {
  static const TMEMLayout layout(constant({{256, 4}, {128, 4}, {32, 4}}, {Replicated{2}, -6}, {-2}, -1));
  return layout;
}

const TMEMLayout &bScales(int64_t rows, bool collective) {
  return collective && rows == kTmemLanes / 2 ? bScalesM64Collective() : scales();
}

const TMEMLayout &sparseMeta() {
  static const TMEMLayout layout(constant({{128, 16}, {32, 1}, {16, 1}, {8, 1}}, {-8}, {-2, -4, -6}, -7));
  return layout;
}

Result<TMEMLayout> inferTmem(const Shape &shape, bool collective, int64_t packing) {
  if (shape.size() != 2)
    return error("tmem-rank", Message("tensor memory can only represent 2-D shapes, got {shape}", tupleText(shape)));
  if (!isPowerOfTwo(packing) || packing > kMaxPacking)
    return error("tmem-packing", Message("packing must be a power of 2 up to {limit}, got {}", kMaxPacking, packing));
  if (shape[1] % packing != 0)
    return error("tmem-shape", Message("the minor dimension of shape {shape} must be divisible by the packing {}",
                                       tupleText(shape), packing));
  if (shape[0] == kTmemLanes)
    return tmemDefault(packing);
  if (shape[0] == kTmemLanes / 2)
    return collective ? tmemM64Collective(shape[1], packing) : tmemHalfLane(shape[1], packing);
  return error("tmem-shape", Message("tensor memory references must have either {limit} or {} rows, got shape {shape}",
                                     kTmemLanes, kTmemLanes / 2, tupleText(shape)));
}

} // namespace lanescope::layouts::catalogue
