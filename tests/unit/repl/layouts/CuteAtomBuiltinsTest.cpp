// The builtins of CuTe's atoms, tiled operations, tiles and coordinates; conflicts of AMD's LDS.
#include "tests/unit/repl/Snippets.h"

#include <gtest/gtest.h>

namespace lanescope::repl {
namespace {

std::string run(const std::string &snippet) {
  Snippets snippets;
  return snippets.run(snippet);
}

TEST(CuteAtomBuiltins, NamesStandForThemselves) {
  EXPECT_EQ(
      run("mma_atom(SM80_16x8x16_F32F16F16F32_TN).LayoutA_TV == mma_atom('SM80_16x8x16_F32F16F16F32_TN').LayoutA_TV"),
      "True");
  EXPECT_EQ(run("mma_atom(SM70_8x8x4_F32F16F16F32_NT).shape_mnk"), "(8, 8, 4)");
  EXPECT_EQ(run("copy_atom(SM75_U32x4_LDSM_N, f16).value_bits"), "16");
  EXPECT_TRUE(run("owners(SM80_16x8x16_F32F16F16F32_TN, None, (9, 3))['thread']").ends_with("[5]"));
  EXPECT_EQ(run("sorted(cute_operands('SM90_64x64x16_F32F16F16_RS'))"), "['LayoutA_TV', 'LayoutB_TV', 'LayoutC_TV']");
  EXPECT_NE(run("SM80_16x8x16_F32F16F16F32_TM").find("did you mean `SM80_16x8x16_F32F16F16F32_TN`"), std::string::npos);
  EXPECT_NE(run("SM75_U32x4_LDMS_N").find("is not defined"), std::string::npos);
  EXPECT_NE(run("mma_atom('SM100_MMA_F16BF16_SS')").find("needs its types, M and N"), std::string::npos);
}

TEST(CuteAtomBuiltins, TiledMmaAndCopy) {
  const std::string mma = "m = make_tiled_mma(SM80_16x8x16_F32F16F16F32_TN, (2, 2, 1), (32, 32, 16))\n";
  EXPECT_EQ(run(mma + "m.threads, m.tile_mnk"), "(128, (32, 32, 16))");
  EXPECT_EQ(run(mma + "len(elements(m.LayoutC_TV, None, warp=3, lane=31)['element'])"), "8");
  // Thread 5 of the first warp has row 1, columns 2 and 3, and the same 8 rows below. The tile repeats every 32.
  EXPECT_EQ(run(mma + "p, at = m.get_slice(5).partition_C('(64,64):(64,1)')\nat, size(p), rank(p)"), "(66, 32, 3)");
  EXPECT_EQ(run(mma + "m.get_slice(5).partition_A('(32,16):(16,1)')[1]"), "18");
  EXPECT_NE(run(mma + "m.get_slice(128)").find("threads 0 to 127"), std::string::npos);
  EXPECT_NE(run(mma + "m.get_slice(0).partition_D('(4,4):(4,1)')").find("partition_D"), std::string::npos);
  EXPECT_EQ(
      run("c = make_tiled_copy(copy_atom('SM80_CP_ASYNC_CACHEALWAYS<uint128_t>', f16), '(16,8):(8,1)', '(1,8):(8,1)')\n"
          "c.tiler_mn, c.threads, c.get_slice(9).partition_S('(32,64):(64,1)')[1]"),
      "((16, 64), 128, 72)");
  EXPECT_NE(run("make_tiled_copy_A('SM75_U32x4_LDSM_N', 3)").find("what `make_tiled_mma` returns"), std::string::npos);
  EXPECT_NE(run("make_tiled_mma(SM80_16x8x16_F32F16F16F32_TN, (2, 2, 1, 1))").find("M, N and K are all"),
            std::string::npos);
}

TEST(CuteAtomBuiltins, OneThreadsProductsAreTiled) {
  const std::string mma = "m = make_tiled_mma('UniversalFMA<float>', (16, 16, 1))\n";
  EXPECT_EQ(run(mma + "m.threads, m.tile_mnk"), "(256, (16, 16, 1))");
  EXPECT_EQ(run(mma + "print(m.LayoutC_TV.text)"),
            "Tiler_MN: (_16,_16) LayoutC_TV: (256,(_1,(_1,_1))):(1,(_0,(_0,_0)))");
  EXPECT_EQ(run(mma + "owners(m.LayoutC_TV, None, (3, 2))['thread']"), "[35]");
  // The atoms' layout and the permutation are texts. Each thread has 2x2 of 8x8, four rows apart.
  const std::string dealt = "m = make_tiled_mma('cute::UniversalFMA<float>{}', '(2,2,1):(2,1,1)', ('(2,4):(4,1)', "
                            "'(2,4):(4,1)', None))\n";
  EXPECT_EQ(run(dealt + "m.threads, m.tile_mnk"), "(4, (8, 8, 1))");
  EXPECT_EQ(run(dealt +
                "[len(owners(m.LayoutC_TV, None, (i, j))['thread']) for i in range(8) for j in range(8)] == [1] "
                "* 64"),
            "True");
  for (const char *atom : {"MMA_Atom<UniversalFMA<double>>", "UniversalFMA<float, half_t, half_t>",
                           "cute.nvgpu.MmaUniversalOp(cutlass.Float32)", "MmaUniversalOp(Float64)"})
    EXPECT_EQ(run(std::string("make_tiled_mma('") + atom +
                  "', (4, 2)).LayoutA_TV == make_tiled_mma('UniversalFMA<int>', "
                  "'(4,2,1):(1,4,8)').LayoutA_TV"),
              "True")
        << atom;
  EXPECT_EQ(run("c = make_tiled_copy(copy_atom('UniversalCopy<float4>', f32), '(32,8):(8,1)', '(1,4):(4,1)')\n"
                "c.tiler_mn, c.threads"),
            "((32, 32), 256)");
  EXPECT_EQ(run("make_tiled_copy('Copy_Atom<DefaultCopy, float>', '(4,8):(8,1)').tiler_mn"), "(4, 8)");
  EXPECT_EQ(run("copy_atom('UniversalCopy<uint128_t>', 'cutlass.Float16').value_bits"), "16");
}

TEST(CuteAtomBuiltins, RecastsToAnyWidth) {
  const std::string of = "print(recast('(128,64):(64,1)', f16, ";
  for (auto [type, text] : {std::pair("u128", "(128,8):(8,1)"),
                            {"'cute::uint128_t'", "(128,8):(8,1)"},
                            {"'uint128_t'", "(128,8):(8,1)"},
                            {"uint128_t", "(128,8):(8,1)"},
                            {"b128", "(128,8):(8,1)"},
                            {"128", "(128,8):(8,1)"},
                            {"'f64x2'", "(128,8):(8,1)"},
                            {"'float4'", "(128,8):(8,1)"},
                            {"u256", "(128,4):(4,1)"},
                            {"256", "(128,4):(4,1)"},
                            {"f32", "(128,32):(32,1)"},
                            {"64", "(128,16):(16,1)"},
                            {"16", "(128,64):(64,1)"},
                            {"u8", "(128,128):(128,1)"},
                            {"4", "(128,256):(256,1)"},
                            {"2", "(128,512):(512,1)"},
                            {"'uint1b_t'", "(128,1024):(1024,1)"}})
    EXPECT_EQ(run(of + type + ").text)"), text) << type;
  EXPECT_EQ(
      run("print(recast('((64,16),2,(4,2),(1,2)):((64,1),8192,(16,16384),(0,32768))', f16, u128).text)").find("error"),
      std::string::npos);
  EXPECT_EQ(run("print(recast('(8,4):(4,1)', u128, f16).text)"), "(8,32):(32,1)");
  EXPECT_NE(run("recast('(8,4):(4,1)', f16, 0)").find("1 to 1024 are"), std::string::npos);
  EXPECT_NE(run("recast('(8,4):(4,1)', f16, 'banana')").find("there is no dtype `banana`"), std::string::npos);
}

TEST(CuteAtomBuiltins, CoordinatesAndSlices) {
  EXPECT_EQ(run("L = cute((3, (2, 3)), (3, (12, 1)))\nL(16), L(1, 5), L(1, (1, 2)), L((1, (1, 2)))"),
            "(17, 17, 17, 17)");
  EXPECT_EQ(
      run("L = cute((3, (2, 3)), (3, (12, 1)))\n[L(i) for i in range(18)] == [L(*idx2crd(i, L)) for i in range(18)]"),
      "True");
  EXPECT_EQ(run("print(cute((3, (2, 3)), (3, (12, 1)))(2, '_').text)"), "((2,3)):((12,1))");
  EXPECT_EQ(run("slice_and_offset((2, None), '(3,(2,3)):(3,(12,1))')[1]"), "6");
  EXPECT_EQ(run("s = layout('Sw<3,4,3> o smem_ptr[16b](unset) o (_8,_64):(_64,_1)')\n"
                "[s(5, None)(j) for j in range(64)] == [s(5, j) for j in range(64)]"),
            "True");
  EXPECT_EQ(run("crd2idx((1, (1, 2)), (3, (2, 3)), (3, (12, 1)))"), "17");
  EXPECT_EQ(run("make_layout(make_shape(4, 8), LayoutRight) == cute((4, 8), make_stride(8, 1))"), "True");
  EXPECT_NE(run("cute((4, 8))(4, 0)").find("outside"), std::string::npos);
  EXPECT_NE(run("cute((4, 8))(1, 2, 3)").find("does not fit the shape"), std::string::npos);
  EXPECT_NE(run("cute((4, 8))()").find("called with a coordinate"), std::string::npos);
  EXPECT_NE(run("WGMMA(1, 2)").find("layout of another language"), std::string::npos);
  EXPECT_NE(run("idx2crd(32, (4, 8))").find("outside"), std::string::npos);
}

TEST(CuteAtomBuiltins, PrintoutsInAnyQuotes) {
  const std::string lines[] = {"MMA_Atom", "  ThrID:      _32:_1", "  Shape_MNK:  (_16,_8,_16)",
                               "  LayoutC_TV: ((_4,_8),(_2,_2)):((_32,_1),(_16,_8))"};
  std::string triple, escaped, apostrophes;
  for (const std::string &line : lines)
    triple += line + "\n", escaped += line + "\\n";
  std::string wanted = "[5]";
  for (const std::string &text :
       {"\"\"\"" + triple + "\"\"\"", "'''\n" + triple + "'''", "'" + escaped + "'", "\"" + escaped + "\""})
    EXPECT_EQ(run("owners(" + text + ", None, (9, 3))['thread']"), wanted) << text;
}

TEST(CuteAtomBuiltins, NamesThatAreElsewhereAreSaid) {
  const std::pair<const char *, const char *> kNames[] = {
      {"Layout((4, 8))", "make_layout(shape, stride)"},
      {"TiledMMA(3)", "make_tiled_mma(atom"},
      {"Copy_Atom(3)", "copy_atom("},
      {"Shape(_4, _8)", "make_shape(4, 8)"},
      {"make_shape(_4, 8)", "`_4` is `4` here"},
      {"get_slice(0)", "is a method"},
      {"partition_C(3)", "get_slice(thread).partition_C"},
      {"local_tile(3)", "zipped_divide(layout, tiler)"},
      {"print_latex(3)", "show(layout)"},
      {"GenRowMajor", "LayoutRight"},
      {"make_copy_atom(3)", "copy_atom("},
      {"get_layoutA_TV()", "the field `LayoutA_TV`"},
      {"SM90_64x128x16_F32F16F16_SR", "did you mean `SM90_64x128x16_F32F16F16_SS`"},
      {"SM75_U32x4_LDSM_M", "did you mean `SM75_U32x4_LDSM_N`"},
      {"Layout_K_SW128_Atm(f16)", "did you mean `Layout_K_SW128_Atom`"},
      {"make_tilde_mma(3)", "did you mean `make_tiled_mma`"},
  };
  for (auto [snippet, wanted] : kNames)
    EXPECT_NE(run(snippet).find(wanted), std::string::npos) << snippet << ": " << run(snippet);
}

TEST(CuteAtomBuiltins, LdsOfAmd) {
  const std::string mfma = "L = layout('#ttg.amd_mfma<{version = 3, warpsPerCTA = [1, 1], instrShape = [32, 32, 8], "
                           "isTransposed = true}>')\n";
  // Lanes 0 to 31 each hold a row with four values; rows of 256 bytes all begin at bank 0.
  EXPECT_EQ(run(mfma + "r = conflicts('ds_read_b128', L, smem_map((32, 32), f32, tiling=None, swizzle=None))\n"
                       "r.instructions, r.ideal, r.conflicts > 0"),
            "(4, 32, True)");
  // Rows are padded by 16 bytes, so the eight lanes of a phase need eight different groups of four banks.
  EXPECT_EQ(run(mfma + "conflicts('ds_write_b128', L, '(32,32):(36,1)', f32, (32, 32)).conflicts"), "0");
  EXPECT_NE(run(mfma + "conflicts('ds_read_b96', L, smem_map((32, 32), f32, tiling=None, swizzle=None))")
                .find("is no access"),
            std::string::npos);
  EXPECT_NE(
      run("conflicts('ds_read_b64', WGMMA, smem_map((64, 64), f32, tiling=None, swizzle=None))").find("warps of 32"),
      std::string::npos);
}

} // namespace
} // namespace lanescope::repl
