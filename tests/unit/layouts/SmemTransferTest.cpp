// The choice of instructions for transfers: its costs, counted in a second way, and groups of matrices that cover all
// registers.
#include "layouts/cost/SmemTransfer.h"

#include "layouts/Catalogue.h"
#include "layouts/cost/Conflicts.h"

#include <gtest/gtest.h>

#include <set>

using namespace lanescope;
using namespace lanescope::layouts;

namespace {

namespace c = catalogue;

SmemTransfer chosen(bool load, const TiledLayout &layout, const TransferMemory &memory) {
  auto out = chooseTransfer(load, layout, memory, {.bytes = widestAccess(layout, memory)});
  EXPECT_TRUE(out);
  return out ? *out : SmemTransfer{};
}

SmemMap mapOf(int bits, int swizzle) {
  int64_t columns = 8 * swizzle / bits;
  return *SmemMap::of({128, std::max<int64_t>(128, columns)}, bits, {8, columns}, swizzle);
}

// `conflicts` enumerates elements and their addresses; the choice counts from strides.
TEST(SmemTransfer, CostsWhatConflictsCounts) {
  int matrices = 0, staggers = 0, direct = 0;
  for (const TiledLayout &layout : {c::wgmma(), c::tcgen05(), c::wgmmaAcc32Bit(), c::wgmma8Bit(), c::wgmmaUpcast2x(),
                                    c::wgmmaUpcast4x(), *c::tmemNative(2)})
    for (int bits : {8, 16, 32})
      for (int swizzle : {16, 32, 64, 128})
        for (bool load : {false, true}) {
          SmemMap map = mapOf(bits, swizzle);
          TransferMemory memory = TransferMemory::of(map);
          SmemTransfer transfer = chosen(load, layout, memory);
          SCOPED_TRACE(std::to_string(bits) + " bits, swizzle " + std::to_string(swizzle) + ": " + transfer.text());
          auto elements = ElementMap::of(layout, map.shape());
          ASSERT_TRUE(elements);
          Result<ConflictReport> report = transfer.stagger ? plannedConflicts(load, layout, memory)
                                                           : conflicts(transfer.op, *elements, AddressMap::of(map));
          ASSERT_TRUE(report) << render(report.error());
          EXPECT_EQ(transfer.wavefronts, report->wavefronts);
          EXPECT_EQ(transfer.ideal, report->ideal);
          (transfer.matrix ? matrices : transfer.stagger ? staggers : direct)++;
          // The choice is never worse than accessing register by register.
          auto plain = chooseTransfer(load, layout, memory, {.bytes = widestAccess(layout, memory), .matrices = false});
          ASSERT_TRUE(plain && !plain->matrix);
          EXPECT_LE(transfer.wavefronts, plain->wavefronts);
        }
  EXPECT_GT(matrices, 10);
  EXPECT_GT(staggers, 10);
  EXPECT_GT(direct, 10);
}

// For plans of whole banks in the published table, there are no conflicts.
TEST(SmemTransfer, KnownRows) {
  auto text = [](bool load, const TiledLayout &layout, const TransferMemory &memory) {
    return chosen(load, layout, memory).text();
  };
  EXPECT_EQ(text(true, c::wgmma(), TransferMemory::of(mapOf(16, 128))), "ldmatrix.x4");
  EXPECT_EQ(text(false, c::wgmma(), TransferMemory::of(mapOf(16, 128)).transposed({1, 0})), "stmatrix.x4.trans");
  EXPECT_EQ(text(true, c::wgmma8Bit(), TransferMemory::of(mapOf(8, 64))), "ldmatrix.x4");
  EXPECT_TRUE(chosen(true, c::wgmma(), TransferMemory::of(mapOf(32, 128))).stagger);
  EXPECT_EQ(chosen(true, c::wgmma(), TransferMemory::of(mapOf(32, 128))).conflicts(), 0);
  // Eight 4-bit elements are a lane's part of a matrix, as are four bytes.
  const c::MmaLayouts four = *c::mmaLayouts(4);
  EXPECT_EQ(text(true, four.lhs, TransferMemory::of(mapOf(4, 128))), "ldmatrix.x4");
  EXPECT_EQ(text(true, four.rhs, TransferMemory::of(mapOf(4, 64)).transposed({1, 0})), "ldmatrix.x4");
  // Many lanes of one warp hold copies of the columns. Matrix stores do not fit, because their rows would lie in one
  // place.
  auto column = *SmemMap::of({128}, 16, {}, {});
  EXPECT_TRUE(chosen(true, c::wgmmaCol(), TransferMemory::of(column)).matrix);
  EXPECT_FALSE(chosen(false, c::wgmmaCol(), TransferMemory::of(column)).matrix);
  // The rows of the matrices do not lie multiples of 16 bytes apart.
  auto padded = TransferMemory::of(mapOf(16, 128));
  EXPECT_FALSE(chooseTransfer(true, c::wgmma(), padded, {.bytes = 4, .alignment = 8})->matrix);
  EXPECT_FALSE(chooseTransfer(true, c::wgmma(), padded, {.bytes = 4, .base = 8})->matrix);
}

// Each register is covered once, with the fewest possible instructions; row addresses follow from the strides.
TEST(SmemTransfer, GroupsCoverTheRegisters) {
  auto layout = TiledLayout::make(*Tiling::make({{32, 8}, {8, 8}, {2}}), {-5}, {-3, -2}, -1);
  ASSERT_TRUE(layout);
  for (int64_t m = 1; m <= 9; ++m)
    for (int64_t k = 1; k <= 9; ++k) {
      SmemTransfer transfer =
          chosen(true, *layout, TransferMemory::of(*SmemMap::of({32 * m, 8 * k}, 16, {8, 8}, std::nullopt)));
      ASSERT_TRUE(transfer.matrix);
      std::set<int32_t> registers;
      int64_t instructions = 0;
      for (const MatrixSet &set : transfer.matrix->sets)
        for (const MatrixSet::Group &group : set.groups) {
          ++instructions;
          for (int i = 0; i < set.matrices; ++i) {
            int64_t offset = group.offset + i % 2 * set.strides[0] + i / 2 * set.strides[1];
            int32_t reg = group.registers[i];
            EXPECT_TRUE(registers.insert(reg).second);
            // Register (row tile, column tile) lies 32 rows and 8 columns further per step, in tiles of 8 x 8.
            EXPECT_EQ(offset, reg / k * 4 * k * 128 + reg % k * 128) << m << " x " << k;
          }
        }
      EXPECT_EQ(static_cast<int64_t>(registers.size()), m * k);
      EXPECT_LE(instructions, m * k / 4 + 2) << m << " x " << k; // besides fours, one group of two and one of one
    }
}

} // namespace
