// Coalescing: against sectors counted byte by byte.

#include "layouts/cost/Coalescing.h"
#include "layouts/Catalogue.h"

#include <gtest/gtest.h>

#include <set>

using namespace lanescope;
using namespace lanescope::layouts;

namespace {

namespace c = catalogue;

ElementMap mapOf(const RegisterLayout &layout, const Shape &shape) {
  auto map = ElementMap::of(layout, shape);
  EXPECT_TRUE(map) << render(map.error());
  return *map;
}

void checkByBytes(const CoalescingReport &report, const ElementMap &map, const Shape &strides, int bits) {
  int64_t sectors = 0, lines = 0, ideal = 0;
  for (size_t i = 0; i < report.slots.size(); i += report.slotsPerInstruction)
    for (int warp = 0; warp < report.warps; ++warp) {
      std::set<int64_t> bytes, touched, tags;
      for (int thread = warp * 32; thread < warp * 32 + 32; ++thread)
        for (int k = 0; k < report.slotsPerInstruction; ++k) {
          int32_t element = map.elements()[static_cast<size_t>(thread) * map.values() + report.slots[i + k]];
          Shape index = unravelIndex(element, map.shape());
          int64_t bit = 0;
          for (size_t d = 0; d < index.size(); ++d)
            bit += index[d] * strides[d] * bits;
          for (int64_t b = bit; b < bit + bits; b += std::min(bits, 8)) {
            bytes.insert(b / 8);
            touched.insert(b / 8 / 32);
            tags.insert(b / 8 / 128);
          }
        }
      sectors += static_cast<int64_t>(touched.size());
      lines += static_cast<int64_t>(tags.size());
      ideal += (static_cast<int64_t>(bytes.size()) + 31) / 32;
    }
  EXPECT_EQ(report.sectors, sectors);
  EXPECT_EQ(report.lines, lines);
  EXPECT_EQ(report.idealSectors, ideal);
}

TEST(Coalescing, AgreesWithACountOfBytes) {
  struct Case {
    RegisterLayout layout;
    Shape shape, strides;
    int bits, bytes;
    double efficiency;
  };
  std::vector<Case> cases = {
      {c::wgmma(), {64, 64}, {64, 1}, 16, 4, 0.5}, // 16 of 32 bytes in each row
      {c::wgmma(), {64, 64}, {64, 1}, 32, 8, 1},
      {c::wgmma(), {64, 64}, {1, 64}, 16, 2, 0.5},
      {c::wgmma(), {64, 64}, {65, 1}, 32, 4, 0}, // odd rows misalign pairs
      {*WGStridedFragLayout::make({64, 64}, 4), {64, 64}, {64, 1}, 16, 8, 1},
      {*WGStridedFragLayout::make({64, 64}, 8), {64, 64}, {64, 1}, 16, 16, 1},
      {*c::tmemNative(2), {128, 64}, {64, 1}, 32, 16, 0.5}, // 16 of the 256 bytes of each row
      {c::wgmmaRow(), {64}, {1}, 32, 4, 1},
      {c::wgmma(), {64, 64}, {0, 1}, 16, 4, 1}, // the same 16 bytes for every row
      {c::wgmmaUpcast4x(), {64, 64}, {64, 1}, 4, 4, 0.5},
  };
  for (const Case &test : cases) {
    SCOPED_TRACE(jaxText(test.layout) + " " + tupleText(test.strides));
    ElementMap map = mapOf(test.layout, test.shape);
    auto report = coalescing(map, test.strides, test.bits);
    ASSERT_TRUE(report) << render(report.error());
    EXPECT_EQ(report->bytes, test.bytes);
    checkByBytes(*report, map, test.strides, test.bits);
    if (test.efficiency > 0)
      EXPECT_DOUBLE_EQ(report->efficiency(), test.efficiency);
    EXPECT_LE(report->efficiency(), 1);
  }
}

TEST(Coalescing, LargeStrides) {
  ElementMap map = mapOf(c::wgmma(), {64, 64});
  auto report = coalescing(map, {int64_t(1) << 32, 1}, 16);
  ASSERT_TRUE(report) << render(report.error());
  EXPECT_EQ(report->bytes, 4);
  EXPECT_EQ(report->sectors, 16 * 4 * 8);
}

TEST(Coalescing, WhatIsRefused) {
  ElementMap map = mapOf(c::wgmma(), {64, 64});
  EXPECT_FALSE(coalescing(map, {1}, 16));
  EXPECT_FALSE(coalescing(map, {-64, 1}, 16));
  EXPECT_EQ(coalescing(map, {int64_t(1) << 62, 1}, 16).error()[0].kind, "too-large");
  EXPECT_EQ(coalescing(map, {INT64_MAX, INT64_MAX}, 64).error()[0].kind, "too-large");
  // Single nibbles have no address.
  EXPECT_FALSE(coalescing(map, {1, 64}, 4));
}

TEST(Coalescing, EmptyArray) {
  auto report = coalescing(mapOf(c::wgmma(), {0, 8}), {8, 1}, 16);
  ASSERT_TRUE(report) << render(report.error());
  EXPECT_EQ(report->sectors, 0);
  EXPECT_EQ(report->efficiency(), 1);
}

} // namespace
