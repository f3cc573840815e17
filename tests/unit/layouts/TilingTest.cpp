#include "layouts/Tiling.h"

#include <gtest/gtest.h>

#include <limits>

using namespace lanescope;
using namespace lanescope::layouts;

namespace {

Tiling tiling(std::vector<Shape> tiles) { return *Tiling::make(std::move(tiles)); }
std::string failure(const auto &result) { return result ? "" : result.error().front().message; }
std::string kind(const auto &result) { return result ? "" : result.error().front().kind; }

const Tiling kWgmma = tiling({{64, 8}, {16, 8}, {8, 8}, {1, 2}});

TEST(Shape, Counts) {
  EXPECT_EQ(elementCount({}), 1);
  EXPECT_EQ(elementCount({3, 0, 5}), 0);
  EXPECT_EQ(elementCount({int64_t(1) << 40, int64_t(1) << 40, 0}), 0);
  EXPECT_EQ(*checkedElementCount({int64_t(1) << 40, 0, int64_t(1) << 40}), 0);
  EXPECT_EQ(kind(checkedElementCount({int64_t(1) << 40, int64_t(1) << 40})), "shape-too-large");
  EXPECT_EQ(failure(checkedElementCount({4, -3})), "shape (4, -3) has the negative size -3");
  EXPECT_EQ(contiguousStrides({2, 3, 4}), (Shape{12, 4, 1}));
  EXPECT_EQ(contiguousStrides({}), Shape{});
  EXPECT_EQ(tupleText({}), "()");
  EXPECT_EQ(tupleText({8}), "(8,)");
  EXPECT_EQ(tupleText({64, 8}), "(64, 8)");
  for (int64_t i = 0; i < 24; ++i)
    EXPECT_EQ(ravelIndex(unravelIndex(i, {2, 3, 4}), {2, 3, 4}), i);
}

TEST(Tiling, WorkedExample) {
  EXPECT_EQ(*kWgmma.tileShape({128, 128}), (Shape{2, 16, 4, 1, 2, 1, 8, 4, 1, 2}));
  EXPECT_EQ(kWgmma.str(), "Tiling((64, 8), (16, 8), (8, 8), (1, 2))");
}

TEST(Tiling, ConstructorErrorsInOrder) {
  EXPECT_EQ(kind(Tiling::make({{8}, {8, 8}})), "tiling-rank");
  EXPECT_EQ(kind(Tiling::make({{8, 8}, {}})), "tiling-empty-tile");
  EXPECT_EQ(kind(Tiling::make({{8, 0}})), "tiling-size");
  EXPECT_EQ(kind(Tiling::make({{8, -8}})), "tiling-size");
  // The check is per tile: the sizes of an earlier tile are checked before the rank of a later tile.
  EXPECT_EQ(kind(Tiling::make({{0}, {8, 8}})), "tiling-size");
  EXPECT_EQ(failure(Tiling::make({{8, -8}})), "tile shape must only have positive sizes, got (8, -8)");
  EXPECT_EQ(kind(Tiling::make(std::vector<Shape>(65, Shape{1}))), "tiling-too-large");
  EXPECT_EQ(kind(Tiling::make({Shape(33, 1)})), "tiling-too-large");
}

TEST(Tiling, TheEmptyTilingIsTheIdentity) {
  Tiling none;
  EXPECT_EQ(*none.tileShape({3, 5}), (Shape{3, 5}));
  EXPECT_EQ(*none.untileShape({3, 5}), (Shape{3, 5}));
  EXPECT_EQ(none.tileIndices({1, 2}), (Shape{1, 2}));
  EXPECT_EQ(kind(none.tileDimension(0)), "tiling-invalid-dimension");
}

TEST(Tiling, UntilingUndoesTiling) {
  for (const Shape &shape : {Shape{64, 8}, Shape{128, 24}, Shape{3, 64, 16}, Shape{0, 8}})
    EXPECT_EQ(*kWgmma.untileShape(*kWgmma.tileShape(shape)), shape) << tupleText(shape);
  for (int64_t r : {0, 1, 17, 63, 64, 127})
    for (int64_t c : {0, 1, 7, 8, 23})
      EXPECT_EQ(kWgmma.untileIndices(kWgmma.tileIndices({r, c})), (Shape{r, c}));
}

TEST(Tiling, StridesAndIndicesGiveTheOffset) {
  Shape shape = {128, 24};
  Shape strides = kWgmma.tileStrides(contiguousStrides(shape));
  for (int64_t r = 0; r < 128; r += 5)
    for (int64_t c = 0; c < 24; ++c) {
      Shape digits = kWgmma.tileIndices({r, c});
      int64_t offset = 0;
      for (size_t i = 0; i < digits.size(); ++i)
        offset += digits[i] * strides[i];
      EXPECT_EQ(offset, r * 24 + c);
    }
}

TEST(Tiling, DoesNotApply) {
  EXPECT_EQ(failure(tiling({{64, 8}, {16, 8}}).tileShape({16, 128})),
            "`Tiling((64, 8), (16, 8))` does not apply to shape (16, 128): 16 is not a multiple of 64");
  EXPECT_EQ(kind(tiling({{64, 8}}).tileShape({64})), "tiling-does-not-apply");
  EXPECT_EQ(kind(tiling({{4}}).untileShape({4})), "tiling-not-a-result");
  EXPECT_EQ(kind(tiling({{4}}).untileShape({4, 5})), "tiling-not-a-result");
  EXPECT_EQ(kind(tiling({{4}}).untileShape({std::numeric_limits<int64_t>::max(), 4})), "shape-too-large");
}

TEST(Tiling, Canonicalize) {
  auto canonical = [](std::vector<Shape> tiles) { return tiling(std::move(tiles)).canonicalize().tiles(); };
  using Tiles = std::vector<Shape>;
  EXPECT_EQ(canonical({{8, 8}, {8, 8}}), (Tiles{{8, 8}}));
  EXPECT_EQ(canonical({{8, 8}, {1, 4}}), (Tiles{{8, 8}, {4}}));
  EXPECT_EQ(canonical({{64, 8}, {16, 8}, {8, 8}, {1, 2}}), (Tiles{{64, 8}, {16, 8}, {8, 8}, {2}}));
  EXPECT_EQ(canonical({{4, 2}, {1, 1}}), (Tiles{{4, 2}, {1}}));
  EXPECT_EQ(canonical({{8}, {8}, {2}, {1}}), (Tiles{{8}, {2}, {1}}));
  EXPECT_EQ(canonical({{1, 1}}), (Tiles{{1, 1}}));
}

TEST(Tiling, Dimensions) {
  using Mask = std::vector<bool>;
  EXPECT_EQ(*tiling({{4, 2}, {2}}).tileDimension(0), (Mask{1, 0, 1, 0, 0}));
  EXPECT_EQ(*tiling({{4, 2}, {2}}).tileDimension(1), (Mask{0, 1, 0, 1, 1}));
  EXPECT_EQ(kind(kWgmma.tileDimension(2)), "tiling-invalid-dimension");
  EXPECT_EQ(kind(kWgmma.removeDimension(-1)), "tiling-invalid-dimension");
  using Tiles = std::vector<Shape>;
  EXPECT_EQ(tiling({{64, 8}, {16, 8}, {8, 8}, {2}}).removeDimension(0)->tiles(), (Tiles{{8}, {8}, {8}, {2}}));
  EXPECT_EQ(tiling({{64, 8}, {16, 8}, {8, 8}, {2}}).removeDimension(1)->tiles(), (Tiles{{64}, {16}, {8}}));
  // The tiles have three different ranks.
  EXPECT_EQ(tiling({{4, 64, 8}, {16, 8}, {2}}).removeDimension(0)->tiles(), (Tiles{{64, 8}, {16, 8}, {2}}));
  EXPECT_EQ(tiling({{4, 64, 8}, {16, 8}, {2}}).removeDimension(1)->tiles(), (Tiles{{4, 8}, {8}, {2}}));
}

TEST(NestedTiling, WorkedExamples) {
  using Dims = std::vector<Shape>;
  auto simple = tileNestedShapeStrides(tiling({{64, 32}}), {{128}, {64}}, {{64}, {1}});
  ASSERT_TRUE(simple);
  EXPECT_EQ(simple->shape, (Dims{{2}, {2}, {64}, {32}}));
  EXPECT_EQ(simple->strides, (Dims{{4096}, {32}, {64}, {1}}));
  auto wgmma =
      tileNestedShapeStrides(tiling({{64, 8}, {16, 8}, {8, 8}, {2}}), {{2, 64}, {2, 64}}, {{8192, 64}, {4096, 1}});
  ASSERT_TRUE(wgmma);
  EXPECT_EQ(wgmma->shape, (Dims{{2}, {2, 8}, {4}, {1}, {2}, {1}, {8}, {4}, {2}}));
  EXPECT_EQ(wgmma->strides, (Dims{{8192}, {4096, 8}, {1024}, {1}, {512}, {1}, {64}, {2}, {1}}));
}

TEST(NestedTiling, Errors) {
  EXPECT_EQ(kind(tileNestedShapeStrides(tiling({{6}}), {{4, 4}}, {{4, 1}})), "tiling-does-not-apply");
  EXPECT_EQ(kind(tileNestedShapeStrides(tiling({{8}}), {{4}}, {{1}})), "tiling-does-not-apply");
  EXPECT_EQ(kind(tileNestedShapeStrides(tiling({{8}}), {}, {})), "tiling-does-not-apply");
  EXPECT_EQ(kind(tileNestedShapeStrides(tiling({{4}}), {{4}}, {{1, 1}})), "tiling-nested-mismatch");
  EXPECT_EQ(kind(tileNestedShapeStrides(tiling({{4}}), {{0}}, {{1}})), "tiling-does-not-apply");
}

} // namespace
