// Functions and operators of one array under Pallas' names, on its arguments and within its tolerances. The expected
// values are the host's, in f64 for inexact functions.
#include "Cases.h"

#include <gtest/gtest.h>

namespace lanescope::repl {
namespace {

// inventory: PE unary_op
TEST(Functions, OfOneArray) {
  struct One {
    const char *name, *kernel, *host;
    bool approximates = false, integers = false;
  };
  std::vector<Case> cases;
  for (const One &one :
       {One{"neg", "-x", "-x"}, One{"bitwise_not", "~x", "-1 - x", false, true},
        One{"logistic", "logistic(x, approx=A)", "1 / (1 + exp(-x))", true},
        One{"exp", "exp(x, approx=A)", "exp(x)", true}, One{"square", "x ** 2", "x * x"},
        One{"fifth", "x ** 5", "x * x * x * x * x"}, One{"rsqrt", "rsqrt(x, approx=A)", "1 / sqrt(x)", true},
        One{"tanh", "tanh(x, approx=A)", "tanh(x)", true}, One{"log", "log(x, approx=A)", "log(x)", true},
        One{"gelu", "gelu(x, approx=A)", "x / 2 * (1 + tanh(sqrt(2 / 3.141592653589793) * (x + 0.044715 * x * x * x)))",
            true},
        One{"abs", "abs(x)", "abs(x)"}, One{"round_away", "round(x, halves=\"away\")", "x"},
        One{"clz", "clz(x)",
            "array([n < 1 and 32 or n < 2 and 31 or n < 4 and 30 or n < 8 and 29 or n < 16 and 28 or "
            "n < 32 and 27 or n < 64 and 26 or n < 128 and 25 or 24 for n in range(256)])",
            false, true},
        One{"round_even", "round(x)", "x"}})
    for (const char *approximate : {"False", "True"})
      cases.push_back({text(one.name, approximate),
                       text("A, T = ", approximate, ", ", one.integers ? "i32" : "f32", R"(
@kernel()
def k(x_ref: GMEM((256,), T), out: Out((256,), T)):
  x = x_ref[...]
  out[...] = )",
                            one.kernel, "\ngot = k(arange(256).astype(T))\nx = arange(256).astype(",
                            one.integers ? "i32" : "f64", ")\nwant = (", one.host, R"().astype(T)
assert allclose(got, want, rtol=)",
                            one.approximates && std::string(approximate) == "True" ? "1e-5" : "3e-7", ", atol=0)\n")});
  runCases("PE unary_op", cases, cases.size());
}

// The same functions on other arguments: below zero, with other dtypes, and NaN.
TEST(Functions, OfOtherArguments) {
  runCases("functions", {{"floats", R"(
@kernel()
def k(x: GMEM((256,), f32), h: GMEM((256,), f16), out: Out((4, 256), f32), half: Out((2, 256), f16)):
  v = x[...]
  out[0] = logistic(v)
  out[1] = gelu(v)
  out[2] = sign(v)
  out[3] = logistic(0.0) + sign(-3) * zeros((256,), f32)
  half[0] = logistic(h[...])
  half[1] = gelu(h[...])
x = (arange(256).astype(f32) - 128) * 0.75
out, half = k(x, x.astype(f16))
d = x.astype(f64)
want = 1 / (1 + exp(-d))
assert allclose(out[0], want.astype(f32), rtol=3e-7, atol=1e-38)
assert allclose(out[1], (d / 2 * (1 + tanh(0.7978845608028654 * (d + 0.044715 * d * d * d)))).astype(f32), rtol=3e-7, atol=1e-6)
assert max_error(out[2], select(x > 0, 1, 0) - select(x < 0, 1, 0)) == 0
assert max_error(out[3], full((256,), 0.5)) == 0
assert allclose(half[0].astype(f32), want.astype(f16).astype(f32), rtol=1e-3, atol=1e-7)
assert allclose(half[1].astype(f32), out[1], rtol=1e-3, atol=1e-3)
)"},
                         {"special", R"(
@kernel()
def k(x: GMEM((128,), f32), out: Out((3, 128), f32)):
  out[0] = logistic(x[...])
  out[1] = sign(x[...])
  out[2] = gelu(x[...])
inf = float("inf")
x = array([inf, -inf, float("nan"), -0.0] * 32).astype(f32)
out = k(x)
assert out[0, 0] == 1 and out[0, 1] == 0 and out[0, 2] != out[0, 2] and out[0, 3] == 0.5
assert out[1, 0] == 1 and out[1, 1] == -1 and out[1, 2] != out[1, 2] and out[1, 3] == 0
assert out[2, 0] == inf and out[2, 2] != out[2, 2] and out[2, 3] == 0
)"},
                         {"integers", R"(
for T in (i8, u8, i16, u16, i32, u32, i64, u64):
  @kernel()
  def k(x: GMEM((128,), T), out: Out((2, 128), T)):
    out[0] = clz(x[...])
    out[1] = sign(x[...])
  signed = T in (i8, i16, i32, i64)
  x = random((128,), i32, seed=T.bits, low=-120 if signed else 0, high=121).astype(T)
  x[0] = 0
  out = k(x)
  for i in range(128):
    n, zeros_above = int(x[i]), 0
    for bit in range(T.bits):
      if n >> bit == 0:       # never below zero
        zeros_above += 1
    assert int(out[0, i]) == zeros_above and int(out[1, i]) == (int(x[i]) > 0) - (int(x[i]) < 0)
)"}});
}

// inventory: PE binary_op
TEST(Functions, OfTwoArrays) {
  std::vector<Case> cases;
  for (const char *dtype : {"f32", "i32", "u32"})
    for (const char *op : {"a + b", "a + 1", "a - b", "a * b", "minimum(a, b)", "maximum(a, b)"})
      cases.push_back({text(dtype, op), text("T = ", dtype, R"(
@kernel()
def k(x: GMEM((256,), T), y: GMEM((256,), T), out: Out((256,), T)):
  a, b = x[...], y[...]
  out[...] = )",
                                             op, R"(
a = (random((256,), f32, seed=0) * 21).astype(i32 if T == u32 else T).astype(T)
b = (random((256,), f32, seed=1) * 21).astype(i32 if T == u32 else T).astype(T)
assert max_error(k(a, b), )",
                                             op, ") == 0\n")});
  for (const char *dtype : {"f32", "i32", "u32"})
    cases.push_back({text(dtype, "div"), text("T = ", dtype, R"(
@kernel()
def k(x: GMEM((256,), T), y: GMEM((256,), T), out: Out((256,), T)):
  out[...] = x[...] / y[...] if T == f32 else trunc_div(x[...], y[...])
a = (random((256,), f32, seed=0) * 21).astype(i32 if T == u32 else T).astype(T)
b = (random((256,), f32, seed=1) * 21).astype(i32 if T == u32 else T).astype(T)
b = select(b == 0, 5, b).astype(T)
if T == f32:
  assert max_error(k(a, b), (a.astype(f64) / b.astype(f64)).astype(f32)) == 0
else:
  out = k(a, b)
  for i in range(256):
    x, y = int(a[i]), int(b[i])
    assert int(out[i]) == abs(x) // abs(y) * (1 if (x < 0) == (y < 0) else -1)
)")});
  for (const char *dtype : {"i32", "u32", "i8", "u8", "i16"})
    for (const char *op : {"shift_left", "shift_right_logical", "shift_right_arithmetic"})
      cases.push_back({text(dtype, op), text("T = ", dtype, R"(
@kernel()
def k(x: GMEM((256,), T), y: GMEM((256,), T), out: Out((256,), T), out_3: Out((256,), T)):
  out[...] = )",
                                             op, "(x[...], y[...])\n  out_3[...] = ", op, R"((x[...], 3)
bits, kind = T.bits, ")",
                                             op, R"("
signed = T in (i8, i16, i32)
least, most = -(1 << (bits - 1)) if signed else 0, (1 << (bits - 1)) - 1 if signed else (1 << bits) - 1
xs = [least + (most - least) // 255 * i for i in range(255)] + [most]
ys = [i * (bits + 1) // 255 for i in range(256)]     # one more than there are bits, too
x, y = array(xs).astype(T), array(ys).astype(T)
def want(n, by):
  n = n + (1 << bits) if n < 0 else n
  filled = kind == "shift_right_arithmetic" and n >> (bits - 1) == 1
  if kind == "shift_left":
    n = (n & ((1 << max(0, bits - by)) - 1)) << min(by, bits - 1)
  else:
    n = (n - (1 << bits) if filled else n) >> by & ((1 << bits) - 1)
  return n - (1 << bits) if signed and n >> (bits - 1) == 1 else n
out, out_3 = k(x, y)
for i in range(256):
  assert int(out[i]) == want(int(x[i]), int(y[i])) and int(out_3[i]) == want(int(x[i]), 3)
)")});
  runCases("PE binary_op", cases, 20);
}

// inventory: PE sign, PD clz_ptx
TEST(Functions, SignsAndLeadingZeros) {
  std::vector<Case> cases;
  for (const char *dtype : {"f32", "i32", "u32"})
    cases.push_back({text("sign", dtype), text("T = ", dtype, R"(
@kernel()
def k(x: GMEM((256,), T), out: Out((256,), T)):
  out[...] = sign(x[...])
x = (arange(256) - 128).astype(i32).astype(T)
want = select(x > 0, 1, 0) - select(x < 0, 1, 0)
assert max_error(k(x).astype(f64), want.astype(f64)) == 0
)")});
  cases.push_back({"clz", R"(
@kernel()
def k(x: GMEM((128,), i32), out: Out((128,), i32)):
  out[...] = clz(x[...])
k(zeros((128,), i32))
assert "clz.b32" in ptx(k).text
)"});
  runCases("PE sign", cases);
}

TEST(Functions, Mistakes) {
  auto kernel = [](const std::string &dtype, const std::string &what) {
    return text("@kernel()\ndef k(x: GMEM((128,), ", dtype, ")):\n  v = ", what, "\nk(zeros((128,), ", dtype, "))\n");
  };
  expectError(kernel("f8e5m2", "gelu(x[...])"), "`gelu` does not compute with f8e5m2");
  expectError(kernel("f32", "clz(x[...])"), "`clz` takes integers, not f32");
  expectError(kernel("i4", "clz(x[...])"), "`clz` does not compute with i4");
  expectError(kernel("f32", "shift_left(x[...], 1)"), "`shift_left` takes integers, not f32");
  expectError(kernel("i32", "shift_right_logical(x[...], 1.5)"), "takes integers, not f32");
  expectError(kernel("i4", "sign(x[...])"), "`sign` does not compute with i4");
}

} // namespace
} // namespace lanescope::repl
