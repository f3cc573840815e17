#include "layouts/notation/Notation.h"
#include "layouts/Catalogue.h"
#include "layouts/Equal.h"
#include "layouts/Placement.h"
#include "layouts/Shape.h"
#include "layouts/support/Text.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

using namespace lanescope;
using namespace lanescope::layouts;

namespace {

Result<Layout> parse(std::string text, Diagnostics *remarks = nullptr) {
  return parseLayout(Source::make("layout", std::move(text)), remarks);
}

/// The text at the caret of the first error, and the error's message.
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
  // Every prefix of a valid text gives an error with a place.
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

/// The byte of a 16-bit element.
int64_t byteOf(const Layout &layout, const Shape &shape, const Shape &index) {
  Result<Placement> map = placement(layout, shape, 16);
  EXPECT_TRUE(map) << (map ? "" : render(map.error()));
  return map ? std::get<AddressMap>(*map).byte(ravelIndex(index, shape)) : -1;
}

TEST(Notation, SharedMemoryTransforms) {
  for (const char *text : {"(TilingTransform(tiling=(8, 64)), SwizzleTransform(swizzle=128))",
                           "[plgpu.TilingTransform((8, 64)), plgpu.SwizzleTransform(128)]",
                           "[#mosaic_gpu.tile<[8, 64]>, #mosaic_gpu.swizzle<128 : i32>]",
                           "[[#mosaic_gpu.tile<[8, 64]>, #mosaic_gpu.swizzle<128 : i32>]]",
                           "#mosaic_gpu.tile<[8, 64]>, #mosaic_gpu.swizzle<128>",
                           "[#mosaic_gpu.tile<[8, 64]>, #mosaic_gpu.swizzle<swizzle_128>]", "C((8, 64), 128)",
                           "C(Tiling(((8, 64),)), 128)", "smem_map((64, 128), f16)",
                           "smem_map(shape=(64, 128), dtype=bf16, tiling=(8, 64), swizzle=128, transpose=False)"}) {
    Result<Layout> layout = parse(text);
    ASSERT_TRUE(layout) << text << render(layout.error());
    // Row 9 of the second tile column is in tile (1, 1) of (8, 2) tiles of 1024 bytes, at row 1 and chunk 0 XOR 1.
    EXPECT_EQ(byteOf(*layout, {64, 128}, {9, 64}), (1 * 2 + 1) * 1024 + 1 * 128 + 1 * 16) << text;
    Result<Layout> again = parse(layoutText(*layout));
    ASSERT_TRUE(again) << layoutText(*layout);
    EXPECT_TRUE(*again == *layout);
  }
  EXPECT_EQ(byteOf(*parse("()"), {4, 8}, {1, 2}), 20);
  EXPECT_EQ(byteOf(*parse("(TilingTransform(tiling=(8, 64)),)"), {64, 128}, {9, 64}), 3 * 1024 + 128);
  EXPECT_EQ(byteOf(*parse("C(None, None)"), {4, 8}, {1, 2}), 20);
  EXPECT_EQ(notation(*parse("smem_map((64, 128), f16)"), "mlir").value(),
            "[#mosaic_gpu.tile<[8, 64]>, #mosaic_gpu.swizzle<128 : i32>]");
}

TEST(Notation, OlderSpellingsAreReadAndSaid) {
  struct Older {
    std::string text, now;
  };
  const std::string wgmmaText = layoutText(wgmma());
  for (const Older &older : std::vector<Older>{
           {"C(" + wgmmaText + ")", wgmmaText},
           {"[#mosaic_gpu.tile<[8, 64]>, #mosaic_gpu.swizzle<swizzle_64>]",
            "(TilingTransform(tiling=(8, 64)), SwizzleTransform(swizzle=64))"},
           {"[#mosaic_gpu.tile<[8, 64]>, #mosaic_gpu.transpose<[1, 0, 2, 3]>]",
            "[#mosaic_gpu.tile<[8, 64]>, #mosaic_gpu.transpose<[1, 0, 2, 3]>]"},
           {"#mosaic_gpu.TiledLayout<[[64, 8], [16, 8], [8, 8], [1, 2]], warp_dim = -8, lane_dims = [-4, -3], "
            "vector_dim = -1>",
            wgmmaText},
           {"TiledLayout(tiling=Tiling(tiles=((64, 8), (16, 8), (8, 8), (1, 2))), warp_dims=[-8], lane_dims=(-4, -3), "
            "vector_dim=-1)",
            wgmmaText},
       }) {
    Diagnostics remarks;
    Result<Layout> layout = parse(older.text, &remarks);
    ASSERT_TRUE(layout) << render(layout.error());
    EXPECT_EQ(layoutText(*layout), older.now);
    ASSERT_FALSE(remarks.empty()) << older.text;
    EXPECT_EQ(remarks.front().kind, "layout-canonicalized");
  }
}

TEST(Notation, FindsTheLanguage) {
  struct Sample {
    std::string text, language;
  };
  for (const Sample &sample : std::vector<Sample>{
           {"WGMMA", "jax"},
           {"plgpu.Layout.WGMMA.reduce(1)", "jax"},
           {"#mosaic_gpu.WGStridedFragLayout<[128, 8], 4>", "jax"},
           {"(8,4):(1,8)", "cute"},
           {"_32:_1", "cute"},
           {"Sw<3,4,3> o smem_ptr[16b](unset) o (_8,_64):(_64,_1)", "cute"},
           {"!cute.layout<\"(4,8):(1,4)\">", "cute"},
           {"Layout<Shape<Shape<_4,_8>,Shape<_2,_2>>, Stride<Stride<_32,_1>,Stride<_16,_8>>>", "cute"},
           {"(4, 8) : (1, 4)", "cute"},
           {"#ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [2, 16], warpsPerCTA = [4, 1], order = [1, 0]}>",
            "triton"},
           {"tensor<128x64xf16, #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [2, 16], warpsPerCTA = [4, 1], "
            "order = [1, 0]}>>",
            "triton"},
           {"BlockedLayout(size_per_thread=[1, 4], threads_per_warp=[16, 2], warps_per_cta=[4, 1], order=[1, 0], "
            "cga_layout=[])",
            "triton"},
           {" - register=1 -> (0, 1)\n - lane=1 -> (1, 0)\nwhere out dims are: [dim0 (size 2), dim1 (size 2)]",
            "linear"},
           {"Blocked_Layout: [T,W,R] -> [Y,X]\nT: [[4,0],[8,0],[0,1],[0,2],[0,4]]\nW: [[0,8],[0,16]]\nR: "
            "[[1,0],[2,0]]\n",
            "linear"},
           {"local(2, 1).spatial(8, 4).local(1, 2)", "tilus"},
           {"(spatial(2, 2)) * local(2)", "tilus"},
           {"S[(8,64):(64@m,1@m)]", "tirx"},
           {"Tx.ComposeLayout(3, 3, 3, Tx.TileLayout(Tx.S[8 : 1]))", "tirx"},
           {"fragment(\"mma.m16n8k16.f32.f16.f16.f32\", \"a\")", "fragment"},
       }) {
    Result<Layout> layout = parse(sample.text);
    ASSERT_TRUE(layout) << sample.text << "\n" << render(layout.error());
    EXPECT_EQ(languageOf(*layout), sample.language) << sample.text;
    // The printed text reads back as an equal layout.
    Result<Layout> again = parse(layoutText(*layout));
    ASSERT_TRUE(again) << layoutText(*layout) << "\n" << render(again.error());
    EXPECT_TRUE(*again == *layout) << layoutText(*layout);
  }
}

TEST(Notation, ALanguageCanBeForced) {
  auto forced = [](const char *text, const char *language) {
    return parseLayout(Source::make("layout", text), nullptr, language);
  };
  EXPECT_EQ(languageOf(*forced("(8,4):(1,8)", "cute")), "cute");
  EXPECT_EQ(forced("(8,4):(1,8)", "tilus").error().front().message,
            "expected a layout function such as `spatial` or `local`, found `8`");
  EXPECT_EQ(forced("WGMMA", "cuda").error().front().kind, "layout-language");
}

TEST(Notation, AnUnclearTextNamesTheLanguagesTried) {
  Result<Layout> layout = parse("= 8");
  ASSERT_FALSE(layout);
  ASSERT_FALSE(layout.error().front().notes.empty());
  const std::string &note = layout.error().front().notes.front().message;
  for (const char *language : {"JAX Python", "MLIR", "CuTe", "Triton", "linear layouts", "Tilus", "TIRx", "fragments"})
    EXPECT_NE(note.find(language), std::string::npos) << note;
}

TEST(Notation, PallasNames) {
  struct Name {
    std::string text, same;
  };
  for (const Name &name : std::vector<Name>{
           {"TMEM_DEFAULT(packing=2)", "tmem_default_layout(2)"},
           {"plgpu.Layout.WG_STRIDED((128,128), vec_size=4)", "WGStridedFragLayout((128, 128), 4)"},
           {"plgpu.Layout.TILED(Tiling(((64, 8), (16, 8), (8, 8), (2,))), warp_dims=(-7,), lane_dims=(-3, -2), "
            "vector_dim=-1)",
            "WGMMA"},
           {"plgpu.TMEMLayout.SCALES_LAYOUT", "scales_layout()"},
           {"plgpu.TMEMLayout.SPARSE_METADATA_LAYOUT", "sparse_meta_layout()"},
           {"plgpu.TMEMLayout.M64_COLLECTIVE_LAYOUT(64)", "tmem_m64_collective_layout(64)"},
           {"plgpu.TMEMLayout.SCALES_M64_COLLECTIVE_LAYOUT", "b_scales_m64_collective_layout()"},
           {"TCGEN05_TMEM_NATIVE", "tmem_native_layout(2)"},
       }) {
    Result<Layout> layout = parse(name.text), same = parse(name.same);
    ASSERT_TRUE(layout) << render(layout.error());
    ASSERT_TRUE(same) << render(same.error());
    EXPECT_TRUE(*layout == *same) << name.text;
  }
  EXPECT_EQ(fault("#mosaic_gpu.copy_partitioned<axis=1>").marked, "copy_partitioned");
  EXPECT_EQ(fault("plgpu.Layout.NONE").message.substr(0, 24), "there is no layout `NONE");
}

// Layouts with warps, lanes and registers in random order, printed by JAX's and MLIR's printers from the bare table.
TEST(Notation, GeneratedMosaicLayoutsReadBack) {
  std::mt19937 random(21);
  int written = 0, refused = 0;
  while (written < 10000) {
    // The 7 bits of the thread and up to 4 bits of the register, in any order over two dimensions.
    Shape modes, spatial, local;
    size_t registers = random() % 5, rank = 1 + random() % 2;
    for (size_t i = 0; i < 7 + registers; ++i)
      modes.push_back(2);
    std::vector<int64_t> order(modes.size());
    for (size_t i = 0; i < order.size(); ++i)
      order[i] = static_cast<int64_t>(i);
    std::shuffle(order.begin(), order.end(), random);
    spatial.assign(order.begin(), order.begin() + 7);
    local.assign(order.begin() + 7, order.end());
    std::sort(local.begin(), local.end()); // in the order of the index, so that a tiling can number them
    size_t rows = rank == 1 ? modes.size() : random() % (modes.size() + 1);
    Shape shape = {int64_t(1) << rows};
    if (rank == 2)
      shape.push_back(int64_t(1) << (modes.size() - rows));
    if (random() % 4 == 0 && !spatial.empty()) { // some threads hold copies
      size_t at = random() % 7;
      local.push_back(spatial[at]);
      std::sort(local.begin(), local.end());
      spatial[at] = -2;
    }
    auto list = [](const Shape &values) { return "[" + joined(values, ", ") + "]"; };
    Layout layout =
        *parse("register_layout(" + list(shape) + ", " + list(modes) + ", " + list(spatial) + ", " + list(local) + ")");
    Result<std::string> python = notation(layout, "jax"), mlir = notation(layout, "mlir");
    ASSERT_EQ(python.has_value(), mlir.has_value());
    if (!python) {
      ++refused;
      ASSERT_EQ(python.error().front().kind, "notation-lossy");
      ASSERT_LT(refused, 20000);
      continue;
    }
    ++written;
    Result<Layout> a = parse(*python), b = parse(*mlir);
    ASSERT_TRUE(a && b) << *python << *mlir;
    ASSERT_TRUE(*a == *b);
    ASSERT_EQ(layoutText(*a), *python);
    ASSERT_TRUE(equal(layout, *a, shape)->exact) << *python;
  }
}

TEST(Notation, GeneratedTransformsReadBack) {
  std::mt19937 random(22);
  const char *dtypes[] = {"u8", "f16", "bf16", "f32", "i32", "i8"};
  for (int n = 0; n < 10000; ++n) {
    const char *dtype = dtypes[random() % 6];
    int bits = bitwidth(*dtypeNamed(dtype));
    int64_t swizzle = int64_t(16) << random() % 4, tileRows = int64_t(1) << random() % 4,
            tileColumns = swizzle * 8 / bits;
    Shape shape = {tileRows * (1 + int64_t(random() % 3)), tileColumns * (1 + int64_t(random() % 3))};
    std::string text =
        "smem_map(" + tupleText(shape) + ", " + dtype + ", tiling=" + tupleText({tileRows, tileColumns}) +
        ", swizzle=" + (swizzle == 16 ? "None" : std::to_string(swizzle)) + (random() % 2 ? ", transpose=True)" : ")");
    Result<Layout> layout = parse(text);
    ASSERT_TRUE(layout) << text << render(layout.error());
    ASSERT_EQ(layoutText(*layout), text);
    if (n % 20 != 0)
      continue;
    // The tiles and the swizzle are recovered from the bare table of offsets.
    Result<std::string> tirx = notation(*layout, "tirx");
    if (!tirx) {
      ASSERT_EQ(tirx.error().front().kind, "notation-lossy");
      continue;
    }
    Result<std::string> back = notation(*parse(*tirx), "jax", shape, bits);
    ASSERT_TRUE(back) << text << *tirx << render(back.error());
    ASSERT_TRUE(equal(*parse(*back), *layout, shape, bits)->exact) << text << *back;
  }
}

TEST(Notation, TransformErrorsStandUnderTheMistake) {
  struct Bad {
    std::string text;
    uint32_t column;
    std::string message;
  };
  for (const Bad &bad : std::vector<Bad>{
           {"smem_map((8, 64), f99)", 19, "`f99` is not a dtype such as `f16`"},
           {"smem_map((8, 64))", 1, "`smem_map` needs the argument `dtype`"},
           {"smem_map((8, 64), f16, swizzle=48)", 32, "a swizzle is of 16 (none), 32, 64 or 128 bytes, not 48"},
           {"smem_map((8, 64), f16, transpose=1)", 34, "expected `True` or `False`, found `1`"},
           {"(TilingTransform(tiling=8), SwizzleTransform(128))", 25, "expected a `Tiling`, found `8`"},
           {"(TilingTransform((8, 64)), Swizzle(128))", 28,
            "expected `TilingTransform` or `SwizzleTransform`, found `S`"},
           {"[#mosaic_gpu.tile<[8, 64]>, #mosaic_gpu.swizzle<swizzle_48>]", 57,
            "a swizzle is of 16 (none), 32, 64 or 128 bytes, not 48"},
           {"[#mosaic_gpu.tile<8, 64>]", 19, "expected the tile, found `8`"},
           {"[#mosaic_gpu.tile<[8, 64]>, #mosaic_gpu.transpose<[0, 1]>]", 51,
            "only `transpose<[1, 0, 2, 3]>`, after a tile of two dimensions, has a meaning here: tiles in column-major "
            "order"},
           {"[#mosaic_gpu.tile<[8, 64]>, #mosaic_gpu.rotate<1>]", 29,
            "`#mosaic_gpu.rotate` is not a transform of shared memory; `tile` and `swizzle` are"},
           {"[#mosaic_gpu.tile<[8, 64]>", 27, "expected `]` in the transforms, found the end"},
           {"#mosaic_gpu.tile<[8, 64]>, ", 28, "expected `TilingTransform` or `SwizzleTransform`, found the end"},
           {"C((8, 64))", 10, "expected `,` in `C(tiling, swizzle)`, found `)`"},
           {"C(WGMMA", 8, "expected `)` in `C(…)`, found the end"},
           {"C(C(WGMMA))", 5, "expected a layout, found `W`"},
       }) {
    Result<Layout> layout = parse(bad.text);
    ASSERT_FALSE(layout) << bad.text;
    EXPECT_EQ(layout.error().front().message, bad.message) << bad.text;
    EXPECT_EQ(layout.error().front().span.begin + 1, bad.column) << bad.text;
  }
}

TEST(Notation, WritingSaysWhyNot) {
  auto why = [](const char *text, const char *language, std::optional<Shape> shape,
                std::optional<int> bits = std::nullopt) {
    Result<std::string> out = notation(*parse(text), language, std::move(shape), bits);
    return out ? "printed " + *out : out.error().front().message;
  };
  EXPECT_EQ(why("WGMMA", "cute", std::nullopt),
            "the registers of `" + layoutText(wgmma()) +
                "` depend on the shape of the array; give it, as `notation(layout, \"cute\", (64, 64))`");
  EXPECT_EQ(why("WGMMA", "latex", Shape{64, 64}), "there is no notation `latex` to write; there are jax, mlir, cute, "
                                                  "cute-dsl, cute-type, triton, linear, tilus, tirx, tpu");
  EXPECT_EQ(why("local(2, 1).spatial(8, 4).local(1, 2)", "jax", std::nullopt),
            "Mosaic GPU cannot write this layout: its layouts are of 128 threads, this one of 32");
  // No tiling has this register order: the columns of one dimension are numbered from the minor digit.
  EXPECT_EQ(why("spatial(128, 1).local(1, 2).column_local(1, 1) * local(1, 1)", "jax", std::nullopt).substr(0, 11),
            "printed Til");
  EXPECT_EQ(why("register_layout([128, 8], [128, 2, 2, 2], [0], [2, 1, 3])", "jax", std::nullopt),
            "Mosaic GPU cannot write this layout: its registers are numbered against the order of the index");
  EXPECT_EQ(why("replicated(2, num_workers=32)", "tilus", std::nullopt).substr(0, 8), "printed ");
  EXPECT_EQ(
      why("smem_map((64, 64), f16, tiling=(8, 64), swizzle=128, transpose=True)", "triton", std::nullopt).substr(0, 8),
      "printed ");
}

} // namespace
