// The decoders of wgmma and mma against the table of matrix instructions: they accept every combination of types and
// sizes in the table, and no other.
#include "tests/unit/emulator/EmulatorSupport.h"

#include "layouts/fragments/MatrixInstruction.h"
#include "layouts/support/Text.h"

namespace lanescope::core::test {
namespace {

using layouts::MatrixFamily;
using layouts::MatrixType;

/// "{%r0, %r1}"
std::string registersOf(std::string_view name, int64_t count) {
  std::string out = "{";
  for (int64_t i = 0; i < count; ++i)
    out += text(i ? ", %" : "%", name, i);
  return out + "}";
}

/// True if a kernel that contains this instruction, jumped over, decodes. `problem` is the error if not.
bool decodes(const std::string &instruction, std::string &problem) {
  Kernel kernel;
  kernel.params = 0;
  kernel.threads = 128;
  kernel.body = ".reg .b32 %w<128>;\n.reg .f64 %x<16>;\nbra $end;\n" + instruction + "\n$end:\nret;\n";
  auto result = run(kernel, {});
  problem = result ? "" : errorText(result.error());
  return result.has_value();
}

/// All types that PTX writes in such a name; the decoder need not know all of them.
std::vector<MatrixType> multiplicands() {
  return {MatrixType::F16, MatrixType::BF16, MatrixType::TF32, MatrixType::F64, MatrixType::E4M3, MatrixType::E5M2,
          MatrixType::S8,  MatrixType::U8,   MatrixType::S4,   MatrixType::U4,  MatrixType::B1};
}

TEST(MatrixDecode, WgmmaIsThatOfTheTable) {
  int there = 0;
  auto check = [&](MatrixType d, MatrixType a, MatrixType b, int64_t n, int64_t k) {
    auto rows = layouts::chooseMatrixInstructions(
        {.family = MatrixFamily::Wgmma, .a = a, .b = b, .d = d, .m = 64, .n = n, .k = k});
    bool wide = layouts::bitsOf(a) == 16;
    std::string instruction = text("wgmma.mma_async.sync.aligned.m64n", n, 'k', k, '.', ptxName(d), '.', ptxName(a),
                                   '.', ptxName(b), a == MatrixType::B1 ? ".and.popc " : " ",
                                   registersOf("w", d == MatrixType::F16 ? n / 4 : n / 2), ", %d0, %d1, %p0",
                                   isInteger(a) ? "" : ", 1, 1", wide ? ", 0, 0;" : ";"),
                problem;
    EXPECT_EQ(decodes(instruction, problem), rows.has_value()) << instruction << problem;
    if (!rows) {
      EXPECT_NE(problem.find(rows.error().message), std::string::npos) << problem;
    }
    there += rows.has_value();
  };
  for (MatrixType a : multiplicands())
    for (MatrixType b : multiplicands())
      for (MatrixType d : {MatrixType::F32, MatrixType::F16, MatrixType::S32})
        for (int64_t k : {int64_t{16}, int64_t{256} / layouts::bitsOf(a)})
          check(d, a, b, 48, k);
  for (int64_t n = 8; n <= 264; n += 4)
    for (auto [a, d] : {std::pair(MatrixType::F16, MatrixType::F32), std::pair(MatrixType::E4M3, MatrixType::F16),
                        std::pair(MatrixType::U8, MatrixType::S32), std::pair(MatrixType::B1, MatrixType::S32)})
      check(d, a, a, n, 256 / layouts::bitsOf(a));
  EXPECT_GT(there, 100);
}

TEST(MatrixDecode, OnlySixteenBitsAreTransposedAndFloatsNegated) {
  std::string problem;
  const std::string head = "wgmma.mma_async.sync.aligned.m64n16k",
                    tail = "{%w0,%w1,%w2,%w3,%w4,%w5,%w6,%w7}, %d0, %d1, ";
  EXPECT_TRUE(decodes(head + "16.f32.f16.f16 " + tail + "%p0, 1, -1, 1, 1;", problem)) << problem;
  EXPECT_FALSE(decodes(head + "32.f32.e4m3.e4m3 " + tail + "%p0, 1, 1, 0, 1;", problem));
  EXPECT_FALSE(decodes(head + "8.f32.tf32.tf32 " + tail + "%p0, 1, 1, 0, 1;", problem));
  EXPECT_FALSE(decodes(head + "32.s32.s8.s8 " + tail + "%p0, 1, -1;", problem));
  EXPECT_TRUE(decodes(head + "32.satfinite.s32.s8.u8 " + tail + "%p0;", problem)) << problem;
  EXPECT_FALSE(decodes(head + "256.satfinite.s32.b1.b1.and.popc " + tail + "%p0;", problem));
}

TEST(MatrixDecode, MmaIsThatOfTheTable) {
  int there = 0;
  for (MatrixType a : multiplicands())
    for (MatrixType b : multiplicands())
      for (MatrixType d : {MatrixType::F32, MatrixType::F16, MatrixType::F64, MatrixType::S32})
        for (MatrixType c : {d, MatrixType::F16})
          for (int64_t m : {8, 16})
            for (int64_t bits : {64, 128, 256, 512, 1024}) {
              int64_t k = bits / layouts::bitsOf(a);
              if (bitsOf(a) != bitsOf(b) || k < 4)
                continue;
              auto rows = layouts::chooseMatrixInstructions(
                  {.family = MatrixFamily::Mma, .kind = "", .a = a, .b = b, .c = c, .d = d, .m = m, .n = 8, .k = k});
              bool quads = a == MatrixType::F16 && k == 4, doubles = a == MatrixType::F64;
              auto sums = [&](MatrixType type) {
                int64_t all = quads ? 8 : m / 4;
                return registersOf(type == MatrixType::F64 ? "x" : "w", type == MatrixType::F16 ? all / 2 : all);
              };
              int64_t left = quads ? 2 : m / 8 * (doubles ? k / 4 : bits / 128), right = quads     ? 2
                                                                                         : doubles ? k / 4
                                                                                                   : bits / 128;
              const char *name = doubles ? "x" : "w";
              std::string instruction =
                              text("mma.sync.aligned.m", m, "n8k", k, ".row.col.", ptxName(d), '.', ptxName(a), '.',
                                   ptxName(b), '.', ptxName(c), a == MatrixType::B1 ? ".xor.popc " : " ", sums(d), ", ",
                                   registersOf(name, left), ", ", registersOf(name, right), ", ", sums(c), ";"),
                          problem;
              EXPECT_EQ(decodes(instruction, problem), rows.has_value()) << instruction << problem;
              there += rows.has_value();
            }
  EXPECT_GT(there, 50);
}

} // namespace
} // namespace lanescope::core::test
