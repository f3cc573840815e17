// Fragments against independent sources: CUTLASS's thread-value layouts, the ISA's formulas, the catalogue of Mosaic's
// layouts, and measurements on an H200.
#include "tests/unit/layouts/FragmentSupport.h"

#include "layouts/support/Text.h"

#include <algorithm>
#include <set>

using namespace lanescope;
using namespace lanescope::layouts;

namespace {

struct Mode {
  int64_t size, stride;
};
using Modes = std::vector<Mode>;

/// A CuTe layout's value at `index`: modes in colexicographic order, the first fastest.
int64_t evaluate(const Modes &modes, int64_t index) {
  int64_t out = 0;
  for (const Mode &mode : modes) {
    out += index % mode.size * mode.stride;
    index /= mode.size;
  }
  return out;
}
int64_t sizeOf(const Modes &modes) {
  int64_t out = 1;
  for (const Mode &mode : modes)
    out *= mode.size;
  return out;
}

/// The element of value v (register * vector + position) of a thread.
int32_t value(const ElementMap &map, int64_t thread, int64_t v) {
  return map.elements()[static_cast<size_t>(thread * map.values() + v)];
}

struct Trait {
  std::string_view name, operand, source; // CUTLASS file and trait
  Modes threads, values;                  // indices m + M*k of A, n + N*k of B, m + M*n of C
};

// Thread and value modes are flattened in order, because nesting does not change the value.
const Modes kRows = {{4, 32}, {8, 1}}, kPairs = {{2, 16}, {2, 8}}; // SM80_16x8_Row
const std::vector<Trait> kTraits = {
    {"mma.m16n8k8.f16", "a", "sm80 16x8x8_F16", kRows, kPairs},
    {"mma.m16n8k8.f16", "b", "sm80 16x8x8_F16", {{4, 16}, {8, 1}}, {{2, 8}}},
    {"mma.m16n8k8.f16", "d", "sm80 16x8x8_F32F16F16F32", kRows, kPairs},
    {"mma.m16n8k8.f16.f16", "c", "sm80 16x8x8_F16F16F16F16", kRows, kPairs},
    {"mma.m16n8k8.bf16", "a", "sm80 16x8x8_BF16", kRows, kPairs},
    {"mma.m16n8k16.f16", "a", "sm80 16x8x16_F16", kRows, {{2, 16}, {2, 8}, {2, 128}}},
    {"mma.m16n8k16.f16", "b", "sm80 16x8x16_F16", {{4, 16}, {8, 1}}, {{2, 8}, {2, 64}}},
    {"mma.m16n8k16.bf16", "b", "sm80 16x8x16_BF16", {{4, 16}, {8, 1}}, {{2, 8}, {2, 64}}},
    {"mma.m16n8k4.tf32", "a", "sm80 16x8x4_TF32", {{4, 16}, {8, 1}}, {{2, 8}}},
    {"mma.m16n8k4.tf32", "b", "sm80 16x8x4_TF32", {{4, 8}, {8, 1}}, {{1, 0}}},
    {"mma.m16n8k8.tf32", "a", "sm80 16x8x8_TF32", {{4, 16}, {8, 1}}, {{2, 8}, {2, 64}}},
    {"mma.m16n8k8.tf32", "b", "sm80 16x8x8_TF32", {{4, 8}, {8, 1}}, {{2, 32}}},
    {"mma.m16n8k8.tf32", "d", "sm80 16x8x8_TF32", kRows, kPairs},
    {"mma.m8n8k4.f64", "a", "sm80 8x8x4_F64", {{4, 8}, {8, 1}}, {{1, 0}}},
    {"mma.m8n8k4.f64", "b", "sm80 8x8x4_F64", {{4, 8}, {8, 1}}, {{1, 0}}},
    {"mma.m8n8k4.f64", "d", "sm80 8x8x4_F64", {{4, 16}, {8, 1}}, {{2, 8}}},
    {"mma.m16n8k4.f64", "a", "sm90 16x8x4_F64", {{4, 16}, {8, 1}}, {{2, 8}}},
    {"mma.m16n8k4.f64", "b", "sm90 16x8x4_F64", {{4, 8}, {8, 1}}, {{1, 0}}},
    {"mma.m16n8k8.f64", "a", "sm90 16x8x8_F64", {{4, 16}, {8, 1}}, {{2, 8}, {2, 64}}},
    {"mma.m16n8k8.f64", "b", "sm90 16x8x8_F64", {{4, 8}, {8, 1}}, {{2, 32}}},
    {"mma.m16n8k16.f64", "a", "sm90 16x8x16_F64", {{4, 16}, {8, 1}}, {{2, 8}, {4, 64}}},
    {"mma.m16n8k16.f64", "b", "sm90 16x8x16_F64", {{4, 8}, {8, 1}}, {{4, 32}}},
    {"mma.m16n8k16.f64", "d", "sm90 16x8x16_F64", kRows, kPairs},
    {"mma.m8n8k16.s8", "a", "sm75 8x8x16_S8", {{4, 32}, {8, 1}}, {{4, 8}}},
    {"mma.m8n8k16.s8.u8", "b", "sm80 8x8x16_S8U8", {{4, 32}, {8, 1}}, {{4, 8}}},
    {"mma.m8n8k16.s8", "d", "sm75 8x8x16_S8", {{4, 16}, {8, 1}}, {{2, 8}}},
    {"mma.m16n8k16.s8", "a", "sm80 16x8x16_S8", {{4, 64}, {8, 1}}, {{4, 16}, {2, 8}}},
    {"mma.m16n8k16.u8", "b", "sm80 16x8x16_U8", {{4, 32}, {8, 1}}, {{4, 8}}},
    {"mma.m16n8k32.s8", "a", "sm80 16x8x32_S8", {{4, 64}, {8, 1}}, {{4, 16}, {2, 8}, {2, 256}}},
    {"mma.m16n8k32.s8", "b", "sm80 16x8x32_S8", {{4, 32}, {8, 1}}, {{4, 8}, {2, 128}}},
    {"mma.m16n8k32.s8", "d", "sm80 16x8x32_S8", kRows, kPairs},
    {"mma.m8n8k32.s4", "a", "sm80 8x8x32_S4", {{4, 64}, {8, 1}}, {{8, 8}}},
    {"mma.m8n8k32.s4.u4", "b", "sm80 8x8x32_S4U4", {{4, 64}, {8, 1}}, {{8, 8}}},
    {"mma.m16n8k32.u4", "a", "sm80 16x8x32_U4", {{4, 128}, {8, 1}}, {{8, 16}, {2, 8}}},
    {"mma.m16n8k32.s4", "b", "sm80 16x8x32_S4", {{4, 64}, {8, 1}}, {{8, 8}}},
    {"mma.m16n8k64.s4", "a", "sm80 16x8x64_S4", {{4, 128}, {8, 1}}, {{8, 16}, {2, 8}, {2, 512}}},
    {"mma.m16n8k64.s4", "b", "sm80 16x8x64_S4", {{4, 64}, {8, 1}}, {{8, 8}, {2, 256}}},
    {"mma.m8n8k128.b1", "a", "sm80 8x8x128_U1", {{4, 256}, {8, 1}}, {{32, 8}}},
    {"mma.m8n8k128.b1", "b", "sm80 8x8x128_U1", {{4, 256}, {8, 1}}, {{32, 8}}},
    {"mma.m16n8k128.b1", "a", "sm80 16x8x128_U1", {{4, 512}, {8, 1}}, {{32, 16}, {2, 8}}},
    {"mma.m16n8k256.b1", "a", "sm80 16x8x256_U1", {{4, 512}, {8, 1}}, {{32, 16}, {2, 8}, {2, 2048}}},
    {"mma.m16n8k256.b1", "b", "sm80 16x8x256_U1", {{4, 256}, {8, 1}}, {{32, 8}, {2, 1024}}},
    {"mma.m16n8k32.e4m3", "a", "sm89 16x8x32_E4M3", {{4, 64}, {8, 1}}, {{4, 16}, {2, 8}, {2, 256}}},
    {"mma.m16n8k32.e4m3.e5m2", "b", "sm89 16x8x32_E4M3E5M2", {{4, 32}, {8, 1}}, {{4, 8}, {2, 128}}},
    {"mma.m16n8k32.f16.e5m2", "d", "sm89 16x8x32_F16E5M2", kRows, kPairs},
    {"mma.m16n8k32.kind::f8f6f4.e2m1", "a", "sm120 16x8x32_TN", {{4, 64}, {8, 1}}, {{4, 16}, {2, 8}, {2, 256}}},
    {"mma.m16n8k32.kind::mxf8f6f4.e3m2", "b", "sm120 16x8x32_TN_VS", {{4, 32}, {8, 1}}, {{4, 8}, {2, 128}}},
    {"mma.m16n8k64.kind::mxf4.e2m1", "a", "sm120 16x8x64_TN_VS", {{4, 128}, {8, 1}}, {{8, 16}, {2, 8}, {2, 512}}},
    {"mma.m16n8k64.kind::mxf4.e2m1", "b", "sm120 16x8x64_TN_VS", {{4, 64}, {8, 1}}, {{8, 8}, {2, 256}}},
    {"mma.sp.m16n8k64.kind::f8f6f4.e4m3", "b", "sm120_sparse 16x8x64", {{4, 32}, {8, 1}}, {{4, 8}, {4, 128}}},
    {"mma.sp.m16n8k128.kind::mxf4.e2m1", "b", "sm120_sparse 16x8x128", {{4, 64}, {8, 1}}, {{8, 8}, {4, 256}}},
    {"mma.sp.m16n8k64.kind::f8f6f4.e4m3", "d", "sm120_sparse 16x8x64", kRows, kPairs},
    {"wgmma.m64n8k16.f32.f16", "d", "sm90_gmma CLayout_64x8", {{4, 128}, {8, 1}, {4, 16}}, {{2, 64}, {2, 8}, {1, 512}}},
    {"wgmma.m64n96k16.f16.f16",
     "d",
     "sm90_gmma CLayout_64x96",
     {{4, 128}, {8, 1}, {4, 16}},
     {{2, 64}, {2, 8}, {12, 512}}},
    {"wgmma.m64n256k32.s8", "d", "sm90_gmma CLayout_64x256", {{4, 128}, {8, 1}, {4, 16}}, {{2, 64}, {2, 8}, {32, 512}}},
    {"wgmma.m64n64k8.tf32", "a", "sm90_gmma ALayout_64x8", {{4, 64}, {8, 1}, {4, 16}}, {{2, 8}, {2, 256}}},
    {"wgmma.m64n64k16.bf16", "a", "sm90_gmma ALayout_64x16", {{4, 128}, {8, 1}, {4, 16}}, {{2, 64}, {2, 8}, {2, 512}}},
    {"wgmma.m64n64k32.e5m2", "a", "sm90_gmma ALayout_64x32", {{4, 256}, {8, 1}, {4, 16}}, {{4, 64}, {2, 8}, {2, 1024}}},
};

TEST(Fragment, MatchesCutlassThreadValueLayouts) {
  for (const Trait &trait : kTraits) {
    ElementMap map = mapOf(trait.name, trait.operand);
    ASSERT_EQ(map.threads(), sizeOf(trait.threads)) << trait.source;
    ASSERT_EQ(map.values(), sizeOf(trait.values)) << trait.source;
    int64_t rows = map.shape()[0], columns = map.shape()[1];
    for (int64_t t = 0; t < map.threads(); ++t)
      for (int64_t v = 0; v < map.values(); ++v) {
        int64_t at = evaluate(trait.threads, t) + evaluate(trait.values, v);
        // B is (N, K) in CUTLASS and (K, N) here.
        int64_t element =
            trait.operand == "b" ? at / columns * columns + at % columns : at % rows * columns + at / rows;
        ASSERT_EQ(value(map, t, v), element)
            << trait.name << ' ' << trait.operand << ' ' << trait.source << " T" << t << " V" << v;
      }
  }
}

TEST(Fragment, SparseAMatchesCutlass) {
  // CUTLASS counts the columns before compression: its values 2v and 2v + 1 correspond to our stored element v.
  const std::vector<Trait> traits = {
      {"mma.sp.m16n8k64.kind::f8f6f4.e4m3",
       "a",
       "sm120_sparse 16x8x64",
       {{4, 128}, {8, 1}},
       {{8, 16}, {2, 8}, {2, 512}}},
      {"mma.sp.m16n8k64.e5m2", "a", "sm120_sparse 16x8x64", {{4, 128}, {8, 1}}, {{8, 16}, {2, 8}, {2, 512}}},
      {"mma.sp.m16n8k128.kind::mxf4.e2m1",
       "a",
       "sm120_sparse 16x8x128",
       {{4, 256}, {8, 1}},
       {{16, 16}, {2, 8}, {2, 1024}}},
      {"wgmma.sp.m64n8k16.tf32",
       "a",
       "sm90_gmma ALayout_64x16",
       {{4, 128}, {8, 1}, {4, 16}},
       {{2, 64}, {2, 8}, {2, 512}}},
      {"wgmma.sp.m64n8k32.f16",
       "a",
       "sm90_gmma ALayout_64x32",
       {{4, 256}, {8, 1}, {4, 16}},
       {{4, 64}, {2, 8}, {2, 1024}}},
      {"wgmma.sp.m64n8k64.s8",
       "a",
       "sm90_gmma ALayout_64x64",
       {{4, 512}, {8, 1}, {4, 16}},
       {{8, 64}, {2, 8}, {2, 2048}}},
  };
  for (const Trait &trait : traits) {
    ElementMap map = mapOf(trait.name, "a");
    int64_t rows = map.shape()[0], columns = map.shape()[1];
    ASSERT_EQ(map.values() * 2, sizeOf(trait.values));
    for (int64_t t = 0; t < map.threads(); ++t)
      for (int64_t v = 0; v < map.values() * 2; ++v) {
        int64_t at = evaluate(trait.threads, t) + evaluate(trait.values, v);
        ASSERT_EQ(value(map, t, v / 2), at % rows * columns + at / rows / 2) << trait.source << " T" << t << " V" << v;
      }
  }
}

TEST(Fragment, MetadataMatchesCutlass) {
  // As for A: columns before compression, two per index. A thread mode of stride 0 belongs to the selector, which is 0
  // here.
  const std::vector<Trait> traits = {
      {"mma.sp.m16n8k64.e4m3", "e", "sm120_sparse 16x8x64", {{2, 8}, {2, 512}, {8, 1}}, {{32, 16}}},
      {"wgmma.sp.m64n8k64.e4m3",
       "e",
       "sm90_gmma_sparse ELayout_64x64",
       {{2, 8}, {2, 2048}, {8, 1}, {4, 16}},
       {{32, 64}}},
      {"wgmma.sp.m64n8k32.f16",
       "e",
       "sm90_gmma_sparse ELayout_64x32",
       {{2, 1024}, {2, 0}, {8, 1}, {4, 16}},
       {{16, 64}, {2, 8}}},
      {"wgmma.sp.m64n8k16.tf32",
       "e",
       "sm90_gmma_sparse ELayout_64x16",
       {{2, 512}, {2, 0}, {8, 1}, {4, 16}},
       {{8, 64}, {2, 8}}},
  };
  for (const Trait &trait : traits) {
    ElementMap map = mapOf(trait.name, "e");
    int64_t rows = map.shape()[0], columns = map.shape()[1];
    ASSERT_EQ(map.values() * 2, sizeOf(trait.values)) << trait.source;
    bool selected = trait.threads[1].stride == 0;
    for (int64_t t = 0; t < map.threads(); ++t)
      for (int64_t v = 0; v < map.values() * 2; ++v) {
        int64_t at = evaluate(trait.threads, t) + evaluate(trait.values, v);
        int64_t element = selected && t / 2 % 2 != 0 ? -1 : at % rows * columns + at / rows / 2;
        ASSERT_EQ(value(map, t, v / 2), element) << trait.source << " T" << t << " V" << v;
      }
  }
}

TEST(Fragment, MetadataIsWhereAnH200ReadsIt) {
  // Measured on an H200 with A all ones and all indices 0b0100. Then the four bits of one nibble of one lane's register
  // were set to 0b1110, and the row of D that changed showed the nibble's row, and the amount of the change its chunk
  // of A's row. The four lanes of the first rows suffice: lane 4g + l has rows g further down. {lane, rows of nibbles 0
  // and 4, chunks of nibbles 0 and 4}
  struct Place {
    int lane, rows[2], chunks[2];
  };
  struct Case {
    std::string_view name;
    std::vector<Place> places;
  };
  const std::vector<Case> cases = {
      {"mma.sp.m16n8k16.f16", {{0, {0, 8}, {0, 0}}}},
      {"mma.sp.m16n8k16.f16.selector::3", {{3, {0, 8}, {0, 0}}}},
      {"mma.sp.m16n8k32.f16", {{0, {0, 8}, {0, 0}}, {1, {0, 8}, {4, 4}}}},
      {"mma.sp.m16n8k32.f16.selector::1", {{2, {0, 8}, {0, 0}}, {3, {0, 8}, {4, 4}}}},
      {"mma.sp.m16n8k8.tf32", {{0, {0, 8}, {0, 0}}}},
      {"mma.sp.m16n8k8.tf32.selector::2", {{2, {0, 8}, {0, 0}}}},
      {"mma.sp.m16n8k16.tf32", {{0, {0, 8}, {0, 0}}, {1, {0, 8}, {4, 4}}}},
      {"mma.sp.m16n8k16.tf32.selector::1", {{2, {0, 8}, {0, 0}}, {3, {0, 8}, {4, 4}}}},
      {"mma.sp.m16n8k32.s8", {{0, {0, 0}, {0, 4}}, {1, {8, 8}, {0, 4}}}},
      {"mma.sp.m16n8k32.s8.selector::1", {{2, {0, 0}, {0, 4}}, {3, {8, 8}, {0, 4}}}},
      {"mma.sp.m16n8k64.s8", {{0, {0, 0}, {0, 4}}, {1, {8, 8}, {0, 4}}, {2, {0, 0}, {8, 12}}, {3, {8, 8}, {8, 12}}}},
      {"mma.sp.m16n8k64.s4", {{0, {0, 0}, {0, 4}}, {1, {8, 8}, {0, 4}}}},
      {"mma.sp.m16n8k64.s4.selector::1", {{2, {0, 0}, {0, 4}}, {3, {8, 8}, {0, 4}}}},
      {"mma.sp.m16n8k128.s4", {{0, {0, 0}, {0, 4}}, {1, {8, 8}, {0, 4}}, {2, {0, 0}, {8, 12}}, {3, {8, 8}, {8, 12}}}},
      {"mma.sp.m16n8k64.e4m3", {{0, {0, 0}, {0, 4}}, {1, {8, 8}, {0, 4}}, {2, {0, 0}, {8, 12}}, {3, {8, 8}, {8, 12}}}},
  };
  for (const Case &each : cases) {
    ElementMap map = mapOf(each.name, "e");
    int64_t perNibble = map.values() / 8, columns = map.shape()[1];
    std::set<int> holders;
    for (const Place &place : each.places) {
      holders.insert(place.lane);
      for (int g = 0; g < 8; ++g)
        for (int nibble = 0; nibble < 8; ++nibble)
          for (int64_t field = 0; field < perNibble; ++field) {
            int64_t row = place.rows[nibble / 4] + g, chunk = place.chunks[nibble / 4] + nibble % 4;
            EXPECT_EQ(value(map, 4 * g + place.lane, nibble * perNibble + field),
                      row * columns + chunk * perNibble + field)
                << each.name << " lane " << 4 * g + place.lane << " nibble " << nibble;
          }
    }
    for (int lane = 0; lane < 4; ++lane)
      if (!holders.contains(lane)) {
        EXPECT_EQ(value(map, lane, 0), -1) << each.name << " lane " << lane;
      }
  }
}

TEST(Fragment, QuadPairsMatchCutlass) {
  // sm70 SM70_8x4_Row, _Col, SM70_8x8_16b, _32b: the eight threads of a pair of quads, SM70_QuadPair = (4,2):(1,16).
  const Modes row = {{8, 1}}, rowValues = {{4, 8}}, column = {{4, 8}, {2, 4}}, columnValues = {{4, 1}};
  struct Case {
    std::string_view name, operand;
    Modes threads, values;
  };
  const std::vector<Case> cases = {
      {"mma.m8n8k4.f16", "a", row, rowValues},
      {"mma.m8n8k4.f16", "b", row, rowValues},
      {"mma.m8n8k4.col.row.f16", "a", column, columnValues},
      {"mma.m8n8k4.col.row.f16", "b", column, columnValues},
      {"mma.m8n8k4.row.row.f16", "a", row, rowValues},
      {"mma.m8n8k4.row.row.f16", "b", column, columnValues},
      {"mma.m8n8k4.f16.f16", "d", {{8, 1}}, {{8, 8}}},
      {"mma.m8n8k4.f16", "d", {{2, 1}, {2, 16}, {2, 4}}, {{2, 8}, {2, 2}, {2, 32}}},
  };
  for (const Case &each : cases) {
    ElementMap map = mapOf(each.name, each.operand);
    for (int pair = 0; pair < 4; ++pair)
      for (int t = 0; t < 8; ++t)
        for (int v = 0; v < map.values(); ++v) {
          int64_t at = evaluate(each.threads, t) + evaluate(each.values, v);
          int64_t i = at % 8, j = at / 8,
                  element = each.operand == "b" ? j * 8 + i : i * (each.operand == "a" ? 4 : 8) + j;
          ASSERT_EQ(value(map, 4 * pair + t % 4 + t / 4 * 16, v), pair * map.shape()[1] * map.shape()[2] + element)
              << each.name << ' ' << each.operand << " pair " << pair << " T" << t << " V" << v;
        }
  }
}

TEST(Fragment, ScalesMatchCutlass) {
  // sm120 SFALayout ((2,2,8),K):((8,0,1),16), SFBLayout ((4,8),K):((0,1),8). The selectors choose which lanes count.
  ElementMap a = mapOf("mma.m16n8k64.kind::mxf4nvf4.scale_vec::4X.e2m1.ue4m3.thread_id_a::1", "scale_a");
  ElementMap b = mapOf("mma.m16n8k64.kind::mxf4nvf4.scale_vec::4X.e2m1.ue4m3.thread_id_b::2", "scale_b");
  ASSERT_EQ(a.values(), 4);
  for (int t = 0; t < 32; ++t)
    for (int v = 0; v < 4; ++v) {
      EXPECT_EQ(value(a, t, v), t / 2 % 2 == 1 ? evaluate({{2, 8}, {2, 0}, {8, 1}}, t) * 4 + v : -1);
      EXPECT_EQ(value(b, t, v), t % 4 == 2 ? v * 8 + evaluate({{4, 0}, {8, 1}}, t) : -1);
    }
  // PTX ISA, "Block Scaling for mma.sync": 2X uses the bytes from byte_id on.
  ElementMap two = mapOf("mma.m16n8k64.kind::mxf4.e2m1.ue8m0.byte_id_a::2", "scale_a");
  EXPECT_EQ(value(two, 5, 1), -1);
  EXPECT_EQ(value(two, 5, 2), (1 + 8) * 2 + 0);
  EXPECT_EQ(value(two, 5, 3), (1 + 8) * 2 + 1);
  ElementMap one = mapOf("mma.m16n8k32.kind::mxf8f6f4.e4m3.byte_id_b::3", "scale_b");
  EXPECT_EQ(value(one, 8, 3), 2);
  EXPECT_EQ(value(one, 8, 0), -1);
}

TEST(Fragment, FollowsTheIsaFormulas) {
  // Written as in the ISA; i is the number of the element in its thread.
  ElementMap a = mapOf("mma.m16n8k16.bf16", "a"), f64 = mapOf("mma.m16n8k16.f64", "a"),
             fp8 = mapOf("mma.m16n8k16.e4m3", "a"), u4 = mapOf("mma.m16n8k64.u4", "a"),
             c = mapOf("mma.m8n8k4.f16", "d"), sparse = mapOf("mma.sp.m16n8k32.f16", "a"),
             sparseB = mapOf("mma.sp.m16n8k128.s4", "b");
  for (int lane = 0; lane < 32; ++lane) {
    int group = lane >> 2, thread = lane % 4;
    for (int i = 0; i < 8; ++i) {
      int row = (i < 2 || (4 <= i && i < 6)) ? group : group + 8;
      EXPECT_EQ(value(a, lane, i), row * 16 + thread * 2 + (i & 1) + (i >= 4 ? 8 : 0));
      EXPECT_EQ(value(f64, lane, i), (i % 2 == 0 ? group : group + 8) * 16 + (i % 2 == 0 ? i * 2 : i * 2 - 2) + thread);
      EXPECT_EQ(value(fp8, lane, i), (i < 4 ? group : group + 8) * 16 + thread * 4 + (i & 3));
      int x = (lane & 1) + (i & 2) + (lane < 16 ? 0 : 4), y = (i & 4) + (lane & 2) + (i & 1);
      EXPECT_EQ(value(c, lane, i), lane % 16 / 4 * 64 + x * 8 + y);
      // firstcol … lastcol of the chunk to which a stored pair belongs.
      int first = thread * 4 + (i < 4 ? 0 : 16);
      EXPECT_EQ(value(sparse, lane, i), row * 16 + first / 2 + (i & 1));
    }
    for (int i = 0; i < 32; ++i) {
      int row = (i < 8 || (16 <= i && i < 24)) ? group : group + 8;
      EXPECT_EQ(value(u4, lane, i), row * 64 + thread * 8 + (i & 7) + (i < 16 ? 0 : 32));
      EXPECT_EQ(value(sparseB, lane, i), (thread * 8 + (i & 7) + i / 8 * 32) * 8 + group);
    }
  }
}

TEST(Fragment, MatricesMatchCutlass) {
  // copy_traits_sm75.hpp: SrcLayout maps a lane to its row address (128 bits each), DstLayout maps (thread, value) to a
  // bit.
  struct Case {
    std::string_view name;
    Modes threads, values; // to bits; each value is one element
    int bits;
  };
  const std::vector<Case> cases = {
      {"ldmatrix.x1", {{32, 32}}, {{2, 16}}, 16},
      {"ldmatrix.x2", {{32, 32}}, {{2, 16}, {2, 1024}}, 16},
      {"ldmatrix.x4", {{32, 32}}, {{2, 16}, {4, 1024}}, 16},
      {"ldmatrix.x1.trans", {{4, 256}, {8, 16}}, {{2, 128}}, 16},
      {"ldmatrix.x2.trans", {{4, 256}, {8, 16}}, {{2, 128}, {2, 1024}}, 16},
      {"stmatrix.x4.trans", {{4, 256}, {8, 16}}, {{2, 128}, {4, 1024}}, 16},
      {"stmatrix.x2", {{32, 32}}, {{2, 16}, {2, 1024}}, 16},
      {"stmatrix.m16n8.x1.trans.b8", {{4, 256}, {8, 8}}, {{2, 128}, {2, 64}}, 8},
      {"stmatrix.m16n8.x4.trans.b8", {{4, 256}, {8, 8}}, {{2, 128}, {2, 64}, {4, 1024}}, 8},
      {"ldmatrix.m8n16.x4.b8x16.b4x16_p64", {{32, 32}}, {{4, 8}, {4, 1024}}, 8},
      {"ldmatrix.m8n16.x1.b8x16.b6x16_p32", {{32, 32}}, {{4, 8}}, 8},
  };
  for (const Case &each : cases) {
    ElementMap map = mapOf(each.name, "r");
    ASSERT_EQ(map.values(), sizeOf(each.values)) << each.name;
    for (int t = 0; t < 32; ++t)
      for (int v = 0; v < map.values(); ++v)
        ASSERT_EQ(value(map, t, v), (evaluate(each.threads, t) + evaluate(each.values, v)) / each.bits)
            << each.name << " T" << t << " V" << v;
    ElementMap addresses = mapOf(each.name, "p");
    for (int t = 0; t < 32; ++t)
      EXPECT_EQ(value(addresses, t, 0), t < map.shape()[0] ? t : -1) << each.name;
  }
  // SM100_U8x8_LDSM_T: lanes provide rows in the order (2,2,4):(1,8,2), and two bytes of each register are exchanged
  // after the load (copy_sm100.hpp). Our map describes the registers before the exchange.
  ElementMap map = mapOf("ldmatrix.m16n16.x1.trans.b8", "r");
  for (int t = 0; t < 32; ++t)
    for (int v = 0; v < 8; ++v) {
      int64_t bit = evaluate({{4, 256}, {8, 8}}, t) + evaluate({{2, 128}, {2, 64}, {2, 1024}}, v);
      int64_t listed = bit / 128, lane = 0;
      while (evaluate({{2, 1}, {2, 8}, {4, 2}}, lane) != listed)
        ++lane;
      // dst0 = (tmp0.x, tmp0.y, tmp1.x, tmp1.y), dst1 = (tmp0.z, tmp0.w, tmp1.z, tmp1.w)
      int before = v / 2 % 2 * 4 + v / 4 * 2 + v % 2;
      EXPECT_EQ(value(map, t, before), lane * 16 + bit % 128 / 8) << "T" << t << " V" << v;
    }
}

TEST(Fragment, TensorMemoryLoadsMatchCutlass) {
  // copy_traits_sm100.hpp, DstLayout of SM100_TMEM_LOAD_…: (thread, bit) -> bit of the rows that are read, one row
  // after another.
  struct Case {
    std::string_view name;
    Modes threads, values; // values have 32 bits
  };
  const std::vector<Case> cases = {
      {"32x32b.x1", {{32, 32}}, {{1, 0}}},
      {"32x32b.x8", {{32, 256}}, {{8, 32}}},
      {"16x64b.x1", {{2, 512}, {2, 32}, {8, 64}}, {{1, 0}}},
      {"16x64b.x4", {{2, 2048}, {2, 32}, {8, 256}}, {{4, 64}}},
      {"16x128b.x1", {{4, 32}, {8, 128}}, {{2, 1024}}},
      {"16x128b.x2", {{4, 32}, {8, 256}}, {{2, 2048}, {2, 128}}},
      {"16x256b.x1", {{4, 64}, {8, 256}}, {{2, 32}, {2, 2048}}},
      {"16x256b.x8", {{4, 64}, {8, 2048}}, {{2, 32}, {2, 16384}, {8, 256}}},
      {"16x32bx2.x1", {{16, 64}, {2, 32}}, {{1, 0}}},
      {"16x32bx2.x4", {{16, 256}, {2, 128}}, {{4, 32}}},
  };
  for (const Case &each : cases)
    for (bool packs : {false, true}) {
      // ValID of the _16b traits: pairs of 16 bits lie 32 bits apart in tensor memory, so a row has columns of 16 bits.
      int bits = packs ? 16 : 32;
      ElementMap map = mapOf(text("tcgen05.ld.", each.name, packs ? ".pack::16b" : ""), "r");
      ElementMap store = mapOf(text("tcgen05.st.", each.name, packs ? ".unpack::16b" : ""), "r");
      EXPECT_TRUE(std::ranges::equal(map.elements(), store.elements())) << each.name;
      int64_t rows = map.shape()[0] / 4, columns = map.shape()[1];
      ASSERT_EQ(map.threads(), 128);
      ASSERT_EQ(map.registers(), sizeOf(each.values)) << each.name;
      for (int t = 0; t < 128; ++t)
        for (int v = 0; v < map.values(); ++v) {
          int64_t at =
              (evaluate(each.threads, t % 32) + evaluate(each.values, v / (32 / bits))) / bits + v % (32 / bits);
          ASSERT_EQ(value(map, t, v), t / 32 * rows * columns + at) << each.name << " T" << t << " V" << v;
        }
    }
}

TEST(Fragment, RegistersPerThreadAreTheIsas) {
  const std::vector<std::tuple<std::string_view, std::string_view, int>> counts = {
      {"mma.m16n8k16.f16", "a", 4},          {"mma.m16n8k16.f16", "b", 2},       {"mma.m16n8k16.f16", "d", 4},
      {"mma.m16n8k16.f16.f16", "d", 2},      {"mma.m16n8k64.s4", "a", 4},        {"mma.m16n8k256.b1", "b", 2},
      {"mma.m8n8k4.f16.f16", "d", 4},        {"mma.m8n8k4.f16", "d", 8},         {"mma.m16n8k16.f64", "a", 8},
      {"mma.sp.m16n8k32.bf16", "a", 4},      {"mma.sp.m16n8k32.bf16", "b", 4},   {"mma.sp.m16n8k16.f16", "a", 2},
      {"mma.sp.m16n8k8.tf32", "a", 2},       {"mma.sp.m16n8k16.f16", "e", 1},    {"wgmma.m64n256k16.f32.f16", "d", 128},
      {"wgmma.m64n256k16.f16.f16", "d", 64}, {"wgmma.m64n8k16.f32.f16", "a", 4}, {"wgmma.sp.m64n8k64.s8", "e", 1},
  };
  for (const auto &[name, operand, registers] : counts)
    EXPECT_EQ(mapOf(name, operand).registers(), registers) << name << ' ' << operand;
  // The table of tcgen05.ld: registers by shape and repeat, or none.
  for (const auto &[shape, perRepeat] : std::vector<std::pair<std::string, int>>{
           {"32x32b", 1}, {"16x64b", 1}, {"16x32bx2", 1}, {"16x128b", 2}, {"16x256b", 4}})
    for (int repeat = 1; repeat <= 128; repeat *= 2)
      for (std::string pack : {"", ".pack::16b"}) {
        std::string name = text("tcgen05.ld.", shape, ".x", repeat, pack);
        Result<Foreign> layout = fragment(name, "r");
        ASSERT_EQ(layout.has_value(), repeat * perRepeat <= 128) << name;
        if (layout) {
          EXPECT_EQ(mapOf(name, "r").registers(), repeat * perRepeat) << name;
          EXPECT_EQ(cellsOf(name, "r").columns(), mapOf(name, "r").shape()[1]) << name;
        }
      }
}

} // namespace
