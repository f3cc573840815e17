#include "layouts/Equal.h"
#include "layouts/notation/Notation.h"
#include "layouts/support/Text.h"
#include "layouts/tirx/TirxLayout.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

using namespace lanescope;
using namespace lanescope::layouts;

namespace {

Result<Layout> parse(std::string text) { return parseLayout(Source::make("layout", std::move(text))); }
Layout must(std::string text) {
  Result<Layout> layout = parse(text);
  EXPECT_TRUE(layout) << text << "\n" << (layout ? "" : render(layout.error()));
  return layout ? *layout : Layout(RegisterLayout(WGSplatFragLayout{}));
}
ElementMap registers(const std::string &text, const Shape &shape) {
  Result<ElementMap> map = elementMapOf(must(text), shape);
  EXPECT_TRUE(map) << text << "\n" << (map ? "" : render(map.error()));
  return *map;
}

TEST(Tirx, ShardReplicaAndOffset) {
  // The example in TVM docs/tirx/layout.rst: row bits go to lanes and a column bit to a warp; there are two copies, and
  // warps start at 5.
  ElementMap map = registers("S[(8,2,4,2):(4@laneid,1@warpid,1@laneid,1)] + R[2:4@warpid] + 5@warpid", {16, 8});
  EXPECT_EQ(map.threads(), 11 * 32);
  EXPECT_EQ(map.values(), 2);
  for (int64_t r = 0; r < 16; ++r)
    for (int64_t c = 0; c < 8; ++c) {
      int64_t flat = r * 8 + c;
      int64_t a = flat / 16, b = flat / 8 % 2, d = flat / 2 % 4, v = flat % 2; // row-major split over (8, 2, 4, 2)
      std::vector<Owner> owners = map.owners(flat);
      ASSERT_EQ(owners.size(), 2u);
      for (int64_t copy = 0; copy < 2; ++copy)
        EXPECT_EQ(owners[copy], (Owner{int32_t((b + 4 * copy + 5) * 32 + 4 * a + d), int32_t(v), 0}));
    }
}

TEST(Tirx, MemoriesAndTheirAxes) {
  auto plain = std::get<AddressMap>(*placement(must("S[(8,64):(64@m,1@m)]"), {8, 64}, 16));
  EXPECT_EQ(plain.offset(3 * 64 + 5), 3 * 64 + 5);
  EXPECT_EQ(std::get<AddressMap>(*placement(must("S[8, 4, 2]"), {8, 4, 2}, 16)).offset(63), 63);
  // S[(2,128,112):(112@TCol,1@TLane,1@TCol)]: two tiles of 112 columns side by side.
  auto tmem = std::get<TmemMap>(*placement(must("S[(2,128,112):(112@TCol,1@TLane,1@TCol)]"), {256, 112}, 32));
  EXPECT_EQ(tmem.columns(), 224);
  EXPECT_EQ(tmem.cells((128 + 7) * 112 + 9), (std::vector<TmemCell>{{7, 112 + 9, 0}}));
  // Scale factors: every row is stored four times, 32 lanes apart.
  auto scales = std::get<TmemMap>(*placement(must("S[(32, 4):(1@TLane, 1@TCol)] + R[4:32@TLane]"), {32, 4}, 32));
  EXPECT_EQ(scales.cells(5 * 4 + 2), (std::vector<TmemCell>{{5, 2, 0}, {37, 2, 0}, {69, 2, 0}, {101, 2, 0}}));
}

TEST(Tirx, SwizzleOrderIsPerElementLenAtom) {
  // A trap: (per_element, swizzle_len, atom_len) is CuTe's (M, B, S). Sw<B=3, M=4, S=3> on bytes is M = 3 on two-byte
  // elements: ComposeLayout(3, 3, 3, …). The unchanged (3, 4, 3) would be another layout, or none.
  for (const char *text :
       {"ComposeLayout(3, 3, 3, TileLayout(S[(8,64):(64,1)]))",
        "ComposeLayout(per_element=3, swizzle_len=3, atom_len=3, tile_layout=TileLayout(S[(8, 64)]), "
        "swizzle_inner=True)",
        "ComposeLayout(SwizzleLayout(per_element=3, swizzle_len=3, atom_len=3), S[(8, 64)])",
        "Tx.ComposeLayout(3, 3, 3, Tx.TileLayout(Tx.S[(8, 64) : (64, 1)]))", "SwizzleLayout(3, 3, 3)"}) {
    auto map = std::get<AddressMap>(*placement(must(text), {8, 64}, 16));
    for (int64_t r = 0; r < 8; ++r)
      for (int64_t c = 0; c < 64; ++c)
        ASSERT_EQ(map.byte(r * 64 + c), r * 128 + ((c / 8) ^ r) * 16 + c % 8 * 2) << text;
  }
  EXPECT_FALSE(
      equal(must("ComposeLayout(3, 2, 3, S[(8,64)])"), must("ComposeLayout(2, 3, 3, S[(8,64)])"), {8, 64}, 16)->exact);
  // swizzle_inner=False: the low bits are XORed into the high ones.
  auto outer = std::get<AddressMap>(*placement(must("ComposeLayout(0, 1, 2, S[8:1], swizzle_inner=False)"), {8}, 16));
  EXPECT_EQ((std::vector<int32_t>(outer.offsets().begin(), outer.offsets().end())),
            (std::vector<int32_t>{0, 5, 2, 7, 4, 1, 6, 3}));
}

TEST(Tirx, PrinterFormsAndSpellings) {
  const char *canonical = "S[(8, 4, 2):(4@laneid, 1@laneid, 1)] + R[4:1@warpid] + 1@laneid + 64 + 2@warpid";
  for (const char *text :
       {"Tx.TileLayout(Tx.S[(8, 4, 2) : (4 @ Axis.laneid, 1 @ Axis.laneid, 1)] + Tx.R[4 : 1 @ Axis.warpid] + (1 @ "
        "Axis.laneid + 64 + 2 @ Axis.warpid))",
        "S[(8, 4, 2):(4@laneid, laneid, 1@m)] + R[4:\"warpid\"] + 64 + 2@warpid + 1@laneid",
        "64 + S[(8, 4, 2):((4, \"laneid\"), \"laneid\", 1)] + R[(4,):(1@warpid,)] + 2@warpid + 1@laneid",
        "TileLayout.from_iters([Iter(8, 4, \"laneid\"), Iter(4, 1, Axis.laneid), Iter(2, 1, \"m\")], [Iter(4, 1, "
        "\"warpid\")], offset={\"laneid\": 1, \"m\": 64, \"warpid\": 2})"})
    EXPECT_EQ(layoutText(must(text)), canonical) << text;
  EXPECT_EQ(layoutText(must("S[8:\"laneid\"]")), "S[8:1@laneid]");
  EXPECT_EQ(layoutText(must("S[(8,):((4,\"laneid\"),)]")), "S[8:4@laneid]");
  EXPECT_EQ(layoutText(must("S[()] + R[4:32@TLane]")), "S[()] + R[4:32@TLane]"); // one element in four places
  EXPECT_EQ(layoutText(must("S[8:1] + 0@laneid")), "S[8:1]");
  EXPECT_EQ(memoryOf(must("S[8:1] + 0@laneid")), Memory::Shared);
  EXPECT_EQ(layoutText(must("I.TileLayout.from_iters(offset={\"laneid\": 1})")),
            "TileLayout.from_iters(offset={\"laneid\": 1})");
  EXPECT_EQ(registers("TileLayout.from_iters(offset={\"laneid\": 1})", {1}).owners(0), (std::vector<Owner>{{1, 0, 0}}));
}

TEST(Tirx, WarpgroupAndBlockAxes) {
  EXPECT_EQ(registers("S[(128, 16):(1@tid_in_wg, 1)]", {128, 16}).threads(), 128);
  EXPECT_EQ(registers("S[(2, 4, 32):(1@wgid, 1@wid_in_wg, 1@laneid)]", {256}).owners(200).front().thread, 200);
  ElementMap blocks = registers("S[(2, 3, 4):(1@cbx, 1@cby, 1@tx)]", {24});
  EXPECT_EQ(blocks.threads(), 24);
  EXPECT_EQ(blocks.owners(1 * 12 + 2 * 4 + 3).front().thread, (1 + 2 * 2) * 4 + 3); // x is the minor block number
}

TEST(Tirx, GeneratedLayoutsReadBack) {
  std::mt19937 random(5);
  for (int n = 0; n < 10000; ++n) {
    tirx::TileSpec tile;
    int64_t elements = 1, threads = 1, values = 1;
    bool shared = random() % 3 == 0;
    std::vector<tirx::Iter> minorFirst;
    for (size_t count = 1 + random() % 5; count-- > 0;) {
      int64_t extent = 1 + random() % 4;
      bool thread = !shared && random() % 2;
      int64_t &reach = thread ? threads : values;
      minorFirst.push_back({extent, reach, thread ? tirx::Axis::Tx : tirx::Axis::M});
      reach *= extent;
      elements *= extent;
    }
    std::shuffle(minorFirst.begin(), minorFirst.end(), random);
    tile.shard = minorFirst;
    if (!shared && random() % 2)
      tile.replica.push_back({2, threads, tirx::Axis::Tx});
    if (!shared && random() % 2)
      tile.offset[tirx::Axis::Tx] = 1 + random() % 9;
    std::optional<tirx::SwizzleSpec> swizzle;
    if (shared && random() % 2)
      swizzle = tirx::SwizzleSpec{int64_t(random() % 3), 1, 1 + int64_t(random() % 2), random() % 2 == 0};
    Result<tirx::TirxLayout> made = tirx::TirxLayout::make(tile, swizzle);
    ASSERT_TRUE(made) << render(made.error());
    Layout layout = Foreign(std::make_shared<tirx::TirxLayout>(*made));
    Layout again = must(layoutText(layout));
    ASSERT_TRUE(again == layout) << layoutText(layout) << " / " << layoutText(again);
    Result<Placement> map = placement(layout, {elements}, 16);
    ASSERT_TRUE(map) << layoutText(layout) << render(map.error());
    // Recomputed for each element.
    for (int64_t e = 0; e < elements; ++e) {
      int64_t rest = e, thread = 0, value = 0;
      for (size_t i = tile.shard.size(); i-- > 0; rest /= tile.shard[i].extent)
        (tile.shard[i].axis == tirx::Axis::Tx ? thread : value) += rest % tile.shard[i].extent * tile.shard[i].stride;
      if (auto offset = tile.offset.find(tirx::Axis::Tx); offset != tile.offset.end())
        thread += offset->second;
      if (swizzle) {
        int64_t unit = value >> swizzle->perElement, low = value & ((1 << swizzle->perElement) - 1);
        unit = swizzle->inner ? unit ^ ((unit >> swizzle->atomLen) & 1) : unit ^ ((unit & 1) << swizzle->atomLen);
        value = (unit << swizzle->perElement) + low;
      }
      if (const auto *owners = std::get_if<ElementMap>(&*map))
        ASSERT_EQ(owners->owners(e).front(), (Owner{int32_t(thread), int32_t(value), 0})) << layoutText(layout);
      else
        ASSERT_EQ(std::get<AddressMap>(*map).offset(e), value) << layoutText(layout);
    }
  }
}

struct Bad {
  std::string text;
  uint32_t column; // counted from 1
  std::string message;
};

TEST(Tirx, ErrorsStandUnderTheMistake) {
  const std::string axes =
      "bx, by, bz, cbx, cby, cbz, pid, tx, warpid, laneid, wgid, tid_in_wg, wid_in_wg, tid, m, P, F, "
      "Bank, TCol, TLane";
  for (const Bad &bad : std::vector<Bad>{
           {"S[(8, 4):(4@lane, 1)]", 13, "there is no axis `lane`; the axes are " + axes},
           {"S[(8, 4):(4@laneid)]", 10, "there are 2 extents and 1 strides"},
           {"S[(8, 4)", 9, "expected `]` in the layout, found the end"},
           {"S[(8, 4):(1@laneid, 1)] * 2", 25, "expected the end of the layout, found `*`"},
           {"S[(8, 4)] + S[2]", 13, "a layout has one `S[…]`"},
           {"S[(8, 4)] + x", 13, "expected `S[…]`, `R[…]` or an offset such as `5@warpid`, found `x`"},
           {"R[2:1@warpid]", 14, "expected `S[…]`, found the end"},
           {"S[(0, 4)]", 1, "an extent is between 1 and 134217728, not 0"},
           {"S[8:-1@laneid]", 1, "a stride or offset is between 0 and 134217728, not -1"},
           {"S[(8, 8):(1@P, 1@F)]", 1,
            "axis `P` is a memory of Trainium, which is not supported; threads, `m`, `TLane` and `TCol` are"},
           {"S[(8, 8):(1@TLane, 1@m)]", 1, "`TLane` and `TCol` do not go together with threads or `m` in one layout"},
           {"ComposeLayout(3, 3, 2, S[(8,64)])", 1, "a swizzle needs atom_len >= swizzle_len >= 0, not 2 and 3"},
           {"ComposeLayout(3, 3, 3)", 1, "`ComposeLayout` needs the argument `tile_layout`"},
           {"ComposeLayout(3, 3, 3, S[8:1@laneid])", 1, "a swizzle applies only to layouts of `m`"},
           {"ComposeLayout(SwizzleLayout(3, 3, 3), SwizzleLayout(3, 3, 3))", 1,
            "the last part of `ComposeLayout` is a `TileLayout`"},
           {"TileLayout.from_iter(offset={})", 21, "expected `from_iters`, found `(`"},
           {"S[8:\"laneid]", 12, "expected `\"` in the name of an axis, found `]`"},
       }) {
    Result<Layout> layout = parse(bad.text);
    ASSERT_FALSE(layout) << bad.text;
    EXPECT_EQ(layout.error().front().message, bad.message) << bad.text;
    EXPECT_EQ(layout.error().front().span.begin + 1, bad.column) << bad.text;
  }
  // Impossible maps: two elements in one register, copies in memory, a shape of another size.
  EXPECT_FALSE(elementMapOf(must("S[(8, 4):(1@laneid, 0)]"), {8, 4}));
  EXPECT_FALSE(placement(must("S[8:1] + R[2:8]"), {8}, 16));
  EXPECT_FALSE(elementMapOf(must("S[(8, 4):(4@laneid, 1@laneid)]"), {8, 8}));
  EXPECT_FALSE(parse("S[(2,2,2,2,2):(134217727@bx,134217727@by,134217727@bz,134217727@cbx,1@tx)]"));
}

TEST(Tirx, ExplainsEachStep) {
  Layout layout = must("S[(8, 4, 2):(4@laneid, 1@laneid, 1)]");
  Result<std::vector<ExplainStep>> steps = std::get<Foreign>(layout)->explain({8, 8}, {3, 5});
  ASSERT_TRUE(steps);
  ASSERT_EQ(steps->size(), 4u);
  EXPECT_EQ((*steps)[0].value, "29");
  EXPECT_EQ((*steps)[1].value, "(3, 2, 1)");
  EXPECT_EQ((*steps)[2].what, "laneid");
  EXPECT_EQ((*steps)[2].how, "3*4 + 2*1");
  EXPECT_EQ((*steps)[2].value, "14");
  EXPECT_EQ((*steps)[3].value, "1");
}

} // namespace
