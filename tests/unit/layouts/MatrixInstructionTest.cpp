// The table of matrix instructions against what ptxas 13.0 assembles, and its error messages.
#include "layouts/fragments/MatrixInstruction.h"
#include "layouts/support/Text.h"

#include <gtest/gtest.h>

#include <set>

namespace lanescope::layouts {
namespace {

bool isThere(const MatrixQuery &query) { return chooseMatrixInstructions(query).has_value(); }

MatrixProblem problemOf(const MatrixQuery &query) {
  auto rows = chooseMatrixInstructions(query);
  EXPECT_FALSE(rows);
  return rows ? MatrixProblem{} : rows.error();
}

/// "d.a.b" for every existing combination of types.
std::set<std::string> combinations(MatrixQuery query) {
  std::set<std::string> out;
  for (MatrixType a : allMatrixTypes())
    for (MatrixType b : allMatrixTypes())
      for (MatrixType d : allMatrixTypes()) {
        query.a = a, query.b = b, query.d = d;
        if (isThere(query))
          out.insert(text(ptxName(d), '.', ptxName(a), '.', ptxName(b)));
      }
  return out;
}

std::vector<int64_t> columns(MatrixQuery query) {
  std::vector<int64_t> out;
  for (int64_t n = 1; n <= 1024; ++n) {
    query.n = n;
    if (isThere(query))
      out.push_back(n);
  }
  return out;
}

std::vector<int64_t> steps(int64_t from, int64_t to, int64_t step, std::vector<int64_t> out = {}) {
  for (int64_t n = from; n <= to; n += step)
    out.push_back(n);
  return out;
}

std::set<std::string> with(std::set<std::string> all, const std::set<std::string> &more) {
  all.insert(more.begin(), more.end());
  return all;
}

const std::set<std::string> kFloats = {"f32.f16.f16",   "f16.f16.f16",   "f32.bf16.bf16", "f32.tf32.tf32",
                                       "f32.e4m3.e4m3", "f32.e4m3.e5m2", "f32.e5m2.e4m3", "f32.e5m2.e5m2"};
const std::set<std::string> kNarrowInHalves = {"f16.e4m3.e4m3", "f16.e4m3.e5m2", "f16.e5m2.e4m3", "f16.e5m2.e5m2"};
const std::set<std::string> kBytes = {"s32.s8.s8", "s32.s8.u8", "s32.u8.s8", "s32.u8.u8"};
const std::set<std::string> kNibbles = {"s32.s4.s4", "s32.s4.u4", "s32.u4.s4", "s32.u4.u4"};

TEST(MatrixInstruction, WgmmaIsWhatPtxasAssembles) {
  MatrixQuery query{.family = MatrixFamily::Wgmma};
  EXPECT_EQ(combinations(query), with(with(with(kFloats, kNarrowInHalves), kBytes), {"s32.b1.b1"}));
  query.sparse = true;
  EXPECT_EQ(combinations(query), with(with(kFloats, kNarrowInHalves), kBytes));
  for (bool sparse : {false, true})
    for (MatrixType type : {MatrixType::F16, MatrixType::TF32, MatrixType::E5M2, MatrixType::S8, MatrixType::U8}) {
      MatrixQuery of{.family = MatrixFamily::Wgmma, .sparse = sparse, .a = type};
      EXPECT_EQ(columns(of), isInteger(type) ? steps(48, 256, 16, {8, 16, 24, 32}) : steps(8, 256, 8));
      of.m = 64, of.k = 256 / bitsOf(type) * (sparse ? 2 : 1);
      EXPECT_TRUE(isThere(of));
      of.k /= 2;
      EXPECT_FALSE(isThere(of));
    }
}

TEST(MatrixInstruction, MmaIsWhatPtxasAssembles) {
  MatrixQuery query{.family = MatrixFamily::Mma, .kind = ""};
  EXPECT_EQ(combinations(query),
            with(with(with(with(kFloats, kNarrowInHalves), kBytes), kNibbles), {"s32.b1.b1", "f64.f64.f64"}));
  query.sparse = true;
  EXPECT_EQ(combinations(query), with(with(kFloats, kBytes), kNibbles));

  auto shapes = [](MatrixType type, bool sparse) {
    std::string out;
    for (int64_t m : {8, 16, 32})
      for (int64_t k = 1; k <= 512; k *= 2)
        if (isThere({.family = MatrixFamily::Mma, .sparse = sparse, .kind = "", .a = type, .m = m, .n = 8, .k = k}))
          out += text('m', m, 'k', k, ' ');
    return out;
  };
  EXPECT_EQ(shapes(MatrixType::F16, false), "m8k4 m16k8 m16k16 ");
  EXPECT_EQ(shapes(MatrixType::BF16, false), "m16k8 m16k16 ");
  EXPECT_EQ(shapes(MatrixType::TF32, false), "m16k4 m16k8 ");
  EXPECT_EQ(shapes(MatrixType::F64, false), "m8k4 m16k4 m16k8 m16k16 ");
  EXPECT_EQ(shapes(MatrixType::S8, false), "m8k16 m16k16 m16k32 ");
  EXPECT_EQ(shapes(MatrixType::U4, false), "m8k32 m16k32 m16k64 ");
  EXPECT_EQ(shapes(MatrixType::B1, false), "m8k128 m16k128 m16k256 ");
  EXPECT_EQ(shapes(MatrixType::E4M3, false), "m16k16 m16k32 ");
  EXPECT_EQ(shapes(MatrixType::F16, true), "m16k16 m16k32 ");
  EXPECT_EQ(shapes(MatrixType::TF32, true), "m16k8 m16k16 ");
  EXPECT_EQ(shapes(MatrixType::S8, true), "m16k32 m16k64 ");
  EXPECT_EQ(shapes(MatrixType::S4, true), "m16k64 m16k128 ");
  EXPECT_EQ(shapes(MatrixType::E5M2, true), "m16k64 ");
}

TEST(MatrixInstruction, SumsOfTheQuadPairsMayMix) {
  MatrixQuery query{.family = MatrixFamily::Mma, .a = MatrixType::F16, .c = MatrixType::F16, .d = MatrixType::F32};
  query.m = 8, query.n = 8, query.k = 4;
  EXPECT_TRUE(isThere(query));
  query.c = MatrixType::F32, query.d = MatrixType::F16;
  EXPECT_EQ(problemOf(query).part, MatrixPart::C);
  query.c = MatrixType::F16, query.d = MatrixType::F32, query.m = 16, query.k = 16;
  EXPECT_EQ(problemOf(query).message, "the types of C and D must be equal, got `f16` and `f32`");
}

// PTX ISA, "Various combinations of .kind and shapes".
TEST(MatrixInstruction, Tcgen05HasTheSizesOfItsKinds) {
  auto of = [](std::string_view kind, int ctas = 1, bool sparse = false, bool ws = false) {
    return MatrixQuery{
        .family = MatrixFamily::Tcgen05, .sparse = sparse, .weightStationary = ws, .ctas = ctas, .kind = kind};
  };
  auto rows = [](MatrixQuery query) {
    std::vector<int64_t> out;
    for (int64_t m = 1; m <= 512; ++m) {
      query.m = m;
      if (isThere(query))
        out.push_back(m);
    }
    return out;
  };
  using Sizes = std::vector<int64_t>;
  for (std::string_view kind : {"f16", "tf32", "f8f6f4", "i8"})
    for (bool sparse : {false, true}) {
      EXPECT_EQ(rows(of(kind, 1, sparse)), (Sizes{64, 128}));
      EXPECT_EQ(rows(of(kind, 2, sparse)), (Sizes{128, 256}));
      EXPECT_EQ(rows(of(kind, 1, sparse, true)), (Sizes{32, 64, 128}));
      EXPECT_EQ(columns(of(kind, 1, sparse, true)), sparse ? (Sizes{64, 128}) : (Sizes{64, 128, 256}));
      EXPECT_EQ(columns(of(kind, 1, sparse)), kind == "i8" ? steps(48, 256, 16, {8, 16, 24, 32}) : steps(8, 256, 8));
      EXPECT_EQ(columns(of(kind, 2, sparse)), kind == "i8" ? steps(32, 256, 32) : steps(16, 256, 16));
    }
  for (std::string_view kind : {"mxf8f6f4", "mxf4", "mxf4nvf4"})
    for (bool sparse : {false, true}) {
      EXPECT_EQ(rows(of(kind, 1, sparse)), Sizes{128});
      EXPECT_EQ(rows(of(kind, 2, sparse)), sparse ? Sizes{256} : (Sizes{128, 256}));
      EXPECT_EQ(columns(of(kind, 1, sparse)), steps(8, 256, 8));
      EXPECT_EQ(columns(of(kind, 2, sparse)), steps(16, 256, 16));
      EXPECT_EQ(problemOf(of(kind, 1, sparse, true)).part, MatrixPart::Kind);
    }
  EXPECT_EQ(problemOf(of("f16", 2, false, true)).part, MatrixPart::Variant);

  MatrixQuery deep = of("mxf4", 2);
  deep.m = 256, deep.k = 96;
  EXPECT_TRUE(isThere(deep));
  deep.m = 128;
  EXPECT_EQ(problemOf(deep).message, "`tcgen05.mma` of `kind::mxf4` on two CTAs has K = 64, not 96");

  MatrixQuery halves = of("f16");
  halves.a = MatrixType::BF16, halves.d = MatrixType::F16;
  EXPECT_EQ(problemOf(halves).part, MatrixPart::D);
  halves.b = MatrixType::F16, halves.d.reset();
  EXPECT_EQ(problemOf(halves).part, MatrixPart::B);
}

// PTX ISA, "Valid combinations of scale_vectorsize with types and MMA-Kind".
TEST(MatrixInstruction, BlockScalesHaveCountBlockAndType) {
  for (MatrixFamily family : {MatrixFamily::Mma, MatrixFamily::Tcgen05})
    for (bool sparse : {false, true}) {
      auto scales = [&](std::string_view kind) {
        std::string out;
        for (int count : {1, 2, 4})
          for (int block : {16, 32})
            for (MatrixType type : {MatrixType::UE8M0, MatrixType::UE4M3})
              if (isThere({.family = family,
                           .sparse = sparse,
                           .kind = kind,
                           .scaleCount = count,
                           .scaleBlock = block,
                           .scale = type}))
                out += text(count, 'x', block, ':', ptxName(type), ' ');
        return out;
      };
      EXPECT_EQ(scales("mxf8f6f4"), "1x32:ue8m0 ");
      EXPECT_EQ(scales("mxf4"), "2x32:ue8m0 ");
      EXPECT_EQ(scales("mxf4nvf4"), "2x32:ue8m0 4x16:ue8m0 4x16:ue4m3 ");
      EXPECT_EQ(scales("f8f6f4"), "");
    }
}

// PTX ISA 9.1, "Release notes": the scales that `mma` gained. ptxas 13.0, which reads PTX 9.0, refuses them.
TEST(MatrixInstruction, AScaleMayNeedALaterPtx) {
  for (bool sparse : {false, true})
    for (auto [type, isa, there] :
         {std::tuple(MatrixType::UE8M0, 90, false), {MatrixType::UE8M0, 91, true}, {MatrixType::UE4M3, 87, true}}) {
      MatrixQuery query{.family = MatrixFamily::Mma,
                        .sparse = sparse,
                        .kind = "mxf4nvf4",
                        .ptxIsa = isa,
                        .scaleCount = 4,
                        .scale = type};
      EXPECT_EQ(isThere(query), there) << ptxName(type) << isa;
    }
  MatrixQuery query{
      .family = MatrixFamily::Mma, .kind = "mxf4nvf4", .ptxIsa = 90, .scaleCount = 4, .scale = MatrixType::UE8M0};
  EXPECT_EQ(problemOf(query).message,
            "`mma` of `kind::mxf4nvf4` has `scale_vec::4X` with `ue4m3` or `scale_vec::2X` with `ue8m0`");
}

TEST(MatrixInstruction, AnswersInTheCallersWords) {
  struct Case {
    MatrixQuery query;
    MatrixPart part;
    std::string_view message;
  };
  const Case cases[] = {
      {{.family = MatrixFamily::Wgmma, .a = multiplicandNamed(Dtype::I8), .n = 40, .inSnippetWords = true},
       MatrixPart::N,
       "`wgmma` of i8 has N = 8, 24 or a multiple of 16 up to 256, not 40"},
      {{.family = MatrixFamily::Wgmma, .a = MatrixType::S8, .n = 40},
       MatrixPart::N,
       "`wgmma` of `s8` has N = 8, 24 or a multiple of 16 up to 256, not 40"},
      {{.family = MatrixFamily::Wgmma,
        .a = multiplicandNamed(Dtype::F32),
        .d = accumulatorNamed(Dtype::F16),
        .inSnippetWords = true},
       MatrixPart::D,
       "`wgmma` does not sum products of f32 in f16; there is f32"},
      {{.family = MatrixFamily::Wgmma, .a = multiplicandNamed(Dtype::I16), .inSnippetWords = true},
       MatrixPart::A,
       "`wgmma` does not multiply i16; there is f16, bf16, f32 (as tf32), f8e4m3fn, f8e5m2, i8 or u8"},
      {{.family = MatrixFamily::Mma,
        .kind = "",
        .a = multiplicandNamed(Dtype::F64),
        .maxBits = 32,
        .inSnippetWords = true},
       MatrixPart::A,
       "`mma` does not multiply f64; there is f16, bf16, f32 (as tf32), i8, u8, i4, u4, f8e4m3fn or f8e5m2"},
      {{.family = MatrixFamily::Wgmma,
        .a = multiplicandNamed(Dtype::F16),
        .b = multiplicandNamed(Dtype::BF16),
        .inSnippetWords = true},
       MatrixPart::B,
       "f16 and bf16 are not multiplied together by `wgmma`; B must be f16"},
      {{.family = MatrixFamily::Mma, .a = MatrixType::F16, .m = 16, .n = 8, .k = 32},
       MatrixPart::K,
       "`m16n8k32` is no shape of `mma` with `f16`; there is `m8n8k4`, `m16n8k8` or `m16n8k16`"},
      {{.family = MatrixFamily::Tcgen05, .ctas = 2, .kind = "i8", .a = MatrixType::S8, .n = 48},
       MatrixPart::N,
       "`tcgen05.mma` of `kind::i8` on two CTAs has N = a multiple of 32 up to 256, not 48"},
      {{.family = MatrixFamily::Mma, .kind = "mxf4", .scaleCount = 4},
       MatrixPart::Scale,
       "`mma` of `kind::mxf4` has `scale_vec::2X` with `ue8m0`"},
  };
  for (const Case &each : cases) {
    MatrixProblem problem = problemOf(each.query);
    EXPECT_EQ(problem.message, each.message);
    EXPECT_EQ(problem.part, each.part) << each.message;
  }
}

TEST(MatrixInstruction, RowsAreOfOnePiece) {
  for (const MatrixInstruction &row : matrixInstructions()) {
    ASSERT_FALSE(row.inputs.empty() || row.outputs.empty() || row.depthBits.empty());
    for (MatrixType type : row.inputs) {
      EXPECT_LE(bitsOf(type), row.elementBits());
      EXPECT_EQ(isInteger(type), row.outputs.front() == MatrixType::S32);
    }
    EXPECT_EQ(row.scales.empty(), !row.kind.starts_with("mx"));
    for (const BlockScale &scale : row.scales)
      EXPECT_EQ(row.sparse ? 2 * scale.count * scale.block : scale.count * scale.block,
                row.depths().front() == 96 ? 64 : row.depths().front());
    for (int64_t n = 1; n <= 512; ++n)
      if (row.columns.allows(n))
        EXPECT_EQ(n % row.columns.smallest(), 0);
  }
}

TEST(MatrixType, NamesReadBack) {
  for (MatrixType type : allMatrixTypes())
    EXPECT_EQ(matrixTypeNamed(ptxName(type)), type);
  EXPECT_EQ(matrixTypeNamed("b32"), std::nullopt);
  EXPECT_EQ(multiplicandType(Dtype::F32), MatrixType::TF32);
  EXPECT_EQ(accumulatorType(Dtype::F32), MatrixType::F32);
  EXPECT_EQ(multiplicandType(Dtype::I32), std::nullopt);
  EXPECT_EQ(multiplicandType(Dtype::F8E4M3FN), MatrixType::E4M3);
  for (MatrixType type : allMatrixTypes())
    if (std::optional<Dtype> dtype = dtypeOf(type)) {
      EXPECT_LE(bitsOf(type), bitwidth(*dtype));
    }
}

} // namespace
} // namespace lanescope::layouts
