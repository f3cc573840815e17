#include "layouts/notation/Notation.h"
#include "layouts/Catalogue.h"

#include <gtest/gtest.h>

using namespace lanescope;
using namespace lanescope::layouts;

namespace {

Result<Layout> parse(std::string text, Diagnostics *remarks = nullptr) {
  return parseLayout(Source::make("layout", std::move(text)), remarks);
}

/// The text under the caret of the first error, and its message.
struct Fault {
  std::string marked, message;
};
Fault fault(std::string text) {
  Result<Layout> result = parse(text);
  if (result)
    return {"", "parsed"};
  const Diagnostic &first = result.error().front();
  EXPECT_TRUE(first.span.source) << first.message;
  return {text.substr(first.span.begin, first.span.end - first.span.begin), first.message};
}

Layout wgmma() { return RegisterLayout(catalogue::wgmma()); }

TEST(Notation, PythonSpellings) {
  for (const char *text : {
           "TiledLayout(tiling=Tiling(tiles=((64, 8), (16, 8), (8, 8), (2,))), warp_dims=(-7,), lane_dims=(-3, -2), "
           "vector_dim=-1)",
           "fa.TiledLayout(fa.Tiling(((64, 8), (16, 8), (8, 8), (2,))), warp_dims=(-7,), lane_dims=(-3, -2), "
           "vector_dim=-1)",
           "TiledLayout(Tiling((64, 8), (16, 8), (8, 8), (2,)), (-7,), (-3, -2), -1)",
           "TiledLayout(Tiling((64, 8)(16, 8)(8, 8)(2,)), (-7,), (-3, -2), -1)",
           "TiledLayout(((64, 8), (16, 8), (8, 8), (2,)), [-7], [-3, -2], -1,)",
           "TiledLayout(vector_dim=-1, lane_dims=(-3, -2), warp_dims=(-7,), tiling=Tiling((64,8)(16,8)(8,8)(2)))",
           "  TiledLayout (\n tiling = Tiling([[64, 8], [16, 8], [8, 8], [2]]),\n warp_dims=[-7,], "
           "lane_dims=[-3, -2], vector_dim=-1)\n",
           "WGMMA",
           "WGMMA_LAYOUT",
           "fa.WGMMA_LAYOUT",
           "plgpu.Layout.WGMMA",
           "MMA_ACC(f16, 4)",
           "MMA_ACC(m_warps=4)",
       }) {
    Result<Layout> layout = parse(text);
    ASSERT_TRUE(layout) << render(layout.error());
    EXPECT_TRUE(*layout == wgmma()) << text;
  }
}

TEST(Notation, MlirSpellings) {
  for (const char *text : {
           "#mosaic_gpu.TiledLayout<[[64, 8], [16, 8], [8, 8], [2]], warp_dims = [-7], lane_dims = [-3, -2], "
           "vector_dim = -1>",
           "#mosaic_gpu<TiledLayout<[[64, 8], [16, 8], [8, 8], [2]], warp_dims = [-7], lane_dims = [-3, -2], "
           "vector_dim = -1>>",
           "#mosaic_gpu.TiledLayout<[[64:i64,8],[16,8],[8,8],[2]],warp_dims=[-7],lane_dims=[-3,-2],vector_dim=-1 : "
           "i32>",
           "#mosaic_gpu.TiledLayout<[[64, 8], [16, 8], [8, 8], [2]], warp_dim = -7, lane_dims = [-3, -2], vector_dim = "
           "-1>",
       }) {
    Result<Layout> layout = parse(text);
    ASSERT_TRUE(layout) << render(layout.error());
    EXPECT_TRUE(*layout == wgmma()) << text;
  }
  EXPECT_TRUE(*parse("#mosaic_gpu.WGSplatFragLayout<[]>") == Layout(RegisterLayout(WGSplatFragLayout{})));
  EXPECT_TRUE(*parse("#mosaic_gpu.WGStridedFragLayout<[128, 8], 4>") ==
              Layout(RegisterLayout(*WGStridedFragLayout::make({128, 8}, 4))));
}

TEST(Notation, PrintersAreReadBack) {
  std::vector<Layout> layouts = {RegisterLayout(WGSplatFragLayout{{128, 8}}),
                                 RegisterLayout(WGSplatFragLayout{}),
                                 RegisterLayout(*WGStridedFragLayout::make({128}, 1)),
                                 RegisterLayout(catalogue::mmaLayouts(16, 1)->lhs),
                                 *catalogue::tmemHalfLane(32, 2),
                                 catalogue::scales(),
                                 catalogue::bScalesM64Collective()};
  for (const CatalogueEntry &entry : catalogueEntries())
    if (!entry.callable)
      layouts.push_back(*entry.make());
  for (const Layout &layout : layouts) {
    Result<Layout> python = parse(layoutText(layout));
    ASSERT_TRUE(python) << render(python.error());
    EXPECT_TRUE(*python == layout) << layoutText(layout);
    if (const auto *tmem = std::get_if<TMEMLayout>(&layout))
      EXPECT_EQ(*parseTmemLayout(Source::make("mlir", mlirText(*tmem))), *tmem);
    else
      EXPECT_TRUE(*parseLayout(Source::make("mlir", mlirText(std::get<RegisterLayout>(layout)))) == layout);
  }
}

TEST(Notation, CatalogueNamesAreReadBack) {
  for (const TMEMLayout &layout : {*catalogue::tmemDefault(4), *catalogue::tmemHalfLane(64, 2),
                                   *catalogue::tmemM64Collective(32), catalogue::scales(), catalogue::sparseMeta()})
    EXPECT_TRUE(*parse(*catalogueName(layout)) == Layout(layout));
  EXPECT_TRUE(*parse("tcgen05.tmem_half_lane_layout(packing=2, columns=64)") ==
              Layout(*catalogue::tmemHalfLane(64, 2)));
  EXPECT_TRUE(*parse("infer_tmem_layout((64, 32), True)") == Layout(*catalogue::tmemM64Collective(32)));
  EXPECT_TRUE(*parse("SMEM_GMEM_COPY((64, 128), f16, 128)") ==
              Layout(RegisterLayout(*catalogue::tiledCopySmemGmem(8, 2, 128, 16))));
  EXPECT_TRUE(*parse("WGMMA.reduce(1)") == Layout(RegisterLayout(catalogue::wgmmaRow())));
  EXPECT_TRUE(*parse("plgpu.Layout.WGMMA.reduce(axes=(0,))") == Layout(RegisterLayout(catalogue::wgmmaCol())));
}

TEST(Notation, NonCanonicalIsReadAndSaid) {
  Diagnostics remarks;
  auto layout = parse("TiledLayout(tiling=Tiling(tiles=((64, 8), (16, 8), (8, 8), (1, 2))), warp_dims=(-8,), "
                      "lane_dims=(-4, -3), vector_dim=-1)",
                      &remarks);
  ASSERT_TRUE(layout);
  EXPECT_TRUE(*layout == wgmma());
  ASSERT_EQ(remarks.size(), 1u);
  EXPECT_EQ(remarks[0].kind, "layout-canonicalized");
  EXPECT_EQ(remarks[0].severity, Severity::Note);
  remarks.clear();
  ASSERT_TRUE(parse("WGMMA", &remarks));
  ASSERT_TRUE(parse(jaxText(catalogue::wgmma()), &remarks));
  EXPECT_TRUE(remarks.empty());
}

TEST(Notation, Tilings) {
  auto tiling = [](const char *text) { return parseTiling(Source::make("tiling", text)); };
  Tiling expected = *Tiling::make({{64, 8}, {2}});
  for (const char *text : {"Tiling((64, 8), (2,))", "Tiling(tiles=((64, 8), (2,)))", "Tiling((64, 8)(2,))",
                           "Tiling(((64, 8), (2,)))", "(64, 8)(2)", "((64, 8), (2,))", "fa.Tiling([[64, 8], [2]])"})
    EXPECT_EQ(tiling(text).value_or(Tiling()), expected) << text;
  EXPECT_EQ(*tiling("Tiling(())"), Tiling());
  EXPECT_EQ(*tiling("Tiling()"), Tiling());
  EXPECT_EQ(tiling(expected.str().c_str()).value_or(Tiling()), expected);
  for (const char *text : {"", "Tiling", "Tiling(", "Tiling(8)", "Tiling((8,), (8, 8))", "(8) x", "Tiling((0,))"})
    EXPECT_FALSE(tiling(text)) << text;
}

TEST(Notation, ErrorsHaveTheRightPlace) {
  EXPECT_EQ(fault("WGMMAX").marked, "WGMMAX");
  EXPECT_EQ(fault("wgmma").message, "there is no layout `wgmma`; did you mean `WGMMA`?");
  EXPECT_EQ(fault("WGMMA oops").marked, "o");
  EXPECT_EQ(fault("WGMMA oops").message, "expected the end of the layout, found `o`");
  EXPECT_EQ(fault("tmem_half_lane_layout()").message,
            "`tmem_half_lane_layout(columns, packing=1)` needs the argument `columns`");
  EXPECT_EQ(fault("tmem_half_lane_layout(columns=16, columns=32)").marked, "columns=");
  EXPECT_EQ(fault("tmem_half_lane_layout(column=16)").message, "`tmem_half_lane_layout` has no argument `column`");
  EXPECT_EQ(fault("tmem_half_lane_layout(17)").marked, "tmem_half_lane_layout(17)");
  EXPECT_EQ(fault("WGMMA.reduce(7)").marked, "WGMMA.reduce(7)");
  EXPECT_EQ(fault("TMEMLayout(1)").marked, "1");
  EXPECT_EQ(fault("TiledLayout(Tiling((8, 0)), (), (), -1)").marked, "Tiling((8, 0))");
  EXPECT_EQ(fault("#mosaic_gpu.Foo<1>").marked, "Foo");
  EXPECT_EQ(fault("#mosaic_gpu.WGStridedFragLayout<[100], 4>").marked, "#mosaic_gpu.WGStridedFragLayout<[100], 4>");
  EXPECT_EQ(fault("WGStridedFragLayout(shape=(99999999999999999999,), vec_size=1)").marked, "99999999999999999999");
  EXPECT_EQ(fault("WGSplatFragLayout(shape=(4294967296, 4294967296))").message,
            "shape (4294967296, 4294967296) has more elements than 63 bits can count");
  EXPECT_EQ(fault("").message, "expected a layout, found the end");
  EXPECT_EQ(fault("\xff\xfe").message, "expected the name of a layout, found byte 0xff");
  EXPECT_EQ(fault(std::string("WGMMA\0", 6)).message, "expected the end of the layout, found byte 0x00");
}

TEST(Notation, NothingHangsOrCrashes) {
  EXPECT_FALSE(parse(std::string(100000, '(')));
  EXPECT_FALSE(parse("TiledLayout(" + std::string(60000, '(')));
  EXPECT_FALSE(parse("TiledLayout(Tiling(" + std::string(60000, '[')));
  std::string many = "WGSplatFragLayout(shape=(";
  for (int i = 0; i < 5000; ++i)
    many += "1,";
  EXPECT_FALSE(parse(many + "))"));
  std::string tiles = "TiledLayout(Tiling(";
  for (int i = 0; i < 3000; ++i)
    tiles += "(2,)";
  EXPECT_FALSE(parse(tiles + "), (), (), -1)"));
  // Every prefix of valid texts fails cleanly, with a place.
  for (const std::string &text :
       {jaxText(catalogue::mmaLayouts(16, 2)->lhs), mlirText(catalogue::mmaLayouts(16, 2)->lhs),
        std::string("tmem_half_lane_layout(columns=16, packing=2)")})
    for (size_t n = 0; n < text.size(); ++n) {
      Result<Layout> result = parse(text.substr(0, n));
      ASSERT_FALSE(result) << text.substr(0, n);
      ASSERT_TRUE(result.error().front().span.source);
    }
}

TEST(Notation, TmemWantsTiledLayouts) {
  EXPECT_TRUE(parseTmemLayout(Source::make("t", "tmem_default_layout")).error().front().span.source);
  EXPECT_FALSE(parseTmemLayout(Source::make("t", "WGSplatFragLayout((8,))")));
  EXPECT_EQ(*parseTmemLayout(Source::make("t", "tmem_default_layout()")), *catalogue::tmemDefault());
}

} // namespace
