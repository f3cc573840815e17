// Products whose accumulators start at zero: by the flag of their instruction, or by zeros in registers if something
// else needs them. Both give the host's results.
#include "tests/unit/repl/KernelSupport.h"

#include "layouts/support/Text.h"

namespace lanescope::repl {
namespace {

/// `body` computes from a and b, which are 64 x 64, and from their product `expected`, and stores `out`. At run time
/// `n` is 3 and `none` is 0.
struct Case {
  const char *name, *body, *out = "expected";
  int flagged = 1, kept = 0; // products whose flag is computed or off; products that add
  const char *sums = "f32";
  int rows = 64;
};

constexpr Case kCases[] = {
    {"Fresh", "  wgmma(acc, at, bt)\n"},
    {"SeveralSlabs", "  wgmma(acc, at, bt)\n", "expected", 1, 0, "f32", 128},
    {"Pairs", "  wgmma(acc, at, bt)\n", "expected", 1, 0, "f16"},
    {"SecondProductAdds", "  wgmma(acc, at, bt)\n  wgmma(acc, at, bt)\n", "expected * 2", 1, 1},
    {"FirstStepOfALoop", "  for i in range(3):\n    wgmma(acc, at, bt)\n    wgmma_wait(0)\n", "expected * 3"},
    {"AsManyStepsAsSaid", "  for i in range(n):\n    wgmma(acc, at, bt)\n    wgmma_wait(0)\n", "expected * 3"},
    {"NoStep", "  for i in range(none):\n    wgmma(acc, at, bt)\n    wgmma_wait(0)\n", "expected * 0"},
    {"EveryTile", R"(  for tile in range(n):
    acc[...] = 0
    for i in range(2):
      wgmma(acc, at, bt)
      wgmma_wait(0)
    out[...] = acc[...] * (tile + 1)
)",
     "expected * 2"},
    {"ZeroedAgainHalfWay", R"(  for i in range(5):
    if i == n:
      acc[...] = 0
    wgmma(acc, at, bt)
    wgmma_wait(0)
)",
     "expected * 2", 0, 1},
    {"SomeOtherStart", "  acc[...] = 1\n  wgmma(acc, at, bt)\n", "expected + 1", 0, 1},
    {"ZerosThatAreRead", R"(  for i in range(n):
    before = acc[...]
    wgmma(acc, at, bt)
    wgmma_wait(0)
    acc[...] = acc[...] + before
)",
     "expected * 7", 0, 1},
};

std::string snippet(const Case &c) {
  return text(
      "sw = (TilingTransform((8, 64)), SwizzleTransform(128))\nm = ", c.rows, "\n@kernel(scratch=[SMEM((m, 64), f16, ",
      "transforms=sw), SMEM((64, 64), f16, transforms=sw), Barrier(num_arrivals=2), ACC((m, 64), ", c.sums,
      ")])\ndef k(a: GMEM((m, 64), f16), b: GMEM((64, 64), f16), counts: GMEM((2,), i32), out: Out((m, 64), ", c.sums,
      R"(), at, bt, loaded, acc):
  copy_gmem_to_smem(a, at, loaded)
  copy_gmem_to_smem(b, bt, loaded)
  barrier_wait(loaded)
  none, n = counts[0], counts[1]
)",
      c.body, std::string_view(c.body).contains("out[") ? "" : "  out[...] = acc[...]\n", R"(
a = (floor(random((m, 64), f32, seed=3) * 4) / 4).astype(f16)
b = (floor(random((64, 64), f32, seed=4) * 4) / 4).astype(f16)
expected = a.astype(f32) @ b.astype(f32)
result = k(a, b, array([0, 3], i32)).astype(f32)
)",
      std::string_view(c.name) == "EveryTile" ? "expected = expected * 3\n" : "", "assert max_error(result, ", c.out,
      ") == 0\n");
}

int count(std::string_view text, std::string_view what) {
  int n = 0;
  for (size_t at = text.find(what); at != std::string_view::npos; at = text.find(what, at + 1))
    ++n;
  return n;
}

class ZeroedSums : public testing::TestWithParam<Case> {};

TEST_P(ZeroedSums, ByFlagWhereNobodyElseReadsThem) {
  Snippet done(snippet(GetParam()));
  ASSERT_TRUE(done.ok) << done.errors;
  const std::string &ptx = done.runtime->launches().back().stages->kernel->ptx;
  EXPECT_EQ(count(ptx, "setp.ne.b32 keep, %r"), GetParam().flagged) << ptx;
  EXPECT_EQ(count(ptx, "setp.ne.b32 keep, 1, 0;"), GetParam().kept) << ptx;
}

INSTANTIATE_TEST_SUITE_P(All, ZeroedSums, testing::ValuesIn(kCases),
                         [](const auto &info) { return std::string(info.param.name); });

} // namespace
} // namespace lanescope::repl
