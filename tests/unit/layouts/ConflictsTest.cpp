// Bank conflicts of whole arrays against counts made element by element, and ldmatrix/stmatrix against the data
// movement that the PTX ISA describes.

#include "layouts/cost/Conflicts.h"
#include "layouts/Catalogue.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

using namespace lanescope;
using namespace lanescope::layouts;

namespace {

namespace c = catalogue;

SmemOp op(std::string_view text) { return *parseSmemOp(text); }

ElementMap mapOf(const RegisterLayout &layout, const Shape &shape) {
  auto map = ElementMap::of(layout, shape);
  EXPECT_TRUE(map) << render(map.error());
  return *map;
}

SmemMap smem(Shape shape, int bits, Shape tiling, std::optional<int> swizzle) {
  auto map = SmemMap::of(std::move(shape), bits, std::move(tiling), swizzle);
  EXPECT_TRUE(map) << render(map.error());
  return *map;
}

/// The transposed array in memory, without tiles.
AddressMap transposedMemory(const Shape &shape, int bits, int64_t pitch) {
  std::vector<int32_t> offsets;
  for (int64_t row = 0; row < shape[0]; ++row)
    for (int64_t column = 0; column < shape[1]; ++column)
      offsets.push_back(static_cast<int32_t>(column * pitch + row));
  return *AddressMap::make("transposed", shape, bits, std::move(offsets));
}

TEST(Conflicts, TheExampleOfTheHeader) {
  auto report =
      conflicts(op("ld.shared.b64"), mapOf(c::wgmma(), {64, 32}), AddressMap::of(smem({64, 32}, 32, {8, 32}, {})));
  ASSERT_TRUE(report) << render(report.error());
  EXPECT_EQ(report->instructions.size(), 8u);
  EXPECT_EQ(report->warps, 4);
  EXPECT_EQ(report->wavefronts, 256);
  EXPECT_EQ(report->ideal, 64);
  EXPECT_EQ(report->conflicts(), 192);
}

/// Counts the words per bank from coordinates, for each group of lanes that the hardware serves together.
TEST(Conflicts, AgreeWithACountByCoordinates) {
  struct Case {
    RegisterLayout layout;
    Shape shape;
    int bits;
    Shape tiling;
    std::optional<int> swizzle;
    const char *op;
    int lanesPerPhase; // stores never join phases
  };
  std::vector<Case> cases = {
      {c::wgmma(), {64, 64}, 16, {8, 64}, 128, "st.shared.b32", 32},
      {c::wgmma(), {64, 64}, 16, {8, 64}, {}, "st.shared.b16", 32},
      {c::wgmma(), {128, 64}, 32, {8, 32}, 128, "st.shared.b64", 16},
      {c::wgmma(), {64, 32}, 8, {8, 32}, 32, "st.shared.b16", 32},
      {c::wgmma8Bit(), {64, 64}, 32, {8, 32}, 128, "st.shared.b128", 8},
      {*c::tmemNative(4), {128, 32}, 32, {}, {}, "st.shared.b128", 8},
      {*c::tmemNative(2), {128, 16}, 32, {}, {}, "st.shared.b32", 32},
      {*WGStridedFragLayout::make({64, 64}, 4), {64, 64}, 16, {}, {}, "st.shared.b64", 16},
      {c::wgmmaUpcast4x(), {64, 64}, 4, {}, {}, "st.shared.b32", 32},
  };
  for (const Case &test : cases) {
    SCOPED_TRACE(jaxText(test.layout) + " " + test.op);
    ElementMap map = mapOf(test.layout, test.shape);
    SmemMap memory = smem(test.shape, test.bits, test.tiling, test.swizzle);
    SmemOp access = op(test.op);
    auto report = conflicts(access, map, AddressMap::of(memory));
    ASSERT_TRUE(report) << render(report.error());
    int64_t wavefronts = 0, ideal = 0;
    std::set<int32_t> moved;
    for (size_t i = 0; i < report->slots.size(); i += report->slotsPerInstruction) {
      moved.insert(report->slots.begin() + i, report->slots.begin() + i + report->slotsPerInstruction);
      for (int first = 0; first < map.threads(); first += test.lanesPerPhase) {
        std::map<int64_t, std::set<int64_t>> words; // by bank
        for (int thread = first; thread < first + test.lanesPerPhase; ++thread)
          for (int k = 0; k < report->slotsPerInstruction; ++k) {
            int32_t slot = report->slots[i + k];
            Shape index = unravelIndex(map.element(thread, slot / map.vector(), slot % map.vector()), test.shape);
            int64_t word = memory.byteOffset(index) / 4;
            words[word % 32].insert(word);
          }
        size_t most = 0;
        for (const auto &[bank, different] : words)
          most = std::max(most, different.size());
        wavefronts += static_cast<int64_t>(most);
        ++ideal;
      }
    }
    EXPECT_EQ(static_cast<int>(moved.size()), map.values());
    EXPECT_EQ(report->wavefronts, wavefronts);
    EXPECT_EQ(report->ideal, ideal);
    int64_t sum = 0;
    for (const InstructionCost &cost : report->instructions)
      sum += cost.wavefronts;
    EXPECT_EQ(sum, report->wavefronts);
  }
}

/// ldmatrix with the report's row addresses brings each lane the bytes that the layout assigns to it. PTX ISA,
/// "Warp-level matrix load instruction: ldmatrix": row i of a matrix goes to lanes 4i … 4i+3, element (i, j) transposed
/// as (j, i).
void checkMatrices(const ConflictReport &report, const ElementMap &map, const AddressMap &memory) {
  int perFragment = report.slotsPerInstruction / report.op.matrices;
  for (int i = 0; i < static_cast<int>(report.instructions.size()); ++i)
    for (int warp = 0; warp < report.warps; ++warp) {
      LaneAddresses rows = report.addressesOf(i, warp);
      for (int lane = report.op.addressLanes(); lane < 32; ++lane)
        EXPECT_EQ(rows[lane], kNoAddress);
      for (int matrix = 0; matrix < report.op.matrices; ++matrix)
        for (int lane = 0; lane < 32; ++lane)
          for (int half = 0; half < 2; ++half) {
            int row = lane / 4, column = lane % 4 * 2 + half; // within the fragment
            if (report.op.trans)
              std::swap(row, column);
            int64_t byte = rows[8 * matrix + row] + 2 * column;
            int32_t slot = report.slots[i * report.slotsPerInstruction + matrix * perFragment + half * perFragment / 2];
            int32_t element = map.elements()[static_cast<size_t>(warp * 32 + lane) * map.values() + slot];
            ASSERT_EQ(memory.byte(element), byte) << i << " " << warp << " " << lane << " " << half;
          }
    }
}

TEST(Conflicts, LdmatrixRowsAreTheLayouts) {
  Shape shape = {64, 64};
  ElementMap map = mapOf(c::wgmma(), shape);
  for (auto swizzle : {std::optional<int>(), std::optional(128)})
    for (const char *name : {"ldmatrix.x1", "ldmatrix.x2", "ldmatrix.x4", "stmatrix.x4"}) {
      AddressMap memory = AddressMap::of(smem(shape, 16, {8, 64}, swizzle));
      auto report = conflicts(op(name), map, memory);
      ASSERT_TRUE(report) << render(report.error());
      checkMatrices(*report, map, memory);
      // 16 matrices per warp; rows 128 bytes apart share all banks unless they are swizzled.
      EXPECT_EQ(report->ideal, 4 * 16);
      EXPECT_EQ(report->wavefronts, swizzle ? 4 * 16 : 4 * 16 * 8);
    }
  // Four 8-bit values of a lane fill two of its 16-bit elements.
  ElementMap bytes = mapOf(c::wgmma8Bit(), shape);
  auto report = conflicts(op("ldmatrix.x4"), bytes, AddressMap::of(smem(shape, 8, {8, 64}, 64)));
  ASSERT_TRUE(report) << render(report.error());
  EXPECT_EQ(report->conflicts(), 0);
}

TEST(Conflicts, LdmatrixTransRowsAreTheLayouts) {
  Shape shape = {64, 64};
  ElementMap map = mapOf(c::wgmma(), shape);
  for (int64_t pitch : {64, 72}) {
    AddressMap memory = transposedMemory(shape, 16, pitch);
    auto report = conflicts(op("ldmatrix.x4.trans"), map, memory);
    ASSERT_TRUE(report) << render(report.error());
    checkMatrices(*report, map, memory);
    EXPECT_EQ(report->conflicts() == 0, pitch == 72);
    EXPECT_FALSE(conflicts(op("ldmatrix.x4"), map, memory));
  }
  AddressMap direct = AddressMap::of(smem(shape, 16, {8, 64}, 128));
  auto refused = conflicts(op("ldmatrix.x4.trans"), map, direct);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error()[0].kind, "matrix-fragment");
  EXPECT_FALSE(conflicts(op("ldmatrix.x4.trans"), mapOf(c::wgmma(), shape), AddressMap::of(smem(shape, 32, {}, {}))));
}

