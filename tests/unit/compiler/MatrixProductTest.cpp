// The verifiers and rules of `wgmma` and `mma` against the table of matrix instructions, over all types and sizes.
#include "core/gpu/ir/ProductQueries.h"
#include "tests/unit/compiler/KernelText.h"

#include "layouts/fragments/MatrixInstruction.h"
#include "layouts/support/Text.h"

#include <gtest/gtest.h>

using namespace lanescope;
using namespace lanescope::core;
using layouts::Dtype;
using layouts::MatrixFamily;

namespace {

struct Element {
  std::string_view name; // MLIR's name
  Dtype dtype;
  bool isUnsigned = false;
};
constexpr Element kElements[] = {
    {"f16", Dtype::F16},       {"bf16", Dtype::BF16}, {"f32", Dtype::F32},     {"f8E4M3FN", Dtype::F8E4M3FN},
    {"f8E5M2", Dtype::F8E5M2}, {"i8", Dtype::I8},     {"i8", Dtype::U8, true}, {"i4", Dtype::I4},
    {"i4", Dtype::U4, true},   {"f64", Dtype::F64},   {"i16", Dtype::I16},
};
constexpr Element kSums[] = {{"f32", Dtype::F32}, {"f16", Dtype::F16}, {"i32", Dtype::I32}, {"bf16", Dtype::BF16}};

std::string operation(std::string_view name, const Element &a, const Element &b, const Element &d, int m, int n,
                      int k) {
  auto array = [](int rows, int columns, std::string_view type) {
    return text("vector<", rows, 'x', columns, 'x', type, '>');
  };
  auto memory = [](int rows, int columns, std::string_view type) {
    return text("memref<", rows, 'x', columns, 'x', type, ", #gpu.address_space<workgroup>>");
  };
  bool shared = name == "wgmma";
  std::string left = shared ? memory(m, k, a.name) : array(m, k, a.name),
              right = shared ? memory(k, n, b.name) : array(k, n, b.name), sum = array(m, n, d.name);
  std::string attributes = text(a.isUnsigned ? "lanescope.unsigned_a" : "", a.isUnsigned && b.isUnsigned ? ", " : "",
                                b.isUnsigned ? "lanescope.unsigned_b" : "");
  return text("module {\n  func.func @k(%acc: ", sum, ", %a: ", left, ", %b: ", right, ") {\n    %r = mosaic_gpu.",
              name, " accumulator(%acc : ", sum, ") a(%a : ", left, ") b(%b : ", right, ") ",
              attributes.empty() ? "" : text('{', attributes, "} "), "-> ", sum, "\n    return\n  }\n}\n");
}

/// The operation's definition refuses some types for all operands, with its own message.
bool isDeclared(std::string_view name, const Element &a, const Element &b) {
  auto declared = [&](const Element &each) {
    bool nibble = each.dtype == Dtype::I4 || each.dtype == Dtype::U4;
    return each.dtype != Dtype::F64 && each.dtype != Dtype::I16 && !(name == "wgmma" && nibble);
  };
  return declared(a) && declared(b);
}

int check(std::string_view name, const Element &a, const Element &b, const Element &d, int n, int k) {
  layouts::MatrixQuery query{.family = name == "mma" ? MatrixFamily::Mma : MatrixFamily::Wgmma,
                             .kind = "",
                             .a = layouts::multiplicandNamed(a.dtype),
                             .b = layouts::multiplicandNamed(b.dtype),
                             .d = layouts::accumulatorNamed(d.dtype),
                             .m = name == "mma" ? 16 : 64,
                             .n = name == "mma" ? 8 : n,
                             .productK = k,
                             .maxBits = name == "mma" ? 32 : 0,
                             .ptxIsa = core::kMmaQuery.ptxIsa,
                             .inSnippetWords = true};
  auto rows = layouts::chooseMatrixInstructions(query);
  std::string text = operation(name, a, b, d, 64, n, k), problem = core::testing::refusalOfRules(text);
  EXPECT_EQ(problem.empty(), rows.has_value()) << text << problem;
  if (!rows && isDeclared(name, a, b) && d.dtype != Dtype::BF16) {
    EXPECT_NE(problem.find(rows.error().message), std::string::npos) << problem << rows.error().message;
  }
  return rows.has_value();
}

TEST(MatrixProduct, VerifiersAnswerAsTheTable) {
  for (std::string_view name : {"wgmma", "mma"}) {
    int there = 0;
    for (const Element &a : kElements)
      for (const Element &b : kElements)
        for (const Element &d : kSums)
          there += check(name, a, b, d, 64, 64);
    EXPECT_EQ(there, 16) << name;
  }
}

TEST(MatrixProduct, WgmmaHasTheColumnsAndDepthsOfTheTable) {
  int there = 0;
  for (int n = 4; n <= 264; n += 4)
    for (const Element &a : {kElements[0], kElements[3], kElements[5], kElements[6]})
      there += check("wgmma", a, a, a.name == "i8" ? kSums[2] : kSums[0], n, 32);
  EXPECT_EQ(there, 2 * 32 + 2 * 18);
  for (int k = 4; k <= 72; k += 4)
    for (const Element &a : kElements) {
      const Element &d = a.name.starts_with('i') ? kSums[2] : kSums[0];
      check("wgmma", a, a, d, 64, k);
      check("mma", a, a, d, 64, k);
    }
}

} // namespace
