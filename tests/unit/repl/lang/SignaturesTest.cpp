// One set of signatures for the host and for kernels. Each declared function is called on both sides with the same
// arguments, and `help` is compared with what the calls do.
#include "tests/unit/repl/KernelSupport.h"

#include "core/RunResult.h"
#include "layouts/support/Text.h"
#include "repl/lang/values/ArrayFunctions.h"

#include <map>

namespace lanescope::repl {
namespace {

constexpr std::string_view kTargets[] = {"a GPU", "a SparseCore"};

Builtins allBuiltins() {
  return withKernels(hostBuiltins(), std::make_shared<KernelRuntime>(KernelOptions{.device = "none"}));
}

TEST(Signatures, WhatIsDeclaredIsThereOnBothSides) {
  std::map<std::string, Builtin> table;
  for (Builtin &builtin : allBuiltins())
    table.insert_or_assign(builtin.name, builtin);
  for (const ArrayFunction &function : arrayFunctions()) {
    const Builtin &builtin = table.at(std::string(function.name));
    EXPECT_EQ(builtin.signature, function.signature);
    EXPECT_NE(builtin.worksIn, WorksIn::Kernels) << function.name;
    EXPECT_NE(std::ranges::find(builtin.targets, "a GPU"), builtin.targets.end()) << function.name;
  }
}

/// The host, or a kernel in which `v` is an array. It returns the kind and the message of the first error of a call.
class World {
public:
  explicit World(std::string_view target) : target_(target), session_("", {.device = "none"}) {}

