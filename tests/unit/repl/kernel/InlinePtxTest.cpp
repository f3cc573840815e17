// Inline PTX in snippets, and what it may not contain.
#include "tests/unit/repl/KernelSupport.h"

namespace lanescope::repl {

namespace {

std::string withPtx(const std::string &call) {
  return "@kernel()\ndef k(x: GMEM((128,), f32), out: Out((128,), f32)):\n  out[...] = " + call +
         "\nk(zeros((128,), f32))\n";
}

} // namespace

TEST(InlinePtx, RunsForEachElement) {
  Snippet done(R"(
@kernel()
def k(x: GMEM((128, 64), f32), n: GMEM((2,), i32), h: GMEM((128,), f16), out: Out((128, 64), f32), sums: Out((2,), i32),
      halves: Out((128,), f16), larger: Out((128, 64), i32)):
  v = load(x, layout=WGMMA)
  # Registers of its own, a number beside the array.
  out[...] = inline_ptx("{ .reg .f32 t; mul.rn.f32 t, $1, $2; add.rn.f32 $0, t, 0f3F800000; }", v, 3.0, dtype=f32)
  larger[...] = inline_ptx("slct.s32.f32 $0, 1, 0, $1", v - 0.5, dtype=i32)
  halves[...] = inline_ptx("neg.f16 $0, $1;", h[...], dtype=f16)
  sums[0] = inline_ptx("mad.lo.s32 $0, $1, $2, 5;", n[0], n[1], dtype=i32)
  sums[1] = inline_ptx("mov.u32 $0, %ntid.x;", dtype=i32)
x, h = random((128, 64), f32, seed=0), random((128,), f16, seed=1)
out, sums, halves, larger = k(x, array([7, -3], i32), h)
assert max_error(out, x * 3 + 1) == 0
assert sums[0] == 7 * -3 + 5 and sums[1] == 128
assert max_error(halves, -h) == 0
assert max_error(larger, (x >= 0.5).astype(i32)) == 0
)");
  EXPECT_TRUE(done.ok) << done.errors;
}

TEST(InlinePtx, SeveralResults) {
  Snippet done(R"(
@kernel()
def k(x: GMEM((128, 64), i32), n: GMEM((2,), i32), low: Out((128, 64), i16), high: Out((128, 64), i16),
      more: Out((128, 64), f32), sums: Out((3,), i32), ones: Out((128,), i32)):
  v = load(x, layout=WGMMA)
  low[...], high[...] = inline_ptx("mov.b32 {$0, $1}, $2;", v, dtype=(i16, i16))
  # Results of different widths, and a number beside the array. The first is written before the value is read.
  twice, real = inline_ptx("mov.b32 $0, 0; cvt.rn.f32.s32 $1, $2; mad.lo.s32 $0, $2, $3, $0;", v, 2, dtype=(i32, f32))
  more[...] = real + twice.astype(f32)
  sums[0], sums[1] = inline_ptx("add.s32 $0, $2, $3; sub.s32 $1, $2, $3;", n[0], n[1], dtype=(i32, i32))
  (sums[2],) = inline_ptx("mov.u32 $0, %ntid.x;", dtype=(i32,))
  one, two = inline_ptx("mov.b32 $0, $2; add.s32 $1, $2, 1;", full((128,), 1, i32), dtype=[i32, i32])
  ones[...] = one * 10 + two
x = floor((random((128, 64), f32, seed=0) + 1) * 1000).astype(i32)
low, high, more, sums, ones = k(x + 65536 * 7, array([7, -3], i32))
assert max_error(low.astype(i32), x) == 0 and min(high) == 7 and max(high) == 7
assert max_error(more, (x + 65536 * 7).astype(f32) * 3) == 0
assert sums[0] == 4 and sums[1] == 10 and sums[2] == 128
assert min(ones) == 12 and max(ones) == 12
)");
  EXPECT_TRUE(done.ok) << done.errors;
}

/// In a loop, LLVM could give the result the register of the value that it replaces.
TEST(InlinePtx, AResultIsWrittenBeforeAValueIsRead) {
  Snippet done(R"(
@kernel()
def k(x: GMEM((128,), f32), n: GMEM((1,), i32), out: Out((128,), f32)):
  v = load(x, layout=WG_STRIDED((128,), 1))
  for i in range(n[0]):
    v = inline_ptx("mov.f32 $0, 0f3F800000; add.f32 $0, $0, $1;", v, dtype=f32)
  out[...] = v
assert max_error(k(full((128,), 2, f32), array([5], i32)), full((128,), 7, f32)) == 0
)");
  EXPECT_TRUE(done.ok) << done.errors;
}

TEST(InlinePtx, StatementsStay) {
  Snippet done(R"(
@kernel()
def k(x: GMEM((128,), i32), out: InOut((1,), i32), n: GMEM((1,), i64)):
  v = load(x, layout=WG_STRIDED((128,), 1))
  inline_ptx("red.relaxed.gpu.global.add.s32 [$0], $1;", n[0], v)
)");
  ASSERT_TRUE(done.ok) << done.errors; // only the host can provide a numeric address, so this is only compiled
  Snippet waits(R"(
@kernel()
def k(out: Out((128,), i32)):
  before = inline_ptx("mov.u32 $0, %clock;", dtype=i32)
  inline_ptx("nanosleep.u32 64;")
  after = inline_ptx("mov.u32 $0, %clock;", dtype=i32)
  out[...] = full((128,), 1, i32) * (after - before > 0).astype(i32)
assert min(k()) == 1
print(ptx(k))
)");
  ASSERT_TRUE(waits.ok) << waits.errors;
  EXPECT_LT(waits.printed.find("%clock"), waits.printed.find("nanosleep"));
}

TEST(InlinePtx, Mistakes) {
  const std::pair<const char *, const char *> cases[] = {
      {R"(inline_ptx("add.f32 $0, $2, $1;", x[...], dtype=f32))", "no operand `$2`"},
      {R"(inline_ptx("add.f32 $1, $1, $1;", x[...], dtype=f32))", "`$0`, is not written"},
      {R"(inline_ptx("add.f32 $0, $x;", x[...], dtype=f32))", "write `$$`"},
      {R"(inline_ptx("add.f32 $0, $1, $99999999999999999999;", x[...], dtype=f32))", "operand's number"},
      {R"(inline_ptx("", dtype=f32))", "not written"},
      {R"(inline_ptx("mov.f32 $0, $2;", x[...], dtype=(f32, f32))[0])", "a result, `$1`, is not written"},
      {R"(inline_ptx("mov.f32 $0, $3;", x[...], dtype=(f32, f32))[0])", "the values count from `$2`"},
      {R"(inline_ptx("mov.f32 $0, $1;", x[...], dtype=()))", "has one or more"},
      {R"(inline_ptx("mov.f32 $0, $1;", x[...], dtype=(f32, 3))[0])", "a tuple of dtypes"},
      {R"(inline_ptx("mov.b32 {$0, $1}, $2;", x[...], dtype=(i16, i8))[0])", "no registers for i8"},
      {R"(inline_ptx("mov.b32 $0, 1;", x[...].astype(i8), dtype=f32))", "no registers for i8"},
      {R"(inline_ptx("mov.b32 $0, 1;", x[...], dtype=i8))", "no registers for i8"},
      {R"(inline_ptx(1, dtype=f32))", "`ptx` of `inline_ptx`"},
      {R"(inline_ptx("add.f32 $0, $1, $2;", x[...], zeros((64,), f32), dtype=f32))", "shape"},
      {R"(inline_ptx("nothing.f32 $0, $1;", x[...], dtype=f32))", "nothing.f32"},
  };
  for (const auto &[call, message] : cases) {
    Snippet done(withPtx(call));
    EXPECT_FALSE(done.ok) << call;
    EXPECT_NE(done.errors.find(message), std::string::npos) << call << "\n" << done.errors;
  }
}

TEST(InlinePtx, WhatThePtxItselfGetsWrongIsToldAtTheCall) {
  const std::string kernel = "@kernel()\ndef k(x: GMEM((128,), f32), out: Out((128,), f32)):\n  v = x[...]\n";
  const std::string call = "\nk(zeros((128,), f32))\n";
  expectError(kernel + R"(  out[...] = inline_ptx("addd.f32 $0, $1, $1;", v, dtype=f32))" + call, "4:14",
              "unknown instruction `addd.f32`");
  expectError(kernel + R"(  out[...] = inline_ptx("add.f32 $0, {$1;", v, dtype=f32))" + call, "4:14", "expected `}`");
}

} // namespace lanescope::repl
