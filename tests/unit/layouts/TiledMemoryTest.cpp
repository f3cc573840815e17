// A TPU's tiled memory against the definition of JAX's `#tpu.tiled`: results are appended for each tile, in row-major
// order.
#include "layouts/tpu/TiledMemoryLayout.h"

#include "layouts/Equal.h"
#include "layouts/Explain.h"
#include "layouts/notation/Find.h"
#include "layouts/notation/Notation.h"

#include <gtest/gtest.h>

#include <random>

using namespace lanescope;
using namespace lanescope::layouts;

namespace {

Result<Layout> parse(std::string text) { return parseLayout(Source::make("layout", std::move(text))); }

Layout must(const std::string &text) {
  Result<Layout> layout = parse(text);
  EXPECT_TRUE(layout) << text << "\n" << (layout ? "" : render(layout.error()));
  return layout ? *layout : Layout(RegisterLayout(WGSplatFragLayout{}));
}

/// The offset as the dialect defines it. It starts with the identity. Each tile of rank r keeps all results but the
/// last r, and appends their quotients and their remainders. The strides are those of first tiles, then row-major
/// inside a tile.
int64_t byDefinition(const std::vector<Shape> &tiles, const Shape &strides, const Shape &index) {
  Shape results = index, sizes(index.size(), 1);
  for (const Shape &tile : tiles) {
    size_t kept = results.size() - tile.size();
    for (size_t i = 0; i < tile.size(); ++i) {
      results.push_back(results[kept + i] % tile[i]);
      sizes.push_back(tile[i]);
      results[kept + i] /= tile[i];
      sizes[kept + i] /= tile[i];
    }
  }
  int64_t tileElements = tiles.empty() ? 1 : elementCount(tiles.front()), inside = 0, outside = 0;
  for (size_t d = 0; d < results.size(); ++d)
    if (d < strides.size())
      outside += results[d] * strides[d];
    else
      inside = inside * sizes[d] + results[d];
  return outside * tileElements + inside;
}

TEST(TiledMemory, TheExampleOfItsHeader) {
  TiledMemoryLayout layout = *TiledMemoryLayout::make({{8, 128}, {2, 1}}, {2, 1});
  TiledMemoryLayout::Place place = layout.place({9, 130});
  EXPECT_EQ(place.tile, 3);
  EXPECT_EQ(place.position, 5);
  EXPECT_EQ(layout.offset({9, 130}), 3077);
  EXPECT_EQ(layout.text(), "#tpu.tiled<(8,128)(2,1),[2,1]>");
}

TEST(TiledMemory, StridesOfANewArray) {
  auto strides = [](std::vector<Shape> tiles, Shape shape) {
    return TiledMemoryLayout::packed(std::move(tiles), shape)->strides();
  };
  EXPECT_EQ(strides({{2, 1}}, {2, 8}), (Shape{8, 1}));
  EXPECT_EQ(strides({{8, 128}}, {5, 16, 256}), (Shape{4, 2, 1}));
  EXPECT_EQ(strides({{8}}, {100}), (Shape{1}));
  EXPECT_EQ(strides({{2, 4, 16}}, {4, 8, 64}), (Shape{8, 4, 1}));
  EXPECT_EQ(strides({{8, 128}, {2, 1}}, {16, 256}), (Shape{2, 1}));
  EXPECT_EQ(strides({}, {4, 6}), (Shape{6, 1}));
}

TEST(TiledMemory, IsTheDefinitionForTilesOfAnyDepth) {
  std::mt19937 random(7);
  auto upTo = [&](int64_t most) { return static_cast<int64_t>(random() % static_cast<uint32_t>(most)) + 1; };
  for (int round = 0; round < 300; ++round) {
    Shape shape(static_cast<size_t>(upTo(4)));
    for (int64_t &size : shape)
      size = upTo(9);
    std::vector<Shape> tiles;
    if (int64_t covered = upTo(static_cast<int64_t>(shape.size()) + 1) - 1) {
      Shape first(static_cast<size_t>(covered));
      for (int64_t &size : first)
        size = int64_t(1) << (random() % 4);
      tiles.push_back(first);
      Shape left = first;
      for (int64_t deeper = upTo(3) - 1; deeper > 0; --deeper) {
        Shape next(static_cast<size_t>(upTo(static_cast<int64_t>(left.size()))));
        size_t kept = left.size() - next.size();
        for (size_t i = 0; i < next.size(); ++i) {
          next[i] = std::min<int64_t>(left[kept + i], int64_t(1) << (random() % 3));
          left[kept + i] /= next[i];
        }
        left.insert(left.end(), next.begin(), next.end());
        tiles.push_back(next);
      }
    }
    TiledMemoryLayout layout = *TiledMemoryLayout::packed(tiles, shape);
    AddressMap map = *layout.addressMap(shape, 32);
    ASSERT_EQ(map.extent(), elementCount(layout.tileCounts(shape)) * layout.tileElements()) << layout.text();
    for (int64_t element = 0; element < elementCount(shape); ++element) {
      Shape index = unravelIndex(element, shape);
      int64_t offset = layout.offset(index);
      ASSERT_EQ(offset, byDefinition(tiles, layout.strides(), index)) << layout.text() << " " << tupleText(index);
      ASSERT_EQ(map.offset(element), offset);
      ASSERT_EQ(map.element(offset), element) << "no two elements share a place";
    }
    ASSERT_EQ(*asTiledMemory(must(layout.text())), layout);
  }
}

TEST(TiledMemory, ReadsAndPrints) {
  for (const char *text : {"#tpu.tiled<(8,128),[4,2,1]>", "#tpu.tiled<(8,128)(2,1),[2,1]>", "#tpu.tiled<(8),[1]>",
                           "#tpu.tiled<(2,4,16),[8,4,1]>", "#tpu.tiled<,[256,1]>", "#tpu.tiled<,[]>",
                           "#tpu.tiled<(8,128)(4,1)(2,1),[2,1]>"})
    EXPECT_EQ(layoutText(must(text)), text);
  EXPECT_EQ(layoutText(must(" #tpu.tiled< (8, 128) (2, 1) , [2, 1] > ")), "#tpu.tiled<(8,128)(2,1),[2,1]>");
}

TEST(TiledMemory, RefusesWhatHasNoMeaning) {
  struct Case {
    const char *text, *message;
  };
  for (const Case &one : {
           Case{"#tpu.tiled<(8,128),[1]>", "the first tile (8,128) has 2 dimensions, but there are 1 strides"},
           Case{"#tpu.tiled<(8,128)(2,4,64),[4,2,1]>", "may not reach across first tiles"},
           Case{"#tpu.tiled<(8,128)(3,1),[2,1]>", "only the first tile may pad"},
           Case{"#tpu.tiled<(0,128),[2,1]>", "has the size 0"},
           Case{"#tpu.tiled<(),[2,1]>", "a tile has no size"},
           Case{"#tpu.tiled<(8,128),[2,-1]>", "the stride -1 is negative"},
           Case{"#tpu.tiled<(8,128)>", "expected"},
           Case{"#tpu.tiled<(8,128),[2,1]", "expected"},
           Case{"#tpu.tiled<(8,,128),[2,1]>", "expected"},
           Case{"#tpu.tiled<(4611686018427387904,4611686018427387904),[2,1]>", "too many elements"},
           Case{"#tpu.tiled<(1)(1)(1)(1)(1)(1)(1)(1)(1),[1]>", "at most 8"},
       }) {
    Result<Layout> layout = parse(one.text);
    ASSERT_FALSE(layout) << one.text;
    EXPECT_NE(layout.error().front().message.find(one.message), std::string::npos)
        << one.text << ": " << layout.error().front().message;
    EXPECT_TRUE(layout.error().front().span.source) << one.text;
  }
  TiledMemoryLayout layout = *TiledMemoryLayout::make({{8, 128}}, {2, 1});
  EXPECT_FALSE(layout.addressMap({4, 16, 256}, 32));
  EXPECT_FALSE(layout.addressMap({1 << 20, 1 << 20}, 32)) << "more elements than a map has";
  EXPECT_EQ(TiledMemoryLayout::packed({{8, 128}}, {256}).error().front().kind, "tiled-memory");
}

TEST(TiledMemory, SuggestsAnArray) {
  EXPECT_EQ(TiledMemoryLayout::make({{8, 128}}, {4, 2, 1})->exampleShape(), (Shape{1, 16, 256}));
  EXPECT_EQ(TiledMemoryLayout::make({{8, 128}, {2, 1}}, {2, 1})->exampleShape(), (Shape{8, 256}));
  EXPECT_EQ(TiledMemoryLayout::make({}, {256, 1})->exampleShape(), (Shape{1, 256}));
}

TEST(TiledMemory, PaddingIsPartOfTheBuffer) {
  TiledMemoryLayout layout = *TiledMemoryLayout::packed({{8, 128}}, {12, 200});
  AddressMap map = *layout.addressMap({12, 200}, 32);
  EXPECT_EQ(map.extent(), 4 * 1024);
  EXPECT_EQ(map.bytes(), 16 * 1024);
  int64_t holes = 0;
  for (int32_t element : map.image())
    holes += element < 0;
  EXPECT_EQ(holes, 4 * 1024 - 12 * 200);
}

TEST(TiledMemory, StaysTheSameInOtherNotationsAndComesBack) {
  struct Case {
    const char *text;
    Shape shape;
  };
  for (const Case &one :
       {Case{"#tpu.tiled<(8,128),[2,1]>", {16, 256}}, Case{"#tpu.tiled<(8,128)(2,1),[2,1]>", {16, 256}},
        Case{"#tpu.tiled<(2,1),[8,1]>", {4, 8}}, Case{"#tpu.tiled<,[256,1]>", {16, 256}},
        Case{"#tpu.tiled<(8,128),[4,2,1]>", {5, 16, 256}}, Case{"#tpu.tiled<(8,128),[2,1]>", {12, 200}}}) {
    Layout layout = must(one.text);
    EXPECT_EQ(*notation(layout, "tpu", one.shape, 32), one.text);
    bool whole = one.shape != Shape{12, 200};
    Result<std::string> cute = notation(layout, "cute", one.shape, 32);
    ASSERT_EQ(cute.has_value(), whole) << one.text;
    if (!whole)
      continue;
    Layout other = must(*cute);
    EXPECT_TRUE(equal(layout, other, one.shape, 32)->exact) << *cute;
    Result<std::string> back = notation(other, "tpu", one.shape, 32);
    ASSERT_TRUE(back) << *cute << "\n" << render(back.error());
    EXPECT_TRUE(equal(layout, must(*back), one.shape, 32)->exact) << *back;
  }
  // Mosaic GPU's untransposed tiles in shared memory equal first tiles in row-major order.
  EXPECT_EQ(*notation(must("[#mosaic_gpu.tile<[8, 64]>]"), "tpu", Shape{64, 128}, 16), "#tpu.tiled<(8,64),[2,1]>");
  EXPECT_FALSE(notation(must("WGMMA"), "tpu", Shape{64, 64}));
  EXPECT_FALSE(notation(must("Sw<3,4,3> o smem_ptr[16b](unset) o (_8,_64):(_64,_1)"), "tpu", Shape{8, 64}, 16));
}

TEST(TiledMemory, IsFoundInAModule) {
  std::vector<FoundLayout> found = findLayouts(Source::make(
      "paste",
      "%alloca = memref.alloca() : memref<5x16x256xf32, #tpu.tiled<(8,128),[4,2,1]>, #tpu.memory_space<vmem>>\n"
      "%1 = tpu.vector_load %alloca_0[%c0] : memref<4x64xbf16, #tpu.tiled<(4,8)(2,1),[8,1]>, "
      "#tpu.memory_space<vmem>>, vector<8xbf16>, \n"));
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(layoutText(*found[0].layout), "#tpu.tiled<(8,128),[4,2,1]>");
  EXPECT_EQ(found[0].shape, (Shape{5, 16, 256}));
  EXPECT_EQ(found[0].bitwidth, 32);
  EXPECT_EQ(found[0].name, "%alloca");
  EXPECT_EQ(found[1].shape, (Shape{4, 64}));
  EXPECT_EQ(found[1].bitwidth, 16);
}

TEST(TiledMemory, Explains) {
  Result<std::vector<ExplainStep>> steps = explain(must("#tpu.tiled<(8,128)(2,1),[2,1]>"), {16, 256}, 16, {9, 130});
  ASSERT_TRUE(steps) << render(steps.error());
  EXPECT_EQ((*steps)[0].what, "tile (8,128)");
  EXPECT_EQ((*steps)[0].how, "(9 / 8)*2 + (130 / 128)*1");
  EXPECT_EQ((*steps)[0].value, "3");
  EXPECT_EQ((*steps)[2].how, "1 = 0*2 + 1, 2 = 2*1 + 0");
  EXPECT_EQ((*steps)[4].value, "3077");
}

} // namespace
