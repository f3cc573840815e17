// Pallas' programs as users write them, and what they get wrong on the way.
#include "tests/unit/repl/KernelSupport.h"
#include "tests/unit/repl/PallasMistakes.h"

#include "core/data/Files.h"

#include <filesystem>

namespace lanescope::repl {
namespace {

/// What a file prints, on the emulator with its checks; remarks are left out.
std::string printed(const std::string &file) {
  auto source = core::readSource(file);
  if (!source)
    return render(source.error());
  auto runtime = std::make_shared<KernelRuntime>(KernelOptions{.device = "emulator"});
  std::string out;
  Evaluator evaluator(withKernels(hostBuiltins(), runtime),
                      {.print = [&](std::string_view text) { out += text; }, .remark = [](const Diagnostics &) {}});
  auto done = evaluator.run(*source);
  return done ? out : out + render(done.error());
}

TEST(Pallas, GoldenPrograms) {
  std::filesystem::path folder = "../shared/golden/pallas_source";
  for (int up = 0; up < 4 && !std::filesystem::exists(folder); ++up)
    folder = ".." / folder;
  if (!std::filesystem::exists(folder))
    GTEST_SKIP() << "the golden programs are not beside this tree";
  int count = 0;
  for (const auto &entry : std::filesystem::directory_iterator(folder))
    if (entry.path().extension() == ".py") {
      EXPECT_EQ(printed(entry.path().string()), entry.path().stem().string() + ": ok\n");
      ++count;
    }
  EXPECT_GT(count, 0);
}

/// A program with the usual imports.
Snippet program(const std::string &text) {
  return Snippet(
      "import functools, math\nimport jax\nimport jax.numpy as jnp\nimport numpy as np\nfrom jax import lax\n"
      "from jax.experimental import pallas as pl\n"
      "from jax.experimental.pallas import mosaic_gpu as plgpu\n" +
      text);
}

TEST(Pallas, LoopsAndBranches) {
  auto done = program(R"(
@functools.partial(plgpu.kernel, out_type=[jax.ShapeDtypeStruct((128,), jnp.int32)], grid=(1,), grid_names=("g",))
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
  auto done = program(R"(
def body(x_ref, w_ref, o_ref):
  x = plgpu.load(x_ref, layout=plgpu.Layout.WGMMA, optimized=False)
  w = plgpu.load(w_ref, layout=plgpu.Layout.WGMMA.reduce(0), optimized=False)
  top = jnp.max(x, axis=1, keepdims=True)
  assert top.shape == (64, 1) and top.ndim == 2
  o_ref[...] = jnp.exp(x - top) * w + jnp.maximum(x.sum(axis=0), 0.0)[None] * 0.5 + jnp.expand_dims(x.min(axis=1), 1)
x = jax.random.normal(jax.random.key(1), (64, 64))
w = jnp.arange(64, dtype=jnp.float32)
got = plgpu.kernel(body, out_shape=x)(x, w)
y = np.asarray(x, np.float64)
want = np.exp(y - y.max(1, keepdims=True)) * np.asarray(w) + np.maximum(y.sum(0), 0) * 0.5 + y.min(1)[:, None]
np.testing.assert_allclose(got, want, rtol=1e-4, atol=1e-4)
)");
  EXPECT_TRUE(done.ok) << done.errors;
}

TEST(Pallas, PallasCallWithBlocks) {
  auto done = program(R"(
def add(x_ref, y_ref, o_ref):
  o_ref[...] = x_ref[...] + y_ref[...]
x = jnp.arange(128 * 256, dtype=jnp.float32).reshape(128, 256)
spec = pl.BlockSpec((64, 128), lambda i, j: (i, j))
z = pl.pallas_call(add, out_shape=jax.ShapeDtypeStruct(x.shape, x.dtype), grid=(2, 2), in_specs=[spec, spec], out_specs=spec)(x, x)
np.testing.assert_array_equal(z, 2 * x)
)");
  EXPECT_TRUE(done.ok) << done.errors;
}

TEST(Pallas, FunctionsOfElementsInKernels) {
  auto done = program(R"(
def body(x_ref, o_ref):
  o_ref[0] = jnp.round(x_ref[0])
  o_ref[1] = jnp.log1p(jnp.abs(x_ref[0]))
  o_ref[2] = jnp.expm1(x_ref[0])
  o_ref[3] = jnp.trunc(x_ref[0]) + jnp.sign(x_ref[0])
  o_ref[4] = jnp.where(jnp.isfinite(x_ref[0]), jax.nn.silu(x_ref[0]), 0.0)
  o_ref[5] = jnp.logaddexp(x_ref[0], 1.0)
x = jnp.asarray(np.linspace(-3.5, 3.5, 128, dtype=np.float32)).reshape(1, 128)
got = plgpu.kernel(lambda x_ref, o_ref: body(x_ref, o_ref), out_type=jax.ShapeDtypeStruct((6, 128), jnp.float32))(x)
y = np.asarray(x[0], np.float64)
for row, want in enumerate([np.rint(y), np.log1p(np.abs(y)), np.expm1(y), np.trunc(y) + np.sign(y), y / (1 + np.exp(-y)), np.logaddexp(y, 1)]):
  np.testing.assert_allclose(got[row], want, rtol=1e-5, atol=1e-6)
)");
  EXPECT_TRUE(done.ok) << done.errors;
}

// A pipeline whose body begins a product and waits for none waits before the buffers are filled again.
TEST(Pallas, PipelineSettlesProducts) {
  auto done = program(R"(
ts = (plgpu.TilingTransform((8, 64)), plgpu.SwizzleTransform(128))
def body(a_ref, b_ref, o_ref):
  def scope(acc):
    plgpu.emit_pipeline(lambda _, a, b: plgpu.wgmma(acc, a, b), grid=(4,), max_concurrent_steps=2,
        in_specs=[plgpu.BlockSpec((64, 64), lambda k: (0, k), transforms=ts), plgpu.BlockSpec((64, 64), lambda k: (k, 0), transforms=ts)])(a_ref, b_ref)
    return acc[...]
  o_ref[...] = pl.run_scoped(scope, plgpu.ACC((64, 64)))
a, b = jnp.ones((64, 256), jnp.float16), jnp.ones((256, 64), jnp.float16)
np.testing.assert_array_equal(plgpu.kernel(body, out_type=jax.ShapeDtypeStruct((64, 64), jnp.float32))(a, b), 256)
)");
  EXPECT_TRUE(done.ok) << done.errors;
}

// Both spellings are one implementation: the same PTX.
TEST(Pallas, SpellingsCompileAlike) {
  auto ours = Snippet(R"(
@kernel(grid=(2,), grid_names=("i",))
def scale(x: GMEM((2, 128), f32), o: Out((2, 128), f32)):
  o[axis_index("i")] = x[axis_index("i")] * 2
scale(ones((2, 128)))
)");
  auto theirs = program(R"(
def scale(x, o):
  o[lax.axis_index("i")] = x[lax.axis_index("i")] * 2
plgpu.kernel(scale, out_type=jax.ShapeDtypeStruct((2, 128), jnp.float32), grid=(2,), grid_names=("i",))(jnp.ones((2, 128)))
)");
  ASSERT_TRUE(ours.ok) << ours.errors;
  ASSERT_TRUE(theirs.ok) << theirs.errors;
  auto ptx = [](const Snippet &snippet) {
    std::string text(snippet.runtime->launches().back().stages->find("ptx")->text());
    std::string out; // without the lines that name places
    for (size_t begin = 0; begin < text.size();) {
      size_t end = std::min(text.find('\n', begin), text.size());
      std::string line = text.substr(begin, end - begin);
      if (line.find(".loc") == line.npos && line.find(".file") == line.npos && line.find("//") == line.npos)
        out += line + "\n";
      begin = end + 1;
    }
    return out;
  };
  EXPECT_EQ(ptx(ours), ptx(theirs));
}

// What `jax.jit` does is said once, beside the output: a remark of kind "jit".
TEST(Pallas, JitSaysSoOnce) {
  Diagnostics said;
  auto runtime = std::make_shared<KernelRuntime>(KernelOptions{.device = "none"});
  Evaluator evaluator(withKernels(hostBuiltins(), runtime), {.remark = [&](const Diagnostics &remarks) {
                        said.insert(said.end(), remarks.begin(), remarks.end());
                      }});
  auto done = evaluator.run(Source::make(
      "k.py", "import jax\nf = jax.jit(lambda x: x + 1)\n@jax.jit\ndef g(x):\n  return f(x)\nassert g(1) == 2\n"));
  EXPECT_TRUE(done) << render(done.error());
  ASSERT_EQ(said.size(), 1U);
  EXPECT_EQ(said.front().kind, "jit");
}

// Each mistake is answered where it stands, with the right name.
TEST(Pallas, Mistakes) {
  for (const auto &[code, answer] : kPallasMistakes) {
    auto done = program("X = jnp.ones((128, 64), jnp.float32)\n" + std::string(code));
    ASSERT_FALSE(done.diagnostics.empty()) << code;
    EXPECT_EQ(done.place() + ": " + done.diagnostics.front().message, answer) << code;
  }
}

} // namespace
} // namespace lanescope::repl