TEST(Conflicts, WhatCannotBeMovedTogether) {
  ElementMap map = mapOf(c::wgmma(), {64, 64});
  AddressMap memory = AddressMap::of(smem({64, 64}, 16, {8, 64}, 128));
  auto wide = conflicts(op("ld.shared.b64"), map, memory);
  ASSERT_FALSE(wide);
  EXPECT_EQ(wide.error()[0].kind, "access-width");
  EXPECT_NE(wide.error()[0].message.find("thread 0"), std::string::npos);
  EXPECT_FALSE(conflicts(op("ld.shared.b8"), map, memory));
  EXPECT_FALSE(conflicts(op("ld.shared.b32"), mapOf(c::wgmma(), {64, 32}), memory));
  auto count = conflicts(op("ldmatrix.x4"), mapOf(c::wgmma(), {64, 8}), AddressMap::of(smem({64, 8}, 16, {}, {})));
  ASSERT_FALSE(count);
  EXPECT_EQ(count.error()[0].kind, "matrix-count");
  EXPECT_NE(count.error()[0].message.find("use `.x2`"), std::string::npos);
  // The memory separates the elements of a pair.
  EXPECT_FALSE(conflicts(op("ld.shared.b32"), map, transposedMemory({64, 64}, 16, 64)));
  EXPECT_TRUE(conflicts(op("ld.shared.b16"), map, transposedMemory({64, 64}, 16, 64)));
}

