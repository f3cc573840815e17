// wgmma and mma in snippets, on the emulator: results against the host's matrix product, and refused forms.
#include "tests/unit/repl/KernelSupport.h"

#include "layouts/fragments/MatrixInstruction.h"
#include "layouts/support/Text.h"

#include <cstdlib>

namespace lanescope::repl {
namespace {

/// out = a @ b by one warpgroup: (m, k) x (k, n).
struct Product {
  std::string_view a = "f16", b = "f16", accumulator = "f32";
  int m = 64, n = 64, k = 64, swizzle = 128;
  bool aTransposed = false, bTransposed = false; // stored in the other order
  bool aInRegisters = false;
};

int bitsOf(std::string_view dtype) { return dtype == "f32" ? 32 : dtype == "f16" || dtype == "bf16" ? 16 : 8; }

/// Inputs lie in [-1, 1) and are exact in tf32; integers use their whole range.
std::string input(std::string_view name, std::string_view dtype, int seed) {
  if (dtype == "u8")
    return text(name, " = floor((random(", name, "shape, f32, seed=", seed, ") + 1) * 127).astype(u8)\n");
  return dtype == "i8" ? text(name, " = (random(", name, "shape, f32, seed=", seed, ") * 127).astype(i8)\n")
                       : text(name, " = (floor(random(", name, "shape, f32, seed=", seed, ") * 512) / 512).astype(",
                              dtype, ")\n");
}

std::string snippet(const Product &p) {
  bool narrow = bitsOf(p.a) == 8;
  const char *bound = p.accumulator == "i32" ? "0" : p.accumulator == "f16" ? "3e-2" : narrow ? "3e-2" : "5e-6";
  return text("sw = (TilingTransform((8, ", p.swizzle * 8 / bitsOf(p.a), ")), SwizzleTransform(", p.swizzle, "))\n",
              "m, n, k = ", p.m, ", ", p.n, ", ", p.k, "\nashape = ", p.aTransposed ? "(k, m)" : "(m, k)",
              "\nbshape = ", p.bTransposed ? "(n, k)" : "(k, n)", "\n@kernel(scratch=[SMEM(ashape, ", p.a,
              ", transforms=sw), SMEM(bshape, ", p.b, ", transforms=sw), Barrier(num_arrivals=2), ACC((m, n), ",
              p.accumulator, ")])\ndef mm(a: GMEM(ashape, ", p.a, "), b: GMEM(bshape, ", p.b, "), out: Out((m, n), ",
              p.accumulator, R"(), at, bt, loaded, acc):
  copy_gmem_to_smem(a, at, loaded)
  copy_gmem_to_smem(b, bt, loaded)
  barrier_wait(loaded)
  wgmma(acc, )",
              p.aInRegisters  ? bitsOf(p.a) == 8 ? "load(at, layout=WGMMA_8BIT)" : "at[...]"
              : p.aTransposed ? "at.T"
                              : "at",
              ", ", p.bTransposed ? "bt.T" : "bt", ")\n  out[...] = acc[...]\n\n", input("a", p.a, 3),
              input("b", p.b, 4), "left = ", p.aTransposed ? "transpose(a.astype(f32))" : "a.astype(f32)",
              "\nright = ", p.bTransposed ? "transpose(b.astype(f32))" : "b.astype(f32)",
              "\nerror = max_error(mm(a, b).astype(f32), left @ right)\nassert error <= ", bound,
              ", f\"off by {error}\"\n");
}

/// The whole parameter space with LANESCOPE_FULL=1, otherwise every `stride`-th product.
void sweep(const std::vector<Product> &products, size_t stride) {
  if (std::getenv("LANESCOPE_FULL"))
    stride = 1;
  for (size_t i = 0; i < products.size(); i += stride)
    expectRuns(snippet(products[i]));
}

/// A row of the swizzle must fit an N-major b and an M-major a.
bool fits(const Product &p) {
  int row = p.swizzle * 8 / bitsOf(p.a);
  return p.k % row == 0 && (p.bTransposed || p.n % row == 0) && (!p.aTransposed || p.m % row == 0);
}

// inventory: WG wgmma_basic_float, WG wgmma_transposes, P9 wgmma
TEST(Wgmma, Floats) {
  std::vector<Product> products;
  for (std::string_view dtype : {"f16", "bf16", "f32", "f8e5m2", "f8e4m3fn"})
    for (std::string_view accumulator : {"f32", "f16"})
      for (int m : {64, 128, 192})
        for (int n : {64, 128, 192})
          for (int swizzle : {32, 64, 128})
            for (bool a : {false, true})
              for (bool b : {false, true}) {
                // Other widths can only be read along K.
                if (bitsOf(dtype) != 16 && (a || !b))
                  continue;
                if (accumulator == "f16" && (dtype == "bf16" || dtype == "f32"))
                  continue;
                Product p{dtype, dtype, accumulator, m, n, 2 * swizzle * 8 / bitsOf(dtype), swizzle, a, b};
                if (fits(p))
                  products.push_back(p);
              }
  sweep(products, 23);
}

TEST(Wgmma, MixedNarrowFloats) {
  std::vector<Product> products;
  for (auto [a, b] : {std::pair("f8e4m3fn", "f8e5m2"), std::pair("f8e5m2", "f8e4m3fn")})
    for (std::string_view accumulator : {"f32", "f16"})
      for (int m : {64, 128})
        for (int swizzle : {64, 128})
          products.push_back({a, b, accumulator, m, 128, 2 * swizzle, swizzle, false, true});
  sweep(products, 5);
}

// inventory: WG wgmma_basic_int
TEST(Wgmma, Integers) {
  std::vector<Product> products;
  for (int m : {64, 128, 192})
    for (int n : {64, 128, 192})
      for (int swizzle : {32, 64, 128})
        products.push_back({"i8", "i8", "i32", m, n, 2 * swizzle, swizzle, false, true});
  sweep(products, 5);
}

TEST(Wgmma, IntegersOfEitherSignAndEveryKindOfWidth) {
  for (auto [a, b] : {std::pair("i8", "u8"), std::pair("u8", "i8"), std::pair("u8", "u8")})
    expectRuns(snippet({a, b, "i32", 64, 48, 128, 128, false, true}));
  for (int n : {8, 16, 24, 32, 144})
    expectRuns(snippet({"i8", "i8", "i32", 64, n, 128, 128, false, true}));
}

// inventory: WG wgmma_reg_lhs, P9 wgmma_registers
TEST(Wgmma, LeftOperandInRegisters) {
  std::vector<Product> products;
  for (std::string_view dtype : {"f16", "bf16"})
    for (int m : {64, 128, 192})
      for (int n : {64, 128, 192})
        for (int swizzle : {32, 64, 128})
          for (bool b : {false, true}) {
            Product p{dtype, dtype, "f32", m, n, 2 * swizzle / 2, swizzle, false, b, true};
            if (fits(p))
              products.push_back(p);
          }
  sweep(products, 7);
}

// inventory: WG wgmma_reg_lhs_8bit, P9 wgmma_registers_8bit
TEST(Wgmma, NarrowLeftOperandInRegisters) {
  std::vector<Product> products;
  for (std::string_view dtype : {"f8e4m3fn", "f8e5m2", "i8"})
    for (int m : {64, 128, 192})
      for (int n : {64, 128, 192})
        for (int swizzle : {32, 64, 128})
          if (dtype != "i8" || swizzle != 32) // ptxas miscompiles that combination
            products.push_back(
                {dtype, dtype, dtype == "i8" ? "i32" : "f32", m, n, swizzle, swizzle, false, true, true});
  sweep(products, 7);
}

// inventory: WG narrow_n
TEST(Wgmma, EveryCountOfColumns) {
  std::vector<Product> products;
  for (int n = 8; n <= 256; n += 8)
    products.push_back({"f16", "f16", "f32", 64, n, 64, 128, false, true});
  sweep(products, 4);
}

// The loop keeps one group in flight, and the buffers alternate.
TEST(Wgmma, AccumulatesAcrossALoop) {
  // Each of the 20 instructions truncates its sum, of up to 128, to the bits of f32.
  expectRuns(R"(sw = (TilingTransform((8, 64)), SwizzleTransform(128))
steps = 5
@kernel(scratch=[SMEM((2, 64, 64), f16, transforms=sw), SMEM((2, 64, 64), f16, transforms=sw), Barrier(num_arrivals=2, num_barriers=2), ACC((64, 64), f32)])
def mm(a: GMEM((64, steps * 64), f16), b: GMEM((steps * 64, 64), f16), out: Out((2, 64, 64), f32), at, bt, loaded, acc):
  def fetch(step, slot):
    copy_gmem_to_smem(a.at[:, ds(step * 64, 64)], at.at[slot], loaded.at[slot])
    copy_gmem_to_smem(b.at[ds(step * 64, 64), :], bt.at[slot], loaded.at[slot])
  for round in static_range(2):
    acc[...] = 0
    fetch(0, 0)
    for step in range(steps):
      slot = step % 2
      barrier_wait(loaded.at[slot])
      wgmma(acc, at.at[slot], bt.at[slot])
      wgmma_wait(0)
      if step + 1 < steps:
        fetch(step + 1, 1 - slot)
    out[round] = acc[...] * (round + 1)
a = random((64, steps * 64), f16, seed=3)
b = random((steps * 64, 64), f16, seed=4)
expected = a.astype(f32) @ b.astype(f32)
result = mm(a, b)
assert max_error(result[0], expected) < 2e-4
assert max_error(result[1], expected * 2) < 4e-4
)");
}

TEST(Wgmma, AccumulatorIsAVariable) {
  expectRuns(R"(@kernel(scratch=[ACC((64, 16), f32)])
def k(x: GMEM((64, 16), f32), out: Out((3, 64, 16), f32), acc):
  out[0] = acc[...]
  acc[...] = load(x, layout=WGMMA)
  for i in range(3):
    acc[...] = acc[...] + 1
  out[1] = wgmma_accumulator_load(acc, wait_n=None)
  wgmma_accumulator_store(acc, 7)
  out[2] = wgmma_accumulator_deref(acc)
  assert acc.shape == (64, 16) and acc.dtype == f32
x = random((64, 16), f32, seed=0)
out = k(x)
assert max_error(out[0], zeros((64, 16), f32)) == 0
assert max_error(out[1], x + 1 + 1 + 1) == 0
assert max_error(out[2], full((64, 16), 7, f32)) == 0
)");
}

// inventory: MM warp_mma
TEST(Mma, EveryShareOfTheWarps) {
  for (std::string_view dtype : {"f16", "bf16"})
    for (int warps : {1, 2, 4})
      expectRuns(text(R"(m, n, k = 128, 64, 32
@kernel()
def mm(a: GMEM((m, k), )",
                      dtype, "), b: GMEM((k, n), ", dtype, R"(), start: GMEM((m, n), f32), out: Out((m, n), f32)):
  out[...] = mma(start[...], a[...], b[...], m_warps=)",
                      warps, R"()
a = random((m, k), f32, seed=3).astype()",
                      dtype, R"()
b = random((k, n), f32, seed=4).astype()",
                      dtype, R"()
start = random((m, n), f32, seed=5)
assert max_error(mm(a, b, start), start + a.astype(f32) @ b.astype(f32)) < 1e-5
)"));
}

TEST(Mma, EveryPairOfTypes) {
  struct Case {
    std::string_view a, b, sum;
    const char *bound;
  };
  const Case cases[] = {{"f16", "f16", "f16", "3e-2"},
                        {"f32", "f32", "f32", "5e-6"},
                        {"f8e4m3fn", "f8e5m2", "f32", "1e-3"},
                        {"f8e5m2", "f8e4m3fn", "f32", "1e-3"},
                        {"i8", "u8", "i32", "0"},
                        {"u8", "i8", "i32", "0"},
                        {"u8", "u8", "i32", "0"}};
  for (const Case &c : cases)
    for (int warps : {1, 4})
      expectRuns(
          text("m, n, k = 64, 32, 64\nashape = (m, k)\nbshape = (k, n)\n@kernel()\ndef mm(a: GMEM(ashape, ", c.a,
               "), b: GMEM(bshape, ", c.b, "), out: Out((m, n), ", c.sum, ")):\n  out[...] = mma(full((m, n), 3, ",
               c.sum, "), a[...], b[...], m_warps=", warps, ")\n", input("a", c.a, 3), input("b", c.b, 4),
               "error = max_error(mm(a, b).astype(f32), a.astype(f32) @ b.astype(f32) + 3)\nassert error <= ", c.bound,
               ", f\"off by {error}\"\n"));
}

// inventory: MM warp_mma_smem
TEST(Mma, FromSharedMemoryInALoop) {
  for (int warps : {1, 2, 4})
    expectRuns(text(R"(m, n, k = 64, 64, 64
sw = (TilingTransform((8, 32)), SwizzleTransform(64))
@kernel(scratch=[SMEM((m, k), f16, transforms=sw), SMEM((n, k), f16, transforms=sw), Barrier(num_arrivals=2)])
def mm(a: GMEM((m, k), f16), b: GMEM((n, k), f16), out: Out((m, n), f32), at, bt, loaded):
  copy_gmem_to_smem(a, at, loaded)
  copy_gmem_to_smem(b, bt, loaded)
  barrier_wait(loaded)
  total = zeros((m, n), f32)
  for step in range(2):
    total = mma(total, load(at.at[:, ds(step * 32, 32)], optimized=False), load(bt.at[:, ds(step * 32, 32)].T, optimized=False), m_warps=)",
                    warps, R"()
  out[...] = total
a = random((m, k), f16, seed=3)
b = random((n, k), f16, seed=4)
assert max_error(mm(a, b), a.astype(f32) @ transpose(b.astype(f32))) < 1e-5
)"));
}

TEST(Mma, RefusesWithPlaceAndReason) {
  struct Case {
    std::string_view body, part;
  };
  const Case cases[] = {
      {"mma(c, a[...], b)", "read it with `b[...]`"},
      {"mma(c, a[...], b[...], m_warps=3)", "1, 2 or 4 warps"},
      {"mma(c, a[...], a[...])", "a has as many columns as b has rows"},
      {"mma(c.astype(i32), a[...], b[...])", "`mma` does not sum products of f16 in i32; there is f32 or f16"},
      {"mma(c, a[...].astype(i32), b[...].astype(i32))", "`mma` does not multiply i32; there is f16, bf16, f32 (as"},
      {"mma(c, a[...], b[...].astype(bf16))", "f16 and bf16 are not multiplied together"},
      {"mma(full((32, 64), 0, f32), a[0:32], b[...], m_warps=4)", "tiles of M = 64"},
      {"mma(c, layout_cast(a[...], WGMMA), b[...])", "the left operand of `mma` is in registers as"},
  };
  for (const Case &each : cases) {
    Snippet done(text("@kernel()\ndef k(a: GMEM((64, 32), f16), b: GMEM((32, 64), f16), out: Out((64, 64), f32)):\n  ",
                      each.body == cases[6].body ? "" : "c = full((64, 64), 0, f32); ", each.body,
                      "\nk(zeros((64, 32), f16), zeros((32, 64), f16))\n"));
    EXPECT_FALSE(done.ok) << each.body;
    EXPECT_NE(done.errors.find(each.part), std::string::npos) << each.body << "\n" << done.errors;
  }
}

// inventory: WG wgmma_bad_shapes
TEST(Wgmma, RefusesWithPlaceAndReason) {
  struct Case {
    std::string body, place, part;
    std::string scratch = "SMEM((64, 64), f16, transforms=sw), SMEM((64, 64), f16, transforms=sw), ACC((64, 64), f32)";
  };
  const Case cases[] = {
      {"wgmma(a, a, b)", "4:9", "must be an accumulator"},
      {"wgmma(acc, a, 3)", "4:17", "an SMEM reference"},
      {"wgmma(acc, 2.0, b)", "4:14", "an SMEM reference or an array"},
      {"acc[0] = 1", "4:7", "as a whole"},
      {"acc[:, :64] = full((64, 8), 1, f32)", "4:17", "of shape (64, 64)"},
      {"x = acc + 1", "4:7", "is an accumulator; read it"},
      {"wgmma_wait(-1)", "4:14", "from 0 to 7 groups"},
      {"acc[...] = 1.5 * full((64, 32), 1, f32)", "4:14", "of shape (64, 32)"},
      {"wgmma(acc, a, b)", "4:3", "a has as many columns as b has rows",
       "SMEM((64, 64), f16, transforms=sw), SMEM((128, 64), f16, transforms=sw), ACC((64, 64), f32)"},
      {"wgmma(acc, a, b)", "4:3", "does not go into the accumulator",
       "SMEM((64, 64), f16, transforms=sw), SMEM((64, 64), f16, transforms=sw), ACC((64, 128), f32)"},
      {"wgmma(acc, a, b)", "4:17", "f16 and bf16 are not multiplied together by `wgmma`; B must be f16",
       "SMEM((64, 64), f16, transforms=sw), SMEM((64, 64), bf16, transforms=sw), ACC((64, 64), f32)"},
      {"wgmma(acc, a, b)", "4:9", "does not sum products of bf16 in f16; there is f32",
       "SMEM((64, 64), bf16, transforms=sw), SMEM((64, 64), bf16, transforms=sw), ACC((64, 64), f16)"},
      {"wgmma(acc, a, b)", "4:3", "`wgmma` of i8 has N = 8, 24 or a multiple of 16 up to 256, not 40",
       "SMEM((64, 64), i8), SMEM((64, 40), i8), ACC((64, 40), i32)"},
      {"wgmma(acc, a, b)", "4:3", "`wgmma` of u8 has N = 8, 24 or a multiple of 16 up to 256, not 56",
       "SMEM((64, 64), u8), SMEM((64, 56), u8), ACC((64, 56), i32)"},
      {"wgmma(acc, a, b)", "4:3", "`wgmma` of f16 has N = a multiple of 8 up to 256, not 264",
       "SMEM((64, 64), f16), SMEM((64, 264), f16), ACC((64, 264), f32)"},
      {"wgmma(acc, a, b)", "4:3", "`wgmma` of f16 has K = a multiple of 16, not 24",
       "SMEM((64, 24), f16), SMEM((24, 64), f16), ACC((64, 64), f32)"},
      {"wgmma(acc, a, b)", "4:3", "is not swizzled", "SMEM((64, 64), f16), SMEM((64, 64), f16), ACC((64, 64), f32)"},
      {"wgmma(acc, a, b)", "4:3", "have one swizzle",
       "SMEM((64, 64), f16, transforms=(TilingTransform((8, 32)), SwizzleTransform(64))), SMEM((64, 64), f16, "
       "transforms=sw), ACC((64, 64), f32)"},
      {"wgmma(acc, a, b)", "4:3", "in tiles of (8, 64)",
       "SMEM((64, 64), f16, transforms=sw), SMEM((64, 64), f16, transforms=(TilingTransform((64, 64)), "
       "SwizzleTransform(128))), ACC((64, 64), f32)"},
      {"wgmma(acc, layout_cast(a[...], WGMMA_TRANSPOSED), b)", "4:3", "is in registers as `WGMMA`"},
  };
  for (const Case &each : cases) {
    Snippet done(text("sw = (TilingTransform((8, 64)), SwizzleTransform(128))\n@kernel(scratch=[", each.scratch,
                      "])\ndef k(out: Out((64,), f32), a, b, acc):\n  ", each.body, "\nk()\n"));
    EXPECT_FALSE(done.ok) << each.body;
    EXPECT_NE(done.errors.find(each.part), std::string::npos) << each.body << "\n" << done.errors;
    EXPECT_EQ(done.place(), each.place) << each.body << "\n" << done.errors;
  }
  for (auto [spec, part] : {std::pair("ACC((32, 64), f32)", "multiple of 64 rows"),
                            std::pair("ACC((64, 12), f32)", "multiple of 8 columns"),
                            std::pair("ACC((64, 64), bf16)", "there is f32, f16 or i32"),
                            std::pair("ACC((1024, 256), f32)", "registers of a warpgroup")}) {
    Snippet done(text("x = ", spec, "\n"));
    EXPECT_FALSE(done.ok);
    EXPECT_NE(done.errors.find(part), std::string::npos) << spec << "\n" << done.errors;
  }
}

/// The language's error for operands without a swizzle says that they are not swizzled, or gives the lowering's reason
/// if no instruction has these types.
void expectAnswer(const std::string &a, const std::string &b, const std::string &sum, int n) {
  auto dtype = [](const std::string &name) { return *layouts::dtypeNamed(name); };
  auto rows = layouts::chooseMatrixInstructions({.family = layouts::MatrixFamily::Wgmma,
                                                 .a = layouts::multiplicandNamed(dtype(a)),
                                                 .b = layouts::multiplicandNamed(dtype(b)),
                                                 .d = layouts::accumulatorNamed(dtype(sum)),
                                                 .m = 64,
                                                 .n = n,
                                                 .inSnippetWords = true});
  Snippet done(text("@kernel(scratch=[SMEM((64, 64), ", a, "), SMEM((64, ", n, "), ", b, "), ACC((64, ", n, "), ", sum,
                    ")])\ndef k(out: Out((64,), f32), a, b, acc):\n  wgmma(acc, a, b)\n\nk()\n"));
  EXPECT_FALSE(done.ok);
  std::string message = rows ? "of `wgmma` is not swizzled" : rows.error().message;
  EXPECT_NE(done.errors.find(message), std::string::npos) << a << ' ' << b << ' ' << sum << ' ' << n << done.errors;
  EXPECT_TRUE(done.place().starts_with("3:")) << done.errors;
}

TEST(Wgmma, TheLanguageAnswersAsTheTable) {
  const std::string dtypes[] = {"f16", "bf16", "f32", "f8e4m3fn", "f8e5m2", "i8", "u8", "i16", "i32"};
  for (const std::string &a : dtypes)
    for (const std::string &b : dtypes)
      for (const char *sum : {"f32", "f16", "i32"})
        expectAnswer(a, b, sum, 64);
  for (int n = 8; n <= 272; n += 8) {
    expectAnswer("f16", "f16", "f32", n);
    expectAnswer("f8e4m3fn", "f8e5m2", "f16", n);
    expectAnswer("u8", "i8", "i32", n);
  }
}

} // namespace
} // namespace lanescope::repl
