// Elementwise operators and functions over dtypes and layouts, against the host's arrays.
#include "Cases.h"

#include <gtest/gtest.h>

namespace lanescope::repl {
namespace {

TEST(Pointwise, BinaryInEveryDtype) {
  std::vector<Case> cases;
  for (const char *op : {"a + b", "a * b", "a - b", "minimum(a, b)", "maximum(a, b)"})
    for (const char *dtype : {"f32", "i32", "u32", "f16", "bf16", "i16", "u16", "i8", "u8", "i64", "f64"})
      for (int m : {64, 128})
        for (int n : {8, 64, 256})
          cases.push_back({text(op, "_", dtype, "_", m, "_", n), text("T, M, N = ", dtype, ", ", m, ", ", n, R"(
@kernel()
def k(x: GMEM((M, N), T), y: GMEM((M, N), T), out: Out((M, N), T)):
  a = load(x, layout=WGMMA, optimized=False)
  b = load(y, layout=WGMMA, optimized=False)
  out[...] = )",
                                                                      op, R"(
a = random((M, N), i32, seed=1, low=5, high=11).astype(T)
b = random((M, N), i32, seed=2, low=0, high=6).astype(T)
wanted = )",
                                                                      op, R"(
assert max_error(k(a, b).astype(f64), wanted.astype(T).astype(f64)) == 0
)")});
  runCases("binary operators", cases, 16);
}

// inventory: PE lax_div_int_rounding
TEST(Pointwise, Division) {
  runCases("FA division", {{"floats", R"(
@kernel()
def k(x: GMEM((128,), f32), y: GMEM((128,), f32), out: Out((4, 128), f32)):
  a, b = x[...], y[...]
  out[0] = a / b
  out[1] = a // b
  out[2] = a % b
  out[3] = fmod(a, b)
x = random((128,), f32, seed=1) * 9
y = select(random((128,), f32, seed=2) < 0, -1.0, 1.0) * (abs(random((128,), f32, seed=3)) + 0.5)
out = k(x, y)
assert allclose(out[0], x / y, rtol=2e-7)
assert max_error(out[1], floor(x / y)) == 0
assert allclose(out[2], x - floor(x / y) * y, atol=3e-6)
for i in range(128):
  assert out[3, i] * x[i] >= 0 and abs(out[3, i]) < abs(y[i])
)"},
                           {"integers", R"(
for T in (i32, u32, i16, i8, u8, i64):
  @kernel()
  def k(x: GMEM((128,), T), y: GMEM((128,), T), out: Out((3, 128), T)):
    a, b = x[...], y[...]
    out[0] = a // b
    out[1] = a % b
    out[2] = trunc_div(a, b)
  signed = T in (i32, i16, i8, i64)
  x = random((128,), i32, seed=1, low=-100 if signed else 0, high=101).astype(T)
  y = (random((128,), i32, seed=2, low=1, high=9) * (select(random((128,), f32, seed=3) < 0, -1, 1) if signed else 1)).astype(T)
  out = k(x, y)
  for i in range(128):
    a, b = int(x[i]), int(y[i])
    assert out[0, i] == a // b and out[1, i] == a % b
    assert out[2, i] == (abs(a) // abs(b)) * (1 if (a < 0) == (b < 0) else -1)
)"}});
}

// inventory: PE comparison_op
TEST(Pointwise, ComparisonsAndTruthValuesInMemory) {
  std::vector<Case> cases;
  for (const char *dtype : {"f32", "i32", "u32", "f16", "i8", "u8", "i4", "f8e4m3fn"})
    for (const char *op : {"<", "<=", ">", ">=", "==", "!="})
      for (const char *right : {"b", "3"})
        cases.push_back({text(dtype, "_", op, "_", right), text("T = ", dtype, R"(
@kernel()
def k(x: GMEM((64, 32), T), y: GMEM((64, 32), T), out: Out((64, 32), i1), num: Out((64, 32), i32)):
  a, b = x[...], y[...]
  c = a )",
                                                                op, " ", right, R"(
  out[...] = c
  num[...] = select(c, 5, 7)
a = random((64, 32), i32, seed=1, low=0, high=7).astype(T)
b = random((64, 32), i32, seed=2, low=0, high=7).astype(T)
out, num = k(a, b)
a, b = a.astype(i32), b.astype(i32)
wanted = (a )",
                                                                op, " ", right, R"()
assert max_error(out.astype(i32), wanted.astype(i32)) == 0
assert max_error(num, select(wanted, 5, 7)) == 0
)")});
  runCases("FA comparison", cases, 24);
}

TEST(Pointwise, Bits) {
  std::vector<Case> cases;
  for (const char *dtype : {"u32", "u8", "i32", "i16", "u4"})
    cases.push_back({dtype, text("T = ", dtype, R"(
@kernel()
def k(x: GMEM((512,), T), y: GMEM((512,), T), out: Out((6, 512), T)):
  a, b = x[...], y[...]
  out[0] = a & b
  out[1] = a | b
  out[2] = a ^ b
  if T == u4:
    out[3] = ~a
  else:
    out[3] = a << (b & 3)
    out[4] = a >> (b & 3)
    out[5] = ~a
bits = {u32: 32, u8: 8, i32: 32, i16: 16, u4: 4}[T]
x = random((512,), i32, seed=1, low=0, high=16 if T == u4 else 120).astype(T)
y = random((512,), i32, seed=2, low=0, high=16 if T == u4 else 120).astype(T)
out = k(x, y).astype(i64)
for i in range(0, 512, 7):
  a, b = int(x[i]), int(y[i])
  mask = (1 << bits) - 1
  assert out[0, i] == a & b and out[1, i] == a | b and out[2, i] == a ^ b
  if T == u4:
    assert out[3, i] == 15 - a
  else:
    assert out[3, i] & mask == (a << (b & 3)) & mask and out[4, i] == a >> (b & 3) and out[5, i] & mask == ~a & mask
)")});
  runCases("FA bitwise", cases);
}

TEST(Pointwise, Functions) {
  runCases("FA math", {{"rounding", R"(
@kernel()
def k(x: GMEM((128,), f32), out: Out((8, 128), f32), h: Out((2, 128), f16)):
  v = x[...]
  out[0] = ceil(v)
  out[1] = floor(v)
  out[2] = round(v)
  out[3] = round(v, halves="away")
  out[4] = copysign(v, -x[...] * v)
  out[5] = clamp(-1, v, 2.5)
  out[6] = erf(v)
  out[7] = atan2(v, v * v - 1)
  h[0] = ceil(v.astype(f16))
  h[1] = abs(v.astype(f16)) - -v.astype(f16)
x = (arange(128).astype(f32) - 64) / 8
out, h = k(x)
assert max_error(out[0], -floor(-x)) == 0
assert max_error(out[1], floor(x)) == 0
assert max_error(h[0].astype(f32), -floor(-x)) == 0
assert max_error(h[1].astype(f32), abs(x) + x) == 0
assert max_error(out[4], -abs(x)) == 0
assert max_error(out[5], maximum(minimum(x, 2.5), -1)) == 0
assert allclose(out[6], erf(x), rtol=3e-7, atol=3e-7)
for i in range(128):
  v = float(x[i])
  even, away = round(v), (1 if v > 0 else -1) * ((abs(v) + 0.5) // 1)
  assert out[2, i] == even and out[3, i] == away
  # tan of the angle, where it is not steep
  y, z = v, v * v - 1
  angle = float(out[7, i])
  assert -3.1416 < angle < 3.1416
# sin(angle) * z == cos(angle) * y
a = out[7]
r = sqrt(x * x + (x * x - 1) * (x * x - 1))
assert allclose(sin(a) * r, x, atol=3e-5) and allclose(cos(a) * r, x * x - 1, atol=3e-5)
)"}});
}

// inventory: FA optimization_barrier, optimization_barrier_with_single_value, PE optimization_barrier,
// optimization_barrier_constant, optimization_barrier_multiple_inputs
TEST(Pointwise, OptimizationBarrierPassesValuesOn) {
  std::vector<Case> cases;
  for (const char *dtype : {"f32", "f16", "bf16", "i8", "i4", "i64"})
    cases.push_back({dtype, text("T = ", dtype, R"(
@kernel()
def k(x: GMEM((64, 64), T), a: Out((64, 64), T), b: Out((64, 64), T), c: Out((64, 64), T)):
  v = load(x, layout=WGMMA, optimized=False)
  p, q, n = optimization_barrier(v, x[...], full((64, 64), 3, T))
  a[...] = p
  b[...] = q
  c[...] = n
x = random((64, 64), i32, seed=1, low=-8, high=8).astype(T)
a, b, c = k(x)
assert max_error(a.astype(f64), x.astype(f64)) == 0 and max_error(b.astype(f64), x.astype(f64)) == 0
assert max_error(c.astype(f64), full((64, 64), 3.0)) == 0
)")});
  runCases("FA optimization_barrier", cases);
}

// inventory: FA concatenate_strided, concatenate_tiled, PE concatenate, reshape, reshape_tiled,
// reshape_tiled_into_tiled, FA untiled_dim_indexing, splat_indexing
TEST(Shapes, CutJoinedAndReshaped) {
  runCases("shapes", {{"tiled_concatenate", R"(
for axis, S, T in ((0, (64, 64), (128, 64)), (1, (64, 64), (64, 128))):
  R = (192, 64) if axis == 0 else (64, 192)
  @kernel()
  def k(x: GMEM(S, f32), y: GMEM(T, f32), out: Out(R, f32), back: Out(S, f32)):
    joined = concatenate((load(x, layout=WGMMA, optimized=False), load(y, layout=WGMMA, optimized=False)), axis)
    out[...] = joined
    back[...] = joined[0:64, 0:64]
  x, y = random(S, f32, seed=1), random(T, f32, seed=2)
  out, back = k(x, y)
  assert max_error(back, x) == 0 and max_error(out[:64, :64], x) == 0
  assert max_error(out[64:] if axis == 0 else out[:, 64:], y) == 0
)"},
                      {"strided_concatenate", R"(
@kernel()
def k(x: GMEM((4, 128), f32), y: GMEM((2, 128), f32), out: Out((6, 128), f32)):
  out[...] = concatenate((load(x, layout=WGStridedFragLayout(shape=(4, 128), vec_size=1)), y[...]))
x, y = random((4, 128), f32, seed=1), random((2, 128), f32, seed=2)
out = k(x, y)
assert max_error(out[:4], x) == 0 and max_error(out[4:], y) == 0
)"},
                      {"reshape", R"(
@kernel()
def k(x: GMEM((128,), f32), a: Out((2, 16, 4), f32), y: GMEM((384, 8), f32), b: Out((2, 3, 64, 8), f32), c: Out((64, 8), f32)):
  a[...] = reshape(x[...], (2, 16, -1))
  t = reshape(load(y, layout=WGMMA, optimized=False), (2, 3, 64, 8))
  b[...] = t
  c[...] = t[1, 2]
x, y = random((128,), f32, seed=1), random((384, 8), f32, seed=2)
a, b, c = k(x, y)
assert max_error(a, x.reshape(2, 16, 4)) == 0 and max_error(b, y.reshape(2, 3, 64, 8)) == 0
assert max_error(c, y[320:]) == 0
)"},
                      {"slice_of_a_load", R"(
@kernel()
def k(x: GMEM((128, 32), f32), out: Out((64, 16), f32), s: Out((1,), f32)):
  v = x[...]
  out[...] = v[64:, 8:24]
  s[0] = sum(full((32, 128), 2.0)[3, 0:16])
x = random((128, 32), f32, seed=1)
out, s = k(x)
assert max_error(out, x[64:, 8:24]) == 0 and s[0] == 32
)"}});
  auto kernel = [](const std::string &body) {
    return "@kernel()\ndef k(x: GMEM((128, 32), f32), o: Out((128, 32), f32)):\n  v = load(x, layout=WGMMA, "
           "optimized=False)\n" +
           body + "k(zeros((128, 32)))\n";
  };
  expectError(kernel("  y = v[3:67]\n"), "must begin at a multiple");
  expectError(kernel("  y = v[0:32]\n"), "sliced in whole tiles");
  expectError(kernel("  y = v[0:200]\n"), "is not inside of dimension 0");
  expectError(kernel("  y = v[3, 4]\n"), "store the array and load the element");
  expectError(kernel("  y = reshape(v, (32, 128))\n"), "move elements between threads");
  expectError(kernel("  y = reshape(v, (32, 127))\n"), "which the shape (32, 127) does not have");
  expectError(kernel("  y = concatenate((v, v[0:64, 0:8]), 0)\n"), "cannot be joined");
}

// inventory: DK broadcasted_iota, PE iota, scalar_broadcast
TEST(Shapes, Iota) {
  std::vector<Case> cases;
  for (const char *dtype : {"f32", "i32", "u32", "f16", "i8", "i64"})
    cases.push_back({dtype, text("T = ", dtype, R"(
@kernel()
def k(a: Out((64, 32), T), b: Out((64, 32), T), c: Out((2, 128, 128), T)):
  a[...] = broadcasted_iota(T, (64, 32), 0, layout=WGMMA)
  b[...] = broadcasted_iota(T, (64, 32), 1) + full((64, 32), 2, T) * 3
  for dim in static_range(2):
    c[dim] = broadcasted_iota(T, (128, 128), dim)
a, b, c = k()
for dim in range(2):
  assert max_error(c[dim].astype(i32), iota((128, 128), axis=dim)) == 0
assert max_error(a.astype(i32), iota((64, 32), axis=0)) == 0
assert max_error(b.astype(i32), iota((64, 32), axis=1) + 6) == 0
)")});
  runCases("PE iota", cases);
}

} // namespace
} // namespace lanescope::repl