  std::pair<std::string, std::string> outcome(const std::string &call) {
    std::string text = call;
    if (target_ == "a GPU")
      text = "@kernel()\ndef k(x: GMEM((128,), f32), out: Out((128,), f32)):\n  v = x[...]\n  " + call +
             "\n  out[...] = v\nk(zeros((128,), f32))\n";
    if (target_ == "a SparseCore")
      text = "@sc_kernel(mesh=VectorSubcoreMesh(\"c\", \"s\", num_cores=1), chip=\"7x\", scratch=[VMEM((16,), f32)])\n"
             "def k(x: GMEM((16,), f32), out: Out((16,), f32), m):\n  v = m[...]\n  " +
             call + "\nk(zeros((16,), f32))\n";
    session_.again(text);
    return session_.ok ? std::pair<std::string, std::string>{}
                       : std::pair(session_.diagnostics.front().kind, session_.diagnostics.front().message);
  }

private:
  std::string target_;
  Snippet session_;
};

// `help(name)` says where a name works. A call without arguments, and a call with a kernel's array, agree with it.
TEST(Signatures, HelpTellsTheTruth) {
  std::map<std::string, Builtin> table;
  for (Builtin &builtin : allBuiltins())
    if (builtin.call)
      table.insert_or_assign(builtin.name, builtin);
  ASSERT_GT(table.size(), 200u);
  Snippet help("", {.device = "none"});
  World host(""), gpu("a GPU"), sparseCore("a SparseCore");
  for (const auto &[name, builtin] : table) {
    help.again("help(\"" + name + "\", picture=False)");
    EXPECT_NE(help.printed.find("\n\n" + whereItWorks(builtin) + "\n"), std::string::npos) << name << help.printed;
    auto onHost = host.outcome(name + "()");
    EXPECT_EQ(onHost.first == "host-stage", builtin.worksIn == WorksIn::Kernels) << name << ": " << onHost.second;
    for (std::string_view target : kTargets) {
      bool has = std::ranges::find(builtin.targets, target) != builtin.targets.end();
      auto inKernel = (target == "a GPU" ? gpu : sparseCore).outcome(name + "(v)");
      auto says = [&](std::string_view words) { return inKernel.second.find(words) != std::string::npos; };
      bool refused = says("it takes values of the host, and this is one of the kernel") || says("` is for kernels of ");
      bool expected = builtin.worksIn == WorksIn::Host ? !has : builtin.worksIn == WorksIn::Kernels && !has;
      if (builtin.worksIn == WorksIn::Kernels && builtin.targets.empty())
        continue; // composed of other builtins: it works where they work
      EXPECT_EQ(refused, expected) << name << " in a kernel of " << target << ": " << inKernel.second;
    }
  }
}

// Errors have the same message on both sides.
TEST(Signatures, MistakesAreOne) {
  World host(""), gpu("a GPU");
  for (const char *call : {"sum(v, axis=3)",
                           "sum(v, axis=(0, -1))",
                           "max(v, axes=0)",
                           "mean(v, axis=\"x\")",
                           "prod(v, 1)",
                           "any(v, axis=-2)",
                           "all(v, axis=1)",
                           "sum(v, keepdims=3)",
                           "exp(v, v, v)",
                           "exp()",
                           "exp(v, aprox=True)",
                           "atan2(v)",
                           "clamp(v, v)",
                           "where(v, v)",
                           "clz(v)",
                           "shift_left(v, 1)",
                           "shift_right_logical(v, count=1)",
                           "trunc_div(v, v)",
                           "div(v > 0, v > 0)",
                           "round(v, halves=\"up\")",
                           "bitcast(v, f16)",
                           "bitcast(v, 3)",
                           "astype(v, \"g32\")",
                           "broadcast_in_dim(v, (128, 64), (0, 1))",
                           "broadcast_in_dim(v, (64, 64), (0,))",
                           "broadcast_in_dim(v, (128,), (1,))",
                           "broadcasted_iota(f32, (128,), 1)",
                           "broadcasted_iota(f32, (-1,), 0)",
                           "reshape(v)",
                           "optimization_barrier()",
                           "maximum(v, b=v)",
                           "sign(x=v, y=v)"}) {
    auto inKernel = gpu.outcome(call);
    auto onHost = host.outcome(text("v = zeros((128,), f32)\n", call));
    EXPECT_FALSE(inKernel.first.empty()) << call;
    EXPECT_EQ(inKernel, onHost) << call;
  }
}

/// Runs the expressions of `v` and `w` on the host and in a kernel with `rows` results, and compares the results.
void expectSame(const std::string &dtype, const std::string &values, const std::vector<std::string> &expressions,
                std::string_view tolerance) {
  std::string kernel = text("T = ", dtype, "\nx = array(", values, ").astype(T)\ny = x[::-1]\n@kernel()\n",
                            "def k(x: GMEM((128,), T), y: GMEM((128,), T)");
  std::string body = "  v, w = x[...], y[...]\n", host = "v, w = x, y\n";
  for (size_t i = 0; i < expressions.size(); ++i) {
    kernel += text(", o", i, ": Out((128,), (", expressions[i], ").dtype)");
    body += text("  o", i, "[...] = ", expressions[i], "\n");
    host += text("want = ", expressions[i], "\nassert outs[", i, "].dtype == want.dtype, \"", i, "\"\n",
                 "assert allclose(outs[", i, "], want, rtol=", tolerance, ", atol=", tolerance, "), \"", i, "\"\n");
  }
  // The annotations have the dtypes of the host's results.
  std::string before = "v = x\nw = y\n";
  size_t at = kernel.find("@kernel");
  Snippet done(kernel.substr(0, at) + before + kernel.substr(at) + "):\n" + body + "outs = k(x, y)\n" + host);
  EXPECT_TRUE(done.ok) << dtype << "\n" << done.errors;
}

TEST(Signatures, FunctionsOfElementsGiveTheSame) {
  expectSame("f32", "[(i - 64) * 0.11 for i in range(128)]",
             {"exp(v)",
              "exp2(v)",
              "log(abs(v) + 1)",
              "log2(abs(v) + 1)",
              "sin(v)",
              "cos(v)",
              "tanh(v)",
              "sqrt(abs(v))",
              "rsqrt(abs(v) + 1)",
              "erf(v)",
              "logistic(v)",
              "gelu(v)",
              "floor(v)",
              "ceil(v)",
              "round(v)",
              "abs(v)",
              "sign(v)",
              "maximum(v, w)",
              "minimum(v, 0)",
              "clamp(-1, v, 1.5)",
              "where(v > w, v, 0)",
              "select(v > 0, v, w)",
              "atan2(v, w)",
              "copysign(2.0, v)",
              "fmod(v, 1.5)",
              "div(v, w)",
              "rem(v, 2)",
              "astype(v, i32)",
              "bitcast(v, i32)",
              "round(v, halves=\"away\")",
              "exp(v, approx=False)",
              "optimization_barrier(v)"},
             "2e-6");
  expectSame("i32", "[i * 37 - 2000 for i in range(128)]",
             {"exp(v // 500)",
              "sqrt(abs(v))",
              "logistic(v // 400)",
              "gelu(v // 400)",
              "round(v)",
              "abs(v)",
              "sign(v)",
              "maximum(v, w)",
              "minimum(v, 7)",
              "clamp(-5, v, 5)",
              "where(v > 0, v, w)",
              "fmod(v, 7)",
              "div(v, 7)",
              "rem(v, -7)",
              "trunc_div(v, 7)",
              "clz(v)",
              "shift_left(v, 3)",
              "shift_right_logical(v, 3)",
              "shift_right_arithmetic(v, 3)",
              "bitcast(v, u32)",
              "astype(v, f16)",
              "atan2(v, w)",
              "copysign(1.5, v)"},
             "3e-6");
}

TEST(Signatures, ReductionsGiveTheSame) {
  std::string outs, body, host;
  int count = 0;
  auto add = [&](const std::string &expression) {
    outs += text(", o", count, ": Out((", expression, ").shape, (", expression, ").dtype)");
    body += text("  o", count, "[...] = broadcast_to(", expression, ", o", count, ".shape)\n");
    host += text("want = ", expression, "\nassert outs[", count, "].dtype == want.dtype and outs[", count,
                 "].shape == want.shape, \"", expression, "\"\nassert allclose(outs[", count, "], want), \"",
                 expression, "\"\n");
    ++count;
  };
  for (const char *function : {"sum", "mean", "max", "min", "prod"})
    for (const char *axis : {"0", "1", "-1", "axis=-2"})
      add(text(function,
               std::string_view(function).starts_with("m") && function != std::string_view("mean") && axis[0] != 'a'
                   ? "(v, axis="
                   : "(v, ",
               axis, ")"));
  add("v.sum(axis=-1)");
  add("v.max(1)");
  add("sum(v.astype(i32), 1)");
  add("mean(v.astype(i32), axis=1)");
  add("sum(v.astype(f16), 1, f32)");
  add("sum(v > 0, axis=0)");
  add("v - mean(v, axis=1, keepdims=True)");
  add("v * v.max(axis=0, keepdims=True)");
  add("v + sum(v, axis=1)[:, None]");
  add("v + v.sum(0)");
  add("v.sum(0) - v");
  add("maximum(v, v.mean(0))");
  add("exp(v - max(v, axis=-1, keepdims=True)) / sum(exp(v - max(v, axis=-1, keepdims=True)), axis=-1, keepdims=True)");
  add("broadcast_to(v.sum(1)[:, None], (64, 64))");
  add("broadcast_in_dim(v.sum(1), (64, 64), (0,))");
  Snippet done("x = (iota((64, 64), i32) % 7 - 3).astype(f32) / 4 + 1\nv = x\n@kernel()\ndef k(x: GMEM((64, 64), f32)" +
               outs + "):\n  v = load(x, layout=WGMMA, optimized=False)\n" + body + "outs = k(x)\n" + host);
  EXPECT_TRUE(done.ok) << done.errors;
}

// Dtypes are promoted in a kernel as on the host, which is as in jax.numpy without 64 bits.
TEST(Signatures, DtypesMeetAsJaxHasThem) {
  std::string kernel = "results = []\n@kernel()\ndef k(x: GMEM((128,), i32)):\n  v = x[...]\n"
                       "  types = [i8, i16, i32, u8, u16, u32, f16, bf16, f32, i1]\n"
                       "  for a in types:\n    for b in types:\n"
                       "      if not (a == i1 and b == i1):\n"
                       "        meet = (v.astype(a) * v.astype(b)).dtype\n"
                       "        host = (jnp.zeros((), a) * jnp.zeros((), b)).dtype\n"
                       "        want = i32 if host == i64 else u32 if host == u64 else f32 if host == f64 else host\n"
                       "        assert meet == want, f\"{a} and {b}: {meet}, not {want}\"\n"
                       "        for number in (2, 2.5):\n"
                       "          assert (v.astype(a) * number).dtype == (jnp.zeros((), a) * number).dtype, f\"{a}\"\n"
                       "k(zeros((128,), i32))\n";
  Snippet done(kernel, {.device = "none"});
  EXPECT_TRUE(done.ok) << done.errors;
}

// An operand that does not broadcast, or does not have the layout for it, gets an error that names `broadcast_in_dim`
// and the required layout.
TEST(Signatures, BroadcastsThatFailSayHow) {
  auto kernel = [](const std::string &body) {
    return "@kernel()\ndef k(x: GMEM((128, 64), f32), r: GMEM((128,), f32), c: GMEM((32,), f32), out: Out((128, 64), "
           "f32)):\n"
           "  v = load(x, layout=WGMMA, optimized=False)\n" +
           body + "k(zeros((128, 64), f32), zeros((128,), f32), zeros((32,), f32))\n";
  };
  expectRuns(kernel("  out[...] = v * r[...][:, None] + 1\n"));
  expectError(kernel("  out[...] = v + r[...]\n"), "4:14", "`broadcast_in_dim(x, (128, 64), (0,))`");
  expectError(kernel("  out[...] = v + c[...]\n"), "no dimensions of the larger one have the sizes of the smaller one");
  expectError(kernel("  out[...] = v + layout_cast(r[...], TCGEN05_ROW)[:, None]\n"),
              "an array in the layout `TCGEN05_ROW` is not spread along these dimensions to one in `WGMMA`, by "
              "`broadcast_in_dim` or as NumPy broadcasts; it is from `WGMMA_ROW`");
  expectError(kernel("  out[...] = broadcast_to(r[...], (128, 64))\n"), "`broadcast_in_dim` says which are which");
  expectError(kernel("  out[...] = transpose(v)\n"), "kernels do not have `transpose`");
  expectError(kernel("  out[...] = jnp.sort(v)\n"), "`jax.numpy` has no `sort` here");
}

} // namespace
} // namespace lanescope::repl
