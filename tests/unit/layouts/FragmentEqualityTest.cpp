// Fragments equal the layouts that Mosaic and CUTLASS use for the same instructions, and loads of tensor memory lead
// from one to the other.
#include "tests/unit/layouts/FragmentSupport.h"

#include "layouts/Catalogue.h"
#include "layouts/support/Text.h"

#include <algorithm>

using namespace lanescope;
using namespace lanescope::layouts;

namespace {

TEST(FragmentEquality, EqualsTheCatalogue) {
  auto same = [](const ElementMap &mine, const TiledLayout &theirs) {
    Result<ElementMap> map = ElementMap::of(theirs, mine.shape());
    return map && map->threads() == mine.threads() && std::ranges::equal(map->elements(), mine.elements());
  };
  for (int n : {8, 64, 256}) {
    ElementMap d = mapOf(text("wgmma.m64n", n, "k16.f32.f16"), "d");
    EXPECT_TRUE(same(d, catalogue::wgmmaAcc32Bit())) << n;
    EXPECT_EQ(d.vector(), 1);
    ElementMap half = mapOf(text("wgmma.m64n", n, "k16.f16.f16"), "d");
    EXPECT_TRUE(same(half, catalogue::wgmma())) << n;
    EXPECT_EQ(half.vector(), 2);
  }
  EXPECT_TRUE(same(mapOf("wgmma.m64n8k16.bf16", "a"), catalogue::wgmma()));
  EXPECT_TRUE(same(mapOf("wgmma.m64n8k32.e4m3", "a"), catalogue::wgmma8Bit()));
  EXPECT_TRUE(same(mapOf("wgmma.m64n8k32.s8", "a"), catalogue::wgmma8Bit()));
  EXPECT_FALSE(same(mapOf("wgmma.m64n8k32.s8", "a"), catalogue::wgmma()));
  // Warp 0 of the mma layouts with four warps along M.
  for (const auto &[bits, name] : std::vector<std::pair<int, std::string_view>>{
           {4, "mma.m16n8k64.s4"}, {8, "mma.m16n8k32.e4m3"}, {16, "mma.m16n8k16.f16"}, {32, "mma.m16n8k8.tf32"}}) {
    catalogue::MmaLayouts theirs = *catalogue::mmaLayouts(bits);
    for (const auto &[operand, layout] : std::vector<std::pair<std::string_view, const TiledLayout *>>{
             {"a", &theirs.lhs}, {"b", &theirs.rhs}, {"d", &theirs.acc}}) {
      ElementMap mine = mapOf(name, operand);
      Shape shape = mine.shape();
      if (operand != "b")
        shape[0] *= 4;
      ElementMap map = *ElementMap::of(*layout, shape);
      EXPECT_TRUE(std::ranges::equal(mine.elements(), map.elements().first(mine.elements().size())))
          << name << ' ' << operand;
    }
  }
  // 32x32b puts one row in each lane.
  for (int n : {4, 32, 128}) {
    EXPECT_TRUE(same(mapOf(text("tcgen05.ld.32x32b.x", n), "r"), *catalogue::tmemNative(2)));
    EXPECT_TRUE(same(mapOf(text("tcgen05.ld.32x32b.x", n, ".pack::16b"), "r"), *catalogue::tmemNative(2)));
  }
}

TEST(FragmentEquality, AccumulatorsInTensorMemoryEqualTheCatalogue) {
  auto same = [](const TmemMap &mine, const TMEMLayout &theirs) {
    Result<TmemMap> map = TmemMap::of(theirs, mine.shape(), mine.bitwidth());
    return map && map->columns() == mine.columns() && std::ranges::equal(map->elements(), mine.elements());
  };
  for (int n : {32, 128, 256}) {
    EXPECT_TRUE(
        same(cellsOf(text("tcgen05.mma.m128n", n, "k16.f32.f16"), "d"), *catalogue::inferTmem({128, n}, false, 1)));
    EXPECT_TRUE(
        same(cellsOf(text("tcgen05.mma.m128n", n, "k16.f16.f16"), "d"), *catalogue::inferTmem({128, n}, false, 1)));
    EXPECT_TRUE(same(cellsOf(text("tcgen05.mma.m256n", n, "k16.cta_group::2.f32.f16"), "d"),
                     *catalogue::inferTmem({128, n}, true, 1)));
    EXPECT_TRUE(same(cellsOf(text("tcgen05.mma.m128n", n, "k16.cta_group::2.f32.f16"), "d"),
                     *catalogue::inferTmem({64, n}, true, 1)));
  }
  EXPECT_TRUE(same(cellsOf("tcgen05.mma.m128n64k16.f32.f16", "a"), *catalogue::inferTmem({128, 16}, false, 2)));
  EXPECT_TRUE(same(cellsOf("tcgen05.mma.m128n64k32.s32.s8", "a"), *catalogue::inferTmem({128, 32}, false, 4)));
  // Layout E has the same lanes as layout B.
  EXPECT_TRUE(same(cellsOf("tcgen05.mma.ws.m64n128k16.f32.f16", "d"), *catalogue::inferTmem({64, 128}, true, 1)));
  // Mosaic's M = 64 is two instructions of N/2 columns; the second is 16 lanes further.
  TmemMap half = cellsOf("tcgen05.mma.m64n32k16.f32.f16", "d"),
          whole = *TmemMap::of(*catalogue::inferTmem({64, 64}, false, 1), {64, 64}, 32);
  for (int r = 0; r < 64; ++r)
    for (int c = 0; c < 64; ++c) {
      TmemCell cell = half.cells(r * 32 + c % 32).front();
      EXPECT_EQ(whole.cells(r * 64 + c), (std::vector<TmemCell>{{cell.lane + c / 32 * 16, cell.column, 0}}));
    }
  // CUTLASS mma_traits_sm100_frag.hpp: "1x4" (32,(N/4,4)):(1,(128,32)), half subpartitions ((16,4),N):((1,32),128),
  // addresses lane + 128*column.
  TmemMap quarters = cellsOf("tcgen05.mma.ws.m32n64k16.f32.f16", "d");
  for (int r = 0; r < 32; ++r)
    for (int c = 0; c < 64; ++c) {
      int address = r + c % 16 * 128 + c / 16 * 32, lower = r % 16 + r / 16 * 32 + c % 32 * 128;
      EXPECT_EQ(quarters.cells(r * 64 + c).front(), (TmemCell{address % 128, address / 128, 0}));
      EXPECT_EQ(half.cells(r * 32 + c % 32).front(), (TmemCell{lower % 128, lower / 128, 0}));
    }
}

TEST(FragmentEquality, SparseAndScaledOperandsInTensorMemory) {
  // CUTLASS mma_traits_sm100_frag.hpp, tmem_e_frg: (row, column before compression) -> lane + 128*bit. An index of a
  // 2:4 or 4:8 chunk has one bit for each of its columns; for tf32 it has two.
  struct Case {
    std::string_view name;
    int64_t rows[3][2], columns[2][2]; // size, stride
    int64_t columnsPerField, bitsPerColumn;
  };
  const std::vector<Case> cases = {
      {"tcgen05.mma.sp.m128n64k32.f32.f16", {{8, 1}, {2, 2048}, {8, 16}}, {{16, 128}, {2, 8}}, 2, 1},
      {"tcgen05.mma.sp.m256n64k32.cta_group::2.f32.bf16", {{8, 1}, {2, 2048}, {8, 16}}, {{16, 128}, {2, 8}}, 2, 1},
      {"tcgen05.mma.sp.m128n64k16.f32.tf32", {{8, 1}, {2, 1024}, {8, 16}}, {{8, 128}, {2, 8}}, 2, 2},
      {"tcgen05.mma.sp.m128n64k64.f32.e4m3", {{128, 1}, {1, 0}, {1, 0}}, {{64, 128}, {1, 0}}, 2, 1},
      {"tcgen05.mma.sp.m128n64k64.s32.s8", {{128, 1}, {1, 0}, {1, 0}}, {{64, 128}, {1, 0}}, 2, 1},
  };
  for (const Case &each : cases) {
    TmemMap map = cellsOf(each.name, "e");
    Shape shape = map.shape();
    int64_t fieldBits = map.bitwidth();
    ASSERT_EQ(shape[0], 128) << each.name;
    ASSERT_EQ(shape[1] * each.columnsPerField, each.columns[0][0] * each.columns[1][0]) << each.name;
    for (int64_t r = 0; r < shape[0]; ++r)
      for (int64_t f = 0; f < shape[1]; ++f) {
        int64_t column = f * each.columnsPerField, address = 0, row = r;
        for (const auto &[size, stride] : each.rows)
          address += row % size * stride, row /= size;
        for (const auto &[size, stride] : each.columns)
          address += column % size * stride, column /= size;
        int64_t bit = address / 128 * each.bitsPerColumn;
        ASSERT_EQ(map.cells(r * shape[1] + f),
                  (std::vector<TmemCell>{{static_cast<int32_t>(address % 128), static_cast<int32_t>(bit / 32),
                                          static_cast<int32_t>(bit % 32 / fieldBits)}}))
            << each.name << ' ' << r << ' ' << f;
      }
  }
  // Scales: the catalogue's layout has four for each row, of which the instruction uses some.
  TmemMap whole = *TmemMap::of(catalogue::scales(), {128, 4}, 8);
  for (const auto &[name, count, byte] : std::vector<std::tuple<std::string_view, int, int>>{
           {"tcgen05.mma.m128n128k32.kind::mxf8f6f4.f32.e4m3", 1, 0},
           {"tcgen05.mma.m128n128k32.kind::mxf8f6f4.f32.e4m3.byte_id_a::3.byte_id_b::3", 1, 3},
           {"tcgen05.mma.m128n128k64.kind::mxf4.f32.e2m1.byte_id_a::2.byte_id_b::2", 2, 2},
           {"tcgen05.mma.m128n128k64.kind::mxf4nvf4.block16.f32.e2m1", 4, 0}}) {
    TmemMap a = cellsOf(name, "scale_a"), b = cellsOf(name, "scale_b");
    ASSERT_EQ(a.shape(), (Shape{128, count}));
    ASSERT_EQ(b.shape(), (Shape{count, 128}));
    for (int i = 0; i < 128; ++i)
      for (int s = 0; s < count; ++s) {
        EXPECT_EQ(a.cells(i * count + s), whole.cells(i * 4 + byte + s)) << name;
        EXPECT_EQ(b.cells(s * 128 + i), whole.cells(i * 4 + byte + s)) << name;
      }
  }
  EXPECT_EQ(atomNamed("tcgen05.mma.m128n64k64.e2m1.kind::mxf4nvf4.scale_vec::4X.ue8m0").name,
            "tcgen05.mma.m128n64k64.kind::mxf4nvf4.scale_vec::4X.f32.e2m1.ue8m0");
  EXPECT_EQ(atomNamed("tcgen05.mma.sp.m64n64k32.f16").find("e"), nullptr); // the ISA shows it only in a picture
}

/// The contents of registers after a load of an accumulator: [thread][value] -> element of D.
std::vector<int32_t> loaded(std::string_view load, const TmemMap &accumulator, int laneOffset) {
  ElementMap registers = mapOf(load, "r");
  TmemMap cells = cellsOf(load, "r");
  std::vector<int32_t> out;
  for (int32_t element : registers.elements()) {
    TmemCell cell = cells.cells(element).front();
    out.push_back(accumulator.element(cell.lane + laneOffset, cell.column, cell.sub));
  }
  return out;
}

TEST(FragmentEquality, LoadsOfAccumulatorsGiveRegisterLayouts) {
  // M = 64 on one CTA, read by 16x256b, gives WGMMA's accumulator.
  TmemMap d = cellsOf("tcgen05.mma.m64n64k16.f32.f16", "d");
  EXPECT_TRUE(std::ranges::equal(loaded("tcgen05.ld.16x256b.x8", d, 0),
                                 ElementMap::of(catalogue::wgmmaAcc32Bit(), {64, 64})->elements()));
  // 16-bit accumulators are packed by the load: two elements per register.
  TmemMap narrow = cellsOf("tcgen05.mma.m64n64k16.f16.f16", "d");
  EXPECT_TRUE(std::ranges::equal(loaded("tcgen05.ld.16x128b.x8.pack::16b", narrow, 0),
                                 ElementMap::of(catalogue::wgmma(), {64, 64})->elements()));
  // M = 128: two loads, 16 lanes apart, give TCGEN05's row blocks {0, 1} and {2, 3}.
  TmemMap full = cellsOf("tcgen05.mma.m128n64k16.f32.f16", "d");
  ElementMap tcgen05 = *ElementMap::of(catalogue::tcgen05(), {128, 64});
  for (int half : {0, 1}) {
    std::vector<int32_t> registers = loaded("tcgen05.ld.16x256b.x8", full, 16 * half);
    for (int t = 0; t < 128; ++t)
      for (int v = 0; v < 32; ++v) // 8 column tiles x 2 row halves x pair
        ASSERT_EQ(registers[static_cast<size_t>(t * 32 + v)],
                  tcgen05.element(t, v / 4 * 4 + half * 2 + v / 2 % 2, v % 2));
  }
}

} // namespace
