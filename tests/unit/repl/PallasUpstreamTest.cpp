// What JAX's own kernels, and the pages about them, are written with.
#include "tests/unit/repl/PallasPrograms.h"

namespace lanescope::repl {
namespace {

// Upstream's files ask JAX's inside, match dtypes, and hand arguments on to functions with gradients.
TEST(PallasUpstream, JaxOfUpstreamsKernels) {
  auto done = program(R"(
import os
from jax._src import dtypes
from jax._src import test_util as jtu
from jax._src.lib import cuda_versions
from jax.experimental import multihost_utils
assert cuda_versions is not None and cuda_versions.cuda_runtime_get_version() >= 12091
assert [dtypes.itemsize_bits(d) for d in (jnp.int4, jnp.int8, jnp.bfloat16, jnp.float32)] == [4, 8, 16, 32]
os.environ["XLA_FLAGS"] = "--xla_dump_to=x"
assert "NVSHMEM" not in os.environ and os.getenv("XLA_FLAGS") == "--xla_dump_to=x"
assert multihost_utils.process_allgather(3.5).tolist() == [3.5]
def width(a, b):
  match (a.dtype, b.dtype):
    case (jnp.int8, jnp.float16 | jnp.bfloat16):
      return 16
    case _, other:
      return other
a, b = jnp.ones((4, 2), jnp.int8), jnp.ones(3, jnp.bfloat16)
assert width(a, b) == 16 and width(b, a) == jnp.int8

x = jnp.arange(12, dtype=jnp.float32).reshape(6, 2)
w = jnp.arange(12, dtype=jnp.float32).reshape(3, 2, 2)
sizes = jnp.array([2, 0, 3], jnp.int32)
out = lax.ragged_dot(x, w, sizes)
np.testing.assert_array_equal(out[:2], x[:2] @ w[0])
np.testing.assert_array_equal(out[2:5], x[2:5] @ w[2])
np.testing.assert_array_equal(out[5:], np.zeros((1, 2)))
numbers = lax.RaggedDotDimensionNumbers((((0,), (0,)), ((), ())), [0], [])
grouped = lax.ragged_dot_general(x, x, sizes, numbers)
np.testing.assert_array_equal(grouped, jnp.stack([x[:2].T @ x[:2], np.zeros((2, 2)), x[2:5].T @ x[2:5]]))
np.testing.assert_array_equal(jnp.dot(x, w[0], precision=lax.DotAlgorithmPreset.TF32_TF32_F32), x @ w[0])

@functools.partial(jax.custom_vjp, nondiff_argnums=(2,))
def product(a, b, scale):
  return a * b * scale
product.defvjp(lambda a, b, scale: (a * b * scale, (a, b)), lambda scale, kept, g: (g * kept[1] * scale, g * kept[0] * scale))
assert product(a=2.0, b=3.0, scale=4.0) == 24
value, gradients = jax.vjp(lambda q, p: product(p, q, 10.0), x, x + 1)
np.testing.assert_array_equal(value, x * (x + 1) * 10)
dq, dp = gradients(jnp.ones_like(x))
np.testing.assert_array_equal(dq, (x + 1) * 10)
np.testing.assert_array_equal(dp, x * 10)
)");
  EXPECT_TRUE(done.ok) << done.errors;
}

TEST(PallasUpstream, WholeArraysInSharedMemoryAndNamedScopes) {
  auto done = program(R"(
@jax.named_scope("host")
def host(x):
  return x + 1
assert host(1) == 2
@functools.partial(pl.pallas_call, out_shape=jax.ShapeDtypeStruct((64, 64), jnp.float32),
                   in_specs=(pl.BlockSpec(memory_space=plgpu.GMEM), pl.BlockSpec(memory_space=plgpu.SMEM)),
                   out_specs=plgpu.BlockSpec(memory_space=plgpu.SMEM), scratch_shapes=[plgpu.Barrier()])
def half(x_ref, y_ref, o_ref, barrier_ref):
  @jax.named_scope("rows")
  def rows():
    plgpu.copy_gmem_to_smem(x_ref.at[pl.ds(64, 64)], o_ref, barrier_ref)
    return 3
  assert rows() == 3
  plgpu.barrier_wait(barrier_ref)
  o_ref[...] = o_ref[...] + y_ref[...]
x = jnp.arange(128 * 64, dtype=jnp.float32).reshape(128, 64)
np.testing.assert_array_equal(half(x, x[:64]), x[64:] + x[:64])
)");
  EXPECT_TRUE(done.ok) << done.errors;
}

// Warpgroups that allocate together meet first: what one still does with the memory of an earlier round has ended.
TEST(PallasUpstream, CollectiveScopesMeet) {
  constexpr std::string_view kText = R"(
def body(x_ref, o_ref):
  wg = lax.axis_index("wg")
  def rounds(i, _):
    @functools.partial(pl.run_scoped, smem=plgpu.SMEM((2, 128), jnp.float32), collective_axes=AXES)
    def scope(smem):
      smem[wg] = x_ref[i] + wg
      o_ref[i, wg] = smem[wg]
  lax.fori_loop(0, 3, rounds, None)
x = jnp.arange(3 * 128, dtype=jnp.float32).reshape(3, 128)
k = plgpu.kernel(body, out_type=jax.ShapeDtypeStruct((3, 2, 128), jnp.float32), num_threads=2, thread_name="wg")
np.testing.assert_array_equal(k(x), jnp.stack([x, x + 1], axis=1))
assert str(ptx(k, x)).count("bar.sync \t0;") == COUNT # one behind the initialisation of barriers
)";
  for (auto [axes, count] : {std::pair("(\"wg\",)", "2"), {"\"wg\"", "2"}, {"()", "1"}}) {
    std::string code(kText);
    code.replace(code.find("AXES"), 4, axes).replace(code.find("COUNT"), 5, count);
    auto done = program(code);
    EXPECT_TRUE(done.ok) << axes << done.errors;
  }
  std::string code(kText);
  auto wrong = program(code.replace(code.find("AXES"), 4, "\"x\""));
  EXPECT_NE(wrong.errors.find("`collective_axes=` is the axis of its threads, \"wg\""), std::string::npos)
      << wrong.errors;
}

// On several devices: an array that knows how it is split, a write to an input that only asks for memory that others
// reach, places along a dimension of one element.
TEST(PallasUpstream, DevicesOfUpstreamsKernels) {
  auto done = program(R"(
P = jax.sharding.PartitionSpec
jax.set_mesh(jax.make_mesh((4,), ("x",), axis_types=(jax.sharding.AxisType.Explicit,)))
def gather(x_ref, y_ref, done):
  dev = lax.axis_index("x")
  y = y_ref.reshape((1, 64, 256)).at[:, pl.ds(dev * 16, 16), :]
  @plgpu.nd_loop((1, 2, 1), collective_axes="blocks")
  def _(info):
    i, j, k = info.index
    place = (pl.ds(i * 1, 1), pl.ds(j * 8, 8), pl.ds(k * 256, 256))
    part = plgpu.layout_cast(x_ref.reshape((1, 16, 256))[place], plgpu.Layout.WG_STRIDED((1, 8, 256), vec_size=8))
    plgpu.multimem_store(part, y.at[place], "x")
  plgpu.semaphore_signal_multicast(done, collective_axes="x")
  pl.semaphore_wait(done, 8, decrement=False)
  @pl.when(dev == -1)
  def _():
    x_ref[0, 0] = jnp.asarray(0, x_ref.dtype)
def call(x):
  return plgpu.kernel(gather, out_type=jax.ShapeDtypeStruct((64, 256), x.dtype), grid=(2,), grid_names=("blocks",),
                      scratch_types=[plgpu.SemaphoreType.REGULAR])(x)
a = jax.sharding.reshard(jnp.arange(64 * 256).reshape(64, 256).astype(jnp.bfloat16), P("x", None))
out = jax.shard_map(call, out_specs=P("x", None), check_vma=False)(a)
for i in range(4):
  np.testing.assert_array_equal(out[i * 64:(i + 1) * 64], a)
jax.shard_map(lambda x: x, out_specs=P("x"))(a * 2)
)");
  EXPECT_EQ(done.errors.find("NotImplementedError: an array that no `jax.sharding.reshard` made") == std::string::npos,
            false)
      << done.errors;
}

// As in JAX, `jnp.arange` has a value in a kernel, and so has what is computed of it on the host.
TEST(PallasUpstream, ArangeInAKernel) {
  auto done = program(R"(
@plgpu.kernel(out_type=[jax.ShapeDtypeStruct((1024,), jnp.float32), jax.ShapeDtypeStruct((64, 128), jnp.int32),
                        jax.ShapeDtypeStruct((128,), jnp.int8), jax.ShapeDtypeStruct((128,), jnp.bfloat16)],
              grid=(8,), grid_names=("i",))
def ramps(x_ref, rows_ref, small_ref, down_ref):
  i = lax.axis_index("i")
  x_ref[pl.ds(i * 128, 128)] = jnp.arange(128, dtype=jnp.float32) + i * 128
  @pl.when(i == 0)
  def _():
    rows_ref[...] = jnp.broadcast_to(3 - 7 * np.arange(64, dtype=np.int32)[:, None], (64, 128)) + i
    small_ref[...] = jnp.arange(-64, 64, dtype=jnp.int8) + jnp.int8(0)
    down_ref[...] = jnp.arange(256, 0, -2, dtype=jnp.bfloat16) * 1
x, rows, small, down = ramps()
np.testing.assert_array_equal(x, np.arange(1024))
np.testing.assert_array_equal(rows, np.broadcast_to(3 - 7 * np.arange(64)[:, None], (64, 128)))
np.testing.assert_array_equal(small, np.arange(-64, 64))
np.testing.assert_array_equal(down, np.arange(256, 0, -2))
)");
  EXPECT_TRUE(done.ok) << done.errors;
}

// As in JAX: memory whose transforms nobody states gets those that its uses ask for.
TEST(PallasUpstream, TransformsAreInferred) {
  auto done = program(R"(
def product(a, b, transposed=False, **params):
  m, k = a.shape
  n = b.shape[0 if transposed else 1]
  def body(a_ref, b_ref, o_ref, a_smem, b_smem, o_smem, barriers):
    plgpu.copy_gmem_to_smem(a_ref, a_smem.at[1], barriers.at[0])
    plgpu.copy_gmem_to_smem(b_ref, b_smem, barriers.at[1])
    plgpu.barrier_wait(barriers.at[0])
    plgpu.barrier_wait(barriers.at[1])
    def scope(acc):
      plgpu.wgmma(acc, a_smem.at[1], plgpu.transpose_ref(b_smem, (1, 0)) if transposed else b_smem)
      return acc[...]
    o_smem[...] = pl.run_scoped(scope, plgpu.ACC((m, n), jnp.float32)).astype(jnp.float16)
    plgpu.print_layout("a: {}", a_smem)
    plgpu.print_layout("o: {}", o_smem)
    plgpu.commit_smem()
    rows = m // 2
    for i in range(2):
      plgpu.copy_smem_to_gmem(o_smem.at[pl.ds(i * rows, rows)], o_ref.at[pl.ds(i * rows, rows)])
    plgpu.wait_smem_to_gmem(0)
  return plgpu.kernel(body, out_type=jax.ShapeDtypeStruct((m, n), jnp.float16),
                      scratch_types=[plgpu.SMEM((2, m, k), a.dtype), plgpu.SMEM(b.shape, b.dtype),
                                     plgpu.SMEM((m, n), jnp.float16), plgpu.Barrier(num_barriers=2)], **params)(a, b)
rng = np.random.default_rng(0)
for m, k, n, dtype in [(64, 64, 64, jnp.float16), (128, 32, 40, jnp.bfloat16), (64, 128, 96, jnp.float16)]:
  a = jnp.asarray(rng.standard_normal((m, k)), dtype)
  for transposed in (False, True):
    if transposed or n % 16 == 0:
      b = jnp.asarray(rng.standard_normal((n, k) if transposed else (k, n)), dtype)
      ref = jnp.dot(a, b.T if transposed else b, preferred_element_type=jnp.float32)
      np.testing.assert_allclose(product(a, b, transposed), ref, rtol=2e-2, atol=2e-2)
none = product(jnp.ones((64, 32), jnp.float16), jnp.ones((32, 40), jnp.float16))
)");
  EXPECT_EQ(done.place(), "18:7");
  EXPECT_NE(done.errors.find("there are no layouts for all operations: here the tensor core reads tiles of eight rows"),
            std::string::npos)
      << done.errors;
}

} // namespace
} // namespace lanescope::repl
