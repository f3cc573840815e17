// Every attribute of notations.md against formulas with divisions and remainders, without linear layouts. Sources: the
// comments of Triton's TritonGPUAttrDefs.td; PTX ISA, "Matrix fragments for mma.m16n8k16", "Shared memory swizzling",
// "Tensor Memory".
#include "layouts/AddressMap.h"
#include "layouts/ElementMap.h"
#include "layouts/linear/TritonLayout.h"
#include "layouts/notation/triton/Triton.h"
#include "layouts/Placement.h"
#include "layouts/support/Text.h"
#include "layouts/TmemMap.h"

#include <functional>
#include <gtest/gtest.h>

namespace lanescope::layouts {
namespace {

Layout parsed(const std::string &text) {
  Scanner in(Source::make("test", text));
  Result<Layout> layout = parseTriton(in, nullptr);
  EXPECT_TRUE(layout) << text << "\n" << (layout ? "" : render(layout.error()));
  EXPECT_TRUE(in.atEnd());
  return *layout;
}

using Indices = std::vector<int64_t>;

/// Maps (warp, lane, register) to coordinates, which are taken modulo the shape.
using PlaceFormula = std::function<Indices(int warp, int lane, int reg)>;

void expectRegisters(const std::string &text, const Shape &shape, int lanes, int warps, int registers,
                     const PlaceFormula &formula) {
  SCOPED_TRACE(text);
  Result<Placement> placed = placement(parsed(text), shape, 32);
  ASSERT_TRUE(placed) << render(placed.error());
  const auto &map = std::get<ElementMap>(*placed);
  ASSERT_EQ(map.threads(), lanes * warps);
  ASSERT_EQ(map.threadsPerWarp(), lanes);
  ASSERT_EQ(map.warps(), warps);
  ASSERT_EQ(map.registers(), registers);
  for (int thread = 0; thread < map.threads(); ++thread)
    for (int reg = 0; reg < registers; ++reg) {
      Indices index = formula(map.warpOf(thread), map.laneOf(thread), reg);
      for (size_t d = 0; d < shape.size(); ++d)
        index[d] %= shape[d];
      ASSERT_EQ(map.element(thread, reg, 0), ravelIndex(index, shape)) << "thread " << thread << " register " << reg;
    }
}

void expectOffsets(const std::string &text, const Shape &shape, int bitwidth,
                   const std::function<int64_t(const Shape &)> &formula) {
  SCOPED_TRACE(text);
  Result<Placement> placed = placement(parsed(text), shape, bitwidth);
  ASSERT_TRUE(placed) << render(placed.error());
  const auto &map = std::get<AddressMap>(*placed);
  for (int64_t element = 0; element < elementCount(shape); ++element)
    ASSERT_EQ(map.offset(element), formula(unravelIndex(element, shape))) << tupleText(unravelIndex(element, shape));
}

/// The digits of `index` in the sizes; order[0] is fastest.
Indices digits(int64_t index, const Shape &sizes, const Shape &order) {
  Indices out(sizes.size());
  for (int64_t d : order) {
    out[d] = index % sizes[d];
    index /= sizes[d];
  }
  return out;
}

struct BlockedCase {
  Shape perThread, lanes, warps, order, shape;
};

PlaceFormula blockedFormula(const BlockedCase &c) {
  return [c](int warp, int lane, int reg) {
    int64_t own = elementCount(c.perThread);
    Indices r = digits(reg % own, c.perThread, c.order), l = digits(lane, c.lanes, c.order),
            w = digits(warp, c.warps, c.order);
    Shape tile, repeats;
    for (size_t d = 0; d < c.shape.size(); ++d) {
      tile.push_back(c.perThread[d] * c.lanes[d] * c.warps[d]);
      repeats.push_back(std::max<int64_t>(1, c.shape[d] / tile[d]));
    }
    Indices again = digits(reg / own, repeats, c.order), out;
    for (size_t d = 0; d < c.shape.size(); ++d)
      out.push_back(r[d] + c.perThread[d] * (l[d] + c.lanes[d] * w[d]) + tile[d] * again[d]);
    return out;
  };
}

std::string list(const Shape &values) { return text('[', joined(values, ", "), ']'); }
std::string blockedText(const BlockedCase &c) {
  return text("#ttg.blocked<{sizePerThread = ", list(c.perThread), ", threadsPerWarp = ", list(c.lanes),
              ", warpsPerCTA = ", list(c.warps), ", order = ", list(c.order), "}>");
}

TEST(TritonFormula, Blocked) {
  const BlockedCase cases[] = {
      {{1, 8}, {2, 16}, {4, 1}, {1, 0}, {128, 256}}, // the example: it fits exactly, then wraps
      {{1, 8}, {2, 16}, {4, 1}, {1, 0}, {8, 128}},   // exactly one tile
      {{1, 8}, {2, 16}, {4, 1}, {1, 0}, {4, 64}},    // smaller: lanes and warps broadcast
      {{2, 4}, {8, 4}, {2, 2}, {0, 1}, {64, 64}},
      {{1, 4}, {4, 8}, {1, 4}, {0, 1}, {16, 16}},
      {{4}, {32}, {4}, {0}, {1024}},
      {{1, 2, 2}, {2, 4, 4}, {2, 1, 2}, {2, 0, 1}, {8, 16, 16}},
  };
  for (const BlockedCase &c : cases) {
    int64_t registers = elementCount(c.perThread);
    for (size_t d = 0; d < c.shape.size(); ++d)
      registers *= std::max<int64_t>(1, c.shape[d] / (c.perThread[d] * c.lanes[d] * c.warps[d]));
    expectRegisters(blockedText(c), c.shape, static_cast<int>(elementCount(c.lanes)),
                    static_cast<int>(elementCount(c.warps)), static_cast<int>(registers), blockedFormula(c));
  }
}

TEST(TritonFormula, BlockedOverTwoBlocks) {
  // CGALayout = [[1, 0]]: the second block holds the lower half of the rows.
  Layout layout = parsed("#ttg.blocked<{sizePerThread = [1, 64], threadsPerWarp = [32, 1], warpsPerCTA = [4, 1], "
                         "order = [0, 1], CGALayout = [[1, 0]]}>");
  Result<Placement> placed = placement(layout, {256, 64}, 32);
  ASSERT_TRUE(placed);
  const auto &map = std::get<ElementMap>(*placed);
  ASSERT_EQ(map.threads(), 256);
  for (int thread = 0; thread < 256; ++thread)
    for (int reg = 0; reg < 64; ++reg)
      ASSERT_EQ(map.element(thread, reg, 0), thread * 64 + reg); // thread-major = block-major: row `thread`
}

TEST(TritonFormula, MmaVersion2) {
  for (Shape warps : {Shape{4, 1}, Shape{2, 2}, Shape{1, 4}}) {
    Shape shape = {128, 64};
    int64_t repeatsN = shape[1] / (8 * warps[1]), repeatsM = shape[0] / (16 * warps[0]);
    expectRegisters(text("#ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = ", list(warps),
                         ", instrShape = [16, 8]}>"),
                    shape, 32, 4, static_cast<int>(4 * repeatsN * repeatsM), [&](int warp, int lane, int reg) {
                      int i = reg % 4;
                      int64_t n = reg / 4 % repeatsN, m = reg / 4 / repeatsN;
                      return Indices{lane / 4 + 8 * (i / 2) + 16 * (warp / warps[1]) + 16 * warps[0] * m,
                                     lane % 4 * 2 + i % 2 + 8 * (warp % warps[1]) + 8 * warps[1] * n};
                    });
  }
}

TEST(TritonFormula, MmaVersion3) {
  // Two warpgroups along M; each warp has 16 rows of N = 256 columns.
  expectRegisters("#ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [8, 1], instrShape = [16, 256, "
                  "16]}>",
                  {128, 256}, 32, 8, 128, [](int warp, int lane, int reg) {
                    return Indices{lane / 4 + 8 * (reg / 2 % 2) + 16 * warp, lane % 4 * 2 + reg % 2 + 8 * (reg / 4)};
                  });
  // Warps are numbered along M first: of [4, 2], warp 5 is the second in the right half.
  expectRegisters("#ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 2], instrShape = [16, 64, "
                  "16]}>",
                  {64, 128}, 32, 8, 32, [](int warp, int lane, int reg) {
                    return Indices{lane / 4 + 8 * (reg / 2 % 2) + 16 * (warp % 4),
                                   lane % 4 * 2 + reg % 2 + 8 * (reg / 4) + 64 * (warp / 4)};
                  });
}

constexpr const char *kMma22 =
    "#ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [2, 2], instrShape = "
    "[16, 8]}>";

TEST(TritonFormula, DotOperands) {
  for (int kWidth : {1, 2, 4}) {
    // A has 16 x 8*kWidth elements per instruction. Registers cover all of K first. Warps along N hold the same rows.
    int64_t repeatsK = 64 / (8 * kWidth);
    expectRegisters(text("#ttg.dot_op<{opIdx = 0, parent = ", kMma22, ", kWidth = ", kWidth, "}>"), {64, 64}, 32, 4,
                    static_cast<int>(4 * kWidth * repeatsK * 2), [&](int warp, int lane, int reg) {
                      int i = reg % (4 * kWidth);
                      int64_t k = reg / (4 * kWidth) % repeatsK, m = reg / (4 * kWidth) / repeatsK;
                      return Indices{lane / 4 + 8 * (i / kWidth % 2) + 16 * (warp / 2) + 32 * m,
                                     lane % 4 * kWidth + i % kWidth + 4 * kWidth * (i / (2 * kWidth)) + 8 * kWidth * k};
                    });
    // B has 8*kWidth x 8 elements per instruction. Warps along M hold the same columns.
    expectRegisters(text("#ttg.dot_op<{opIdx = 1, parent = ", kMma22, ", kWidth = ", kWidth, "}>"), {64, 64}, 32, 4,
                    static_cast<int>(2 * kWidth * repeatsK * 4), [&](int warp, int lane, int reg) {
                      int i = reg % (2 * kWidth);
                      int64_t k = reg / (2 * kWidth) % repeatsK, n = reg / (2 * kWidth) / repeatsK;
                      return Indices{lane % 4 * kWidth + i % kWidth + 4 * kWidth * (i / kWidth) + 8 * kWidth * k,
                                     lane / 4 + 8 * (warp % 2) + 16 * n};
                    });
  }
}

TEST(TritonFormula, SliceOfBlocked) {
  // Rows of [1, 8] x [2, 16] x [4, 1]: the lanes along the sliced columns hold the same row.
  expectRegisters("#ttg.slice<{dim = 1, parent = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [2, 16], "
                  "warpsPerCTA = [4, 1], order = [1, 0]}>}>",
                  {64}, 32, 4, 8, [](int warp, int lane, int reg) { return Indices{lane / 16 + 2 * warp + 8 * reg}; });
  expectRegisters(text("#ttg.slice<{dim = 0, parent = ", kMma22, "}>"), {32}, 32, 4, 4,
                  [](int warp, int lane, int reg) { // the slice merges the two rows of a thread
                    return Indices{lane % 4 * 2 + reg % 2 + 8 * (warp % 2) + 16 * (reg / 2)};
                  });
}

/// Adds up the bases of the set bits.
Indices added(int64_t index, const std::vector<Indices> &bases, Indices sum) {
  for (size_t bit = 0; bit < bases.size(); ++bit)
    if (index >> bit & 1)
      for (size_t d = 0; d < sum.size(); ++d)
        sum[d] ^= bases[bit][d];
  return sum;
}

TEST(TritonFormula, Linear) {
  expectRegisters("#ttg.linear<{register = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32]], lane = [[1, 0], [2, 0], "
                  "[4, 0], [8, 0], [16, 0]], warp = [[32, 0], [64, 0]], block = []}>",
                  {128, 64}, 32, 4, 64, [](int warp, int lane, int reg) { return Indices{lane + 32 * warp, reg}; });
  // Larger tensors wrap into further registers, first along the dimension that registers follow first.
  expectRegisters("#ttg.linear<{register = [[0, 1], [0, 2]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0]], warp = "
                  "[[32, 0], [64, 0]], block = []}>",
                  {256, 16}, 32, 4, 32,
                  [](int warp, int lane, int reg) { return Indices{lane + 32 * warp + 128 * (reg / 16), reg % 16}; });
  expectRegisters("#ttg.generic_linear<{register = [[1, 0], [0, 1]], lane = [[2, 0], [4, 0], [8, 0], [0, 2], [0, 4]], "
                  "warp = [[16, 8], [0, 8]], block = []}>",
                  {32, 16}, 32, 4, 4, [](int warp, int lane, int reg) {
                    Indices sum = added(reg, {{1, 0}, {0, 1}}, {0, 0});
                    sum = added(lane, {{2, 0}, {4, 0}, {8, 0}, {0, 2}, {0, 4}}, sum);
                    return added(warp, {{16, 8}, {0, 8}}, sum);
                  });
}

TEST(TritonFormula, SwizzledShared) {
  struct Case {
    int64_t vec, perPhase, maxPhase, row, column; // row and column: the dimensions that serve as such
  };
  for (Case c :
       {Case{8, 1, 4, 1, 0}, Case{8, 1, 8, 0, 1}, Case{4, 2, 4, 0, 1}, Case{2, 4, 8, 0, 1}, Case{1, 1, 1, 0, 1}})
    expectOffsets(text("#ttg.swizzled_shared<{vec = ", c.vec, ", perPhase = ", c.perPhase, ", maxPhase = ", c.maxPhase,
                       ", order = [", c.column, ", ", c.row, "]}>"),
                  {64, 64}, 16, [&](const Shape &index) {
                    int64_t row = index[c.row], column = index[c.column], phase = row / c.perPhase % c.maxPhase;
                    return row * 64 + ((column / c.vec) ^ phase) * c.vec + column % c.vec;
                  });
  expectOffsets("#ttg.amd_rotating_shared<{vec = 4, perPhase = 2, maxPhase = 8, order = [1, 0]}>", {64, 64}, 16,
                [](const Shape &index) {
                  int64_t row = index[0], column = index[1], phase = (row / 2 % 8) ^ (row / 8 / 2 % 8);
                  return row * 64 + ((column / 4) ^ phase) * 4 + column % 4;
                });
}

TEST(TritonFormula, NvmmaShared) {
  for (int bytes : {32, 64, 128})
    for (bool transposed : {false, true}) {
      // The panels are as wide as the swizzle and follow one another. In each panel, 16-byte units are exchanged by the
      // 128-byte line.
      expectOffsets(text("#ttg.nvmma_shared<{swizzlingByteWidth = ", bytes,
                         ", transposed = ", transposed ? "true" : "false", ", elementBitWidth = 16}>"),
                    {128, 128}, 16, [&](const Shape &index) {
                      int64_t row = index[transposed], column = index[!transposed], width = bytes / 2;
                      int64_t line = (row * bytes + column % width * 2) / 128;
                      int64_t unit = column % width / 8 ^ (line % (bytes / 16));
                      return column / width * 128 * width + row * width + unit * 8 + column % 8;
                    });
    }
  expectOffsets("#ttg.nvmma_shared<{swizzlingByteWidth = 0, transposed = false, elementBitWidth = 16}>", {32, 64}, 16,
                [](const Shape &index) { return index[0] * 64 + index[1]; });
  // Padded fp4: 8 of every 16 bytes are data, and the descriptor's rows are half as wide as the memory's.
  expectOffsets("#ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 8, fp4Padded = "
                "true}>",
                {32, 64}, 8, [](const Shape &index) {
                  int64_t unit = index[1] / 8 ^ (index[0] % 8);
                  return index[0] * 128 + unit * 16 + index[1] % 8;
                });
}

TEST(TritonFormula, BuffersFollowOneAnother) {
  Layout layout = parsed("!ttg.memdesc<3x64x64xf16, #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, "
                         "elementBitWidth = 16}>, #smem, mutable>");
  Result<Placement> placed = placement(layout, {3, 64, 64}, 16);
  ASSERT_TRUE(placed) << render(placed.error());
  const auto &map = std::get<AddressMap>(*placed);
  for (int64_t element = 0; element < 3 * 4096; ++element)
    ASSERT_EQ(map.offset(element), element / 4096 * 4096 + map.offset(element % 4096));
}

TEST(TritonFormula, PartOfALargerAllocation) {
  // A 64 x 64 part of a 64 x 128 buffer keeps the buffer's rows.
  Layout layout = parsed("!ttg.memdesc<64x64xf16, #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = "
                         "[1, 0]}>, #smem, mutable, 64x128>");
  const auto map = std::get<AddressMap>(*placement(layout, {64, 64}, 16));
  EXPECT_EQ(map.offset(64), 128);
}

TEST(TritonFormula, PaddedShared) {
  expectOffsets("#ttg.padded_shared<[32:+8] {order = [1, 0], shape = [64, 32]}>", {64, 32}, 16,
                [](const Shape &index) { return index[0] * 40 + index[1]; });
  expectOffsets("#ttg.padded_shared<[32:+8, 256:+4] {order = [0, 1], shape = [64, 32]}>", {64, 32}, 16,
                [](const Shape &index) {
                  int64_t offset = index[1] * 64 + index[0];
                  return offset + offset / 32 * 8 + offset / 256 * 4;
                });
  expectOffsets("#ttg.padded_shared<[4:+4] {offset=[[1, 0], [2, 0]], block=[]}>", {4, 1}, 16,
                [](const Shape &index) { return index[0]; });
}

TEST(TritonFormula, PartitionedShared) {
  // Eight pieces of 16 rows; the even pieces are in the first partition.
  expectOffsets("#ttg.partitioned_shared<{numPartitions = 2, numGroups = 4, partitionDim = 0, partitionLayout = "
                "#ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>}>",
                {128, 32}, 16, [](const Shape &index) {
                  int64_t piece = index[0] / 16;
                  return piece % 2 * 2048 + piece / 2 * 512 + index[0] % 16 * 32 + index[1];
                });
}

TEST(TritonFormula, SharedLinear) {
  // The canonical scales of tcgen05.cp: 32 rows of 4 x 4 bytes (complete form of the example in notations.md).
  expectOffsets("#ttg.shared_linear<{offset = [[0, 1], [0, 2], [32, 0], [64, 0], [1, 0], [2, 0], [4, 0], [8, 0], [16, "
                "0]]}, alignment = 128>",
                {128, 4}, 8, [](const Shape &index) { return index[1] + index[0] / 32 * 4 + index[0] % 32 * 16; });
}

TEST(TritonFormula, AmdMfma) {
  // 64 lanes, each with four rows and one column (ROCm's matrix instruction calculator, v_mfma_f32_16x16x16_f16, D).
  expectRegisters("#ttg.amd_mfma<{version = 3, warpsPerCTA = [2, 4], instrShape = [16, 16, 16], isTransposed = false}>",
                  {32, 64}, 64, 8, 4, [](int warp, int lane, int reg) {
                    return Indices{reg + 4 * (lane / 16) + 16 * (warp / 4), lane % 16 + 16 * (warp % 4)};
                  });
  expectRegisters("#ttg.amd_mfma<{version = 3, warpsPerCTA = [2, 4], instrShape = [16, 16, 16], isTransposed = true}>",
                  {32, 64}, 64, 8, 4, [](int warp, int lane, int reg) {
                    return Indices{lane % 16 + 16 * (warp / 4), reg + 4 * (lane / 16) + 16 * (warp % 4)};
                  });
  expectRegisters("#ttg.amd_mfma<{version = 2, warpsPerCTA = [1, 1], instrShape = [32, 32, 8], isTransposed = false}>",
                  {32, 32}, 64, 1, 16,
                  [](int, int lane, int reg) { return Indices{reg % 4 + 4 * (lane / 32) + 8 * (reg / 4), lane % 32}; });
}

TEST(TritonFormula, AmdWmma) {
  expectRegisters("#ttg.amd_wmma<{version = 3, isTranspose = true, ctaLayout = {warp = [[0, 1], [1, 0]]}, instrShape = "
                  "[16, 16, 32]}>",
                  {32, 32}, 32, 4, 8, [](int warp, int lane, int reg) {
                    return Indices{lane % 16 + 16 * (warp / 2), reg + 8 * (lane / 16) + 16 * (warp % 2)};
                  });
  expectRegisters("#ttg.amd_wmma<{version = 1, isTranspose = false, ctaLayout = {warp = []}}>", {16, 16}, 32, 1, 8,
                  [](int, int lane, int reg) { return Indices{2 * reg + lane / 16, lane % 16}; });
}

void expectCells(const std::string &text, const Shape &shape, int bitwidth, int64_t cells,
                 const std::function<bool(int lane, int column, const Shape &index)> &holds) {
  SCOPED_TRACE(text);
  Result<Placement> placed = placement(parsed(text), shape, bitwidth);
  ASSERT_TRUE(placed) << render(placed.error());
  const auto &map = std::get<TmemMap>(*placed);
  int64_t found = 0;
  for (int lane = 0; lane < 128; ++lane)
    for (int column = 0; column < map.columns(); ++column)
      for (int sub = 0; sub < map.packing(); ++sub) {
        int32_t element = map.element(lane, column, sub);
        if (element < 0)
          continue;
        ++found;
        ASSERT_TRUE(holds(lane, column * map.packing() + sub, unravelIndex(element, shape)))
            << lane << " " << column << " " << sub << " holds " << tupleText(unravelIndex(element, shape));
      }
  EXPECT_EQ(found, cells);
}

TEST(TritonFormula, TensorMemory) {
  expectCells("#ttng.tensor_memory_encoding<blockM = 128, blockN = 128, colStride = 1>", {128, 128}, 32, 128 * 128,
              [](int lane, int column, const Shape &index) { return lane == index[0] && column == index[1]; });
  expectCells("#ttng.tensor_memory_encoding<blockM = 128, blockN = 64, colStride = 2>", {128, 64}, 16, 128 * 64,
              [](int lane, int column, const Shape &index) { return lane == index[0] && column == 2 * index[1]; });
  // The blocks of a column come before the blocks of the next column.
  expectCells("#ttng.tensor_memory_encoding<blockM = 128, blockN = 64, colStride = 1>", {256, 128}, 32, 256 * 128,
              [](int lane, int column, const Shape &index) {
                return lane == index[0] % 128 &&
                       column == index[1] % 64 + 64 * (index[0] / 128) + 128 * (index[1] / 64);
              });
  // 64 rows use the lower 16 lanes of each quarter. The upper lanes hold nothing, or the next block.
  auto lane64 = [](int64_t row) { return row % 16 + 32 * (row / 16 % 4); };
  expectCells("#ttng.tensor_memory_encoding<blockM = 64, blockN = 64, colStride = 1>", {64, 64}, 32, 64 * 64,
              [&](int lane, int column, const Shape &index) { return lane == lane64(index[0]) && column == index[1]; });
  expectCells("#ttng.tensor_memory_encoding<blockM = 64, blockN = 64, colStride = 1>", {128, 64}, 32, 128 * 64,
              [&](int lane, int column, const Shape &index) {
                return lane == lane64(index[0]) + 16 * (index[0] / 64) && column == index[1];
              });
  expectCells("#ttng.tensor_memory_encoding<blockM = 64, blockN = 64, colStride = 1>", {64, 128}, 32, 64 * 128,
              [&](int lane, int column, const Shape &index) {
                return lane == lane64(index[0]) + 16 * (index[1] / 64) && column == index[1] % 64;
              });
  // Padded fp4 uses every other byte column.
  expectCells("#ttng.tensor_memory_encoding<blockM = 128, blockN = 128, colStride = 1, fp4Padded = true>", {128, 128},
              8, 128 * 128,
              [](int lane, int column, const Shape &index) { return lane == index[0] && column == 2 * index[1]; });
  // Two blocks: each holds its half of the rows, one half after the other.
  expectCells("#ttng.tensor_memory_encoding<blockM = 128, blockN = 128, colStride = 1, CGALayout = [[1, 0]], twoCTAs = "
              "true>",
              {256, 128}, 32, 256 * 128, [](int lane, int column, const Shape &index) {
                return lane == index[0] % 128 && column == index[1] + 128 * (index[0] / 128);
              });
}

TEST(TritonFormula, TensorMemoryScales) {
  // PTX ISA, "Layout of the Scale Factor A Matrix": 32 lanes, four copies, and the 4 bytes of a row side by side.
  expectCells("#ttng.tensor_memory_scales_encoding<>", {128, 4}, 8, 4 * 128 * 4,
              [](int lane, int column, const Shape &index) {
                return lane % 32 == index[0] % 32 && column == index[1] + 4 * (index[0] / 32);
              });
  expectCells("#ttng.tensor_memory_scales_encoding<>", {256, 8}, 8, 4 * 256 * 8,
              [](int lane, int column, const Shape &index) {
                return lane % 32 == index[0] % 32 && column == index[1] % 4 + 4 * (index[0] / 32) + 32 * (index[1] / 4);
              });
  expectCells("#ttng.tensor_memory_scales_encoding<blockRepOrder = kThenMn>", {256, 8}, 8, 4 * 256 * 8,
              [](int lane, int column, const Shape &index) {
                return lane % 32 == index[0] % 32 &&
                       column == index[1] % 4 + 4 * (index[0] / 32 % 4) + 16 * (index[1] / 4) + 32 * (index[0] / 128);
              });
}

} // namespace
} // namespace lanescope::layouts
