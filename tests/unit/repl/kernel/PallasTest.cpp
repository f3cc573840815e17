// Pallas' names in snippets: the prefixes of its modules, and common mistakes with them.
#include "tests/unit/repl/kernel/PallasMistakes.h"
#include "tests/unit/repl/KernelSupport.h"

#include "layouts/support/Text.h"

namespace lanescope::repl {
namespace {

TEST(Pallas, LoopsAndBranches) {
  Snippet done(R"(
@plgpu.kernel(out_type=[jax.ShapeDtypeStruct((128,), jnp.int32)], grid=(1,), grid_names=("g",))
def loops(o_ref):
  n = lax.while_loop(lambda c: c[0] < 10, lambda c: (c[0] + 1, c[1] + c[0]), (jnp.int32(0), jnp.int32(0)))
  a = lax.cond(n[1] > 3, lambda v: v + 1, lambda v: v - 1, n[1])
  b = lax.switch(n[0] - 9, [lambda: 1, lambda: 2, lambda: 3])
  t = lax.fori_loop(0, 4, lambda i, c: {"s": c["s"] + i, "k": [c["k"][0] * 2]}, {"s": 0, "k": [1]})
  o_ref[...] = jnp.full((128,), 0, jnp.int32) + a * 1000 + b * 100 + t["s"] * 10 + t["k"][0]
(out,) = loops()
print(int(out[0]))
)");
  EXPECT_TRUE(done.ok) << done.errors;
  EXPECT_EQ(done.printed, "46276\n");
}

TEST(Pallas, SpreadingAndKeptDimensions) {
  Snippet done(R"(
def body(x_ref, w_ref, o_ref):
  x = plgpu.load(x_ref, layout=plgpu.Layout.WGMMA, optimized=False)
  w = plgpu.load(w_ref, layout=plgpu.Layout.WGMMA.reduce(0), optimized=False)
  top = jnp.max(x, axis=1, keepdims=True)
  assert top.shape == (64, 1) and top.ndim == 2
  o_ref[...] = jnp.exp(x - top) * w + jnp.maximum(x.sum(axis=0), 0.0)[None] * 0.5 + jnp.expand_dims(x.min(axis=1), 1)
x, w = random((64, 64), f32, seed=1) - 0.5, arange(64, dtype=f32)
got = plgpu.kernel(body, out_type=x)(x, w)
assert allclose(got, exp(x - max(x, axis=1, keepdims=True)) * w + maximum(x.sum(0), 0) * 0.5 + x.min(1)[:, None], rtol=1e-4, atol=1e-4)
)");
  EXPECT_TRUE(done.ok) << done.errors;
}

// The host computes these functions with the same operators.
TEST(Pallas, FunctionsOfElements) {
  Snippet done(R"(
def functions(x):
  return [jnp.round(x), jnp.log1p(jnp.abs(x)), jnp.expm1(x), jnp.trunc(x) + jnp.sign(x),
          jnp.where(jnp.isfinite(x), jax.nn.silu(x), 0.0), jnp.logaddexp(x, 1.0), jnp.clip(x, -1, max=2), jnp.square(x) % 2,
          lax.logistic(x), jax.nn.gelu(x), jax.nn.softplus(x), lax.select(x > 0, x, -x), np.fmax(x, 0.5)]
def body(x_ref, o_ref):
  for i, row in enumerate(functions(x_ref[0])):
    o_ref[i] = row
x = (iota((1, 128), f32) - 63.5) / 18
got = plgpu.kernel(body, out_type=jax.ShapeDtypeStruct((13, 128), jnp.float32))(x)
for i, row in enumerate(functions(x[0])):
  assert allclose(got[i], row, rtol=1e-5, atol=1e-6), i
assert math.sqrt(4) == 2.0 and math.ceil(2.5) == 3 and math.prod((2, 3)) == 6
)");
  EXPECT_TRUE(done.ok) << done.errors;
}

TEST(Pallas, ScopesAndAccumulators) {
  Snippet done(R"(
def body(a_ref, b_ref, o_ref, a, b, barrier):
  plgpu.copy_gmem_to_smem(a_ref, a, barrier)
  plgpu.copy_gmem_to_smem(b_ref, b, barrier)
  plgpu.barrier_wait(barrier)
  @pl.run_state
  def product(acc):
    plgpu.wgmma(acc, a, b)
  o_ref[...] = product(plgpu.ACC.init(plgpu.layout_cast(jnp.full((64, 64), 1.0, jnp.float32), plgpu.Layout.WGMMA)))
ts = (plgpu.TilingTransform((8, 64)), plgpu.SwizzleTransform(128))
tile = plgpu.SMEM((64, 64), jnp.float16, transforms=ts)
x = ones((64, 64), f16)
got = plgpu.kernel(body, out_type=jax.ShapeDtypeStruct((64, 64), f32), scratch_types=[tile, tile, plgpu.Barrier(num_arrivals=2)])(x, x)
assert max_error(got, full((64, 64), 65.0)) == 0
)");
  EXPECT_TRUE(done.ok) << done.errors;
}

/// A launch's PTX without the lines that name places and the kernel's parts.
std::string instructions(const KernelLaunch &launch) {
  const core::Stage *stage = launch.stages->find("ptx");
  std::string text(stage ? stage->text() : ""), out;
  for (size_t begin = 0; begin < text.size();) {
    size_t end = std::min(text.find('\n', begin), text.size());
    std::string line = text.substr(begin, end - begin);
    if (line.find(".loc") == line.npos && line.find(".file") == line.npos && line.find("//") == line.npos)
      out += line + "\n";
    begin = end + 1;
  }
  return out;
}

// Both spellings use one implementation and give the same PTX.
TEST(Pallas, SpellingsCompileAlike) {
  auto ours = Snippet(R"(
@kernel(grid=(2,), grid_names=("i",))
def scale(x: GMEM((2, 128), f32), o: Out((2, 128), f32)):
  o[axis_index("i")] = x[axis_index("i")] * 2
scale(ones((2, 128)))
)");
  auto theirs = Snippet(R"(
def scale(x, o):
  o[lax.axis_index("i")] = x[lax.axis_index("i")] * 2
plgpu.kernel(scale, out_type=jax.ShapeDtypeStruct((2, 128), jnp.float32), grid=(2,), grid_names=("i",))(ones((2, 128)))
)");
  ASSERT_TRUE(ours.ok) << ours.errors;
  ASSERT_TRUE(theirs.ok) << theirs.errors;
  EXPECT_EQ(instructions(ours.runtime->launches().back()), instructions(theirs.runtime->launches().back()));
}

// Python loops run at trace time in a Pallas kernel, so they may index and extend lists.
TEST(Pallas, LoopsOfPythonUnroll) {
  Snippet done(R"(
@plgpu.kernel(out_type=jax.ShapeDtypeStruct((4, 128), jnp.float32), scratch_types=[plgpu.SMEM((128,), jnp.float32)] * 2)
def k(x_ref, o_ref, a, b):
  buffers, parts, scales = [a, b], [], [1.0, 2.0, 3.0, 4.0]
  for i in range(4):
    parts.append(x_ref[i] * scales[i])
  for i, part in enumerate(parts):
    buffers[i % 2][...] = part
    o_ref[i] = buffers[i % 2][...] + (parts[0] if i > 1 else 0.0)
x = iota((4, 128), f32)
want = x * array([1.0, 2.0, 3.0, 4.0])[:, None]
want[2:] = want[2:] + x[0]
assert max_error(k(x), want) == 0
)");
  EXPECT_TRUE(done.ok) << done.errors;
}

TEST(Pallas, MutableArrays) {
  Snippet done(R"(
def add(x_ref, total):
  total[...] = total[...] + x_ref[...]
total = jax.new_ref(zeros(128))
for i in range(3):
  plgpu.kernel(add, out_type=())(full((128,), float(i)), total)
total[0] = total[0] + 1
assert jax.freeze(total)[0] == 4 and jax.freeze(total)[1] == 3
)");
  EXPECT_TRUE(done.ok) << done.errors;
}

// Assigning to a name rebinds it, as in Python, and stores nothing.
TEST(Pallas, AnOutputThatNobodyWritesIsTold) {
  auto saidOf = [](const char *statement) {
    Diagnostics said;
    auto runtime = std::make_shared<KernelRuntime>(KernelOptions{.device = "none"});
    Evaluator evaluator(withKernels(hostBuiltins(), runtime), {.remark = [&](const Diagnostics &remarks) {
                          said.insert(said.end(), remarks.begin(), remarks.end());
                        }});
    auto done =
        evaluator.run(Source::make("k.py", text("@kernel\ndef k(x: GMEM((128,), f32), out: Out((128,), f32)):\n  ",
                                                statement, "\nk(ones((128,), f32))\n")));
    EXPECT_TRUE(done) << render(done.error());
    return said;
  };
  EXPECT_TRUE(saidOf("out[...] = x[...] * 2").empty());
  Diagnostics said = saidOf("out = x[...] * 2");
  ASSERT_EQ(said.size(), 1U);
  EXPECT_EQ(said.front().kind, "unwritten-output");
  EXPECT_EQ(said.front().span.begin, std::string_view("@kernel\ndef k(x: GMEM((128,), f32), ").size());
}

// The usual import lines of Pallas files do nothing. Other imports have no effect either, and a remark says so.
TEST(Pallas, ImportsThatSnippetsMayHave) {
  Snippet done("import jax\nimport jax.numpy as jnp\nimport numpy as np\nimport math\nfrom jax import lax\n"
               "from jax.experimental import pallas as pl\nfrom jax.experimental.pallas import mosaic_gpu as plgpu\n"
               "from __future__ import annotations\n"
               "def f(x):\n  import jax.numpy as jnp\n  return jnp.exp(x)\nassert f(0.0) == 1\n");
  EXPECT_TRUE(done.ok) << done.errors;
  for (auto [line, place, words] :
       {std::tuple{"import torch", "1:8",
                   "snippets have no imports, so `torch` cannot be imported; `lanescope run FILE`"},
        {"import jax.numpy as j", "1:8", "so `jax.numpy` as `j` cannot be imported"},
        {"from jax.numpy import exp", "1:23", "`jax.numpy.exp`"},
        {"from jax import *", "1:17", "snippets have no imports"},
        {"from . import helpers", "1:15", "snippets have no imports"},
        {"import functools, jax", "1:8", "`functools`"},
        {"import jax.numpy", "1:8", "`jnp.` names what snippets have of it"}}) {
    Snippet wrong(line);
    EXPECT_EQ(wrong.place(), place) << line;
    EXPECT_NE(wrong.errors.find(words), std::string::npos) << wrong.errors;
  }
}

// Each mistake is reported at its place, with the right name.
TEST(Pallas, Mistakes) {
  for (const auto &[code, answer] : kPallasMistakes) {
    Snippet done("X = ones((128, 64))\n" + std::string(code));
    ASSERT_FALSE(done.diagnostics.empty()) << code;
    EXPECT_EQ(done.place() + ": " + done.diagnostics.front().message, answer) << code;
  }
}

} // namespace
} // namespace lanescope::repl
