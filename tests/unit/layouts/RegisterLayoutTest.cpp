#include "layouts/RegisterLayout.h"
#include "layouts/Catalogue.h"

#include <gtest/gtest.h>

using namespace lanescope;
using namespace lanescope::layouts;

namespace {

using Entries = std::vector<PartitionDim>;
std::string kind(const auto &result) { return result ? "" : result.error().front().kind; }
std::string failure(const auto &result) { return result ? "" : result.error().front().message; }

Result<TiledLayout> make(std::vector<Shape> tiles, Entries warp, Entries lane, int64_t vector) {
  return TiledLayout::make(*Tiling::make(std::move(tiles)), std::move(warp), std::move(lane), vector);
}

const std::vector<Shape> kWgmmaTiles = {{64, 8}, {16, 8}, {8, 8}, {2}};

TEST(TiledLayout, ChecksInJaxOrder) {
  EXPECT_EQ(kind(make({}, {-7}, {-3, -2}, -1)), "layout-no-tiles");
  EXPECT_EQ(kind(make(kWgmmaTiles, {-7}, {-3, -3}, 1)), "layout-axis-duplicate");
  EXPECT_EQ(kind(make(kWgmmaTiles, {-7}, {-3, -1}, -1)), "layout-axis-duplicate");
  EXPECT_EQ(kind(make(kWgmmaTiles, {-70}, {-3, -2}, 0)), "layout-nonnegative-dim");
  EXPECT_EQ(kind(make(kWgmmaTiles, {-70}, {-3, -2}, -1)), "layout-dim-range");
  EXPECT_EQ(kind(make(kWgmmaTiles, {-5}, {-3, -4}, -1)), "layout-warp-product");
  EXPECT_EQ(kind(make(kWgmmaTiles, {-7}, {-3}, -1)), "layout-lane-product");
  EXPECT_EQ(kind(make({{64, 8}, {16, 8}, {8, 8}, {1, 2}}, {-8}, {-4, -3}, -1)), "layout-not-canonical");
  EXPECT_EQ(kind(make({{64, 8}, {16, 7}}, {-3}, {-2}, -1)), "tiling-does-not-apply");
  EXPECT_TRUE(make(kWgmmaTiles, {-7}, {-3, -2}, -1));
}

TEST(TiledLayout, ReplicationCountsMustBeSane) {
  EXPECT_EQ(kind(make({{8}, {2}}, {Replicated{-4}}, {Replicated{-8}, -2}, -1)), "layout-replication");
  EXPECT_EQ(kind(make({{8}, {2}}, {Replicated{0}}, {Replicated{8}, -2}, -1)), "layout-replication");
  EXPECT_EQ(kind(make({{8}, {2}}, {Replicated{INT64_MAX}, Replicated{4}}, {Replicated{8}, -2}, -1)),
            "layout-warp-product");
}

TEST(TiledLayout, MessagesCarryTheValues) {
  EXPECT_EQ(failure(make(kWgmmaTiles, {-7}, {-3}, -1)),
            "the product of lane dims does not equal the warp size: it is 8 instead of 32");
  EXPECT_NE(failure(make({{64, 8}, {16, 8}, {8, 8}, {1, 2}}, {-8}, {-4, -3}, -1)).find(jaxText(catalogue::wgmma())),
            std::string::npos);
}

TEST(TiledLayout, CanonicalFormOfTheOldSpelling) {
  Tiling old = *Tiling::make({{64, 8}, {16, 8}, {8, 8}, {1, 2}});
  EXPECT_EQ(*TiledLayout::makeCanonical(old, {-8}, {-4, -3}, -1), catalogue::wgmma());
}

TEST(TiledLayout, CanonicalizeIsIdempotent) {
  for (const CatalogueEntry &entry : catalogueEntries()) {
    if (entry.callable)
      continue;
    Layout named = *entry.make();
    const TiledLayout &layout = std::get<TiledLayout>(std::get<RegisterLayout>(named));
    EXPECT_EQ(layout.canonicalize(), layout) << entry.name;
  }
}

// A vector dim of size one, which canonicalisation would drop, must not become another dim.
TEST(TiledLayout, CanonicalizeKeepsTheVectorLength) {
  Tiling spelled = *Tiling::make({{64, 8}, {16, 8}, {8, 8}, {1, 2}});
  // The tiled dims are (4, 1, 2, 1, 8, 4, 1, 2): -2 has size one and is dropped.
  Result<TiledLayout> layout = TiledLayout::makeCanonical(spelled, {-8}, {-4, -3}, -2);
  ASSERT_TRUE(layout);
  EXPECT_EQ(layout->vectorLength(), 1);
  EXPECT_EQ(layout->canonicalize(), *layout);
  // No dim of size one remains, so a tile is added for the vector dim.
  Result<TiledLayout> dense =
      TiledLayout::makeCanonical(*Tiling::make({{4, 32, 2}, {1, 32, 2}, {1, 2}}), {-8}, {-4}, -6);
  ASSERT_TRUE(dense);
  EXPECT_EQ(dense->tiling().str(), "Tiling((4, 32, 2), (1,))");
  EXPECT_EQ(dense->vectorLength(), 1);
  EXPECT_EQ(dense->canonicalize(), *dense);
}

TEST(TiledLayout, RegistersShapeRoundTrips) {
  for (const TiledLayout *layout : {&catalogue::wgmma(), &catalogue::wgmmaTransposed(), &catalogue::tcgen05()})
    for (const Shape &shape : {Shape{128, 32}, Shape{3, 256, 8}}) {
      Result<Shape> registers = layout->registersShape(shape);
      ASSERT_TRUE(registers);
      EXPECT_EQ(*layout->shapeFromRegistersShape(*registers), shape);
    }
  EXPECT_EQ(kind(catalogue::wgmma().registersShape({32, 8})), "tiling-does-not-apply");
  EXPECT_EQ(kind(catalogue::wgmma().registersShape({-64, 8})), "shape-negative");
  EXPECT_FALSE(catalogue::wgmma().shapeFromRegistersShape({1, 1}));
}

// inventory: FA layout_reduction_definition
TEST(TiledLayout, ReduceTable) {
  using namespace catalogue;
  EXPECT_EQ(*wgmma().reduce({1}), wgmmaRow());
  EXPECT_EQ(*wgmma().reduce({0}), wgmmaCol());
  EXPECT_EQ(*tcgen05().reduce({1}), tcgen05Row());
  EXPECT_EQ(*tcgen05().reduce({0}), tcgen05Col());
  EXPECT_EQ(*wgmmaAcc32Bit().reduce({1}), wgmmaRow());
  EXPECT_EQ(*wgmmaAcc32Bit().reduce({0}), *make({{8}, {2}, {1}}, {Replicated{4}}, {Replicated{8}, -3}, -1));
  EXPECT_EQ(*wgmma8Bit().reduce({1}), wgmmaRow());
  EXPECT_EQ(*wgmma8Bit().reduce({0}), *make({{16}, {4}}, {Replicated{4}}, {Replicated{8}, -2}, -1));
  EXPECT_EQ(*wgmmaUpcast4x().reduce({0}), *make({{32}, {8}}, {Replicated{4}}, {Replicated{8}, -2}, -1));
  EXPECT_EQ(*wgmmaUpcast4x().reduce({1}), wgmmaRow());
  EXPECT_EQ(*wgmmaUpcast2x().reduce({0}), *make({{16}, {8}, {4}}, {Replicated{4}}, {Replicated{8}, -2, -3}, -1));
  EXPECT_EQ(*wgmmaUpcast2x().reduce({1}), *make({{64}, {16}, {8}, {1}}, {-4}, {-2, Replicated{2}, Replicated{2}}, -1));
  EXPECT_EQ(*wgmmaTransposed().reduce({0}), *make({{8}, {2}, {1}}, {Replicated{4}}, {Replicated{4}, -2, -3}, -1));
  EXPECT_EQ(*wgmmaTransposed().reduce({1}),
            *make({{64}, {16}, {8}, {2}}, {-4}, {-2, Replicated{2}, Replicated{4}}, -1));
  EXPECT_EQ(*tmemNative()->reduce({0}), *make({{2}}, {Replicated{4}}, {Replicated{32}}, -1));
  EXPECT_EQ(*tmemNative()->reduce({1}), *make({{128}, {32}, {1}}, {-3}, {-2}, -1));
  EXPECT_EQ(wgmma().reduce({0, 1})->replication(), 128);
  EXPECT_EQ(kind(wgmma().reduce({2})), "layout-axis-range");
  EXPECT_EQ(kind(wgmma().reduce({-1})), "layout-axis-range");
  EXPECT_EQ(kind(wgmma().reduce({1, 1})), "layout-axis-duplicate");
}

// inventory: FA layout_reduction_handles_tiles_with_three_different_ranks
TEST(TiledLayout, ReducesTilesOfThreeRanks) {
  TiledLayout layout = *make({{1, 2, 64}, {2, 16}, {8}, {4}, {2}, {1}}, {-7}, {-6, -5, -4, -3, -2}, -1);
  EXPECT_EQ(*layout.reduce({2}), *make({{1, 2}, {1}}, {Replicated{4}},
                                       {-2, Replicated{2}, Replicated{2}, Replicated{2}, Replicated{2}}, -1));
}

TEST(TiledLayout, EqualityIsStructural) {
  auto split = make({{4}}, {Replicated{2}, Replicated{2}}, {Replicated{32}}, -1);
  ASSERT_TRUE(split);
  EXPECT_NE(*split, catalogue::tmaIndices4());
}

TEST(TiledLayout, SubdivideTile) {
  // The last tile of TMEM_NATIVE(4) is split: the register's four elements become two registers of two.
  TiledLayout native = *catalogue::tmemNative(4);
  EXPECT_EQ(kind(native.subdivideTile(5, {2})), "layout-tile-range");
  EXPECT_EQ(kind(native.subdivideTile(0, {2})), "tiling-rank");
  EXPECT_EQ(kind(native.subdivideTile(1, {8, 2})), "unsupported"); // this would split the vector
  Result<TiledLayout> cut = native.subdivideTile(0, {64, 4});
  ASSERT_TRUE(cut) << failure(cut);
  // The warps now count as 2 x 2, and own the same elements.
  EXPECT_EQ(cut->warpDims().size(), 2u);
  EXPECT_EQ(cut->vectorLength(), 4);
}

TEST(Strided, Checks) {
  EXPECT_EQ(kind(WGStridedFragLayout::make({100}, 1)), "strided-size");
  EXPECT_EQ(kind(WGStridedFragLayout::make({128}, 2)), "strided-size");
  EXPECT_EQ(kind(WGStridedFragLayout::make({128}, 0)), "strided-vec-size");
  EXPECT_EQ(kind(WGStridedFragLayout::make({128}, -1)), "strided-vec-size");
  EXPECT_EQ(kind(WGStridedFragLayout::make({128}, INT64_MAX)), "strided-size");
  EXPECT_EQ(kind(WGStridedFragLayout::make({INT64_MAX, 2}, 1)), "shape-too-large");
  EXPECT_EQ(WGStridedFragLayout::make({128, 8}, 4)->registers(), 2);
  EXPECT_EQ(kind(registersShape(*WGStridedFragLayout::make({128}, 1), {256})), "layout-shape");
}

TEST(Strided, FromShapedType) {
  auto vec = [](const Shape &shape, int bits) {
    auto layout = WGStridedFragLayout::fromShapedType(shape, bits);
    return layout ? layout->vecSize() : 0;
  };
  EXPECT_EQ(vec({128}, 16), 1);
  EXPECT_EQ(vec({32, 256}, 4), 16);
  EXPECT_EQ(vec({32, 256}, 2), 32);
  EXPECT_EQ(vec({128, 128}, 32), 2);
  EXPECT_EQ(vec({128, 3}, 16), 3); // as in JAX: the vector need not be a power of two
  EXPECT_EQ(vec({128, 5}, 16), 1);
  EXPECT_EQ(vec({100}, 16), 0);
  EXPECT_EQ(vec({128}, 4), 0); // half a byte for each thread
  EXPECT_EQ(vec({128}, 128), 0);
  EXPECT_EQ(vec({0}, 16), 0);
}

TEST(Splat, Broadcasts) {
  WGSplatFragLayout splat{{1, 4}};
  EXPECT_TRUE(splat.canBroadcastTo({8, 4}));
  EXPECT_TRUE(splat.canBroadcastTo({2, 8, 4}));
  EXPECT_FALSE(splat.canBroadcastTo({4}));
  EXPECT_FALSE(splat.canBroadcastTo({8, 8}));
  EXPECT_TRUE(WGSplatFragLayout{}.canBroadcastTo({3}));
  EXPECT_EQ(*registersShape(splat, {1, 4}), Shape{});
}

TEST(Dtype, NamesRoundTrip) {
  for (Dtype dtype : allDtypes())
    EXPECT_EQ(dtypeNamed(name(dtype)), dtype);
  EXPECT_EQ(dtypeNamed("f31"), std::nullopt);
  EXPECT_EQ(bitwidth(Dtype::F4E2M1FN), 4);
  EXPECT_EQ(hostBytes(Dtype::I1), 1);
  EXPECT_EQ(hostBytes(Dtype::TF32), 4);
  EXPECT_TRUE(isInteger(Dtype::I1));
  EXPECT_FALSE(isSignedInteger(Dtype::U8));
  EXPECT_TRUE(isFloat(Dtype::BF16));
}

} // namespace
