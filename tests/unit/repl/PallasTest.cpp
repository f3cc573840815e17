// Pallas' programs as users write them, and what they get wrong on the way.
#include "tests/unit/repl/KernelSupport.h"
#include "tests/unit/repl/PallasMistakes.h"
#include "tests/unit/repl/PallasPrograms.h"

#include "core/data/Files.h"
#include "layouts/support/Text.h"

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

/// A launch's PTX without what names places and the kernel's parts.
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
  EXPECT_EQ(instructions(ours.runtime->launches().back()), instructions(theirs.runtime->launches().back()));
}

/// The launches of a library file's kernels, compiled and not run: what stands above its check, then `calls`.
std::vector<KernelLaunch> compiled(const std::string &file, const std::string &calls) {
  auto source = core::readSource(std::string(LANESCOPE_SOURCE_DIR) + "/kernels/" + file);
  if (!source)
    return {};
  std::string text((*source)->text());
  text = text.substr(0, text.find("# The check")) + calls;
  auto runtime = std::make_shared<KernelRuntime>(KernelOptions{.device = "none"});
  Evaluator evaluator(withKernels(hostBuiltins(), runtime), {.remark = [](const Diagnostics &) {}});
  auto done = evaluator.run(Source::make(file, text));
  EXPECT_TRUE(done) << render(done.error());
  return runtime->launches();
}

// The library's matmul and attention exist in both spellings, which compile to the same PTX.
TEST(Pallas, LibraryInBothSpellings) {
  struct Case {
    std::string file, calls;
    size_t count;
  };
  for (const Case &c : std::vector<Case>{
           {"matmul.py",
            "for dtype, pair in ((f16, 1), (bf16, 1), (f16, 2)):\n"
            "  make_matmul(dtype, pair)(zeros((1280, 192), dtype), zeros((192, 512), dtype))\n"
            // More tiles than blocks: a result goes out while the next tile is multiplied.
            "for dtype, at, bt, options in ((f16, False, False, dict(pair=2, group=3)), (f16, True, False, {}), "
            "(f16, False, True, {}), (i8, False, True, {}), (f8e4m3fn, False, True, {})):\n"
            "  a = zeros((256, 8704) if at else (8704, 256), dtype)\n"
            "  b = zeros((512, 256) if bt else (256, 512), dtype)\n"
            "  make_matmul(dtype, a_transposed=at, b_transposed=bt, **options)(a, b)\n",
            8},
           {"attention.py",
            "for heads, kv, width, bkv, approx in ((2, 2, 128, 128, True), (4, 1, 64, 128, True), (2, 2, "
            "64, 64, False)):\n"
            "  q, k = zeros((1, 256, heads, width), f16), zeros((1, 256, kv, width), f16)\n"
            "  make_attention(1, 256, heads, width, block_kv=bkv, kv_heads=kv, approx=approx)(q, k, k)\n"
            // Blocks of several tiles, not all as many.
            "for width, options in ((128, dict(causal=True)), (64, dict(causal=True, scale=0.125)), "
            "(64, dict(groups=3)), (256, {})):\n"
            "  q = zeros((1, 1280, 16, width), f16)\n"
            "  make_attention(1, 1280, 16, width, **options)(q, q, q)\n",
            7}}) {
    auto ours = compiled(c.file, c.calls), theirs = compiled("pallas/" + c.file, c.calls);
    ASSERT_EQ(ours.size(), c.count) << c.file;
    ASSERT_EQ(theirs.size(), c.count) << c.file;
    for (size_t i = 0; i < c.count; ++i) {
      EXPECT_FALSE(instructions(ours[i]).empty());
      EXPECT_TRUE(instructions(ours[i]) == instructions(theirs[i])) << c.file << ", configuration " << i;
    }
  }
}

// Python's loops are Python's in a Pallas kernel: lists may be indexed and grown in them.
TEST(Pallas, LoopsOfPythonUnroll) {
  auto done = program(R"(
@functools.partial(plgpu.kernel, out_type=jax.ShapeDtypeStruct((4, 128), jnp.float32), scratch_types=[plgpu.SMEM((128,), jnp.float32)] * 2)
def k(x_ref, o_ref, a, b):
  buffers, parts, scales = [a, b], [], [1.0, 2.0, 3.0, 4.0]
  for i in range(4):
    parts.append(x_ref[i] * scales[i])
  for i, part in enumerate(parts):
    buffers[i % 2][...] = part
    o_ref[i] = buffers[i % 2][...] + (parts[0] if i > 1 else 0.0)
x = np.arange(512, dtype=np.float32).reshape(4, 128)
want = x * np.array([1, 2, 3, 4], np.float32)[:, None]
want[2:] += x[0]
np.testing.assert_array_equal(k(jnp.asarray(x)), want)
)");
  EXPECT_TRUE(done.ok) << done.errors;
}

// `jax.new_ref`: kernels write in place; a host's `core_map` works on what it closes over.
TEST(Pallas, MutableArrays) {
  auto done = program(R"(
def add(x_ref, total):
  total[...] = total[...] + x_ref[...]
total = jax.new_ref(jnp.zeros(128))
for i in range(3):
  plgpu.kernel(add, out_type=())(jnp.full((128,), float(i)), total)
total[0] = total[0] + 1
np.testing.assert_array_equal(jax.freeze(total), 3.0 + (np.arange(128) == 0))
@pl.run_state
def double(refs):
  x_ref, y_ref = refs
  @pl.core_map(plgpu.Mesh(grid=(2,), grid_names=("i",)))
  def _():
    half = pl.ds(lax.axis_index("i") * 128, 128)
    y_ref[half] = x_ref[half] * 2
x, y = double((jnp.arange(256.0), jnp.zeros(256)))
np.testing.assert_array_equal(y, 2 * x)
)");
  EXPECT_TRUE(done.ok) << done.errors;
}

