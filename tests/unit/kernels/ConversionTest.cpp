// Conversions between every two dtypes, and bitcasts. The expected values are the host's own conversions.
#include "Cases.h"

#include <gtest/gtest.h>

namespace lanescope::repl {
namespace {

// inventory: CV conversion_f8_, convert_int_uint, fast_i8_convert, convert_bool_to_u8
TEST(Conversions, EveryPairOfDtypes) {
  std::vector<Case> cases;
  const char *dtypes[] = {"f32", "f16", "bf16", "f64", "f8e4m3fn", "f8e5m2", "i8", "u8", "i16",
                          "u16", "i32", "u32",  "i64", "u64",      "i4",     "u4", "i1"};
  for (const char *from : dtypes)
    for (const char *to : dtypes)
      for (int vec : {2, 4, 8})
        cases.push_back({text(from, "_", to, "_", vec), text("A, B, V = ", from, ", ", to, ", ", vec, R"(
L = WGStridedFragLayout(shape=(2048,), vec_size=V)
@kernel()
def k(x: GMEM((2048,), A), out: Out((2048,), B)):
  out[...] = load(x, layout=L).astype(B)
unsigned = A in (u4, u8, u16, u32, u64, i1) or B in (u4, u8, u16, u32, u64, i1)
small = 2 if i1 in (A, B) else 7
x = random((2048,), i32, seed=V, low=0 if unsigned else -small, high=small + 1).astype(A)
if not unsigned and A in (f32, f16, bf16, f64) and B in (f32, f16, bf16, f64, f8e4m3fn, f8e5m2):
  x = (random((2048,), f32, seed=V) * 1000).astype(A)
assert max_error(k(x).astype(f64), x.astype(B).astype(f64)) == 0
)")});
  runCases("CV conversion", cases, 120);
}

// inventory: CV sub_byte_conversion, PE subbyte_upcast
TEST(Conversions, FourBitsInTiledLayouts) {
  std::vector<Case> cases;
  for (const char *from : {"i4", "u4", "i8", "u8"})
    for (const char *to : {"i8", "i16", "i32", "f16", "bf16", "f32", "f8e4m3fn", "f8e5m2", "i4"})
      for (const char *layout : {"WGMMA", "WGMMA_8BIT", "WGMMA_UPCAST_2X", "WGMMA_UPCAST_4X"})
        cases.push_back({text(from, "_", to, "_", layout), text("A, B, L = ", from, ", ", to, ", ", layout, R"(
@kernel()
def k(x: GMEM((64, 256), A), out: Out((64, 256), B)):
  out[...] = load(x, layout=L, optimized=False).astype(B)
low, high = (-8, 8) if A in (i4, i8) else (0, 16)
x = random((64, 256), i32, seed=1, low=low, high=high if B != i4 else 8).astype(A)
assert max_error(k(x).astype(f32), x.astype(B).astype(f32)) == 0
)")});
  runCases("CV sub_byte_conversion", cases, 40);
}

// Every value of the narrower type, in each layout. The values also move from the layouts of narrow operands to those
// of wide operands before the conversion.
// inventory: CV optimized_conversion, DK layout_cast_convert_fuses_slice_after_layout_cast
TEST(Conversions, AfterRelayouts) {
  std::vector<Case> cases;
  for (const char *dtypes : {"i8, bf16", "i4, bf16", "i4, f8e4m3fn", "i4, i8"})
    for (const char *layouts :
         {"WGMMA, WGMMA", "WGMMA_8BIT, WGMMA_8BIT", "WGMMA_UPCAST_2X, WGMMA_UPCAST_2X", "WGMMA_UPCAST_2X, WGMMA",
          "WGMMA_UPCAST_4X, WGMMA_UPCAST_4X", "WGMMA_UPCAST_4X, WGMMA_UPCAST_2X", "WGMMA_UPCAST_4X, WGMMA",
          "tmem_native_layout(8), tmem_native_layout(8)"}) {
      bool moved = std::string(layouts).starts_with("WGMMA_UPCAST_4X") && !std::string(layouts).ends_with("4X");
      if (moved && std::string(dtypes).starts_with("i8"))
        continue; // bytes have no such relayout: Relayouts.Mistakes
      cases.push_back({text(dtypes, "_", layouts), text("(A, B), (L, M) = (", dtypes, "), (", layouts, R"()
@kernel()
def k(x: GMEM((128, 256), A), out: Out((128, 256), B)):
  store(out, layout_cast(load(x, layout=L, optimized=False), M).astype(B), optimized=False)
half = 1 << (min(A.bits, B.bits) - 1)
x = random((128, 256), i32, seed=1, low=-half, high=half).astype(A)
assert max_error(k(x).astype(f32), x.astype(B).astype(f32)) == 0
assert A != i4 or B != bf16 or "bfe.s32" not in ptx(k).text     # no element is cut out by itself
)")});
    }
  runCases("CV optimized_conversion", cases, 12);
}

TEST(Conversions, WholeRangesOfBytes) {
  runCases("whole ranges", {{"i8_bf16", R"(
@kernel()
def k(x: GMEM((256,), i8), a: Out((256,), bf16), b: Out((256,), f8e4m3fn), c: Out((256,), f8e5m2), d: Out((256,), f16)):
  v = x[...]
  a[...] = v.astype(bf16)
  b[...] = v.astype(f32).astype(f8e4m3fn)
  c[...] = v.astype(f8e5m2)
  d[...] = (v.astype(f32) * 100).astype(f8e5m2).astype(f16)
x = (arange(256) - 128).astype(i8)
a, b, c, d = k(x)
assert max_error(a.astype(f32), x.astype(f32)) == 0
assert max_error(b.astype(f32), x.astype(f32).astype(f8e4m3fn).astype(f32)) == 0
assert max_error(c.astype(f32), x.astype(f32).astype(f8e5m2).astype(f32)) == 0
assert max_error(d.astype(f32), (x.astype(f32) * 100).astype(f8e5m2).astype(f32)) == 0
)"},
                            {"every_f8", R"(
for T in (f8e4m3fn, f8e5m2):
  @kernel()
  def k(x: GMEM((256,), u8), a: Out((256,), f32), b: Out((256,), f16), c: Out((256,), bf16), d: Out((256,), u8)):
    v = bitcast(x[...], T)
    a[...] = v.astype(f32)
    b[...] = v.astype(f16)
    c[...] = v.astype(bf16)
    d[...] = bitcast(v.astype(f32).astype(T), u8)
  x = arange(256).astype(u8)
  a, b, c, d = k(x)
  for i in range(256):
    if a[i] == a[i]:      # not NaN
      assert float(b[i]) == a[i] and float(c[i]) == a[i]
      assert d[i] == i or abs(a[i]) > 57344
)"},
                            {"saturates", R"(
@kernel()
def k(x: GMEM((128,), f32), a: Out((128,), f32), b: Out((128,), f32)):
  a[...] = x[...].astype(f8e4m3fn).astype(f32)
  b[...] = x[...].astype(f8e5m2).astype(f32)
x = (arange(128).astype(f32) - 64) * 10000
a, b = k(x)
assert max(a) == 448 and min(a) == -448 and max(b) == 57344 and min(b) == -57344
)"}});
}

// inventory: CV bitcast, PE bitcast_convert_type
TEST(Conversions, Bitcasts) {
  std::vector<Case> cases;
  for (auto [from, to] : std::initializer_list<std::pair<const char *, const char *>>{{"f16", "f16"},
                                                                                      {"i16", "bf16"},
                                                                                      {"i16", "f16"},
                                                                                      {"u16", "f16"},
                                                                                      {"f32", "i32"},
                                                                                      {"f32", "u32"},
                                                                                      {"u32", "i32"},
                                                                                      {"i32", "u32"},
                                                                                      {"i8", "f8e4m3fn"},
                                                                                      {"f64", "i64"},
                                                                                      {"i4", "u4"}})
    cases.push_back({text(from, "_", to), text("A, B = ", from, ", ", to, R"(
@kernel()
def k(x: GMEM((16, 64), A), out: Out((16, 64), A), other: Out((16, 64), B)):
  b = bitcast(x[...], B)
  other[...] = b
  out[...] = bitcast(b, A)
x = random((16, 64), i32, seed=2, low=-7, high=8).astype(A) if A != u16 and A != u32 else random((16, 64), i32, seed=2, low=0, high=99).astype(A)
out, other = k(x)
assert max_error(out.astype(f64), x.astype(f64)) == 0
if A == f32:
  assert other[0, 0] != 0 or x[0, 0] == 0
)")});
  runCases("CV bitcast", cases);
  expectError("@kernel()\ndef k(x: GMEM((128,), f32), o: Out((128,), f32)):\n  o[...] = bitcast(x[...], f16)\n"
              "k(zeros((128,)))\n",
              "a bitcast keeps the width");
}

// The sign of a narrow float is a bit that `abs` clears.
// inventory: FA float_abs
TEST(Conversions, MagnitudesOfFloats) {
  std::vector<Case> cases;
  for (const char *dtype : {"f16", "bf16", "f8e4m3fn", "f8e5m2", "f4e2m1fn"})
    for (int vec : {4, 3, 1}) {
      if (vec % 2 != 0 && std::string(dtype) == "f4e2m1fn")
        continue; // half a byte
      cases.push_back({text(dtype, vec), text("T, V = ", dtype, ", ", vec, R"(
@kernel()
def k(x: GMEM((1536,), T), out: Out((1536,), T)):
  out[...] = abs(load(x, layout=WGStridedFragLayout(shape=(1536,), vec_size=V)))
x = (random((1536,), f32, seed=1) * 4).astype(T)
assert max_error(k(x).astype(f32), abs(x.astype(f32))) == 0
)")});
    }
  runCases("FA float_abs", cases, cases.size());
}

// f4e2m1fn passes through memory and registers as bits.
TEST(Conversions, FourBitFloatsAreStored) {
  runCases("four-bit floats", {{"moved", R"(
S = (64, 256)
@kernel(scratch=[SMEM(S, f4e2m1fn, transforms=(TilingTransform((8, 128)), SwizzleTransform(64))), Barrier()])
def k(x: GMEM(S, f4e2m1fn), out: Out(S, f4e2m1fn), bits: Out(S, u4), back: Out(S, f4e2m1fn), tile, loaded):
  copy_gmem_to_smem(x, tile, loaded)
  barrier_wait(loaded)
  v = load(tile, layout=WGMMA_UPCAST_4X)
  bits[...] = bitcast(v, u4)
  out[...] = layout_cast(v, WGMMA)
  back[...] = bitcast(bitcast(v, u4), f4e2m1fn)
x = (random(S, f32, seed=1) * 6).astype(f4e2m1fn)
out, bits, back = k(x)
assert max_error(out.astype(f32), x.astype(f32)) == 0 and max_error(back.astype(f32), x.astype(f32)) == 0
for i in range(0, 64, 9):
  for j in range(0, 256, 11):
    code = int(bits[i, j])
    want = (0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0)[code & 7] * (-1 if code > 7 else 1)
    assert float(x[i, j]) == want
)"}});
  auto kernel = [](const std::string &what) {
    return "@kernel()\ndef k(x: GMEM((512,), f4e2m1fn), o: Out((512,), f4e2m1fn)):\n  v = x[...]\n  y = " + what +
           "\nk(zeros((512,), f4e2m1fn))\n";
  };
  expectError(kernel("v.astype(f16)"), "conversions from f4e2m1fn to f16 need sm_100a");
  expectError(kernel("v < v"), "conversions from f4e2m1fn to f32 need sm_100a");
  expectError(kernel("v + v"), "`+` does not compute with f4e2m1fn");
  expectError("@kernel()\ndef k(x: GMEM((512,), f32), o: Out((512,), f4e2m1fn)):\n  o[...] = x[...]\n"
              "k(zeros((512,)))\n",
              "f4e2m1fn");
}

TEST(Conversions, NarrowTypesDoNotCompute) {
  for (const char *what : {"v + v", "-v", "maximum(v, v)", "sum(v)"})
    for (const char *dtype : {"f8e4m3fn", "i4"})
      expectError(text("@kernel()\ndef k(x: GMEM((128,), ", dtype, "), o: Out((128,), ", dtype,
                       ")):\n  v = x[...]\n  y = ", what, "\nk(zeros((128,), ", dtype, "))\n"),
                  "convert with");
}

} // namespace
} // namespace lanescope::repl
