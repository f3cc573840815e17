// mma.sp::ordered_metadata with `.kind::`, against products computed here from the places that layouts/fragments gives
// to elements, metadata and scales. All values are small multiples of powers of two, so that the sums are exact.
#include "tests/unit/emulator/EmulatorSupport.h"

#include "layouts/fragments/Atom.h"
#include "layouts/support/Text.h"

#include <cmath>
#include <functional>
#include <map>
#include <random>

namespace lanescope::core::test {
namespace {

struct SparseKind {
  std::string_view opcode;    // without `mma.sp::ordered_metadata.sync.aligned.`
  bool packed = false;        // two elements per byte
  bool half = false;          // f16 sums
  int64_t scales = 0;         // along K
  std::string_view tail = ""; // the end of the instruction's name in layouts
};

/// The code of ±1, ±2 or 0 in a type, as a byte of its container.
uint32_t codeOf(std::string_view type, double value, bool packed) {
  uint32_t sign = value < 0, magnitude = static_cast<uint32_t>(std::fabs(value));
  auto code = [&](uint32_t one, uint32_t two, uint32_t signBit) {
    return (magnitude == 0 ? 0 : magnitude == 1 ? one : two) | sign << signBit;
  };
  if (type == "e4m3")
    return code(0x38, 0x40, 7);
  if (type == "e5m2")
    return code(0x3C, 0x40, 7);
  if (type == "e3m2")
    return code(0x0C, 0x10, 5);
  if (type == "e2m3")
    return code(0x08, 0x10, 5);
  return code(0x2, 0x4, 3) << (packed ? 0 : 2); // e2m1
}

/// The words that lanes pass to the instruction: [register][lane].
using Words = std::vector<std::array<uint32_t, 32>>;

void place(const layouts::Operand &operand, Words &words, const std::function<uint32_t(int64_t element)> &code) {
  const layouts::Fragment &fragment = operand.fragments[0];
  std::vector<int32_t> elements = fragment.elements(operand.shape);
  int64_t registers = fragment.size(1), positions = fragment.size(2);
  words.assign(static_cast<size_t>(registers), {});
  for (int64_t lane = 0; lane < 32; ++lane)
    for (int64_t r = 0; r < registers; ++r)
      for (int64_t p = 0; p < positions; ++p)
        if (int32_t element = elements[static_cast<size_t>((lane * registers + r) * positions + p)]; element >= 0)
          words[static_cast<size_t>(r)][static_cast<size_t>(lane)] |= code(element) << (32 / positions * p);
}

class SparseScaledMma : public testing::TestWithParam<SparseKind> {};

TEST_P(SparseScaledMma, IsTheProductOfItsOperands) {
  const SparseKind kind = GetParam();
  const std::string opcode = text("mma.sp::ordered_metadata.sync.aligned.", kind.opcode);
  auto atom = layouts::parseAtom(text(opcode, kind.tail));
  ASSERT_TRUE(atom) << errorText(atom.error());
  std::mt19937 random(7);
  const int64_t depth = atom->k, stored = depth / 2, wide = kind.packed ? 2 : 1, fields = stored / wide;
  std::vector<double> a(static_cast<size_t>(16 * stored)), b(static_cast<size_t>(depth * 8)), c(16 * 8);
  std::vector<uint32_t> metadata(static_cast<size_t>(16 * fields));
  std::vector<int> scaleA(static_cast<size_t>(16 * kind.scales)), scaleB(static_cast<size_t>(8 * kind.scales));
  for (double &value : a)
    value = static_cast<int>(random() % 5) - 2;
  for (double &value : b)
    value = static_cast<int>(random() % 5) - 2;
  for (double &value : c)
    value = static_cast<int>(random() % 9) - 4;
  for (size_t n = 0; n < metadata.size(); n += 2) { // two ascending indices
    metadata[n] = random() % 3;
    metadata[n + 1] = metadata[n] + 1 + random() % (3 - metadata[n]);
  }
  for (auto *scales : {&scaleA, &scaleB})
    for (int &exponent : *scales)
      exponent = static_cast<int>(random() % 3) - 1;
  auto fraction = atom->find("scale_a") && atom->find("scale_a")->type == "ue4m3";
  auto scaleCode = [&](int exponent) { return static_cast<uint32_t>(fraction ? (exponent + 7) << 3 : exponent + 127); };

  std::map<std::string, Words> words;
  auto at = [](const auto &values, int64_t n) { return values[static_cast<size_t>(n)]; };
  place(*atom->find("a"), words["a"], [&](int64_t e) { return codeOf(atom->find("a")->type, at(a, e), kind.packed); });
  place(*atom->find("b"), words["b"], [&](int64_t e) { return codeOf(atom->find("b")->type, at(b, e), kind.packed); });
  place(*atom->find("e"), words["e"], [&](int64_t e) { return at(metadata, e); });
  if (kind.scales) {
    place(*atom->find("scale_a"), words["sa"], [&](int64_t e) { return scaleCode(at(scaleA, e)); });
    // B's scales are (scales, columns).
    place(*atom->find("scale_b"), words["sb"],
          [&](int64_t e) { return scaleCode(at(scaleB, e % 8 * kind.scales + e / 8)); });
  }
  place(*atom->find("c"), words["c"], [&](int64_t e) {
    return kind.half ? static_cast<uint32_t>(std::bit_cast<uint16_t>(static_cast<_Float16>(at(c, e))))
                     : std::bit_cast<uint32_t>(static_cast<float>(at(c, e)));
  });

  std::vector<uint32_t> input;
  std::string body = "mov.u32 %r59, %laneid;\nmul.wide.u32 %d40, %r59, 4;\nadd.s64 %d41, %d50, %d40;\n"
                     "add.s64 %d42, %d51, %d40;\n";
  size_t next = 0;
  auto registers = [&](const std::string &name) {
    std::string list;
    for (const auto &word : words[name]) {
      body += text("ld.global.b32 %r", next, ", [%d41+", 128 * next, "];\n");
      input.insert(input.end(), word.begin(), word.end());
      list += text(list.empty() ? "%r" : ", %r", next++);
    }
    return list;
  };
  const std::string left = registers("a"), right = registers("b"), old = registers("c"), where = registers("e");
  std::string scales;
  if (kind.scales) {
    const std::string own = registers("sa");
    scales = text(", ", own, ", {0, 0}, ", registers("sb"), ", {0, 0}");
  }
  const size_t results = words["c"].size();
  body += text(opcode, " {", results == 2 ? "%r50, %r51" : "%r50, %r51, %r52, %r53", "}, {", left, "}, {", right,
               "}, {", old, "}, ", where, ", 0", scales, ";\n");
  for (size_t n = 0; n < results; ++n)
    body += text("st.global.b32 [%d42+", 128 * n, "], %r", 50 + n, ";\n");
  Kernel kernel;
  kernel.target = "sm_120a";
  kernel.body = body + "ret;";
  auto result = run(kernel, {u32Array(input), u32Array(std::vector<uint32_t>(32 * results))});
  ASSERT_TRUE(result) << errorText(result.error());
  EXPECT_TRUE(result->diagnostics.empty()) << errorText(result->diagnostics);

  std::vector<uint32_t> out = lanescope::core::test::words(result->outputs[1]);
  Words expected;
  place(*atom->find("d"), expected, [&](int64_t e) {
    int64_t row = e / 8, column = e % 8;
    double sum = at(c, e);
    for (int64_t s = 0; s < stored; ++s) {
      int64_t field = s / wide, k = (field / 2 * 4 + at(metadata, row * fields + field)) * wide + s % wide;
      double term = at(a, row * stored + s) * at(b, k * 8 + column);
      if (kind.scales) {
        int64_t along = k * kind.scales / depth;
        term = std::ldexp(term, at(scaleA, row * kind.scales + along) + at(scaleB, column * kind.scales + along));
      }
      sum += term;
    }
    return kind.half ? static_cast<uint32_t>(std::bit_cast<uint16_t>(static_cast<_Float16>(sum)))
                     : std::bit_cast<uint32_t>(static_cast<float>(sum));
  });
  for (size_t n = 0; n < results; ++n)
    for (size_t lane = 0; lane < 32; ++lane)
      EXPECT_EQ(out[32 * n + lane], expected[n][lane]) << "register " << n << ", lane " << lane;
}

INSTANTIATE_TEST_SUITE_P(
    Kinds, SparseScaledMma,
    testing::Values(SparseKind{"m16n8k64.row.col.kind::f8f6f4.f32.e4m3.e5m2.f32"},
                    SparseKind{"m16n8k64.row.col.kind::f8f6f4.f32.e3m2.e2m3.f32"},
                    SparseKind{"m16n8k64.row.col.kind::f8f6f4.f16.e2m1.e4m3.f16", false, true},
                    SparseKind{"m16n8k64.row.col.kind::mxf8f6f4.block_scale.f32.e5m2.e2m1.f32.ue8m0", false, false, 1},
                    SparseKind{"m16n8k64.row.col.kind::mxf8f6f4.block_scale.scale_vec::1X.f32.e2m3.e3m2.f32.ue8m0",
                               false, false, 1},
                    SparseKind{"m16n8k128.row.col.kind::mxf4.block_scale.f32.e2m1.e2m1.f32.ue8m0", true, false, 2},
                    SparseKind{"m16n8k128.row.col.kind::mxf4nvf4.block_scale.scale_vec::2X.f32.e2m1.e2m1.f32.ue8m0",
                               true, false, 2},
                    SparseKind{"m16n8k128.row.col.kind::mxf4nvf4.block_scale.scale_vec::4X.f32.e2m1.e2m1.f32.ue4m3",
                               true, false, 4}));

TEST(SparseScaledMmaRules, InvalidMetadataAreTold) {
  Kernel kernel;
  kernel.target = "sm_120a";
  kernel.body = "mov.b32 %r6, 0x11111111;\n" // descending indices
                "mma.sp::ordered_metadata.sync.aligned.m16n8k64.row.col.kind::f8f6f4.f32.e4m3.e4m3.f32 {%f1, %f2, %f3, "
                "%f4}, {%r1, %r2, %r3, %r4}, {%r1, %r2, %r3, %r4}, {%f1, %f2, %f3, %f4}, %r6, 0;\nret;";
  auto result = run(kernel, {u32Array({0}), u32Array({0})});
  ASSERT_TRUE(result) << errorText(result.error());
  ASSERT_EQ(result->diagnostics.size(), 1u);
  EXPECT_EQ(result->diagnostics[0].kind, "sparsity-metadata");
}

TEST(SparseScaledMmaRules, OthersAreRefused) {
  auto refusal = [](const std::string &form, const std::string &tail) {
    Kernel kernel;
    kernel.target = "sm_120a";
    kernel.body = form + " {%f1, %f2, %f3, %f4}, {%r1, %r2, %r3, %r4}, {%r1, %r2, %r3, %r4}, {%f1, %f2, %f3, %f4}, " +
                  tail + ";\nret;";
    auto result = run(kernel, {u32Array({0}), u32Array({0})});
    return result ? "" : errorText(result.error());
  };
  const std::string sparse = "mma.sp::ordered_metadata.sync.aligned.";
  std::string said = refusal(sparse + "m16n8k64.row.col.kind::f8f6f4.f32.e4m3.e4m3.f32", "%r6, 1");
  EXPECT_NE(said.find("selector"), std::string::npos) << said;
  said = refusal("mma.sp.sync.aligned.m16n8k64.row.col.kind::f8f6f4.f32.e4m3.e4m3.f32", "%r6, 0");
  EXPECT_NE(said.find("unknown instruction"), std::string::npos) << said;
  said = refusal(sparse + "m16n8k128.row.col.kind::mxf4nvf4.block_scale.scale_vec::4X.f32.e2m1.e2m1.f32.ue8m0",
                 "%r6, 0, %r7, {0, 0}, %r8, {0, 0}");
  EXPECT_NE(said.find("`.version 9.1`"), std::string::npos) << said;
}

} // namespace
} // namespace lanescope::core::test
