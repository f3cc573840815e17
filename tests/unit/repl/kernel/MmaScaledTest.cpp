// `mma` with block scales, and of 6-bit and 4-bit floats, on the emulator against the host's matrix product.
#include "tests/unit/repl/KernelSupport.h"

#include "layouts/support/Text.h"

#include <gtest/gtest.h>

namespace lanescope::repl {
namespace {

struct Scaled {
  std::string_view a = "f8e4m3fn", b = "f8e4m3fn", scale = "f8e8m0fnu"; // "": no scales
  int m = 64, n = 32, k = 128, warps = 4;
  std::string_view sum = "f32";
};

/// Operands go through shared memory, scales come from global memory. All layouts are inferred.
std::string snippet(const Scaled &p) {
  int block = p.scale == "f8e4m3fn" ? 16 : 32;
  std::string scales, arguments, names, options;
  if (!p.scale.empty()) {
    scales = text(", sa: GMEM((m, k // block), ", p.scale, "), sb: GMEM((n, k // block), ", p.scale, ")");
    options = ", a_scale=sa[...], b_scale=sb[...]";
    names = ", sa, sb";
  }
  return text("m, n, k, block = ", p.m, ", ", p.n, ", ", p.k, ", ", block, R"(
@kernel(scratch=[SMEM((m, k), )",
              p.a, "), SMEM((n, k), ", p.b, R"(), Barrier(num_arrivals=2)])
def mm(a: GMEM((m, k), )",
              p.a, "), b: GMEM((n, k), ", p.b, ")", scales, ", out: Out((m, n), ", p.sum,
              R"(), at, bt, loaded):
  copy_gmem_to_smem(a, at, loaded)
  copy_gmem_to_smem(b, bt, loaded)
  barrier_wait(loaded)
  out[...] = mma(full((m, n), 1, )",
              p.sum, "), at[...], load(bt.T, optimized=False), ", p.warps, options, R"()

def inputs(rows, dtype, seed):
  return round(random((rows, k), f32, seed=seed) * 4).astype(dtype)
def powers(rows, seed):
  return exp2(floor(random((rows, k // block), f32, seed=seed) * 3)).astype(f8e8m0fnu if block == 32 else f8e4m3fn)
def scaled(x, scale):
  rows = x.shape[0]
  return (x.astype(f32).reshape((rows, k // block, block)) * scale.astype(f32).reshape((rows, k // block, 1))).reshape((rows, k))
a, b, sa, sb = inputs(m, )",
              p.a, ", 1), inputs(n, ", p.b, R"(, 2), powers(m, 3), powers(n, 4)
)",
              p.scale.empty() ? "left, right = a.astype(f32), b.astype(f32)\n"
                              : "left, right = scaled(a, sa), scaled(b, sb)\n",
              "result, expected = mm(a, b", names, ").astype(f32), left @ transpose(right) + 1\n",
              "assert allclose(result, expected, rtol=1e-6, atol=1e-6), f\"off by {max_error(result, expected)}\"\n");
}

void expectProduct(const Scaled &p, const std::string &arch = "sm_120a") {
  Snippet ran(snippet(p), {.arch = arch, .device = "emulator"});
  EXPECT_TRUE(ran.ok) << arch << "\n" << snippet(p) << "\n" << ran.errors;
}

void expectRefused(const std::string &arch, const std::string &snippet, const std::string &message) {
  Snippet refused(snippet, {.arch = arch, .device = "emulator"});
  EXPECT_FALSE(refused.ok) << arch << "\n" << snippet;
  EXPECT_NE(refused.errors.find(message), std::string::npos) << arch << "\n" << refused.errors;
}

// K decides how many scales a lane holds together: 1, 2, 4, 8, 16. M, N and the warps decide whether the lanes of four
// hold those of several tiles.
TEST(MmaScaled, EightBitFloats) {
  for (int k : {32, 64, 96, 128, 256})
    expectProduct({.k = k});
  for (int warps : {1, 2, 4})
    for (int m : {64, 128, 192})
      for (int n : {32, 64, 96})
        expectProduct({.b = "f8e5m2", .m = m, .n = n, .warps = warps});
  expectProduct({.a = "f8e5m2", .n = 8});
  expectProduct({.n = 16}, "sm_120f");
  expectProduct({.n = 24, .k = 64}, "sm_121a");
}

TEST(MmaScaled, FourBitFloats) {
  for (std::string_view scale : {"f8e8m0fnu", "f8e4m3fn"})
    for (int k : {64, 128, 192, 256, 512})
      expectProduct({"f4e2m1fn", "f4e2m1fn", scale, 64, 64, k});
  for (int warps : {1, 2})
    expectProduct({"f4e2m1fn", "f4e2m1fn", "f8e4m3fn", 128, 128, 256, warps});
}

TEST(MmaScaled, FourBitFloatsBesideEightBitOnes) {
  expectProduct({"f8e4m3fn", "f4e2m1fn"});
  expectProduct({"f4e2m1fn", "f8e5m2", "f8e8m0fnu", 128, 64, 64, 2});
}

TEST(MmaScaled, FourBitFloatsWithoutScales) {
  expectProduct({"f4e2m1fn", "f4e2m1fn", "", 64, 32, 96});
  expectProduct({"f8e5m2", "f4e2m1fn", "", 64, 32, 64});
  expectProduct({"f4e2m1fn", "f8e4m3fn", "", 128, 32, 64, 2, "f16"});
}

// Every pair of types that the instruction takes, with block scales and without.
TEST(MmaScaled, SixBitFloats) {
  for (std::string_view six : {"f6e2m3fn", "f6e3m2fn"})
    for (std::string_view other : {"f6e2m3fn", "f6e3m2fn", "f8e4m3fn", "f8e5m2", "f4e2m1fn"}) {
      expectProduct({six, other});
      expectProduct({other, six, "f8e8m0fnu", 128, 64, 64, 2});
      expectProduct({six, other, ""});
      expectProduct({other, six, "", 64, 32, 96});
    }
  expectProduct({"f6e3m2fn", "f6e3m2fn", "", 64, 32, 64, 4, "f16"});
  expectProduct({"f6e2m3fn", "f8e4m3fn", "f8e8m0fnu", 64, 64, 256, 1}, "sm_121a");
}

// A 6-bit float takes a byte, with its bits in the lower six: in host arrays, in memory and in registers.
TEST(MmaScaled, SixBitFloatsTakeAByte) {
  Snippet ran(R"(
x = (arange(64, dtype=f32) - 32) / 2
assert f6e2m3fn.itemsize == 1
print(array([0.125, -0.625, 7.5], f6e2m3fn))
assert all(x.astype(f6e2m3fn).astype(f32) == minimum(maximum(x, -7.5), 7.5))
assert all((x * 2).astype(f6e3m2fn).astype(f32)[28:36] == array([-4, -3, -2, -1, 0, 1, 2, 3], dtype=f32))
@kernel()
def convert(x: GMEM((128,), f32), narrow: Out((128,), f6e3m2fn), wide: Out((128,), f16), bits: Out((128,), u8), back: Out((128,), f6e3m2fn)):
  small = x[...].astype(f6e3m2fn)
  narrow[...] = small
  wide[...] = abs(small).astype(f16)
  bits[...] = bitcast(small, u8)
  back[...] = bitcast(bitcast(small, u8), f6e3m2fn)
x = (arange(128, dtype=f32) - 64) / 2
narrow, wide, bits, back = convert(x)
want = x.astype(f6e3m2fn)
assert all(narrow.astype(f32) == want.astype(f32)) and all(back.astype(f32) == want.astype(f32))
assert all(wide.astype(f32) == abs(want.astype(f32)))
assert all(bits == bitcast(want, u8)) and all(bits < 64)
)",
              {.arch = "sm_120a", .device = "emulator"});
  EXPECT_TRUE(ran.ok) << ran.errors;
  EXPECT_EQ(ran.printed, "array([ 0.125, -0.625,  7.5  ], dtype=f6e2m3fn)\n");
}

TEST(MmaScaled, TargetsWithoutItSayWhatTheyHave) {
  expectRefused(
      "sm_90a", snippet({}),
      "`mma` with block scales needs sm_120a, sm_120f or sm_121a, and this kernel is "
      "for sm_90a: convert the operands to f16 before the kernel, multiply them by their scales, and use `mma` of f16");
  expectRefused("sm_120", snippet({}), "and this kernel is for sm_120: convert the operands to f16");
  expectRefused("sm_100a", snippet({"f4e2m1fn", "f4e2m1fn", "f8e4m3fn"}),
                "and this kernel is for sm_100a: here `tcgen05_mma` multiplies with block scales");
  expectRefused("sm_89", snippet({"f4e2m1fn", "f4e2m1fn", ""}), "`mma` of 6-bit and 4-bit floats needs sm_120a");
  expectRefused("sm_89", snippet({"f6e2m3fn", "f6e2m3fn", ""}), "`mma` of 6-bit and 4-bit floats needs sm_120a");
  // The advice names scales only if the product has some.
  expectRefused("sm_90a", snippet({"f6e2m3fn", "f6e3m2fn", ""}),
                "for sm_90a: convert the operands to f16 before the kernel, and use `mma` of f16");
  expectRefused("sm_100a", snippet({"f4e2m1fn", "f4e2m1fn", ""}),
                "for sm_100a: convert the operands to f16, and use `mma` of f16");
}

/// A kernel that only multiplies arrays of these dtypes and shapes.
std::string product(std::string_view a, std::string_view b, std::string_view options, std::string_view sum = "f32") {
  return text("@kernel()\ndef k(out: Out((64, 32), ", sum, ")):\n  out[...] = mma(full((64, 32), 0, ", sum,
              "), full((64, 128), 1, ", a, "), full((128, 32), 1, ", b, ")", options, ")\nk()\n");
}

TEST(MmaScaled, MistakesAreToldAtTheOperand) {
  auto scales = [](std::string_view left, std::string_view right) {
    return text(", a_scale=full(", left, "), b_scale=full(", right, ")");
  };
  const std::string good = scales("(64, 4), 1, f8e8m0fnu", "(32, 4), 1, f8e8m0fnu");
  expectRefused("sm_120a", product("f8e4m3fn", "f8e4m3fn", ", a_scale=full((64, 4), 1, f8e8m0fnu)"),
                "a product has scales for both operands or for none; `b_scale` is missing");
  expectRefused("sm_120a", product("f16", "f16", good),
                "block scales go with f8e4m3fn, f8e5m2, f6e2m3fn, f6e3m2fn and f4e2m1fn, not with f16");
  expectRefused("sm_120a", product("f16", "f4e2m1fn", ""),
                "f4e2m1fn is multiplied by f8e4m3fn, f8e5m2, f6e2m3fn, f6e3m2fn or f4e2m1fn, not by f16");
  expectRefused("sm_120a", product("f6e2m3fn", "bf16", ""), "f6e2m3fn is multiplied by f8e4m3fn");
  expectRefused("sm_120a", product("f8e4m3fn", "f8e4m3fn", good, "f16"), "does not sum products of f8e4m3fn in f16");
  expectRefused("sm_120a", product("f8e4m3fn", "f8e4m3fn", scales("(64, 4), 1, f32", "(32, 4), 1, f32")),
                "scales are f8e8m0fnu or f8e4m3fn, and `a_scale` has dtype f32");
  expectRefused("sm_120a", product("f8e4m3fn", "f8e4m3fn", scales("(64, 4), 1, f8e8m0fnu", "(32, 4), 1, f8e4m3fn")),
                "the scales of both operands have one dtype");
  expectRefused("sm_120a", product("f8e4m3fn", "f4e2m1fn", scales("(64, 8), 1, f8e4m3fn", "(32, 8), 1, f8e4m3fn")),
                "8-bit and 6-bit floats have scales of f8e8m0fnu");
  expectRefused("sm_120a", product("f4e2m1fn", "f4e2m1fn", scales("(64, 8), 1, f8e8m0fnu", "(32, 8), 1, f8e8m0fnu")),
                "`a_scale` of shape (64, 8) does not go with K = 128");
  expectRefused("sm_120a", product("f8e4m3fn", "f8e4m3fn", scales("(32, 4), 1, f8e8m0fnu", "(32, 4), 1, f8e8m0fnu")),
                "the scales of `a` have the shape (64, 4)");
  expectRefused("sm_120a", product("f8e4m3fn", "f8e4m3fn", scales("(64, 4), 1, f8e8m0fnu", "(4, 32), 1, f8e8m0fnu")),
                "the scales of `b` have the shape (32, 4)");
  expectRefused("sm_120a", product("f8e4m3fn", "f8e4m3fn", scales("(256,), 1, f8e8m0fnu", "(32, 4), 1, f8e8m0fnu")),
                "a matrix in registers");
}

} // namespace
} // namespace lanescope::repl
