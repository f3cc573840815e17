#include "layouts/ElementMap.h"
#include "layouts/Catalogue.h"
#include "layouts/TmemMap.h"

#include <gtest/gtest.h>

#include <thread>

using namespace lanescope;
using namespace lanescope::layouts;

namespace {

std::string kind(const auto &result) { return result ? "" : result.error().front().kind; }

/// The specification's formula, computed digit by digit, slowly and plainly.
int64_t elementByFormula(const TiledLayout &layout, const Shape &shape, int thread, int reg, int position) {
  const Shape &suffix = layout.tiledTilingShape();
  Shape strides = layout.tiling().tileStrides(contiguousStrides(shape));
  auto stride = [&](int64_t dim) { return strides[strides.size() + dim]; };
  auto partition = [&](int64_t index, const std::vector<PartitionDim> &entries) {
    int64_t offset = 0;
    for (size_t i = entries.size(); i-- > 0;) {
      const auto *dim = std::get_if<int64_t>(&entries[i]);
      int64_t size = dim ? suffix[suffix.size() + *dim] : std::get<Replicated>(entries[i]).times;
      if (dim)
        offset += index % size * stride(*dim);
      index /= size;
    }
    return offset;
  };
  Shape registers = *layout.registersShape(shape);
  Shape index = unravelIndex(reg, registers);
  int64_t offset = partition(thread / 32, layout.warpDims()) + partition(thread % 32, layout.laneDims());
  for (size_t i = 0; i < index.size(); ++i)
    offset += index[i] * strides[i];
  return offset + position * stride(layout.vectorDim());
}

// The steps of the tutorial in ElementMap.h, with its numbers.
TEST(ElementMap, TutorialOfTheHeader) {
  using Owners = std::vector<Owner>;

  // 1. The layout distributes the array.
  ElementMap map = *ElementMap::of(catalogue::wgmma(), {64, 8});
  EXPECT_EQ(map.threads(), 128);
  EXPECT_EQ(map.registers(), 2);
  EXPECT_EQ(map.vector(), 2);
  EXPECT_EQ(map.values(), 4);
  EXPECT_EQ(map.element(5, 0, 0), 10);
  EXPECT_EQ(map.element(5, 0, 1), 11);
  EXPECT_EQ(map.element(5, 1, 0), 74);
  EXPECT_EQ(map.element(5, 1, 1), 75);
  EXPECT_EQ(map.owners(74), (Owners{{5, 1, 0}}));
  EXPECT_EQ(map.owners(512), Owners{});
  EXPECT_EQ(map.owners(-1), Owners{});

  // 2. Both tables.
  EXPECT_EQ(map.elements()[22], 74);
  ASSERT_EQ(map.slots(74).size(), 1U);
  EXPECT_EQ(map.slots(74)[0], 22);
  EXPECT_EQ(map.ownerOf(22), (Owner{5, 1, 0}));

  // 3. Lanes and warps.
  EXPECT_EQ(map.warpOf(37), 1);
  EXPECT_EQ(map.laneOf(37), 5);
  EXPECT_EQ(map.element(37, 1, 0), 202);
  EXPECT_EQ(map.threadsPerWarp(), 32);

  // 4. Several owners.
  ElementMap rows = *ElementMap::of(catalogue::wgmmaRow(), {64});
  EXPECT_EQ(rows.replication(), 4);
  EXPECT_EQ(rows.owners(9), (Owners{{4, 1, 0}, {5, 1, 0}, {6, 1, 0}, {7, 1, 0}}));
  EXPECT_TRUE(rows.soleSlots().empty());
  EXPECT_EQ(map.soleSlots()[74], 22);

  // 5. An empty slot.
  Layout layout{RegisterLayout(catalogue::wgmma())}; // any layout will do
  ElementMap odd = *ElementMap::fromTable(layout, {3}, 2, 1, 2, {0, 1, 2, -1});
  EXPECT_EQ(odd.element(1, 0, 1), -1);
  EXPECT_EQ(odd.owners(2), (Owners{{1, 0, 0}}));

  // 6. The moves between two layouts.
  ElementMap other = *ElementMap::of(catalogue::wgmmaTransposed(), {64, 8});
  EXPECT_EQ(other.owners(74), (Owners{{1, 1, 1}}));
  int inThread = 0, inWarp = 0;
  for (int64_t element = 0; element < 512; ++element) {
    int from = map.owners(element)[0].thread, to = other.owners(element)[0].thread;
    inThread += from == to;
    inWarp += map.warpOf(from) == other.warpOf(to);
  }
  EXPECT_EQ(inThread, 256);
  EXPECT_EQ(inWarp, 512);
}

TEST(ElementMap, MatchesTheFormula) {
  struct Case {
    TiledLayout layout;
    Shape shape;
  };
  const Case cases[] = {
      {catalogue::wgmma(), {3, 128, 24}}, // a leading dimension that the tiling does not name
      {catalogue::wgmmaTransposed(), {2, 2, 64, 16}},
      {catalogue::wgmmaRow(), {2, 192}},
      {catalogue::wgmmaCol(), {5, 24}},
      {catalogue::mmaLayouts(8, 2)->rhs, {96, 48}},
      {*catalogue::tiledCopySmemGmem(1, 8, 16, 4), {16, 512}},
      {catalogue::scales().tiled(), {256, 8}},
      {catalogue::bScalesM64Collective().tiled(), {512, 12}},
  };
  for (const Case &c : cases) {
    ElementMap map = *ElementMap::of(c.layout, c.shape);
    for (int t = 0; t < 128; ++t)
      for (int r = 0; r < map.registers(); ++r)
        for (int v = 0; v < map.vector(); ++v)
          ASSERT_EQ(map.element(t, r, v), elementByFormula(c.layout, c.shape, t, r, v)) << jaxText(c.layout);
    for (int64_t element = 0; element < elementCount(c.shape); ++element)
      for (const Owner &owner : map.owners(element))
        ASSERT_EQ(map.element(owner.thread, owner.reg, owner.position), element);
  }
}

TEST(ElementMap, Strided) {
  ElementMap map = *ElementMap::of(*WGStridedFragLayout::make({16, 64}, 4), {16, 64});
  for (int t = 0; t < 128; ++t)
    for (int r = 0; r < 2; ++r)
      for (int v = 0; v < 4; ++v) {
        int element = r * 512 + t * 4 + v;
        ASSERT_EQ(map.element(t, r, v), element);
        ASSERT_EQ(map.owners(element), (std::vector<Owner>{{t, r, v}}));
      }
}

TEST(ElementMap, BlocksLargerThanTheCopyUnit) {
  ElementMap map = *ElementMap::of(catalogue::wgmma(), {512, 1024});
  for (int64_t element = 0; element < 512 * 1024; element += 97) {
    int64_t r = element / 1024, c = element % 1024;
    Owner owner = map.owners(element)[0];
    ASSERT_EQ(owner.thread, r / 16 % 4 * 32 + r % 8 * 4 + c % 8 / 2);
    ASSERT_EQ(map.element(owner.thread, owner.reg, owner.position), element);
  }
}

TEST(ElementMap, EmptyArrays) {
  Result<ElementMap> map = ElementMap::of(catalogue::wgmma(), {0, 8});
  ASSERT_TRUE(map);
  EXPECT_EQ(map->registers(), 0);
  EXPECT_TRUE(map->elements().empty());
  EXPECT_TRUE(map->owners(0).empty());
  EXPECT_TRUE(ElementMap::of(*WGStridedFragLayout::make({0}, 1), {0}));
}

TEST(ElementMap, Errors) {
  EXPECT_EQ(kind(ElementMap::of(catalogue::wgmma(), {64})), "tiling-does-not-apply");
  EXPECT_EQ(kind(ElementMap::of(catalogue::wgmma(), {60, 8})), "tiling-does-not-apply");
  EXPECT_EQ(kind(ElementMap::of(catalogue::wgmma(), {-64, -8})), "shape-negative");
  EXPECT_EQ(kind(ElementMap::of(catalogue::wgmma(), {int64_t(1) << 40, int64_t(1) << 40})), "shape-too-large");
  EXPECT_EQ(kind(ElementMap::of(catalogue::wgmma(), {65536, 65536})), "map-too-large");
  EXPECT_EQ(kind(ElementMap::of(catalogue::wgmmaCol(), {int64_t(1) << 24})), "map-too-large");
  EXPECT_EQ(kind(ElementMap::of(WGSplatFragLayout{{8, 8}}, {8, 8})), "map-of-splat");
  EXPECT_EQ(kind(ElementMap::of(WGSplatFragLayout{{8, 8}}, {8})), "layout-shape");
}

TEST(ElementMap, CopiesShareTheInverseAcrossThreads) {
  ElementMap map = *ElementMap::of(catalogue::wgmma(), {256, 256});
  ElementMap copy = map;
  std::vector<std::thread> threads;
  std::vector<int64_t> sums(4);
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([&, i] {
      for (int64_t element = 0; element < 65536; ++element)
        sums[i] += (i % 2 ? map : copy).slots(element)[0];
    });
  for (std::thread &thread : threads)
    thread.join();
  for (int64_t sum : sums)
    EXPECT_EQ(sum, int64_t(65536) * 65535 / 2);
}

/// Maps an element to its cells by the specification's formula (one cell, or four copies 32 lanes apart).
template <typename Form> void expectCells(const TMEMLayout &layout, const Shape &shape, int bits, Form &&form) {
  Result<TmemMap> made = TmemMap::of(layout, shape, bits);
  ASSERT_TRUE(made) << render(made.error());
  EXPECT_EQ(made->columns(), *layout.columnsIn(shape, bits));
  for (int64_t r = 0; r < shape[0]; ++r)
    for (int64_t c = 0; c < shape[1]; ++c) {
      std::vector<TmemCell> expected = form(static_cast<int32_t>(r), static_cast<int32_t>(c));
      ASSERT_EQ(made->cells(r * shape[1] + c), expected) << r << ", " << c;
      for (const TmemCell &cell : expected)
        ASSERT_EQ(made->element(cell.lane, cell.column, cell.sub), r * shape[1] + c);
    }
}

using Cells = std::vector<TmemCell>;

TEST(TmemMap, Default) {
  for (int32_t p : {1, 2})
    expectCells(*catalogue::tmemDefault(p), {256, 64}, 16,
                [&](int32_t r, int32_t c) { return Cells{{r % 128, r / 128 * (64 / p) + c / p, c % p}}; });
  TmemMap map = *TmemMap::of(*catalogue::tmemDefault(2), {128, 64}, 16);
  EXPECT_EQ(map.element(3, 5, 1), 3 * 64 + 11);
  EXPECT_EQ(map.cells(203), (Cells{{3, 5, 1}}));
}

TEST(TmemMap, HalvesOfTheColumns) {
  for (int32_t n : {16, 32, 160})
    for (int32_t p : {1, 2, 4}) {
      int bits = p == 4 ? 8 : 16;
      expectCells(*catalogue::tmemHalfLane(n, p), {64, n}, bits, [&](int32_t r, int32_t c) {
        return Cells{{r / 16 * 32 + c / (n / 2) * 16 + r % 16, c % (n / 2) / p, c % p}};
      });
      expectCells(*catalogue::tmemM64Collective(n, p), {64, n}, bits,
                  [&](int32_t r, int32_t c) { return Cells{{c / (n / 2) * 64 + r, c % (n / 2) / p, c % p}}; });
    }
  // A packing of half the columns: the canonical form has no third tile.
  EXPECT_EQ(catalogue::tmemHalfLane(16, 8)->tiled().tiling().str(), "Tiling((64, 16), (16, 8))");
}

TEST(TmemMap, ScalesAreInterleavedAcrossRowTiles) {
  for (int32_t rows : {128, 256})
    expectCells(catalogue::scales(), {rows, 16}, 8, [&](int32_t r, int32_t c) {
      Cells cells;
      int32_t tiles = rows / 128;
      for (int32_t j = 0; j < 4; ++j)
        cells.push_back({r % 32 + 32 * j, 4 * tiles * (c / 4) + 4 * (r / 128) + r % 128 / 32, c % 4});
      return cells;
    });
  expectCells(catalogue::bScalesM64Collective(), {256, 16}, 8, [](int32_t r, int32_t c) {
    int32_t column = 4 * (c / 4) + r % 128 / 32, quarter = r / 128;
    return Cells{{r % 32 + 32 * quarter, column, c % 4}, {r % 32 + 32 * (quarter + 2), column, c % 4}};
  });
}

TEST(TmemLayout, RejectsNonsense) {
  TMEMLayout plain = *catalogue::tmemDefault(2);
  EXPECT_EQ(kind(plain.checkType({128}, 16)), "tmem-rank");
  EXPECT_EQ(kind(plain.checkType({128, 3}, 16)), "tmem-shape");
  EXPECT_EQ(kind(plain.checkType({64, 4}, 16)), "tmem-shape");
  EXPECT_EQ(kind(plain.checkType({128, 4}, 32)), "tmem-packing");
  EXPECT_EQ(kind(plain.checkType({128, 4}, 64)), "tmem-bitwidth");
  EXPECT_EQ(kind(plain.checkType({128, 4}, 0)), "tmem-bitwidth");
  EXPECT_EQ(kind(plain.checkType({128, 4}, -16)), "tmem-bitwidth");
  EXPECT_EQ(kind(plain.checkType({128, 4}, 12)), "tmem-bitwidth");
  EXPECT_EQ(kind(plain.checkType({-128, 4}, 16)), "shape-negative");
  EXPECT_EQ(kind(plain.checkType({INT64_MAX / 128 * 128, 4}, 16)), "shape-too-large");
  EXPECT_EQ(kind(TMEMLayout(catalogue::wgmmaRow()).checkType({64, 64}, 16)), "tmem-rank");
  EXPECT_EQ(*plain.columnsIn({128, 64}, 16), 32);
  EXPECT_EQ(*catalogue::scales().columnsIn({256, 16}, 8), 32);
  EXPECT_EQ(kind(TmemMap::of(*catalogue::tmemDefault(1), {128, 513}, 32)), "tmem-columns");
  EXPECT_EQ(kind(TmemMap::of(catalogue::sparseMeta(), {128, 64}, 8)), "tmem-descriptive");
}

TEST(TmemLayout, Infer) {
  using namespace catalogue;
  EXPECT_EQ(*inferTmem({128, 64}, false, 2), *tmemDefault(2));
  EXPECT_EQ(*inferTmem({64, 64}, false, 2), *tmemHalfLane(64, 2));
  EXPECT_EQ(*inferTmem({64, 64}, true), *tmemM64Collective(64));
  EXPECT_EQ(kind(inferTmem({256, 64}, false)), "tmem-shape");
  EXPECT_EQ(kind(inferTmem({128, 63}, false, 2)), "tmem-shape");
  EXPECT_EQ(kind(inferTmem({128}, false)), "tmem-rank");
  EXPECT_EQ(kind(inferTmem({128, 64}, false, 16)), "tmem-packing");
  EXPECT_EQ(kind(tmemDefault(3)), "tmem-packing");
  EXPECT_EQ(kind(tmemDefault(-2)), "tmem-packing");
  EXPECT_EQ(kind(tmemHalfLane(24)), "columns");
  EXPECT_EQ(kind(tmemHalfLane(-16)), "columns");
  EXPECT_EQ(kind(tmemHalfLane(16, 16)), "tmem-packing");
  EXPECT_EQ(kind(tmemM64Collective(64, 16)), "tmem-packing");
  EXPECT_EQ(kind(faM64Collective(8)), "columns");
}

} // namespace
