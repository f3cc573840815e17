// Register arrays as upstream tests them: each operator and function over upstream's dtypes, shapes and operands,
// within its tolerances. The usual operands count along the array; the expected values are the host's.
#include "Cases.h"

#include <gtest/gtest.h>

namespace lanescope::repl {
namespace {

/// A kernel that stores `what`, an expression of `count` (0, 1, 2, … of dtype T over S, in the wgmma layout). The host
/// has `count`, too.
std::string counted(const std::string &dtype, const std::string &shape, const std::string &what,
                    const std::string &out = "T") {
  return text("T, S = ", dtype, ", ", shape, R"(
@kernel()
def k(out: Out(S, )",
              out, R"()):
  count = broadcasted_iota(T, S, 0, layout=WGMMA) * S[1] + broadcasted_iota(T, S, 1, layout=WGMMA)
  store(out, )",
              what, R"(, optimized=False)
count = arange(S[0] * S[1]).reshape(S).astype(T)
got = k()
)");
}

// inventory: FA binary
TEST(RegisterArrays, BinaryOperators) {
  std::vector<Case> cases;
  for (const char *op : {"a + b", "a * b", "a - b", "minimum(a, b)", "maximum(a, b)"})
    for (const char *dtype : {"f32", "i32", "u32", "f16"})
      for (int m : {64, 128})
        for (int n : {8, 64, 256})
          cases.push_back({text(op, "_", dtype, "_", m, "_", n),
                           text("T, S = ", dtype, ", (", m, ", ", n, R"()
@kernel()
def k(x: GMEM(S, T), y: GMEM(S, T), out: Out(S, T), by_two: Out(S, T)):
  a, b = x[...], y[...]
  out[...] = )",
                                op, "\n  b = 2\n  by_two[...] = ", op, R"(
if T in (f32, f16):
  x, y = random(S, f32, seed=1).astype(T), random(S, f32, seed=2).astype(T)
else:
  x, y = [random(S, i32, seed=i, low=-16000, high=16000).astype(T) for i in range(2)]
out, by_two = k(x, y)
a, b = x, y
assert max_error(out.astype(f64), ()",
                                op, ").astype(f64)) == 0\nb = full(S, 2, T)\n",
                                "assert max_error(by_two.astype(f64), (", op, ").astype(f64)) == 0\n")});
  runCases("FA binary", cases, 14);
}

// Vectors of an even number of narrow elements use the instructions for pairs. Three halves use them as well, as two
// pairs; upstream uses a pair and a single instruction.
// inventory: FA max
TEST(RegisterArrays, Maxima) {
  std::vector<Case> cases;
  for (const char *dtype : {"f32", "f16", "bf16", "i32", "i16", "u32", "u16"})
    for (int vec : {4, 3, 1})
      cases.push_back({text(dtype, vec), text("T, V = ", dtype, ", ", vec, R"(
L = WGStridedFragLayout(shape=(1536,), vec_size=V)
@kernel()
def k(x: GMEM((1536,), T), y: GMEM((1536,), T), out: Out((1536,), T)):
  out[...] = maximum(load(x, layout=L), load(y, layout=L))
if T in (f32, f16, bf16):
  x, y = random((1536,), f32, seed=1).astype(T), random((1536,), f32, seed=2).astype(T)
else:
  x, y = [random((1536,), i32, seed=i, low=-16000, high=16000).astype(T) for i in range(2)]
assert max_error(k(x, y).astype(f64), maximum(x, y).astype(f64)) == 0
name = "max" + (".NaN." + T.name if T in (f32, f16, bf16) else "." + ("u" if T.name[0] == "u" else "s") + T.name[1:])
code = ptx(k).text
one, two = code.count(name + " "), code.count(name + "x2 ")
if V == 3 and T in (f16, bf16):
  assert (one, two) == (0, 4 * 2)
else:
  assert one + 2 * two == 1536 // 128
  assert one > 0 if V % 2 == 1 else one == 0 or T.bits == 32
)")});
  runCases("FA max", cases, cases.size());
}

// inventory: FA division, comparison
TEST(RegisterArrays, DivisionsAndComparisons) {
  std::vector<Case> cases;
  for (const char *each : {"f32 /", "f32 //", "i32 //", "i32 %", "u32 //", "u32 %"}) {
    std::string dtype(each, 3), op(each + 4), factor = dtype == "f32" ? "4.2" : "4";
    cases.push_back({each, counted(dtype, "(64, 32)", text(factor, " * count ", op, " (count + 1)")) +
                               text("factor = array([", factor, "]).astype(T).astype(f64)[0]\n", R"(
top, bottom = (factor * count.astype(f64)).astype(T).astype(f64), count.astype(f64) + 1
want = top )",
                                    op == "%" ? "- floor(top / bottom) * bottom" : "/ bottom",
                                    op == "//" ? "\nwant = floor(want)" : "", R"(
assert allclose(got.astype(f64), want.astype(T).astype(f64), rtol=1e-7, atol=2e-7)
)")});
  }
  for (const char *op : {"<", "<=", ">", ">=", "==", "!="})
    for (const char *dtype : {"f32", "i32", "u32"})
      for (const char *right : {"0", "(count + 1)"})
        cases.push_back(
            {text(op, dtype, right),
             counted(dtype, "(64, 32)", text("(count ", op, " ", right, ").astype(i8)"), "i8") +
                 text("assert max_error(got.astype(i32), (count ", op, " ", right, ").astype(i32)) == 0\n")});
  runCases("FA comparison", cases, 21);
}

// inventory: FA bitwise, unary, select
TEST(RegisterArrays, BitsSignsAndChoices) {
  std::vector<Case> cases;
  for (const char *dtype : {"u32", "u8"})
    for (const char *op : {"&", "|", "^", "<<", ">>"}) {
      bool shift = op[0] == '<' || op[0] == '>';
      std::string what = text("count ", op,
                              shift                        ? " (count & 15)"
                              : std::string(dtype) == "u8" ? " (count ^ 90)"
                                                           : " (count << 2)");
      cases.push_back(
          {what + dtype, counted(dtype, "(64, 8)", what) +
                             text("count = count.astype(i64)\nwant = (", what,
                                  ") & ((1 << T.bits) - 1)\nassert max_error(got.astype(i64), want) == 0\n")});
    }
  for (const char *dtype : {"f32", "i32", "u32"})
    for (const char *what : {"-count", "count + 42", "tanh(count)", "abs(count)"})
      if (what[0] != 't' || dtype[0] == 'f')
        cases.push_back({text(what, dtype), counted(dtype, "(64, 32)", what) + text("want = ", what, R"(
assert allclose(got.astype(f64), want.astype(f64), rtol=2e-7, atol=2e-7)
)")});
  cases.push_back({"select", counted("i32", "(64, 32)", "select(count < 16, count * 2, count * 3)") +
                                 "assert max_error(got, select(count < 16, count * 2, count * 3)) == 0\n"});
  runCases("FA unary", cases, cases.size());
}

// Exact functions are within about two units in the last place, and the hardware's are within their documented error,
// with different code.
// inventory: FA math, atan2
TEST(RegisterArrays, Functions) {
  std::vector<Case> cases;
  for (const char *function : {"exp", "exp2", "log", "log2", "sin", "cos", "tanh", "rsqrt", "erf"}) {
    std::string name = function, host = name == "rsqrt" ? "1 / sqrt(count)" : name + "(count)";
    std::string check =
        text("count = count.astype(f64) + 1\nwant = (", host, ").astype(f32)\nassert allclose(got, want, ");
    std::string exact = counted("f32", "(64, 32)", name + "(count + 1)") + check + "rtol=2e-7, atol=2e-7)\n";
    if (name != "erf")
      exact += "code = ptx(k).text\n" + counted("f32", "(64, 32)", name + "(count + 1, approx=True)") + check +
               "rtol=4e-6, atol=5e-3)\nassert ptx(k).text != code\n";
    cases.push_back({name, exact});
  }
  cases.push_back({"atan2", counted("f32", "(64, 32)", "atan2(count + 1, count + 2)") + R"(
# The angle is pi / 4 less what separates the two: atan(d) with d = 1 / (2 * count + 3), by its series.
d = 1 / (2 * count.astype(f64) + 3)
square = d * d
series = d * (1 - square * (1 / 3 - square * (1 / 5 - square * (1 / 7 - square * (1 / 9 - square * (1 / 11 - square * (1 / 13)))))))
assert allclose(got, (0.7853981633974483 - series).astype(f32), rtol=2e-7, atol=2e-7)
)"});
  runCases("FA math", cases, cases.size());
}

// inventory: FA reduce, strided_reduce_sum, splat_reduce_sum
TEST(RegisterArrays, Sums) {
  std::vector<Case> cases;
  for (const char *op : {"sum", "max"})
    for (int m : {64, 128})
      for (int n : {8, 16, 32, 64, 80, 128, 256})
        cases.push_back(
            {text(op, m, "_", n),
             counted("f32", text("(", m, ", ", n, ")"), text("broadcast_in_dim(", op, "(count, axis=1), S, (0,))")) +
                 text("want = ", op, R"((count, axis=1).reshape((S[0], 1)) + zeros(S, T)
assert max_error(got, want) == 0
)")});
  for (const char *dtype : {"f32", "i32"})
    for (int n : {32, 64}) {
      cases.push_back({text("strided", dtype, n), text("T, S = ", dtype, ", (128, ", n, R"()
@kernel()
def k(x: GMEM(S, T), out: Out((128,), T)):
  out[...] = sum(x[...]) + zeros((128,), T)
x = arange(S[0] * S[1]).reshape(S).astype(T)
assert max_error(k(x), full((128,), S[0] * S[1] * (S[0] * S[1] - 1) // 2, T)) == 0
)")});
      for (const char *what : {"sum(ones_, axis=1)", "sum(ones_) + zeros((128,), T)"})
        cases.push_back(
            {text("splat", dtype, n, what), text("T, S = ", dtype, ", (128, ", n, R"()
@kernel()
def k(out: Out((128,), T)):
  ones_ = full(S, 1, T)
  out[...] = )",
                                                 what, "\nassert max_error(k(), full((128,), ",
                                                 what[5 + 4] == ',' ? "S[1]" : "S[0] * S[1]", ", T)) == 0\n")});
    }
  runCases("FA reduce", cases, 24);
}

// inventory: FA splat, splat_layout, splat_binary_ops
TEST(RegisterArrays, Constants) {
  runCases("FA splat", {{"in_a_layout", R"(
@kernel()
def k(out: Out((128, 32), f32)):
  row = layout_cast(full((128,), 3.14), WGMMA_ROW)
  store(out, layout_cast(broadcast_in_dim(row, (128, 32), (0,)), WGMMA), optimized=False)
assert max_error(k(), full((128, 32), 3.14)) == 0
)"},
                        {"beside_a_layout",
                         counted("f32", "(64, 8)", "count + full(S, 1.0)") + "assert max_error(got, count + 1) == 0\n"},
                        {"operators", R"(
S = (128, 32)
@kernel()
def k(x: GMEM(S, f32), out: Out(S, f32), cubes: Out(S, f32)):
  v, pi = x[...], full(S, 3.14)
  cube = pi * (v * pi)
  out[...] = select(v == v, pi, cube)
  cubes[...] = cube
x = full(S, 3.14)
out, cubes = k(x)
assert max_error(out, x) == 0 and allclose(cubes, x * x * x, rtol=1e-7)
)"}});
}

} // namespace
} // namespace lanescope::repl
