// CuTe's atoms by name against CUTLASS's statements: include/cute/atom/{mma,copy}_traits_sm*.hpp, the printouts in
// examples/cute/tutorial/blackwell, and the docstrings of python/CuTeDSL.
#include "layouts/notation/cute/CuteAtoms.h"
#include "layouts/cute/AtomNames.h"
#include "layouts/cute/Coordinates.h"
#include "layouts/cute/CopyAtoms.h"
#include "layouts/cute/MmaAtoms.h"
#include "layouts/cute/SmemTiles.h"
#include "layouts/fragments/Atom.h"
#include "layouts/notation/cute/Cute.h"
#include "layouts/notation/Notation.h"
#include "layouts/Placement.h"
#include "layouts/Reading.h"
#include "tests/unit/layouts/CuteSupport.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

using namespace lanescope;
using namespace lanescope::layouts;
using cute::CopyAtom;
using cute::MmaAtom;
using cute::TiledMma;

namespace {

cute::Layout plain(const std::string &text) {
  auto layout = readCute(text);
  EXPECT_TRUE(layout) << text;
  return layout ? *layout->parts().plain : cute::Layout();
}

/// Checks for the same thread and value at every index, and for equal sizes of the two modes.
void expectSame(const cute::Layout &layout, const std::string &wanted, const std::string &what) {
  cute::Layout other = plain(wanted);
  ASSERT_EQ(layout.rank(), 2u) << what;
  EXPECT_EQ(layout.mode(0).size(), other.mode(0).size()) << what;
  EXPECT_EQ(layout.mode(1).size(), other.mode(1).size()) << what;
  EXPECT_EQ(cute::valuesOf(layout), cute::valuesOf(other)) << what << ": " << cppText(layout) << " is not " << wanted;
}

struct Traits {
  const char *name, *threads, *a, *b, *c;
};

constexpr const char *k8x4 = "((4,8),1):((8,1),0)", *k8x8 = "((4,8),2):((16,1),8)",
                     *k16x8 = "((4,8),(2,2)):((32,1),(16,8))", *k8x16 = "((4,8),4):((32,1),8)";
constexpr const char *kRow = "(8,4):(1,8)", *kCol = "((4,2),4):((8,4),1)", *k16b = "(8,8):(1,8)",
                     *k32b = "((2,2,2),(2,2,2)):((1,16,4),(8,2,32))", *kQuad = "(4,2):(1,16)";
constexpr const char *kA16x16 = "((4,8),(2,2,2)):((32,1),(16,8,128))", *kB8x16 = "((4,8),(2,2)):((16,1),(8,64))";
constexpr const char *kA16x32 = "((4,8),(4,2,2)):((64,1),(16,8,256))", *kB8x32 = "((4,8),(4,2)):((32,1),(8,128))";
constexpr Traits kTraits[] = {
    {"SM61_DP4A", "1:0", "(1,4):(0,1)", "(1,4):(0,1)", "(1,1):(0,0)"},
    {"SM61_DP2A", "1:0", "(1,2):(0,1)", "(1,2):(0,1)", "(1,1):(0,0)"},
    {"SM70_8x8x4_F16F16F16F16_TN", kQuad, kRow, kRow, k16b},
    {"SM70_8x8x4_F16F16F16F16_NT", kQuad, kCol, kCol, k16b},
    {"SM70_8x8x4_F16F16F16F16_NN", kQuad, kCol, kRow, k16b},
    {"SM70_8x8x4_F16F16F16F16_TT", kQuad, kRow, kCol, k16b},
    {"SM70_8x8x4_F32F16F16F32_TN", kQuad, kRow, kRow, k32b},
    {"SM70_8x8x4_F32F16F16F32_NT", kQuad, kCol, kCol, k32b},
    {"SM70_8x8x4_F32F16F16F32_NN", kQuad, kCol, kRow, k32b},
    {"SM70_8x8x4_F32F16F16F32_TT", kQuad, kRow, kCol, k32b},
    {"SM75_16x8x8_F32F16F16F32_TN", "32:1", k16x8, k8x8, k16x8},
    {"SM75_16x8x8_F16F16F16F16_TN", "32:1", k16x8, k8x8, k16x8},
    {"SM75_8x8x16_S32S8S8S32_TN", "32:1", k8x16, k8x16, k8x8},
    {"SM80_16x8x8_F16F16F16F16_TN", "32:1", k16x8, k8x8, k16x8},
    {"SM80_16x8x16_F16F16F16F16_TN", "32:1", kA16x16, kB8x16, k16x8},
    {"SM80_16x8x8_F32F16F16F32_TN", "32:1", k16x8, k8x8, k16x8},
    {"SM80_16x8x16_F32F16F16F32_TN", "32:1", kA16x16, kB8x16, k16x8},
    {"SM80_16x8x16_F32BF16BF16F32_TN", "32:1", kA16x16, kB8x16, k16x8},
    {"SM80_16x8x4_F32TF32TF32F32_TN", "32:1", "((4,8),2):((16,1),8)", k8x4, k16x8},
    {"SM80_16x8x8_F32TF32TF32F32_TN", "32:1", "((4,8),(2,2)):((16,1),(8,64))", "((4,8),2):((8,1),32)", k16x8},
    {"SM80_8x8x4_F64F64F64F64_TN", "32:1", k8x4, k8x4, k8x8},
    {"SM80_8x8x4_C64C64C64C64_TN", "32:1", k8x4, k8x4, k8x8},
    {"SM80_8x8x4_GC64C64C64GC64_TN", "32:1", k8x4, k8x4, k8x8},
    {"SM80_8x8x16_S32S8S8S32_TN", "32:1", k8x16, k8x16, k8x8},
    {"SM80_16x8x16_S32S8U8S32_TN_SATURATE", "32:1", "((4,8),(4,2)):((64,1),(16,8))", k8x16, k16x8},
    {"SM80_16x8x32_S32S8S8S32_TN", "32:1", kA16x32, kB8x32, k16x8},
    {"SM80_16x8x32_S32U8U8S32_TN_SATURATE", "32:1", kA16x32, kB8x32, k16x8},
    {"SM80_8x8x32_S32S4S4S32_TN", "32:1", "((4,8),8):((64,1),8)", "((4,8),8):((64,1),8)", k8x8},
    {"SM80_16x8x32_S32S4U4S32_TN", "32:1", "((4,8),(8,2)):((128,1),(16,8))", "((4,8),8):((64,1),8)", k16x8},
    {"SM80_16x8x64_S32U4U4S32_TN", "32:1", "((4,8),(8,2,2)):((128,1),(16,8,512))", "((4,8),(8,2)):((64,1),(8,256))",
     k16x8},
    {"SM80_8x8x128_S32U1U1S32_TN_XORPOPC", "32:1", "((4,8),32):((256,1),8)", "((4,8),32):((256,1),8)", k8x8},
    {"SM80_16x8x128_S32U1U1S32_TN_ANDPOPC", "32:1", "((4,8),(32,2)):((512,1),(16,8))", "((4,8),32):((256,1),8)", k16x8},
    {"SM80_16x8x256_S32U1U1S32_TN_XORPOPC", "32:1", "((4,8),(32,2,2)):((512,1),(16,8,2048))",
     "((4,8),(32,2)):((256,1),(8,1024))", k16x8},
    {"SM89_16x8x32_F32E4M3E4M3F32_TN", "32:1", kA16x32, kB8x32, k16x8},
    {"SM89_16x8x32_F16E5M2E4M3F16_TN", "32:1", kA16x32, kB8x32, k16x8},
    {"SM90_16x8x4_F64F64F64F64_TN", "32:1", "((4,8),2):((16,1),8)", k8x4, k16x8},
    {"SM90_16x8x8_F64F64F64F64_TN", "32:1", "((4,8),(2,2)):((16,1),(8,64))", "((4,8),2):((8,1),32)", k16x8},
    {"SM90_16x8x16_C64C64C64C64_TN", "32:1", "((4,8),(2,4)):((16,1),(8,64))", "((4,8),4):((8,1),32)", k16x8},
    {"SM90_64x8x16_F16F16F16_SS", "128:1", "(128,(64,16)):(0,(1,64))", "(128,(8,16)):(0,(1,8))",
     "((4,8,4),(2,2,1)):((128,1,16),(64,8,512))"},
    {"SM90_64x128x16_F32F16F16_RS", "128:1", "((4,8,4),(2,2,2)):((128,1,16),(64,8,512))", "(128,(128,16)):(0,(1,128))",
     "((4,8,4),(2,2,16)):((128,1,16),(64,8,512))"},
    {"SM90_64x96x8_F32TF32TF32_RS_TN", "128:1", "((4,8,4),(2,2)):((64,1,16),(8,256))", "(128,(96,8)):(0,(1,96))",
     "((4,8,4),(2,2,12)):((128,1,16),(64,8,512))"},
    {"SM90_64x256x32_S32S8U8_RS_TN_SATURATE", "128:1", "((4,8,4),(4,2,2)):((256,1,16),(64,8,1024))",
     "(128,(256,32)):(0,(1,256))", "((4,8,4),(2,2,32)):((128,1,16),(64,8,512))"},
    {"SM90::GMMA::MMA_64x24x32_F16E5M2E4M3_SS_TN<>", "128:1", "(128,(64,32)):(0,(1,64))", "(128,(24,32)):(0,(1,24))",
     "((4,8,4),(2,2,3)):((128,1,16),(64,8,512))"},
    {"SM90::GMMA::SPARSE::GMMA_64x16x64_F32E4M3E4M3_RS_TN", "128:1", "((4,8,4),(8,2,2)):((512,1,16),(64,8,2048))",
     "(128,(16,64)):(0,(1,16))", "((4,8,4),(2,2,2)):((128,1,16),(64,8,512))"},
    {"SM120_16x8x32_TN<float_e4m3_t, float_e4m3_t, float>", "32:1", kA16x32, kB8x32, k16x8},
    {"SM120::BLOCKSCALED::SM120_16x8x64_TN_VS<float_e2m1_t, float_e2m1_t, float, float_ue4m3_t, 16>", "32:1",
     "((4,8),(8,2,2)):((128,1),(16,8,512))", "((4,8),(8,2)):((64,1),(8,256))", k16x8},
    // These are printed in examples/cute/tutorial/blackwell.
    {"SM100_MMA_F16BF16_SS<half_t, half_t, float, 128, 256, UMMA::Major::K, UMMA::Major::K>", "1:0",
     "(1,(128,16)):(0,(1,128))", "(1,(256,16)):(0,(1,256))", "(1,(128,256)):(0,(1,128))"},
    {"SM100_MMA_F16BF16_2x1SM_SS<half_t, half_t, float, 256, 256, UMMA::Major::K, UMMA::Major::K>", "2:1",
     "(2,(128,16)):(128,(1,256))", "(2,(128,16)):(128,(1,256))", "(2,(128,256)):(128,(1,256))"},
};

TEST(CuteAtoms, GiveWhatTheTraitsSay) {
  static_assert(std::size(kTraits) >= 40);
  for (const Traits &traits : kTraits) {
    Result<MmaAtom> atom = cute::mmaAtom(traits.name);
    ASSERT_TRUE(atom) << traits.name << "\n" << render(atom.error());
    EXPECT_EQ(cute::valuesOf(atom->threads), cute::valuesOf(plain(traits.threads))) << traits.name;
    expectSame(atom->operand[TiledMma::A], traits.a, std::string(traits.name) + " A");
    expectSame(atom->operand[TiledMma::B], traits.b, std::string(traits.name) + " B");
    expectSame(atom->operand[TiledMma::C], traits.c, std::string(traits.name) + " C");
  }
}

TEST(CuteAtoms, EveryNameIsAnAtomThatHoldsItsOperands) {
  size_t count = 0;
  for (const std::string &name : cute::mmaAtomNames()) {
    std::string written = name.starts_with("SM100_") ? name + "<a, b, c, 128, 64>" : name;
    EXPECT_TRUE(cute::looksLikeMmaAtom(written)) << name;
    Result<MmaAtom> atom = cute::mmaAtom(written);
    ASSERT_TRUE(atom) << name;
    EXPECT_EQ(atom->name, name);
    ++count;
    auto [m, n, k] = atom->shape;
    for (auto [operand, size] : {std::pair(TiledMma::A, m * k), {TiledMma::B, n * k}, {TiledMma::C, m * n}}) {
      if (atom->operand[operand].size() > 2048)
        continue; // large atoms follow the same rule as the smaller ones
      std::vector<int64_t> values = cute::valuesOf(atom->operand[operand]);
      std::ranges::sort(values);
      values.erase(std::unique(values.begin(), values.end()), values.end());
      EXPECT_EQ(int64_t(values.size()), size) << name << " does not hold all of its operand";
      EXPECT_TRUE(values.front() == 0 && values.back() == size - 1) << name;
    }
  }
  EXPECT_GT(count, 1500u);
}

TEST(CuteAtoms, NamesThatBreakOffAreNone) {
  for (const char *name : {"SPARSE::GMMA_OL8,2):(0,1)", "SM90::GMMA::SPARSE::GMMA_64x16x64.",
                           "SPARSE::GMMA_:", "GMMA::MMA_:", "SM90::GMMA::SPARSE::GMMA_", "SM80_CP_ASYNC_CACHEALWAY"})
    EXPECT_FALSE(cute::looksLikeMmaAtom(name)) << name;
}

/// The instruction's fragments, as PTX describes them, are an independent source for the same layouts.
TEST(CuteAtoms, HoldWhatPtxsFragmentsHold) {
  const std::pair<const char *, const char *> kSame[] = {{"SM80_16x8x16_F32F16F16F32_TN", "mma.m16n8k16.f16"},
                                                         {"SM80_16x8x8_F32TF32TF32F32_TN", "mma.m16n8k8.tf32"},
                                                         {"SM80_16x8x32_S32S8S8S32_TN", "mma.m16n8k32.s8"},
                                                         {"SM80_8x8x4_F64F64F64F64_TN", "mma.m8n8k4.f64"}};
  for (auto [name, ptx] : kSame) {
    Result<MmaAtom> atom = cute::mmaAtom(name);
    ASSERT_TRUE(atom);
    auto operands = operandsOf(*atom);
    ASSERT_TRUE(operands);
    for (auto [label, letter] : {std::pair("LayoutA_TV", "a"), {"LayoutC_TV", "d"}}) {
      auto mine = std::ranges::find(*operands, label, [](const auto &entry) { return entry.first; });
      ASSERT_NE(mine, operands->end());
      Result<Layout> theirs =
          parseLayout(Source::make("t", std::string("fragment(\"") + ptx + "\", \"" + letter + "\")"));
      ASSERT_TRUE(theirs) << ptx << "\n" << render(theirs.error());
      Shape shape = *mine->second.shape();
      Result<ElementMap> a = mine->second.elementMap(shape), b = elementMapOf(*theirs, shape);
      ASSERT_TRUE(a && b) << name;
      for (int64_t e = 0; e < elementCount(shape); ++e)
        EXPECT_EQ(a->ownerOf(a->slots(e)[0]).thread, b->ownerOf(b->slots(e)[0]).thread) << name << label << e;
    }
  }
}

struct CopyFact {
  const char *name, *source, *destination;
};
constexpr CopyFact kCopies[] = {
    {"SM75_U32x1_LDSM_N", "((8,4),128):((128,0),1)", "(32,32):(32,1)"},
    {"SM75_U32x2_LDSM_N", "((16,2),128):((128,0),1)", "(32,(32,2)):(32,(1,1024))"},
    {"SM75_U32x4_LDSM_N", "(32,128):(128,1)", "(32,(32,4)):(32,(1,1024))"},
    {"SM75_U16x2_LDSM_T", "((8,4),128):((128,0),1)", "((4,8),(16,2)):((256,16),(1,128))"},
    {"SM75_U16x4_LDSM_T", "((16,2),128):((128,0),1)", "((4,8),(16,2,2)):((256,16),(1,128,1024))"},
    {"SM75_U16x8_LDSM_T", "(32,128):(128,1)", "((4,8),(16,2,4)):((256,16),(1,128,1024))"},
    {"SM75_U32x1_MOVM_T", "(32,32):(32,1)", "(32,32):(32,1)"},
    {"SM90_U32x1_STSM_N", "(32,32):(32,1)", "((8,4),128):((128,0),1)"},
    {"SM90_U32x4_STSM_N", "(32,(32,4)):(32,(1,1024))", "(32,128):(128,1)"},
    {"SM90_U16x8_STSM_T", "((4,8),(16,2,4)):((256,16),(1,128,1024))", "(32,128):(128,1)"},
    {"SM80_CP_ASYNC_CACHEALWAYS<uint32_t>", "(1,32):(0,1)", "(1,32):(0,1)"},
    {"SM80_CP_ASYNC_CACHEGLOBAL<cute::uint128_t>{}", "(1,128):(0,1)", "(1,128):(0,1)"},
    {"SM80_CP_ASYNC_CACHEGLOBAL_ZFILL<uint64_t>", "(1,64):(0,1)", "(1,64):(0,1)"},
    {"UniversalCopy<cute::uint128_t>", "(1,128):(0,1)", "(1,128):(0,1)"},
    {"SM50_Shuffle_U32_2x2Trans_XOR1", "(32,64):(64,1)", "((2,16),(32,2)):((32,128),(1,64))"},
    {"SM50_Shuffle_U32_2x2Trans_XOR4", "(32,64):(64,1)", "((4,2,4),(32,2)):((64,32,512),(1,256))"},
    {"SM100_U8x8_LDSM_T", "((2,2,4,2),128):((128,1024,256,0),1)", "((4,8),(8,2,2,2)):((256,8),(1,128,64,1024))"},
    {"SM100_U8x16_LDSM_T", "((2,2,4,2),128):((128,1024,256,2048),1)", "((4,8),(8,2,2,4)):((256,8),(1,128,64,1024))"},
    {"SM100_U8x4_STSM_T", "((4,8),(8,2,2)):((256,8),(1,128,64))", "((8,4),128):((128,0),1)"},
    {"SM100_SU4_DU8x16_x2_LDSM_N", "((16,2),128):((128,0),1)", "(32,(32,2)):(32,(1,1024))"},
    {"SM100_TMEM_LOAD_32dp32b4x", "(32,4096):(0,1)", "(32,128):(128,1)"},
    {"SM100_TMEM_STORE_32dp32b1x", "(32,32):(32,1)", "(32,1024):(0,1)"},
    {"SM100_TMEM_LOAD_16dp256b1x", "(32,4096):(0,1)", "((4,8),(64,2)):((64,256),(1,2048))"},
    {"SM100_TMEM_LOAD_16dp256b2x", "(32,8192):(0,1)", "((4,8),(64,2,2)):((64,512),(1,4096,256))"},
    {"SM100_LOAD_256bit_CACHE_NOALLOCATION", "(1,256):(0,1)", "(1,256):(0,1)"},
};

TEST(CuteAtoms, CopiesGiveWhatTheTraitsSay) {
  for (const CopyFact &fact : kCopies) {
    EXPECT_TRUE(cute::looksLikeCopyAtom(fact.name)) << fact.name;
    Result<CopyAtom> atom = cute::copyAtom(fact.name);
    ASSERT_TRUE(atom) << fact.name << "\n" << render(atom.error());
    expectSame(atom->source, fact.source, std::string(fact.name) + " source");
    expectSame(atom->destination, fact.destination, std::string(fact.name) + " destination");
  }
  for (const std::string &name : cute::copyAtomNames())
    EXPECT_TRUE(cute::copyAtom(name == "UniversalCopy" ? name + "<float>" : name)) << name;
}

/// A multiply-add of one thread in all its spellings. Its layouts do not depend on the types.
TEST(CuteAtoms, OneThreadsProducts) {
  for (const char *name :
       {"UniversalFMA<float>", "UniversalFMA<double>", "UniversalFMA<float, half_t, half_t, float>{}",
        "cute::UniversalFMA<TC, TA, TB>", "MMA_Atom<UniversalFMA<float>>", "MMA_Atom<MMA_Traits<UniversalFMA<int>>>{}",
        "MMA_Traits<cute::UniversalFMA<cutlass::complex<float>, float>>", "UniversalFMA", "UniversalFMA<float>()",
        "cute.nvgpu.MmaUniversalOp(cutlass.Float32)", "MmaUniversalOp(abacc_dtype=Float64)",
        "cute.make_mma_atom(cute.nvgpu.MmaUniversalOp(cutlass.Float16))"}) {
    EXPECT_TRUE(cute::looksLikeMmaAtom(name)) << name;
    Result<MmaAtom> atom = cute::mmaAtom(name);
    ASSERT_TRUE(atom) << name << "\n" << render(atom.error());
    EXPECT_EQ(atom->shape, (std::array<int64_t, 3>{1, 1, 1}));
    EXPECT_EQ(cppText(atom->threads), "_1:_0");
    for (const cute::Layout &operand : atom->operand)
      EXPECT_EQ(cppText(operand), "(_1,_1):(_0,_0)") << name;
  }
  // FFMA2 computes two sums along M or N.
  for (auto [name, shape, a, b] :
       {std::tuple("SM100_2x1x1_F32F32F32F32", std::array<int64_t, 3>{2, 1, 1}, "(_1,_2):(_0,_1)", "(_1,_1):(_0,_0)"),
        {"SM100_1x2x1_F32F32F32F32", {1, 2, 1}, "(_1,_1):(_0,_0)", "(_1,_2):(_0,_1)"}}) {
    Result<MmaAtom> atom = cute::mmaAtom(name);
    ASSERT_TRUE(atom) << render(atom.error());
    EXPECT_EQ(atom->shape, shape);
    EXPECT_EQ(cppText(atom->operand[TiledMma::A]), a);
    EXPECT_EQ(cppText(atom->operand[TiledMma::B]), b);
    EXPECT_EQ(cppText(atom->operand[TiledMma::C]), "(_1,_2):(_0,_1)");
  }
  EXPECT_EQ(cute::mmaAtom("cute.nvgpu.warp.MmaF16BF16Op(cutlass.Float16, cutlass.Float32, (16, 8, 16))")->operand,
            cute::mmaAtom("SM80_16x8x16_F32F16F16F32_TN")->operand);
  EXPECT_EQ(cute::mmaAtom("MmaF16BF16Op(ab_dtype=BFloat16, acc_dtype=Float32, shape_mnk=(16,8,8))")->name,
            "SM80_16x8x8_F32BF16BF16F32_TN");
  EXPECT_FALSE(cute::mmaAtom("MmaF16BF16Op(Float16)"));
}

TEST(CuteAtoms, CopiesOfOneThread) {
  for (auto [name, layout] : {std::pair("UniversalCopy<uint128_t>", "(_1,_128):(_0,_1)"),
                              {"UniversalCopy<cute::uint128_t, cute::uint128_t>{}", "(_1,_128):(_0,_1)"},
                              {"UniversalCopy<float4>", "(_1,_128):(_0,_1)"},
                              {"UniversalCopy<uint4>", "(_1,_128):(_0,_1)"},
                              {"UniversalCopy<uint_bit_t<64>>", ""},
                              {"UniversalCopy<cutlass::complex<double>>", "(_1,_128):(_0,_1)"},
                              {"UniversalCopy<double>", "(_1,_64):(_0,_1)"},
                              {"UniversalCopy<uint8_t>", "(_1,_8):(_0,_1)"},
                              {"Copy_Traits<UniversalCopy<half_t>>", "(_1,_16):(_0,_1)"},
                              {"AutoVectorizingCopy", "(_1,_1):(_0,_0)"},
                              {"AutoVectorizingCopyWithAssumedAlignment<128>", "(_1,_1):(_0,_0)"},
                              {"DefaultCopy{}", "(_1,_1):(_0,_0)"},
                              {"cute.nvgpu.CopyUniversalOp()", "(_1,_1):(_0,_0)"}}) {
    Result<CopyAtom> atom = cute::copyAtom(name);
    EXPECT_EQ(atom ? cppText(atom->source) : "", layout) << name;
    EXPECT_TRUE(cute::looksLikeCopyAtom(name)) << name;
  }
  auto typed = [](const char *text) {
    Result<CopyAtom> atom = readCopyAtom(text);
    return atom ? cppText(atom->source) : render(atom.error());
  };
  EXPECT_EQ(typed("Copy_Atom<DefaultCopy, float>"), "(_1,_1):(_0,_0)");
  EXPECT_EQ(typed("Copy_Atom<UniversalCopy<uint128_t>, half_t>{}"), "(_1,_8):(_0,_1)");
  EXPECT_EQ(typed("cute.make_copy_atom(cute.nvgpu.CopyUniversalOp(), cutlass.Float16, num_bits_per_copy=128)"),
            "(_1,_8):(_0,_1)");
  EXPECT_EQ(typed("cute.make_copy_atom(cute.nvgpu.cpasync.CopyG2SOp(), Float32, num_bits_per_copy=64)"),
            "(_1,_2):(_0,_1)");
  EXPECT_EQ(typed("make_copy_atom(CopyUniversalOp(), Float32)"), "(_1,_1):(_0,_0)");
  EXPECT_EQ(typed("make_copy_atom(warp.LdMatrix8x8x16bOp(transpose=False, num_matrices=4), Float16)"),
            typed("Copy_Atom<SM75_U32x4_LDSM_N, half_t>"));
  EXPECT_EQ(typed("make_copy_atom(warp.StMatrix8x8x16bOp(True, 2), Float16)"),
            typed("Copy_Atom<SM90_U16x4_STSM_T, half_t>"));
  EXPECT_NE(typed("make_copy_atom(CopyUniversalOp())").find("needs an operation and a type"), std::string::npos);
}

TEST(CuteAtoms, BitsOfTypesByName) {
  for (auto [name, bits] : {std::pair("uint128_t", 128),
                            {"cute::uint128_t", 128},
                            {"cute::uint256_t", 256},
                            {"u128", 128},
                            {"b128", 128},
                            {"b256", 256},
                            {"f64x2", 128},
                            {"f16x2", 32},
                            {"bf16x2", 32},
                            {"float4", 128},
                            {"float2", 64},
                            {"double2", 128},
                            {"uint4", 128},
                            {"int4", 128},
                            {"uchar4", 32},
                            {"ulonglong2", 128},
                            {"half2", 32},
                            {"uint1b_t", 1},
                            {"uint2b_t", 2},
                            {"int4b_t", 4},
                            {"uint4b_t", 4},
                            {"uint6b_t", 6},
                            {"uint8_t", 8},
                            {"int16_t", 16},
                            {"cutlass::half_t", 16},
                            {"cutlass::complex<float>", 64},
                            {"cutlass.Float32", 32},
                            {"Float8E4M3FN", 8},
                            {"BFloat16", 16},
                            {"TFloat32", 32},
                            {"Int8", 8},
                            {"Uint64", 64},
                            {"float_e2m1_t", 4},
                            {"float_ue8m0_t", 8},
                            {"s32", 32},
                            {"__nv_bfloat16", 16}})
    EXPECT_EQ(cute::bitsOfType(name), bits) << name;
  for (const char *name :
       {"", "banana", "f", "u0", "u2048", "uint", "half_tt", "complex", "f64x0", "f64x99", "f99999999999"})
    EXPECT_FALSE(cute::bitsOfType(name)) << name;
}

TEST(CuteAtoms, ValuesAreSeveralBits) {
  // Copy_Atom<SM75_U32x4_LDSM_N, half_t>, as CuTe prints it.
  Result<CopyAtom> atom = cute::copyAtom("SM75_U32x4_LDSM_N")->as(16);
  ASSERT_TRUE(atom);
  EXPECT_EQ(cppText(atom->source), "(_32,_8):(_8,_1)");
  EXPECT_EQ(cppText(atom->destination), "(_32,(_2,_4)):(_2,(_1,_64))");
  EXPECT_FALSE(cute::copyAtom("SM80_CP_ASYNC_CACHEALWAYS<uint32_t>")->as(64));
  Result<CopyAtom> typed = readCopyAtom("Copy_Atom<SM90_U32x2_STSM_N, cutlass::bfloat16_t>{}");
  ASSERT_TRUE(typed);
  EXPECT_EQ(typed->bits, 16);
}

TEST(CuteAtoms, TiledMmaAsTheTutorialPrintsIt) {
  // ThrLayoutVMNK of sgemm_sm80's SM80_16x8x16 with Layout<Shape<_2,_2>>, and of the Blackwell tutorials.
  TiledMma mma = *cute::tiledMma(*cute::mmaAtom("SM80_16x8x16_F32F16F16F32_TN"), plain("(2,2,1):(1,2,4)"),
                                 *readCuteTile("(32,32,16)"));
  EXPECT_EQ(cute::valuesOf(mma.threads), cute::valuesOf(plain("(32,2,2,1):(1,32,64,0)")));
  EXPECT_EQ((*mma.tileOf(TiledMma::C)), (std::array<int64_t, 2>{32, 32}));
  for (TiledMma::Operand operand : {TiledMma::A, TiledMma::B, TiledMma::C}) {
    TiledMma::Tile tile = *mma.operand(operand);
    EXPECT_EQ(tile.layout.mode(0).size(), 128);
    // Every thread's partition of the tile is that thread's row of the (thread, value) layout.
    cute::Layout array = *cute::Layout::compact(cute::IntTuple::of({tile.tile[0], tile.tile[1]}));
    std::vector<int64_t> all = cute::valuesOf(tile.layout);
    for (int64_t thread : {0, 1, 31, 32, 77, 127}) {
      Result<TiledMma::Part> part = mma.partition(operand, array, thread);
      ASSERT_TRUE(part) << render(part.error());
      std::vector<int64_t> mine = cute::valuesOf(part->layout);
      ASSERT_EQ(int64_t(mine.size()), tile.layout.mode(1).size());
      for (size_t v = 0; v < mine.size(); ++v)
        EXPECT_EQ(mine[v] + part->offset, all[size_t(thread) + v * 128]) << operand << " thread " << thread;
    }
    EXPECT_FALSE(mma.partition(operand, array, 128));
  }
  TiledMma pair = *cute::tiledMma(
      *cute::mmaAtom("SM100_MMA_F16BF16_2x1SM_SS<half_t,half_t,float,256,256,UMMA::Major::K,UMMA::Major::K>"),
      plain("_1:_0"));
  EXPECT_EQ(cppText(pair.threads), "(_2,_1,_1,_1):(_1,_0,_0,_0)");
  EXPECT_FALSE(cute::tiledMma(*cute::mmaAtom("SM80_16x8x8_F32F16F16F32_TN"), plain("(1,1,1,2):(0,0,0,1)")));
}

TEST(CuteAtoms, TiledCopyAsTheDslDescribesIt) {
  // python/CuTeDSL/cutlass/cute/core.py, make_layout_tv: tiler (4,6), ((3,2),(2,2)):((8,2),(4,1)).
  CopyAtom any = *cute::copyAtom("AutoVectorizingCopy");
  cute::TiledCopy copy = *cute::tiledCopy(any, plain("(2,3):(3,1)"), plain("(2,2):(2,1)"));
  EXPECT_EQ(*copy.tile(), (Shape{4, 6}));
  EXPECT_EQ(dslText(copy.layout), "((3,2),(2,2)):((8,2),(4,1))");
  // notebooks/elementwise_add.ipynb: ((32,4),(8,4)):((128,4),(16,1)) for threads (4,32) and values (4,8).
  cute::TiledCopy rows = *cute::tiledCopy(any, plain("(4,32):(32,1)"), plain("(4,8):(8,1)"));
  EXPECT_EQ(*rows.tile(), (Shape{16, 256}));
  EXPECT_EQ(dslText(rows.layout), "((32,4),(8,4)):((128,4),(16,1))");
  // ldmatrix gives each thread the values that the instruction needs in A.
  TiledMma mma = *cute::tiledMma(*cute::mmaAtom("SM80_16x8x16_F32F16F16F32_TN"), plain("1:0"));
  TiledMma::Tile a = *mma.operand(TiledMma::A);
  cute::TiledCopy load =
      *cute::tiledCopyOf(*cute::copyAtom("SM75_U32x4_LDSM_N")->as(16), a.layout, Shape(a.tile.begin(), a.tile.end()));
  EXPECT_EQ(cute::valuesOf(*load.destinationLayout()), cute::valuesOf(a.layout));
  // Each thread reads a row of eight: thread t reads row t % 16 from column 8 * (t / 16) on.
  cute::Layout source = *load.sourceLayout();
  for (int64_t thread : {0, 5, 16, 31})
    for (int64_t v = 0; v < 8; ++v)
      EXPECT_EQ(valueAt(source, thread + 32 * v), thread % 16 + 16 * (8 * (thread / 16) + v));
  cute::Layout array = plain("(16,16):(16,1)");
  Result<cute::TiledCopy::Part> part = load.partitionSource(array, 17);
  ASSERT_TRUE(part) << render(part.error());
  EXPECT_EQ(part->offset, 1 * 16 + 8);
  EXPECT_EQ(cute::valuesOf(part->layout), (std::vector<int64_t>{0, 1, 2, 3, 4, 5, 6, 7}));
  // Fewer threads than the instruction needs.
  EXPECT_FALSE(
      cute::tiledCopy(*cute::copyAtom("SM75_U32x4_LDSM_N")->as(16), plain("(8,2):(2,1)"), plain("(1,8):(8,1)")));
}

TEST(CuteAtoms, TilesOfSharedMemory) {
  // mma_traits_sm90_gmma.hpp: Layout_K_SW128_Atom<half_t> and tile_to_shape's example.
  EXPECT_EQ(cute::smemAtom("Layout_K_SW128_Atom", 16)->text(), "Sw<3,4,3> o smem_ptr[16b](unset) o (_8,_64):(_64,_1)");
  EXPECT_EQ(cute::smemAtom("Layout_MN_SW64_Atom", 16)->text(), "Sw<2,4,3> o smem_ptr[16b](unset) o (_32,_8):(_1,_32)");
  EXPECT_EQ(cute::smemAtom("Layout_K_INTER_Atom", 8)->text(), "Sw<0,4,3> o smem_ptr[8b](unset) o (_8,_16):(_16,_1)");
  EXPECT_EQ(cute::smemAtom("Layout_K_SW256_Atom", 16).error().front().kind, "cute-atom");
  EXPECT_FALSE(cute::smemAtom("Layout_K_SW128_Atom", 6));
  auto tiled = cute::tileToShape(*cute::smemAtom("Layout_K_SW128_Atom", 16), *readCuteTuple("(128,64)"));
  ASSERT_TRUE(tiled);
  EXPECT_EQ(tiled->text(), "Sw<3,4,3> o smem_ptr[16b](unset) o ((_8,_16),(_64,_1)):((_64,_512),(_1,_0))");
  cute::IntTuple rows = *readCuteTuple("(2,1)");
  auto other = cute::tileToShape(*readCute("(8,64):(64,1)"), *readCuteTuple("(16,128)"), &rows);
  ASSERT_TRUE(other);
  EXPECT_EQ(cute::valuesOf(*other->parts().plain), cute::valuesOf(plain("((8,2),(64,2)):((64,1024),(1,512))")));
  EXPECT_EQ(cute::tileToShape(*readCute("(8,64):(64,1)"), *readCuteTuple("(12,64)")).error().front().kind,
            "cute-divide");
  EXPECT_FALSE(cute::tileToShape(*readCute("(8,64):(64,1)"), *readCuteTuple("128")));
  // Names inside a text.
  auto read = readCute("tile_to_shape(GMMA::Layout_K_SW128_Atom<cutlass::half_t>{}, Shape<_128,_64>{})");
  ASSERT_TRUE(read) << render(read.error());
  EXPECT_EQ(*read, *tiled);
  auto major = readCute("SM90::GMMA::Layout_SW128_Atom<half_t, GMMA::Major::K>{}");
  ASSERT_TRUE(major) << render(major.error());
  EXPECT_EQ(*major, *cute::smemAtom("Layout_K_SW128_Atom", 16));
  EXPECT_EQ(readCute("make_layout(make_shape(4, 8), LayoutRight{})")->text(), "(4,8):(8,1)");
  EXPECT_EQ(readCute("make_layout(Shape<_4,Shape<_2,_8>>{}, cute::LayoutLeft{})")->text(), "(_4,(_2,_8)):(_1,(_4,_8))");
  EXPECT_EQ(readCute("make_layout(Shape<_4,Shape<_2,_8>>{}, GenRowMajor{})")->text(), "(_4,(_2,_8)):(_16,(_8,_1))");
}

TEST(CuteAtoms, CoordinatesAndSlices) {
  // 01_layout.md: in layout (3,(2,3)):(3,(12,1)), index 16 is (1,5), which is (1,(1,2)), and its offset is 17.
  cute::IntTuple shape = *readCuteTuple("(3,(2,3))");
  cute::Layout layout = plain("(3,(2,3)):(3,(12,1))");
  EXPECT_EQ(dslText(*cute::coordinateOf(16, shape)), "(1,(1,2))");
  for (const char *same : {"16", "(1,5)", "(1,(1,2))"}) {
    Result<int64_t> index = cute::indexOf(*readCuteTuple(same), shape);
    ASSERT_TRUE(index) << same;
    EXPECT_EQ(*index, 16);
    EXPECT_EQ(valueAt(layout, *index), 17);
  }
  for (int64_t i = 0; i < 18; ++i)
    EXPECT_EQ(*cute::indexOf(*cute::coordinateOf(i, shape), shape), i);
  EXPECT_FALSE(cute::coordinateOf(18, shape));
  EXPECT_FALSE(cute::indexOf(*readCuteTuple("(1,(1,2),0)"), shape));
  EXPECT_FALSE(cute::indexOf(*readCuteTuple("(3,0)"), shape));
  EXPECT_FALSE(cute::indexOf(*readCuteTuple("(1,(1,(2,0)))"), shape));
  Result<cute::Slice> row = cute::slice(*readCuteTuple("(2,_)"), layout);
  ASSERT_TRUE(row);
  EXPECT_EQ(row->offset, 6);
  EXPECT_EQ(dslText(row->layout), "((2,3)):((12,1))");
  Result<cute::Slice> both = cute::slice(*readCuteTuple("(_,(1,_))"), layout);
  ASSERT_TRUE(both);
  EXPECT_EQ(both->offset, 12);
  EXPECT_EQ(dslText(both->layout), "(3,3):(3,1)");
  // A slice of a swizzled layout is swizzled from where it begins.
  auto swizzled = readCute("Sw<3,4,3> o smem_ptr[16b](unset) o (_8,_64):(_64,_1)");
  auto part = cute::slice(*readCuteTuple("(3,_)"), *swizzled);
  ASSERT_TRUE(part) << render(part.error());
  for (int64_t j = 0; j < 64; ++j)
    EXPECT_EQ(*part->offsetAt({j}), *swizzled->offsetAt({3, j}));
}

TEST(CuteAtoms, TextsAreLayouts) {
  auto taken = [](const std::string &text, Diagnostics *remarks = nullptr) {
    auto layout = parseLayout(Source::make("t", text), remarks);
    EXPECT_TRUE(layout) << text << "\n" << (layout ? "" : render(layout.error()));
    return layout ? layoutText(*layout) : std::string();
  };
  Diagnostics remarks;
  EXPECT_EQ(taken("SM80_16x8x16_F32F16F16F32_TN", &remarks),
            "Tiler_MN: (_16,_8) LayoutC_TV: ((_4,_8),(_2,_2)):((_32,_1),(_16,_8))");
  ASSERT_EQ(remarks.size(), 1u);
  EXPECT_EQ(remarks[0].message, "`LayoutC_TV` of this atom is taken; it also holds LayoutA_TV, LayoutB_TV");
  EXPECT_EQ(taken("MMA_Atom<SM80_16x8x16_F32F16F16F32_TN>{}"), taken("SM80_16x8x16_F32F16F16F32_TN"));
  EXPECT_EQ(taken("Copy_Atom<SM75_U32x4_LDSM_N, half_t>{}"),
            "Tiler_MN: (_256) ValLayoutDst: (_32,(_2,_4)):(_2,(_1,_64))");
  std::string tiled =
      taken("make_tiled_mma(SM80_16x8x16_F32F16F16F32_TN{}, Layout<Shape<_2,_2>>{}, Tile<_32,_32,_16>{})");
  EXPECT_EQ(tiled,
            taken("TiledMMA<MMA_Atom<SM80_16x8x16_F32F16F16F32_TN>, Layout<Shape<_2,_2,_1>>, Tile<_32,_32,_16>>"));
  EXPECT_TRUE(tiled.starts_with("Tiler_MN: (_32,_32) LayoutC_TV: ")) << tiled;
  EXPECT_TRUE(taken("make_tiled_copy(Copy_Atom<SM80_CP_ASYNC_CACHEALWAYS<uint128_t>, half_t>{}, "
                    "Layout<Shape<_16,_8>,Stride<_8,_1>>{}, Layout<Shape<_1,_8>>{})")
                  .starts_with("Tiler_MN: (_16,_64) TiledLayout_TV: "));
  EXPECT_TRUE(taken("make_tiled_copy_A(Copy_Atom<SM75_U32x4_LDSM_N, half_t>{}, "
                    "make_tiled_mma(SM80_16x8x16_F32F16F16F32_TN{}))")
                  .starts_with("Tiler_MN: (_16,_16) TiledLayout_TV: "));
  // Products of single threads over 16x16 threads, as print(TiledMMA) shows them.
  EXPECT_EQ(taken("make_tiled_mma(UniversalFMA<float>{}, Layout<Shape<_16,_16,_1>>{})"),
            "Tiler_MN: (_16,_16) LayoutC_TV: (_256,(_1,(_1,_1))):(_1,(_0,(_0,_0)))");
  EXPECT_EQ(taken("TiledMMA<MMA_Atom<UniversalFMA<float, float>>, Layout<Shape<_16,_16,_1>>>"),
            taken("make_tiled_mma(UniversalFMA<double>{}, Layout<Shape<_16,_16,_1>>{})"));
  EXPECT_EQ(taken("UniversalFMA<float>{}"), "Tiler_MN: (_1,_1) LayoutC_TV: (_1,_1):(_0,_0)");
  EXPECT_EQ(taken("cute.nvgpu.MmaUniversalOp(cutlass.Float32)"), taken("UniversalFMA<float>{}"));
  // The printed text reads back.
  for (const char *text :
       {"UniversalFMA<float>", "SM70_8x8x4_F32F16F16F32_NT", "SM90_64x64x16_F32F16F16_SS", "SM90_U32x4_STSM_N"})
    EXPECT_EQ(taken(taken(text)), taken(text));
}

TEST(CuteAtoms, MistakesAreNamed) {
  const std::pair<const char *, const char *> kMistakes[] = {
      {"SM80_16x8x16_F32F16F16F32_TM", "did you mean `SM80_16x8x16_F32F16F16F32_TN`"},
      {"SM80_16x8x15_F32F16F16F32_TN", "did you mean `SM80_16x8x16_F32F16F16F32_TN`"},
      {"SM90_64x12x16_F32F16F16_SS", "no instruction of CuTe's"},
      {"SM90_64x40x32_S32S8S8_SS_TN", "no instruction of CuTe's"},
      {"SM100_MMA_F16BF16_SS", "needs its types, M and N"},
      {"SM100_MMA_F16BF16_SS<half_t,half_t,float,1000,256>", "has M of 64, 128 or 256"},
      {"SM100_MMA_F17_SS<a,b,c,128,64>", "no instruction of CuTe's"},
      {"SM75_U32x3_LDSM_N", "did you mean `SM75_U32x"},
      {"SM90_TMA_LOAD", "whose size its descriptor says"},
      {"UniversalCopy", "needs its type"},
      {"UniversalCopy<banana>", "is no type whose bits are known"},
      {"Copy_Atom<SM75_U32x4_LDSM_N, half_tt>", "is no type whose bits are known"},
      {"Copy_Atom<>", "needs an instruction and a type"},
      {"make_tiled_mma(half_t)", "expected an instruction"},
      {"make_tiled_mma(SM80_16x8x16_F32F16F16F32_TN{}, Layout<Shape<_2,_2,_1,_3>>{})", "M, N and K are all"},
      {"make_tiled_mma(SM80_16x8x16_F32F16F16F32_TN{}", "expected `)`"},
      {"make_tiled_mma(SM70_8x8x4_F32F16F16F32_NT{}, Layout<_4>{}, "
       "Tile<Layout<Shape<_4,_4,_2>,Stride<_2,_8,_4>>,_32,_4>{})",
       "overlaps the values"},
      {"make_tiled_copy_A(SM75_U32x4_LDSM_N)", "expected `,`"},
      {"make_tiled_copy(Copy_Atom<SM75_U32x4_LDSM_N, half_t>{}, Layout<_5>{})", "32 at a time"},
      {"tile_to_shape(GMMA::Layout_K_SW128_Atom<half_t>{}, Shape<_12,_64>{})", "is no multiple"},
      {"GMMA::Layout_SW128_Atom<half_t>{}", "needs its major"},
      {"GMMA::Layout_K_SW128_Atom<>{}", "is no type"},
      {"GMMA::Layout_K_SW96_Atom<half_t>{}", "did you mean `Layout_K_SW"},
      {"make_layout(LayoutRight{})", "needs a shape"},
      {"make_layout(Shape<_4,_8>{}, LayoutRight{}, LayoutLeft{}, _3)", "expected"},
  };
  for (auto [text, wanted] : kMistakes) {
    auto layout = parseLayout(Source::make("t", text));
    ASSERT_FALSE(layout) << text << " read as " << layoutText(*layout);
    EXPECT_NE(render(layout.error()).find(wanted), std::string::npos) << text << "\n" << render(layout.error());
    EXPECT_TRUE(layout.error().front().span.source) << text;
  }
}

} // namespace