/// The values of one access need not be neighbours in the layout, and lanes may hold nothing.
TEST(Conflicts, AnyRegistersAnyLanes) {
  // Registers 0 and 2, 1 and 3 are adjacent in memory; lanes 16 … 31 hold nothing.
  std::vector<int32_t> held(32 * 4, -1);
  for (int lane = 0; lane < 16; ++lane)
    for (int reg = 0; reg < 4; ++reg)
      held[lane * 4 + reg] = lane * 4 + reg % 2 * 2 + reg / 2;
  auto map = ElementMap::fromTable(RegisterLayout(c::wgmma()), {64}, 32, 4, 1, held);
  ASSERT_TRUE(map) << render(map.error());
  AddressMap memory = AddressMap::of(smem({64}, 32, {}, {}));
  auto report = conflicts(op("ld.shared.b64"), *map, memory);
  ASSERT_TRUE(report) << render(report.error());
  EXPECT_EQ(report->slots, (std::vector<int32_t>{0, 2, 1, 3}));
  EXPECT_EQ(report->addressesOf(1, 0)[15], 15 * 16 + 8);
  EXPECT_EQ(report->addressesOf(1, 0)[16], kNoAddress);
  EXPECT_EQ(report->wavefronts, 2 * 2); // lanes 16 bytes apart: 8-byte banks 0, 2, … 14 twice
  EXPECT_EQ(report->ideal, 2);
}

TEST(Conflicts, NoElements) {
  auto report = conflicts(op("ld.shared.b32"), mapOf(c::wgmma(), {0, 8}), AddressMap::of(smem({0, 8}, 16, {}, {})));
  ASSERT_TRUE(report) << render(report.error());
  EXPECT_EQ(report->wavefronts, 0);
}

} // namespace