TEST(Pallas, HostTransformations) {
  auto done = program(R"(
f = jax.vmap(lambda a, b: a @ b, in_axes=(0, None))
np.testing.assert_array_equal(f(jnp.ones((2, 3, 4)), jnp.ones((4, 5))), jnp.full((2, 3, 5), 4.0))
@jax.custom_vjp
def square(x):
  return jnp.sum(x * x)
square.defvjp(lambda x: (square(x), x), lambda x, g: (2 * g * x,))
np.testing.assert_array_equal(jax.grad(square)(jnp.arange(3.0)), [0, 2, 4])
values, places = lax.top_k(jnp.array([3, 9, 5]), 2)
assert values.tolist() == [9, 5] and places.tolist() == [1, 2]
assert jnp.arange(2, dtype=jnp.int32).view(jnp.int8).shape == (8,)
flat, tree = jax.tree.flatten({"w": 1, "b": (2, [3])})
assert flat == [2, 3, 1] and jax.tree.unflatten(tree, [5 * x for x in flat]) == {"w": 5, "b": (10, [15])}
assert tree == jax.tree.structure({"w": 0, "b": (0, [0])}) and tree.num_leaves == 3
assert jax.tree.reduce(lambda a, b: a + b, [1, (2, 3)]) == 6
np.testing.assert_array_equal(lax.map(lambda x: x * 2, jnp.arange(3)), [0, 2, 4])
)");
  EXPECT_TRUE(done.ok) << done.errors;
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

// What Pallas' own kernels are written with: names bound inside expressions, enumerations, parameters of types.
TEST(Pallas, PythonOfUpstreamsKernels) {
  auto done = program(R"(
import enum, statistics
from typing import Protocol
from jax._src import test_util as jtu
from jax.experimental.mosaic.gpu import profiler
from jax.extend import backend
class Side(enum.IntEnum):
  """Which dimension is the minor one."""
  M = 0
  N = 1
  def other(self):
    return Side(1 - self)
class Colour(enum.Enum):
  RED = "r"
  BLUE = enum.auto() if False else "b"
assert Side.N == 1 and Side.N + 1 == 2 and Side["M"] is Side.M and Side(1) is Side.N and Side.M.other() is Side.N
assert [side.name for side in Side] == ["M", "N"] and f"{Side.N}" == "1" and repr(Side.N) == "<Side.N: 1>" and not Side.M
assert [10, 20][Side.N] == 20 and list(range(Side.N)) == [0] and {Side.M: 3}[Side.M] == 3
assert str(Colour.RED) == "Colour.RED" and Colour.RED.value == "r" and Colour.RED != Colour.BLUE and Colour("b") is Colour.BLUE
class Callback[T](Protocol):
  def __call__(self, x: T) -> T: ...
def last[T, *Ts](x: T, *rest) -> T:
  if (n := len(rest)) > 0 and (kept := rest[n - 1]) is not None:
    return kept
  return x
assert last(1) == 1 and last(1, 2, 3) == 3
assert [y for x in range(4) if (y := x * x) > 1] == [4, 9] and y == 9
assert backend.get_default_device().core_count == 132 and statistics.median([3, 1, 2]) == 2
assert jax.sharding.get_abstract_mesh().abstract_device is None
def body(x_ref, o_ref):
  pl.run_scoped(lambda scratch, nothing: None, [plgpu.SMEM((128,), jnp.float32), None], None)
  if (scale := 3) > 2:
    o_ref[...] = (twice := x_ref[...] * 2) + twice * scale
x = jnp.arange(128, dtype=jnp.float32)
np.testing.assert_array_equal(plgpu.kernel(body, out_type=x)(x), x * 8)
@functools.partial(jax.custom_vjp, nondiff_argnums=(1,))
def scaled(x, by):
  return (x * by).sum()
scaled.defvjp(lambda x, by: ((x * by).sum(), x), lambda by, kept, g: (g * by * jnp.ones_like(kept),))
np.testing.assert_array_equal(jax.grad(scaled)(x, 4.0), np.full(128, 4.0))
)");
  EXPECT_TRUE(done.ok) << done.errors;
}

// A name that is bound anew, as in Python, stores nothing.
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

TEST(Pallas, OutputsOverOperands) {
  auto done = program(R"(
def both(x_ref, y_ref, sum_ref, less_ref):
  sum_ref[...] = x_ref[...] + y_ref[...]
  less_ref[...] = less_ref[...] - 1
x, y = jnp.arange(256, dtype=jnp.float32), jnp.ones(256, jnp.float32)
shape = jax.ShapeDtypeStruct((256,), jnp.float32)
total, less = pl.pallas_call(both, out_shape=(shape, shape), input_output_aliases={1: 1})(x, y)
np.testing.assert_array_equal(total, x + 1)
np.testing.assert_array_equal(less, np.zeros(256))
np.testing.assert_array_equal(y, np.ones(256))
def twice(x_ref, o_ref):
  o_ref[...] = x_ref[...] * 2
spec = pl.BlockSpec((128,), lambda i: (i,))
call = pl.pallas_call(twice, out_shape=shape, grid=(2,), in_specs=[spec], out_specs=spec, input_output_aliases={0: 0})
np.testing.assert_array_equal(call(x), 2 * x)
)");
  EXPECT_TRUE(done.ok) << done.errors;
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
