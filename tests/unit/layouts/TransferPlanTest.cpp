// Mosaic GPU's planned transfers: the published table, row by row, and the guarantees of a plan.

#include "layouts/cost/TransferPlan.h"
#include "layouts/Catalogue.h"
#include "layouts/cost/Conflicts.h"

#include <gtest/gtest.h>

#include <set>

using namespace lanescope;
using namespace lanescope::layouts;

namespace {

namespace c = catalogue;

/// An array of 128 rows and at least 128 columns, in memory tiles of (8, swizzle) bytes.
TransferMemory memoryOf(int bits, int swizzle) {
  int64_t columns = 8 * swizzle / bits;
  auto map = SmemMap::of({128, std::max<int64_t>(128, columns)}, bits, {8, columns}, swizzle);
  EXPECT_TRUE(map) << render(map.error());
  return TransferMemory::of(*map);
}

/// "trivial", "+2/4 gs2" or "error".
std::string planned(const TiledLayout &layout, const TransferMemory &memory) {
  auto plan = planTransfer(layout, memory);
  if (!plan) {
    EXPECT_EQ(plan.error()[0].kind, "no-transfer-plan") << render(plan.error());
    return "error";
  }
  if (!plan->stagger)
    return "trivial";
  return "+" + std::to_string(plan->stagger->by) + "/" + std::to_string(plan->stagger->size) + " gs" +
         std::to_string(plan->stagger->groupStride);
}

struct Row {
  const char *name;
  TiledLayout layout;
  int bits;
  std::array<const char *, 4> swizzles; // for none, 32, 64 and 128 bytes
};

std::vector<Row> table() {
  constexpr std::array<const char *, 4> free = {"trivial", "trivial", "trivial", "trivial"};
  constexpr std::array<const char *, 4> none = {"error", "error", "error", "error"};
  return {
      {"WGMMA", c::wgmma(), 8, free},
      {"WGMMA", c::wgmma(), 16, free},
      {"TCGEN05", c::tcgen05(), 8, free},
      {"TCGEN05", c::tcgen05(), 16, free},
      {"WGMMA", c::wgmma(), 32, {"error", "trivial", "+1/2 gs2", "+2/4 gs2"}},
      {"TCGEN05", c::tcgen05(), 32, {"error", "trivial", "+1/2 gs2", "+2/4 gs2"}},
      {"WGMMA_ACC_32BIT", c::wgmmaAcc32Bit(), 8, free},
      {"WGMMA_ACC_32BIT", c::wgmmaAcc32Bit(), 16, free},
      {"WGMMA_ACC_32BIT", c::wgmmaAcc32Bit(), 32, {"+1/2 gs2", "+1/2 gs2", "+1/2 gs2", "+1/2 gs2"}},
      {"WGMMA_8BIT", c::wgmma8Bit(), 8, free},
      {"WGMMA_8BIT", c::wgmma8Bit(), 16, {"error", "trivial", "+1/2 gs2", "+2/4 gs2"}},
      {"WGMMA_UPCAST_2X", c::wgmmaUpcast2x(), 8, free},
      {"WGMMA_UPCAST_2X", c::wgmmaUpcast2x(), 16, {"error", "trivial", "+1/2 gs1", "+2/4 gs1"}},
      {"WGMMA_UPCAST_4X", c::wgmmaUpcast4x(), 8, {"error", "trivial", "+1/2 gs2", "+2/4 gs2"}},
      {"WGMMA_UPCAST_4X", c::wgmmaUpcast4x(), 16, {"error", "error", "trivial", "+1/2 gs1"}},
      {"TMEM_NATIVE(2)", *c::tmemNative(2), 8, none},
      {"TMEM_NATIVE(2)", *c::tmemNative(2), 16, none},
      {"TMEM_NATIVE(2)", *c::tmemNative(2), 32, {"+1/2 gs8", "+1/4 gs8", "+1/8 gs8", "+1/16 gs8"}},
  };
}

TEST(TransferPlan, ThePublishedTable) {
  constexpr int kSwizzles[] = {16, 32, 64, 128};
  for (const Row &row : table())
    for (int i = 0; i < 4; ++i) {
      SCOPED_TRACE(std::string(row.name) + ", " + std::to_string(row.bits) + " bits, swizzle " +
                   std::to_string(kSwizzles[i]));
      EXPECT_EQ(planned(row.layout, memoryOf(row.bits, kSwizzles[i])), row.swizzles[i]);
    }
}

/// Transposed layouts with the memory of the transposed array, which has tiles of (columns, 8) with the rows as minor
/// dimension.
TEST(TransferPlan, TransposedRowsOfTheTable) {
  for (const TiledLayout &layout : {c::wgmmaTransposed(), c::tcgen05Transposed()})
    for (int bits : {16, 32})
      for (int swizzle : {32, 64, 128}) {
        auto map = SmemMap::of({128, 128}, bits, {8, 8 * swizzle / bits}, swizzle);
        ASSERT_TRUE(map);
        EXPECT_EQ(planned(layout, TransferMemory::of(*map).transposed({1, 0})), "trivial");
      }
}

TEST(TransferPlan, TheStaggeredDimension) {
  // 32-bit WGMMA staggers the eight-column tiles inside a memory tile.
  auto plan = planTransfer(c::wgmma(), memoryOf(32, 128));
  ASSERT_TRUE(plan && plan->stagger);
  EXPECT_EQ(plan->grid[plan->stagger->dim].size, 4);
  EXPECT_EQ(plan->grid[plan->stagger->dim].stride, 8);
  EXPECT_NE(plan->text().find("+2 of 4"), std::string::npos);
  // ACC_32BIT staggers the two elements of a pair.
  plan = planTransfer(c::wgmmaAcc32Bit(), memoryOf(32, 128));
  ASSERT_TRUE(plan && plan->stagger);
  EXPECT_EQ(plan->grid[plan->stagger->dim].stride, 1);
}

/// A plan moves every register of every lane once.
TEST(TransferPlan, AStaggerPermutesTheRegistersOfALane) {
  for (const Row &row : table())
    for (int swizzle : {16, 32, 64, 128}) {
      TransferMemory memory = memoryOf(row.bits, swizzle);
      auto plan = planTransfer(row.layout, memory);
      if (!plan)
        continue;
      auto report = plannedConflicts(true, row.layout, memory);
      ASSERT_TRUE(report) << render(report.error());
      int64_t steps = static_cast<int64_t>(report->instructions.size());
      for (int lane : {0, 1, 2, 9, 31}) {
        std::set<int64_t> registers;
        for (int64_t step = 0; step < steps; ++step)
          registers.insert(plan->reg(step, lane));
        EXPECT_EQ(static_cast<int64_t>(registers.size()), steps);
        EXPECT_EQ(*registers.begin(), 0);
        EXPECT_EQ(*registers.rbegin(), steps - 1);
      }
    }
}

/// If each access moves whole banks, the hardware has no conflicts where the plan has none.
TEST(TransferPlan, PlansOfWholeBanksHaveNoConflicts) {
  int plans = 0;
  for (const Row &row : table()) {
    if (row.layout.vectorLength() * row.bits < 32)
      continue;
    for (int swizzle : {16, 32, 64, 128})
      for (bool load : {false, true}) {
        auto report = plannedConflicts(load, row.layout, memoryOf(row.bits, swizzle));
        if (!report)
          continue;
        ++plans;
        EXPECT_EQ(report->conflicts(), 0) << row.name << " " << row.bits << " " << swizzle;
        EXPECT_EQ(report->op.isLoad(), load);
      }
  }
  EXPECT_GT(plans, 40);
}

/// Without the plan's stagger the same accesses conflict.
TEST(TransferPlan, WithoutTheStaggerThereAreConflicts) {
  auto map = ElementMap::of(c::wgmma(), {128, 128});
  auto memory = AddressMap::of(*SmemMap::of({128, 128}, 32, {8, 32}, 128));
  auto direct = conflicts(*parseSmemOp("ld.shared.b64"), *map, memory);
  auto plan = plannedConflicts(true, c::wgmma(), memoryOf(32, 128));
  ASSERT_TRUE(direct && plan);
  EXPECT_EQ(direct->conflicts(), direct->ideal); // twice as many wavefronts as necessary
  EXPECT_EQ(plan->conflicts(), 0);
  EXPECT_EQ(plan->ideal, direct->ideal);
}

/// The plan assumes banks as narrow as an access. Single bytes in rows of 129 bytes are in 32 different banks to the
/// plan, but in hardware four rows share each 4-byte bank.
TEST(TransferPlan, NarrowBanksAreThePlansOwn) {
  auto report = plannedConflicts(true, *c::tmemNative(1), TransferMemory::of(*SmemMap::of({128, 129}, 8, {}, {})));
  ASSERT_TRUE(report) << render(report.error());
  EXPECT_FALSE(report->plan->stagger);
  EXPECT_EQ(report->ideal, 129 * 4);
  EXPECT_EQ(report->wavefronts, 129 * 4 * 4);
}

TEST(TransferPlan, WhatIsRefused) {
  // The vector runs along rows, and the memory along columns.
  auto plan = planTransfer(c::wgmmaTransposed(), memoryOf(16, 128));
  ASSERT_FALSE(plan);
  EXPECT_EQ(plan.error()[0].kind, "transfer-unsupported");
  // 64-bit elements need accesses above 16 bytes.
  EXPECT_FALSE(planTransfer(c::wgmma(), TransferMemory::of(*SmemMap::of({64, 64}, 64, {}, {}))));
  EXPECT_FALSE(planTransfer(*c::tmemNative(16), TransferMemory::of(*SmemMap::of({128, 64}, 16, {}, {}))));
  // The layout does not divide the shape.
  EXPECT_FALSE(planTransfer(c::wgmma(), TransferMemory::of(*SmemMap::of({60, 64}, 16, {}, {}))));
  // The access would have half a byte.
  EXPECT_FALSE(planTransfer(c::wgmmaAcc32Bit(), TransferMemory::of(*SmemMap::of({64, 64}, 4, {}, {}))));
}

} // namespace
