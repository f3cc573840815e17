#include "layouts/SharedMemory.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

using namespace lanescope;
using namespace lanescope::layouts;

namespace {

std::string kind(const auto &result) { return result ? "" : result.error().front().kind; }

TEST(Swizzle, IsItsOwnInverseWithinARow) {
  for (int swizzle : {16, 32, 64, 128})
    for (uint64_t byte = 0; byte < 4096; ++byte) {
      uint64_t moved = swizzledByte(byte, swizzle);
      ASSERT_EQ(swizzledByte(moved, swizzle), byte);
      ASSERT_EQ(moved / static_cast<uint64_t>(swizzle), byte / static_cast<uint64_t>(swizzle));
      ASSERT_EQ(moved % 16, byte % 16);
    }
  EXPECT_EQ(swizzledByte(128, 128), 144u);
  EXPECT_EQ(swizzledByte(128 * 8, 128), 1024u);
  EXPECT_EQ(swizzledByte(128, 32), 144u);
  EXPECT_EQ(swizzledByte(256, 32), 256u);
}

TEST(SmemMap, WorkedExample) {
  SmemMap map = *SmemMap::of({16, 128}, 16, {8, 64}, 128);
  EXPECT_EQ(map.byteOffset({1, 0}), 144);
  EXPECT_EQ(map.elementAt(72), 128);
  EXPECT_EQ(map.bytes(), 4096);
  EXPECT_EQ(map.physicalShape(), (Shape{2, 2, 8, 64}));
}

TEST(SmemMap, MatchesTheFormula) {
  for (int bits : {4, 8, 16, 32})
    for (int swizzle : {16, 32, 64, 128}) {
      int64_t se = 8 * swizzle / bits, rows = 24, columns = 3 * se;
      SmemMap map = *SmemMap::of({rows, columns}, bits, {8, se}, swizzle);
      for (int64_t r = 0; r < rows; ++r)
        for (int64_t c = 0; c < columns; ++c) {
          int64_t byte = (r / 8 * (columns / se) + c / se) * 8 * swizzle + r % 8 * swizzle + c % se * bits / 8;
          int64_t expected = static_cast<int64_t>(swizzledByte(static_cast<uint64_t>(byte), swizzle));
          ASSERT_EQ(map.byteOffset({r, c}), expected) << bits << ' ' << swizzle << ' ' << r << ' ' << c;
        }
    }
}

void expectConsistent(const SmemMap &map) {
  std::vector<int32_t> image = map.image();
  ASSERT_EQ(static_cast<int64_t>(image.size()), map.elements());
  for (int64_t k = 0; k < map.elements(); ++k) {
    ASSERT_EQ(map.elementAt(k), image[static_cast<size_t>(k)]);
    ASSERT_EQ(map.elementOffset(unravelIndex(image[static_cast<size_t>(k)], map.shape())), k);
  }
  std::ranges::sort(image);
  for (size_t k = 0; k < image.size(); ++k)
    ASSERT_EQ(image[k], static_cast<int32_t>(k));
}

// inventory: DL transform_type_handles_type_with_untiled_dimensions_correctly, transform_type_produces_tiled_shape_type
// inventory: DL transform_type_handles_transposed_type_correctly
// inventory: DL transform_type_handles_sliced_transposed_type_correctly
// inventory: DL transform_type_with_tiling_over_size_one_dimensions
// inventory: DL transform_transposed_type_with_tiling_over_size_one_dimensions
TEST(SmemMap, BothDirectionsAgreeForAnyRank) {
  expectConsistent(*SmemMap::of({2, 3, 16, 64}, 16, {8, 64}, 128));      // leading dims stay untiled
  expectConsistent(*SmemMap::of({2, 16, 64}, 16, {8, 32}, 64, true));    // transposed tiles after a leading dim
  expectConsistent(*SmemMap::of({4, 16, 32}, 32, {2, 8, 8}, 32, true));  // a tile of rank 3
  expectConsistent(*SmemMap::of({24, 20}, 32, {}, std::nullopt));        // no tiling
  expectConsistent(*SmemMap::of({24, 20}, 32, {5}, std::nullopt, true)); // one tiled dim: transposing changes nothing
  expectConsistent(*SmemMap::of({4, 64}, 16, {8, 64}, 128));             // less than one tile
  expectConsistent(*SmemMap::of({64}, 16, {64}, 128));                   // a single row
  expectConsistent(*SmemMap::of({128, 1}, 32, {32, 1}, std::nullopt));   // dimensions of one element
  expectConsistent(*SmemMap::of({32, 1, 128, 1}, 32, {8, 1, 4, 1}, std::nullopt, true));
  expectConsistent(*SmemMap::of({}, 32, {}, std::nullopt));    // a scalar
  expectConsistent(*SmemMap::of({0, 64}, 16, {8, 64}, 128));   // an empty array
  expectConsistent(*SmemMap::of({16, 256}, 4, {8, 256}, 128)); // two elements per byte
}

TEST(SmemMap, DimsAreWhatALoweringMultiplies) {
  SmemMap map = *SmemMap::of({2, 16, 64}, 16, {8, 32}, std::nullopt, true);
  for (int64_t b = 0; b < 2; ++b)
    for (int64_t r = 0; r < 16; ++r)
      for (int64_t c = 0; c < 64; ++c) {
        int64_t offset = 0, index[] = {b, r, c};
        for (size_t i = 0; i < 3; ++i) {
          const SmemDim &dim = map.dims()[i];
          offset += index[i] / dim.tile * dim.tileStride + index[i] % dim.tile * dim.elementStride;
        }
        ASSERT_EQ(offset, map.elementOffset({b, r, c}));
        // Tiles in column-major order.
        ASSERT_EQ(offset, b * 1024 + (c / 32 * 2 + r / 8) * 256 + r % 8 * 32 + c % 32);
      }
}

TEST(SmemMap, SixteenMeansNone) {
  EXPECT_EQ(SmemMap::of({8, 8}, 16, {8, 8}, 16)->swizzle(), std::nullopt);
  EXPECT_EQ(SmemMap::of({8, 8}, 16, {8, 8}, 16)->image(), SmemMap::of({8, 8}, 16, {8, 8}, std::nullopt)->image());
}

TEST(SmemMap, OutOfRange) {
  SmemMap map = *SmemMap::of({8, 8}, 16, {8, 8}, std::nullopt);
  EXPECT_EQ(map.elementAt(-1), -1);
  EXPECT_EQ(map.elementAt(64), -1);
}

TEST(SmemMap, Errors) {
  EXPECT_EQ(kind(SmemMap::of({16, 128}, 16, {8, 64}, 48)), "swizzle");
  EXPECT_EQ(kind(SmemMap::of({16, 128}, 16, {8, 64}, 0)), "swizzle");
  EXPECT_EQ(kind(SmemMap::of({16, 128}, 16, {8, 64}, 64)), "smem-swizzle");
  EXPECT_EQ(kind(SmemMap::of({16, 32}, 16, {8, 64}, 128)), "smem-swizzle");
  EXPECT_EQ(kind(SmemMap::of({12, 128}, 16, {8, 64}, 128)), "smem-tiling");
  EXPECT_EQ(kind(SmemMap::of({128}, 16, {8, 64}, 128)), "smem-tiling");
  EXPECT_EQ(kind(SmemMap::of({16, 128}, 16, {8, 0}, std::nullopt)), "smem-tiling");
  EXPECT_EQ(kind(SmemMap::of({16, 128}, 16, {-8, 64}, std::nullopt)), "smem-tiling");
  EXPECT_EQ(kind(SmemMap::of({16, 128}, 12, {8, 64}, std::nullopt)), "bitwidth");
  EXPECT_EQ(kind(SmemMap::of({16, 128}, 0, {8, 64}, std::nullopt)), "bitwidth");
  EXPECT_EQ(kind(SmemMap::of({-16, 128}, 16, {8, 64}, 128)), "shape-negative");
  EXPECT_EQ(kind(SmemMap::of({INT64_MAX, 128}, 16, {8, 64}, 128)), "shape-too-large");
  EXPECT_EQ(kind(SmemMap::of({1 << 20, 1 << 10}, 16, {8, 64}, 128)), "map-too-large");
  EXPECT_EQ(SmemMap::of({16, 128}, 16, {8, 64}, 64).error().front().message,
            "a 64-byte swizzle needs tile rows of 64 bytes, 32 elements of 16 bits; they have 64 elements");
}

} // namespace
