// Layouts found in pasted text: TTGIR modules and lines, JAX dumps, printouts, and texts without layouts.
#include "layouts/notation/Find.h"
#include "layouts/support/Text.h"

#include <fstream>
#include <gtest/gtest.h>
#include <random>
#include <sstream>

namespace lanescope::layouts {
namespace {

/// One line per layout found: "line name shape bits uses text".
std::string found(const std::string &chunk) {
  std::string out;
  SourceRef source = Source::make("paste", chunk);
  for (const FoundLayout &found : findLayouts(source)) {
    EXPECT_EQ(found.span.source, source);
    EXPECT_LT(found.span.begin, found.span.end);
    EXPECT_LE(found.span.end, chunk.size());
    out += text(source->lineColumn(found.span.begin).line, ' ', found.name.empty() ? "-" : found.name, ' ',
                found.shape ? tupleText(*found.shape) : "-", ' ', found.bitwidth ? text(*found.bitwidth) : "-", " x",
                found.uses, ' ',
                found.layout ? layoutText(*found.layout).substr(0, 40)
                             : found.layout.error().front().message.substr(0, 60),
                '\n');
  }
  return out;
}

constexpr const char *kModule = R"(// -----// IR Dump
#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 128, 16]}>
#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-warps" = 4 : i32} {
  tt.func public @kernel(%a: tensor<128x64x!tt.ptr<f16>, #blocked>, %n: i32) {
    %0 = tt.load %a : tensor<128x64x!tt.ptr<f16>, #blocked>
    %1 = ttg.local_alloc %0 : (tensor<128x64xf16, #blocked>) -> !ttg.memdesc<128x64xf16, #shared, #smem>
    %acc = arith.constant dense<0.0> : tensor<128x128xf32, #mma>
    %m = "tt.reduce"(%acc) : (tensor<128x128xf32, #mma>) -> tensor<128xf32, #ttg.slice<{dim = 1, parent = #mma}>>
    %s = tt.splat %n : i32 -> tensor<128xi32>
  }
}
)";

TEST(TritonFind, Module) {
  EXPECT_EQ(found(kModule), "2 #blocked - - x1 #ttg.blocked<{sizePerThread = [1, 8], th\n"
                            "3 #mma - - x1 #ttg.nvidia_mma<{versionMajor = 3, versi\n"
                            "4 #shared - 16 x1 #ttg.nvmma_shared<{swizzlingByteWidth = \n"
                            "7 %a (128, 64) 64 x2 tensor<128x64x!tt.ptr<f16>, #ttg.blocked\n"
                            "9 - (128, 64) 16 x1 tensor<128x64xf16, #ttg.blocked<{sizePer\n"
                            "9 %1 (128, 64) 16 x1 !ttg.memdesc<128x64xf16, #ttg.nvmma_shar\n"
                            "10 %acc (128, 128) 32 x2 tensor<128x128xf32, #ttg.nvidia_mma<{ver\n"
                            "11 %m (128,) 32 x1 tensor<128xf32, #ttg.slice<{dim = 1, par\n");
}

TEST(TritonFind, OneLine) {
  EXPECT_EQ(found("%0 = tt.load %p : tensor<16x16xf16, #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [4, 8], "
                  "warpsPerCTA = [1, 1], order = [1, 0]}>>"),
            "1 %0 (16, 16) 16 x1 tensor<16x16xf16, #ttg.blocked<{sizePerT\n");
  // Without its alias line the layout is unknown. The error is reported once, at the name.
  EXPECT_EQ(found("%0 = tt.load %p : tensor<16x16xf16, #blocked>\n%1 = tt.load %q : tensor<16x16xf16, #blocked>"),
            "1 %0 - - x2 `#blocked` is not defined here; paste its line `#blocked = #\n");
  // The definition may come after the use. A second module has its own definition.
  EXPECT_EQ(
      found("tensor<32xf16, #b>\n#b = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [1], "
            "order = [0]}>\n#b = #ttg.blocked<{sizePerThread = [2], threadsPerWarp = [32], warpsPerCTA = [1], order = "
            "[0]}>\ntensor<64xf16, #b>"),
      "1 - (32,) 16 x1 tensor<32xf16, #ttg.blocked<{sizePerThre\n"
      "2 #b - - x1 #ttg.blocked<{sizePerThread = [1], threa\n"
      "3 #b - - x1 #ttg.blocked<{sizePerThread = [2], threa\n"
      "4 - (64,) 16 x1 tensor<64xf16, #ttg.blocked<{sizePerThre\n");
}

TEST(TritonFind, JaxDumps) {
  std::ifstream file(LANESCOPE_SOURCE_DIR "/tests/golden/jax_dumps/wgmma_Warpgroup/k_7.after_layout_inference.txt");
  ASSERT_TRUE(file);
  std::stringstream chunk;
  chunk << file.rdbuf();
  std::string out = found(chunk.str());
  EXPECT_NE(out.find("(64, 128) 32 x1 WGSplatFragLayout(shape=(64, 128))"), std::string::npos) << out;
  EXPECT_NE(out.find("(64, 128) 32 x"), std::string::npos) << out;
  EXPECT_NE(out.find("TiledLayout(tiling=Tiling(tiles=((64, 8)"), std::string::npos) << out;
  EXPECT_EQ(out.find("not"), std::string::npos) << out;
}

TEST(TritonFind, MosaicShapesGoByPlace) {
  EXPECT_EQ(
      found("%2 = mosaic_gpu.x %0, %1 {in_layouts = [#mosaic_gpu.WGStridedFragLayout<[128, 128], 2>, "
            "#mosaic_gpu.WGStridedFragLayout<[64, 128], 4>], out_layouts = "
            "[#mosaic_gpu.WGSplatFragLayout<[32]>]} : (vector<128x128xf32>, vector<64x128xf16>) -> vector<32xi8>"),
      "1 - (128, 128) 32 x1 WGStridedFragLayout(shape=(128, 128), ve\n"
      "1 - (64, 128) 16 x1 WGStridedFragLayout(shape=(64, 128), vec\n"
      "1 %2 (32,) 8 x1 WGSplatFragLayout(shape=(32,))\n");
  // The same attribute is a layout of tensor memory if its key says so.
  std::string tmem =
      found("%3 = mosaic_gpu.tmem_alloc %0 {out_tmem_layouts = [#mosaic_gpu.TiledLayout<[[128, 1], [32, 1]], "
            "warp_dims = [-4], lane_dims = [-2], vector_dim = -1>]} : () -> memref<128x64xf32, "
            "#mosaic_gpu.tmem>");
  EXPECT_EQ(tmem, "1 %3 (128, 64) 32 x1 TMEMLayout(tiling=Tiling(tiles=((128, 1)\n");
}

TEST(TritonFind, TransformsOfSharedMemory) {
  EXPECT_EQ(
      found("%5 = \"mosaic_gpu.slice_smem\"() {out_transforms = [[#mosaic_gpu.tile<[8, 64]>, #mosaic_gpu.swizzle<128 : "
            "i32>]]} : () -> memref<64x128xf16, #gpu.address_space<workgroup>>\n"
            "wgmma %a, %b {in_transforms = [[#mosaic_gpu.tile<[8, 64]>, #mosaic_gpu.swizzle<128 : i32>], "
            "[#mosaic_gpu.tile<[8, 32]>, #mosaic_gpu.swizzle<64 : i32>]]} : (memref<64x128xf16, "
            "#gpu.address_space<workgroup>>, memref<32x32xf16, #gpu.address_space<workgroup>>) -> ()\n"),
      "1 %5 (64, 128) 16 x2 (TilingTransform(tiling=(8, 64)), Swizzl\n"
      "2 - (32, 32) 16 x1 (TilingTransform(tiling=(8, 32)), Swizzl\n");
  EXPECT_EQ(found("OneOf(V(%60), (SMEMTransforms(tiling=TileTransform(tiling=(8, 64), rounding=None), swizzle=128), "
                  "SMEMTransforms(tiling=None, swizzle=64)))"),
            "1 - - - x1 (TilingTransform(tiling=(8, 64)), Swizzl\n"
            "1 - - - x1 (SwizzleTransform(swizzle=64),)\n");
}

TEST(TritonFind, AResultIsNotItsOperand) {
  const std::string blocked =
      "#b = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], "
      "order = [1, 0]}>\n";
  auto last = [&](const std::string &line) {
    std::string out = found(blocked + line);
    return out.substr(out.find('\n') + 1, 18);
  };
  EXPECT_EQ(last("%2 = tt.load %p : tensor<128x64x!tt.ptr<f16>, #b>"), "2 %p (128, 64) 64 ");
  EXPECT_EQ(last("%2 = tt.load %p, %m : tensor<128x64x!tt.ptr<f16>, #b>"), "2 %p (128, 64) 64 ");
  EXPECT_EQ(last("%2 = arith.cmpi slt, %x, %y : tensor<128x64xi32, #b>"), "2 %x (128, 64) 32 ");
  EXPECT_EQ(last("%2 = arith.addf %x, %y : tensor<128x64xf32, #b>"), "2 %2 (128, 64) 32 ");
  EXPECT_EQ(last("%2 = tt.addptr %p, %o : tensor<128x64x!tt.ptr<f16>, #b>, tensor<128x64xi32, #b>"),
            "2 %2 (128, 64) 64 ");
}

TEST(TritonFind, PythonAndLinear) {
  EXPECT_EQ(found("a = gl.BlockedLayout([1, 4], [16, 2], [4, 1], [1, 0])\nprint(SliceLayout(0, a2))\nL = "
                  "fa.WGStridedFragLayout(shape=(128, 128), vec_size=4)"),
            "1 a - - x1 #ttg.blocked<{sizePerThread = [1, 4], th\n"
            "2 - - - x1 `a2` is no layout of Gluon's; these are: `BlockedLayout`, `S\n"
            "3 L - - x1 WGStridedFragLayout(shape=(128, 128), ve\n");
  EXPECT_EQ(
      found("the layout is:\n - register=1 -> (0, 1)\n - lane=1 -> (1, 0)\nwhere out dims are: [dim0 (size 2), dim1 "
            "(size 2)]\nand so on"),
      "2 - (2, 2) - x1  - register=1 -> (0, 1)\n - lane=1 -> (1,\n");
}

TEST(TritonFind, CutePrintsByLine) {
  EXPECT_EQ(found("MMA_Atom\n  Shape_MNK:  (_16,_8,_16)\n  LayoutC_TV: ((_4,_8),(_2,_2)):((_32,_1),(_16,_8))\n"),
            "3 LayoutC_TV (16, 8) - x1 Tiler_MN: (_16,_8) LayoutC_TV: ((_4,_8),\n");
  // A tiled copy's layout has its own name and line, not those of its tiler. Text around the printout is ignored.
  EXPECT_EQ(found("the copy:\nTiledCopy\n  Tiler_MN:       (_16,_8)\n  TiledLayout_TV: "
                  "((_4,_8),(_2,_2)):((_32,_1),(_16,_8))\n\nend\n"),
            "4 TiledLayout_TV (16, 8) - x1 Tiler_MN: (_16,_8) TiledLayout_TV: ((_4,\n");
  // The output of CUTLASS's examples/python/CuTeDSL/notebooks/elementwise_add.ipynb: the tiler alone is no layout.
  EXPECT_EQ(found("Tiler: (16, 256)\nTV Layout: ((32,4),(8,4)):((128,4),(16,1))\nTiled Input Tensors:\n"),
            "2 TiledLayout_TV (16, 256) - x1 Tiler_MN: (_16,_256) TiledLayout_TV: ((3\n");
  // A text that would be a layout without its mistake is returned with the error.
  EXPECT_EQ(found("((_8,_8)):(_8):(_1)").substr(0, 18), "1 - - - x1 expecte");
}

TEST(TritonFind, NothingInOtherTexts) {
  EXPECT_EQ(found(""), "");
  EXPECT_EQ(found("Dear all,\n\nwe meet at 10:30 (room 5), see [1] and f(x) = x < 3 > y.\n# heading\n- item\n"), "");
  EXPECT_EQ(found("// tensor<16xf16, #ttg.blocked<{}>>\n%0 = arith.addi %a, %b : tensor<16xi32>"), "");
}

TEST(TritonFind, TimeIsLinear) {
  // Texts that a careless search would scan again and again.
  const std::string patterns[] = {"tensor<1x",
                                  "#ttg.slice<{dim = 0, parent = ",
                                  "#mosaic_gpu.TiledLayout<[[",
                                  "- a=1 ",
                                  "A: [T] -> [Y]\n",
                                  "#a = #ttg.slice<{dim = 0, parent = #a}>\n",
                                  "((((",
                                  "TiledLayout(",
                                  "vector<1xf32>",
                                  "#ttg.padded_shared<[1:+1] {a = [",
                                  "%x = ",
                                  "SliceLayout(0, ",
                                  "tensor<1xf16, #b> "};
  for (const std::string &pattern : patterns) {
    std::string chunk;
    while (chunk.size() < (size_t(1) << 20))
      chunk += pattern;
    SCOPED_TRACE(pattern);
    findLayouts(Source::make("paste", chunk)); // a quadratic search would take hours and exceed ctest's limit
  }
}

} // namespace
} // namespace lanescope::layouts
