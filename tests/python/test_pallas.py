"""Runs Pallas users' programs in CPython with Lanescope's stand-in for JAX: kernels, pipelines, several devices.

  test_pallas.py REPOSITORY

ctest runs it with PYTHONPATH=<build>/python. It needs NumPy, and is skipped if JAX is installed."""

import contextlib
import importlib.util
import io
import pathlib
import subprocess
import sys
import tempfile
import unittest
import unittest.mock

SKIPPED = 77
try:
    import numpy as np
except ImportError:
    sys.exit(SKIPPED)
if importlib.util.find_spec("jax"):
    sys.exit(SKIPPED)

import lanescope  # noqa: E402
from lanescope import standin  # noqa: E402

standin.install(stop=True)
import jax.numpy as jnp  # noqa: E402
from lanescope.standin import kernels  # noqa: E402

ROOT = pathlib.Path(sys.argv[1])
IMPORTS = """import functools, math
import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.experimental import pallas as pl
from jax.experimental.pallas import mosaic_gpu as plgpu
P = jax.sharding.PartitionSpec
gmem = pl.BlockSpec(memory_space=plgpu.GMEM)
"""


def printed(text):
    """The output of a program with the usual imports."""
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        exec(compile(IMPORTS + text, "program.py", "exec"), {"__name__": "__main__"})
    return out.getvalue()


class Pallas(unittest.TestCase):
    def test_loops_and_branches(self):
        out = printed(r"""
@functools.partial(plgpu.kernel, out_type=[jax.ShapeDtypeStruct((128,), jnp.int32)], grid=(1,), grid_names=("g",))
def loops(o_ref):
  n = lax.while_loop(lambda c: c[0] < 10, lambda c: (c[0] + 1, c[1] + c[0]), (jnp.int32(0), jnp.int32(0)))
  a = lax.cond(n[1] > 3, lambda v: v + 1, lambda v: v - 1, n[1])
  b = lax.switch(n[0] - 9, [lambda: 1, lambda: 2, lambda: 3])
  t = lax.fori_loop(0, 4, lambda i, c: {"s": c["s"] + i, "k": [c["k"][0] * 2]}, {"s": 0, "k": [1]})
  o_ref[...] = jnp.full((128,), 0, jnp.int32) + a * 1000 + b * 100 + t["s"] * 10 + t["k"][0]
(out,) = loops()
print(int(out[0]))
""")
        self.assertEqual(out, "46276\n")

    def test_spreading_and_kept_dimensions(self):
        printed(r"""
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
""")

    def test_pallas_call_with_blocks(self):
        printed(r"""
def add(x_ref, y_ref, o_ref):
  o_ref[...] = x_ref[...] + y_ref[...]
x = jnp.arange(128 * 256, dtype=jnp.float32).reshape(128, 256)
spec = pl.BlockSpec((64, 128), lambda i, j: (i, j))
z = pl.pallas_call(add, out_shape=jax.ShapeDtypeStruct(x.shape, x.dtype), grid=(2, 2), in_specs=[spec, spec], out_specs=spec)(x, x)
np.testing.assert_array_equal(z, 2 * x)
""")

    def test_functions_of_elements_in_kernels(self):
        printed(r"""
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
""")

    def test_functions_made_of_others(self):
        printed(r"""
def check(function, *shapes, out=(128,)):
  def body(*refs):
    refs[-1][...] = function(*[ref[...] for ref in refs[:-1]])
  xs = [jnp.asarray(np.random.default_rng(i).standard_normal(shape), jnp.float32) for i, shape in enumerate(shapes)]
  got = plgpu.kernel(body, out_type=jax.ShapeDtypeStruct(out, jnp.float32))(*xs)
  np.testing.assert_allclose(got, function(*xs), rtol=1e-4, atol=1e-4)
v = (128,)
check(lambda x, y: jnp.select([x > 0.5, x > 0], [x, y], 3.0), v, v)
check(lambda x: jnp.select([x > 0.5, x > 0], [x, 2.0]), v)
check(lambda x: jnp.polyval(jnp.asarray([1.0, 2.0, 3.0]), x), v)
check(lambda x, y: jnp.dot(x, y), v, v, out=())
check(lambda x, y: jnp.vdot(x, y) + jnp.inner(x, x) * y, v, v)
check(lambda x: jnp.atleast_1d(jnp.copy(x)), v)
check(lambda x: jnp.atleast_2d(x), v, out=(1, 128))
""")

    def test_what_kernels_lack_says_so(self):
        body = r"""
def body(x_ref, o_ref):
  x = x_ref[...]
  o_ref[...] = {}
plgpu.kernel(body, out_type=jax.ShapeDtypeStruct((128,), jnp.float32))(jnp.zeros(128, jnp.float32))
"""
        for call in ("jnp.argmax(x)", "jnp.tile(x, 2)", "jnp.roll(x, 1)", "jnp.cumsum(x)", "jnp.block([x, x])", "jnp.nonzero(x)", "jnp.pad(x, 1)"):
            with self.subTest(call), self.assertRaisesRegex(NotImplementedError, "of a kernel's values is not in Lanescope's stand-in"):
                printed(body.format(call))
        for call in ("np.exp(x)", "np.tile(x, 2)", "np.asarray(x)"):
            with self.subTest(call), self.assertRaisesRegex(TypeError, r"NumPy's functions cannot read .*computes on the device; use .*`jnp`"):
                printed(body.format(call))
        for call in ("x.argmax()", "x.cumsum()"):
            with self.subTest(call), self.assertRaises(AttributeError):
                printed(body.format(call))
        with self.assertRaisesRegex(NotImplementedError, "takes vectors.*plgpu.wgmma"):
            printed(body.format("jnp.dot(x[None], x[:, None])"))

    def test_pipeline_settles_products(self):
        printed(r"""
ts = (plgpu.TilingTransform((8, 64)), plgpu.SwizzleTransform(128))
def body(a_ref, b_ref, o_ref):
  def scope(acc):
    plgpu.emit_pipeline(lambda _, a, b: plgpu.wgmma(acc, a, b), grid=(4,), max_concurrent_steps=2,
        in_specs=[plgpu.BlockSpec((64, 64), lambda k: (0, k), transforms=ts), plgpu.BlockSpec((64, 64), lambda k: (k, 0), transforms=ts)])(a_ref, b_ref)
    return acc[...]
  o_ref[...] = pl.run_scoped(scope, plgpu.ACC((64, 64)))
a, b = jnp.ones((64, 256), jnp.float16), jnp.ones((256, 64), jnp.float16)
np.testing.assert_array_equal(plgpu.kernel(body, out_type=jax.ShapeDtypeStruct((64, 64), jnp.float32))(a, b), 256)
""")

    def test_operators_by_laxs_names(self):
        printed(r"""
def body(x_ref, n_ref, o_ref, b_ref):
  x, n = x_ref[...], n_ref[...]
  o_ref[...] = lax.add(lax.mul(x, x), lax.sub(lax.neg(x), lax.square(x))) + lax.log1p(lax.abs(x)) + lax.expm1(x) + lax.reciprocal(x + 2)
  b_ref[...] = lax.bitwise_xor(lax.bitwise_and(n, 6), lax.bitwise_not(n)) + lax.ge(x, 0.5).astype(jnp.int32)
x, n = jnp.linspace(-1, 1, 128, dtype=jnp.float32), jnp.arange(128, dtype=jnp.int32)
o, b = plgpu.kernel(body, out_type=(jax.ShapeDtypeStruct((128,), jnp.float32), jax.ShapeDtypeStruct((128,), jnp.int32)))(x, n)
y, m = np.asarray(x, np.float64), np.asarray(n)
np.testing.assert_allclose(o, -y + np.log1p(np.abs(y)) + np.expm1(y) + 1 / (y + 2), rtol=1e-5, atol=1e-5)
np.testing.assert_array_equal(b, ((m & 6) ^ ~m) + (y >= 0.5))
""")

    def test_loops_of_python_unroll(self):
        printed(r"""
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
""")

    def test_mutable_arrays(self):
        printed(r"""
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
""")

    def test_host_transformations(self):
        printed(r"""
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
""")

    def test_names_bound_in_expressions(self):
        printed(r"""
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
""")

    def test_outputs_over_operands(self):
        printed(r"""
x, shape = jnp.arange(256, dtype=jnp.float32), jax.ShapeDtypeStruct((256,), jnp.float32)
def twice(x_ref, o_ref):
  o_ref[...] = x_ref[...] * 2
spec = pl.BlockSpec((128,), lambda i: (i,))
call = pl.pallas_call(twice, out_shape=shape, grid=(2,), in_specs=[spec], out_specs=spec, input_output_aliases={0: 0})
np.testing.assert_array_equal(call(x), 2 * x)
""")


class PallasUpstream(unittest.TestCase):
    def test_jax_of_upstreams_kernels(self):
        printed(r"""
import os
from jax._src import dtypes
from jax._src import test_util as jtu
from jax._src.lib import cuda_versions
from jax.experimental import multihost_utils
assert cuda_versions is not None and cuda_versions.cuda_runtime_get_version() >= 12091
assert [dtypes.itemsize_bits(d) for d in (jnp.int4, jnp.int8, jnp.bfloat16, jnp.float32)] == [4, 8, 16, 32]
os.environ["XLA_FLAGS"] = "--xla_dump_to=x"
assert "NVSHMEM" not in os.environ and os.getenv("XLA_FLAGS") == "--xla_dump_to=x"
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
""")

    def test_whole_arrays_in_shared_memory_and_named_scopes(self):
        printed(r"""
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
""")

    def test_collective_scopes_meet(self):
        text = r"""
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
"""
        for axes in ('("wg",)', '"wg"', "()"):
            printed(text.replace("AXES", axes))
        with self.assertRaisesRegex(Exception, "collective_axes"):
            printed(text.replace("AXES", '"x"'))

    def test_devices_of_upstreams_kernels(self):
        printed(r"""
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
    x_ref[0] = x_ref[0] * 0
def call(x):
  return plgpu.kernel(gather, out_type=jax.ShapeDtypeStruct((64, 256), x.dtype), grid=(2,), grid_names=("blocks",),
                      scratch_types=[plgpu.SemaphoreType.REGULAR])(x)
a = jax.sharding.reshard(jnp.arange(64 * 256).reshape(64, 256).astype(jnp.bfloat16), P("x", None))
out = jax.shard_map(call, out_specs=P("x", None), check_vma=False)(a)
for i in range(4):
  np.testing.assert_array_equal(out[i * 64:(i + 1) * 64], a)
""")

    def test_arange_in_a_kernel(self):
        printed(r"""
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
""")

    def test_transforms_are_inferred(self):
        printed(r"""
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
try:
  product(jnp.ones((64, 32), jnp.float16), jnp.ones((32, 40), jnp.float16))
except Exception as problem:
  assert "here the tensor core reads tiles of eight rows" in str(problem), problem
else:
  assert False, "there are no layouts for it"
""")


class Files(unittest.TestCase):
    def test_golden_programs(self):
        folder = ROOT / "../shared/golden/pallas_source"
        if not folder.exists():
            self.skipTest("the golden programs are not beside this tree")
        files = sorted(folder.glob("*.py"))
        self.assertTrue(files)
        for file in files:
            with self.subTest(file.stem):
                done = subprocess.run([sys.executable, "-m", "lanescope", "run", "--stop", file], capture_output=True, text=True)
                self.assertEqual((done.returncode, done.stdout), (0, f"{file.stem}: ok\n"), done.stderr[-2000:])


# The library's matmul and attention, for `told(kernel, *operands)` in snippets and in Python.
BOTH = {
    "matmul.py": """
for dtype, pair in ((f16, 1), (bf16, 1), (f16, 2)):
  told(make_matmul(dtype, pair), zeros((1280, 192), dtype), zeros((192, 512), dtype))
# More tiles than blocks: a result goes out while the next tile is multiplied.
for dtype, at, bt, options in ((f16, False, False, dict(pair=2, group=3)), (f16, True, False, {}), (f16, False, True, {}),
                               (i8, False, True, {}), (f8e4m3fn, False, True, {})):
  told(make_matmul(dtype, a_transposed=at, b_transposed=bt, **options),
       zeros((256, 8704) if at else (8704, 256), dtype), zeros((512, 256) if bt else (256, 512), dtype))
""",
    "attention.py": """
for heads, kv, width, bkv, approx in ((2, 2, 128, 128, True), (4, 1, 64, 128, True), (2, 2, 64, 64, False)):
  q, k = zeros((1, 256, heads, width), f16), zeros((1, 256, kv, width), f16)
  told(make_attention(1, 256, heads, width, block_kv=bkv, kv_heads=kv, approx=approx), q, k, k)
# Blocks of several tiles, not all as many.
for width, options in ((128, dict(causal=True)), (64, dict(causal=True, scale=0.125)), (64, dict(groups=3)), (256, {})):
  q = zeros((1, 1280, 16, width), f16)
  told(make_attention(1, 1280, 16, width, **options), q, q, q)
""",
}
END = "==== the end of a kernel"


def instructions(text):
    """PTX without the names of places and of the kernel's parts."""
    return [line for line in text.splitlines() if line.strip() and not any(word in line for word in (".loc", ".file", ".section", "//", "$L__tmp", "$L__func"))]


class Library(unittest.TestCase):
    def snippets(self, file, calls):
        text = (ROOT / "kernels" / file).read_text().split("# The check")[0]
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / file
            path.write_text(f"{text}\ndef told(kernel, *operands):\n  print(ptx(kernel, *operands))\n  print({END!r})\n{calls}")
            program = pathlib.Path(lanescope.__file__).parents[2] / "bin" / "lanescope"
            done = subprocess.run([program, "run", path, "--device", "emulator"], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr[-2000:])
        return done.stdout.split(END)[:-1]

    def programs(self, file, calls):
        text, out = (ROOT / "kernels/pallas" / file).read_text().split("# The check")[0], []

        def launch(made, arrays, *_):
            out.append(str(lanescope._native.builtin("ptx")(made, *arrays)))
            return made(*arrays)

        names = {"f16": jnp.float16, "bf16": jnp.bfloat16, "i8": jnp.int8, "f8e4m3fn": jnp.float8_e4m3fn, "zeros": jnp.zeros}
        former = lanescope.configure(device="none")
        with unittest.mock.patch.object(kernels.Runs, "launch", launch):
            exec(text + calls, names | {"told": lambda kernel, *operands: kernel(*operands), "__name__": "library"})
        lanescope.configure(**former)
        return out

    def test_both_spellings_are_the_same_ptx(self):
        for file, calls in BOTH.items():
            ours, theirs = self.snippets(file, calls), self.programs(file, calls)
            self.assertEqual((len(ours), len(theirs)), ((8, 8) if file == "matmul.py" else (7, 7)), file)
            for number, (mine, other) in enumerate(zip(ours, theirs)):
                with self.subTest(file=file, configuration=number):
                    self.assertTrue(instructions(mine))
                    self.assertEqual(instructions(mine), instructions(other))


class PallasIdioms(unittest.TestCase):
    def test_semaphores_of_a_shape(self):
        out = printed(r"""
def body(o_ref):
  done = pl.get_global(plgpu.SemaphoreType.REGULAR((2, 3)))
  assert done.shape == (2, 3)
  i, j = lax.axis_index("i"), lax.axis_index("j")
  for k in range(3):
    @pl.when(j == k)
    def _():
      pl.semaphore_signal(done.at[i, k], k + 1)
  @pl.when(j == 0)
  def _():
    for k in range(3):
      pl.semaphore_wait(done.at[i].at[k], k + 1)
    o_ref[i] = jnp.full((128,), 1, jnp.int32) * (i + 5)
out = plgpu.kernel(body, out_type=jax.ShapeDtypeStruct((2, 128), jnp.int32), grid=(2, 3), grid_names=("i", "j"))()
print(out[:, 0], int(out.min(1)[1]))
""")
        self.assertEqual(out, "[5 6] 6\n")
        with self.assertRaisesRegex(Exception, "has 3 semaphores, there is no semaphore 3"):
            printed(r"""
def body(o_ref, done):
  pl.semaphore_signal(done.at[0, 3])
plgpu.kernel(body, out_type=jax.ShapeDtypeStruct((128,), jnp.int32), scratch_types=[plgpu.SemaphoreType.REGULAR((2, 3))])()
""")

    def test_other_blocks_by_their_axes(self):
        printed(r"""
def body(x_ref, o_ref, tile, meet, leave, sent, landed):
  c = lax.axis_index("c")
  tile[...] = x_ref[c]
  plgpu.barrier_arrive(meet)
  plgpu.barrier_wait(meet)
  theirs = plgpu.cluster_ref(tile, {"c": 1 - c})[...]
  v = plgpu.load(x_ref.at[c], layout=plgpu.Layout.WG_STRIDED((128,), vec_size=1), optimized=False)
  plgpu.async_store_smem(v * 2.0, sent, landed, cluster_idx=1 - c, cluster_dim="c")
  plgpu.barrier_wait(landed)
  o_ref[c] = theirs + sent[...]
  plgpu.barrier_arrive(leave)
  plgpu.barrier_wait(leave)
x = jnp.arange(256, dtype=jnp.float32).reshape(2, 128)
buffer = plgpu.SMEM((128,), jnp.float32)
meeting = plgpu.ClusterBarrier(collective_axes=("c",))
out = plgpu.kernel(body, out_type=jax.ShapeDtypeStruct((2, 128), jnp.float32), cluster=(2,), cluster_names=("c",),
                   scratch_types=[buffer, meeting, meeting, buffer, plgpu.Barrier()])(x)
np.testing.assert_array_equal(out, 3 * x[::-1])
""")

    def test_inlined_functions_with_types(self):
        printed(r"""
@plgpu.kernel(out_type=jax.ShapeDtypeStruct((64, 64), jnp.float32))
def kernel(x_ref, o_ref):
  x = plgpu.load(x_ref, layout=plgpu.Layout.WGMMA, optimized=False)
  @plgpu.inline_mgpu(arg_types=(plgpu.Layout.WGMMA, plgpu.RefType()),
                     return_type=plgpu.ShapeDtypeStruct((64, 64), jnp.float32, layout=plgpu.Layout.WGMMA))
  def squares(ctx, v, ref):
    return v + v * v
  o_ref[...] = squares(x, x_ref)
x = jnp.arange(64 * 64, dtype=jnp.float32).reshape(64, 64) / 64
np.testing.assert_allclose(kernel(x), x + x * x)
""")

    def test_a_pipeline_whose_blocks_are_longer_than_a_box(self):
        printed(r"""
def kernel(x, o):
  block = pl.BlockSpec((512,), lambda i: (i,))
  def copied(_, x, o):
    o[...] = x[...]
  plgpu.emit_pipeline(copied, grid=(2,), in_specs=[plgpu.BlockSpec((512,), lambda i: (i,), oob_fill_mode=plgpu.OOBFillMode.UNDEFINED)],
                      out_specs=[plgpu.BlockSpec((512,), lambda i: (i,))])(x, o)
x = jnp.arange(1024, dtype=jnp.int32)
np.testing.assert_array_equal(plgpu.kernel(kernel, out_type=jax.typeof(x))(x), x)
""")

    def test_dimensions_are_added_one_after_the_other(self):
        printed(r"""
@plgpu.kernel(out_type=jax.ShapeDtypeStruct((2, 4, 128), jnp.float32))
def kernel(x_ref, y_ref, o_ref):
  x = plgpu.load(x_ref, layout=plgpu.Layout.WG_STRIDED((128,), vec_size=1))
  y = plgpu.load(y_ref, layout=plgpu.Layout.WG_STRIDED((2, 4, 128), vec_size=1))
  o_ref[...] = x[None, ...][None, :] + y
x, y = jnp.arange(128, dtype=jnp.float32), jnp.arange(1024, dtype=jnp.float32).reshape(2, 4, 128)
np.testing.assert_array_equal(kernel(x, y), x + y)
""")

    def test_kernels_are_compiled_for_devices_that_are_not_there(self):
        out = printed(r"""
@plgpu.kernel(out_type=jax.ShapeDtypeStruct((128,), jnp.float32), scratch_types=[plgpu.SemaphoreType.REGULAR])
def meet(x, o, sem):
  plgpu.semaphore_signal_multicast(sem, collective_axes="x")
  pl.semaphore_wait(sem, 2)
  o[...] = x[...]
  print("traced")
mesh = jax.sharding.AbstractMesh((2,), ("x",))
with jax.use_abstract_mesh(mesh):
  f = jax.jit(jax.shard_map(meet, in_specs=P("x"), out_specs=P("x"), check_vma=False))
  f.trace(jax.ShapeDtypeStruct((256,), jnp.float32)).lower(lowering_platforms=("gpu",)).compile()
""")
        self.assertEqual(out, "traced\n")

    def test_arrays_of_inlined_functions_change_their_layouts(self):
        printed(r"""
rows = plgpu.Layout.WGMMA.reduce(1)
@plgpu.kernel(out_type=jax.ShapeDtypeStruct((64, 64), jnp.float32), kernel_name="scale(tile=64, kind='rows')")
def kernel(x_ref, s_ref, o_ref):
  x = plgpu.load(x_ref, layout=plgpu.Layout.WGMMA, optimized=False)
  s = plgpu.load(s_ref, layout=rows, optimized=False)
  @plgpu.inline_mgpu(arg_types=(plgpu.Layout.WGMMA, rows),
                     return_type=plgpu.ShapeDtypeStruct((64, 64), jnp.float32, layout=plgpu.Layout.WGMMA))
  def scaled(ctx, v, s):
    return 1 - s.broadcast_in_dim((64, 64), [0], layout=plgpu.Layout.WGMMA.to_mgpu()) * v
  o_ref[...] = scaled(x, s)
x, s = jnp.arange(64 * 64, dtype=jnp.float32).reshape(64, 64), jnp.arange(64, dtype=jnp.float32)
np.testing.assert_array_equal(kernel(x, s), 1 - np.asarray(s)[:, None] * np.asarray(x))
""")

    def test_sums_of_values_and_branches_with_numbers(self):
        out = printed(r"""
@plgpu.kernel(out_type=(jax.ShapeDtypeStruct((128,), jnp.float32), jax.ShapeDtypeStruct((1,), jnp.int32)))
def kernel(x_ref, o_ref, n_ref):
  parts = [x_ref[...] * k for k in range(1, 4)]
  o_ref[...] = sum(parts) + sum((p for p in parts[1:]), parts[0])
  b = x_ref[3].astype(jnp.int32)
  n_ref[0] = lax.cond(b > 2, lambda: jnp.int32(7), lambda: b * 10)
out, n = kernel(jnp.arange(128, dtype=jnp.float32))
np.testing.assert_array_equal(out, 12 * np.arange(128))
print(n)
""")
        self.assertEqual(out, "[7]\n")


REFUSED = [
    ("jax.shard_map(lambda x: x, mesh=jax.make_mesh((2,), ('x',)), in_specs=P('y'), out_specs=P())(jnp.ones((4,)))", "y"),
    ("jax.shard_map(lambda x: x, mesh=jax.make_mesh((3,), ('x',)), in_specs=P('x'), out_specs=P())(jnp.ones((4,)))", "3"),
    ("jax.make_mesh((16,), ('x',))", "16"),
    ("lax.axis_index('x')", "axis_index"),
    (
        """
both = [plgpu.TMEM((128, 128), jnp.float32, collective=kind) for kind in (True, False)]
plgpu.kernel(lambda out, a, b: None, out_type=jax.ShapeDtypeStruct((128,), jnp.float32), scratch_types=both)()
""",
        "mix collective and non-collective TMEM allocations",
    ),
    (
        """
def one(o_ref):
  o_ref[...] = jnp.ones((128,), jnp.float32)
def body(x):
  call = plgpu.kernel(one, out_type=jax.ShapeDtypeStruct((128,), jnp.float32))
  return call() if lax.axis_index('x') == 0 else x
jax.shard_map(body, mesh=jax.make_mesh((2,), ('x',)), in_specs=P('x'), out_specs=P('x'))(jnp.ones((256,), jnp.float32))
""",
        "device 0 calls kernel `one`, and device 1 has returned: all devices of a `shard_map` call the same kernels",
    ),
    (
        """
def body(x):
  return jax.shard_map(lambda y: y, mesh=jax.make_mesh((2,), ('x',)), in_specs=P(), out_specs=P())(x)
jax.shard_map(body, mesh=jax.make_mesh((2,), ('x',)), in_specs=P(), out_specs=P())(jnp.ones((4,)))
""",
        "shard_map",
    ),
]


EXCHANGE = r"""
def exchange(x_ref, y_ref, ready, received):
  other = 1 - lax.axis_index("x")
  y_ref[...] = x_ref[...]
  pl.semaphore_signal(ready, device_id=other)
  pl.semaphore_wait(ready)
  plgpu.remote_ref(y_ref, other)[...] = x_ref[...]
  pl.semaphore_signal(received, device_id=other)
  pl.semaphore_wait(received)
def body(x):
  return pl.pallas_call(exchange, in_specs=[gmem], out_specs=gmem, out_shape=jax.ShapeDtypeStruct((8, 128), jnp.float32),
                        scratch_shapes=[plgpu.SemaphoreType.REGULAR] * 2)(x)
x = jnp.arange(16 * 128, dtype=jnp.float32).reshape(16, 128)
swapped = np.concatenate([x[8:], x[:8]])
"""


class ShardMap(unittest.TestCase):
    def test_devices_exchange(self):
        printed(EXCHANGE + r"""
mesh = jax.sharding.Mesh(jax.devices()[:2], ["x"])
y = jax.jit(jax.shard_map(body, mesh=mesh, in_specs=P("x"), out_specs=P("x"), check_vma=False))(x)
np.testing.assert_array_equal(y, swapped)
""")

    def test_several_kernels(self):
        printed(EXCHANGE + r"""
def several(x):
  y = body(x)
  y = body(y * 2 + lax.axis_index("x"))
  return body(y), jnp.sum(y)[None] * lax.axis_size("x")
mesh = jax.make_mesh((2,), ("x",))
with jax.set_mesh(mesh):
  y, total = jax.shard_map(several, in_specs=(P("x"),), out_specs=(P("x"), P("x")))(x)
number = np.repeat(np.arange(2), 8)[:, None]
# Exchanged three times; the second sees device d's number added on device d.
np.testing.assert_array_equal(y, swapped * 2 + number)
np.testing.assert_allclose(total, np.asarray([np.sum((x * 2 + (1 - number))[:8]), np.sum((x * 2 + (1 - number))[8:])]) * 2, rtol=1e-6)
""")

    # inventory: PS lowering, lowering_with_explicit_sharding
    def test_meshes_of_two_axes(self):
        for axis in ("x", "y"):
            printed(f"axis = {axis!r}" + r"""
def kernel(x_ref, y_ref, received):
  other = {axis: 1 - lax.axis_index(axis)}
  plgpu.remote_ref(y_ref, other)[...] = x_ref[...]
  pl.semaphore_signal(received, device_id=other)
  pl.semaphore_wait(received)
def body(x):
  return plgpu.kernel(kernel, out_type=jax.ShapeDtypeStruct((8, 128), jnp.float32),
                      scratch_types=[plgpu.SemaphoreType.REGULAR])(x)
mesh = jax.make_mesh((2, 2), ("x", "y"), axis_types=(jax.sharding.AxisType.Explicit,) * 2)
x = jnp.arange(16 * 128, dtype=jnp.float32).reshape(16, 128)
with jax.set_mesh(mesh):
  x = jax.sharding.reshard(x, P(axis))
  y = jax.shard_map(body, in_specs=P(axis), out_specs=P(axis), check_vma=False)(x)
np.testing.assert_array_equal(y, np.concatenate([x[8:], x[:8]]))
""")

    def test_signals_and_waits(self):
        printed(r"""
def kernel(y_ref, twice, kept, first, second):
  other = 1 - lax.axis_index("x")
  pl.semaphore_signal(twice, 2, device_id=other)
  pl.semaphore_wait(twice)
  pl.semaphore_wait(twice)
  pl.semaphore_signal(kept, 2, device_id=other)
  pl.semaphore_wait(kept, decrement=False)
  pl.semaphore_wait(kept, 2, decrement=False)
  pl.semaphore_wait(kept, 2)
  plgpu.semaphore_signal_parallel(plgpu.SemaphoreSignal(first, device_id=other), plgpu.SemaphoreSignal(second, device_id=other))
  pl.semaphore_wait(first)
  pl.semaphore_wait(second)
  y_ref[...] = jnp.ones((8, 128), jnp.float32)
call = pl.pallas_call(kernel, out_specs=gmem, out_shape=jax.ShapeDtypeStruct((8, 128), jnp.float32),
                      scratch_shapes=[plgpu.SemaphoreType.REGULAR] * 4)
y = jax.shard_map(call, mesh=jax.make_mesh((2,), ("x",)), in_specs=(), out_specs=P(None), check_vma=False)()
np.testing.assert_array_equal(y, np.ones((8, 128)))
""")

    def test_devices_known_from_data(self):
        printed(r"""
def kernel(x_ref, y_ref, ready, received):
  other = jnp.sum((x_ref[...] == 1).astype(jnp.int32))
  y_ref[...] = x_ref[...]
  pl.semaphore_signal(ready, device_id=other)
  pl.semaphore_wait(ready)
  there = plgpu.remote_ref(y_ref, other)
  def one(i, _):
    there[0, i] = x_ref[0, i] + 5
    pl.semaphore_signal(received, device_id=other)
    pl.semaphore_wait(received)
  lax.fori_loop(0, 4, one, None)
x = jnp.zeros((2, 128), jnp.int32).at[0, 0].set(1)
call = pl.pallas_call(kernel, in_specs=[gmem], out_specs=gmem, out_shape=jax.ShapeDtypeStruct((1, 128), jnp.int32),
                      scratch_shapes=[plgpu.SemaphoreType.REGULAR] * 2)
y = jax.shard_map(call, mesh=jax.make_mesh((2,), ("x",)), in_specs=P("x"), out_specs=P("x"), check_vma=False)(x)
wanted = np.array(x)
wanted[:, :4] = np.asarray(x)[::-1, :4] + 5
np.testing.assert_array_equal(y, wanted)
""")

    def test_copies_by_tma(self):
        for ids in ("lambda x, y: (x, y)", "lambda x, y: dict(x=x, y=y)"):
            printed(f"ids = {ids}" + r"""
def kernel(y_ref, tile, sem):
  me = lax.axis_index("y")
  @pl.when(me == 0)
  def store():
    tile[...] = plgpu.layout_cast(lax.broadcasted_iota(jnp.int32, (128, 128), 1), plgpu.Layout.WGMMA)
    plgpu.commit_smem()
    plgpu.copy_smem_to_gmem(tile, plgpu.remote_ref(y_ref, ids(0, me)))
    plgpu.copy_smem_to_gmem(tile, plgpu.remote_ref(y_ref, ids(0, 1 - me)))
    plgpu.wait_smem_to_gmem(0)
  pl.semaphore_signal(sem, 1, device_id=ids(0, 1 - me))
  pl.semaphore_wait(sem)
tile = plgpu.SMEM((128, 128), jnp.int32, transforms=(plgpu.TilingTransform((8, 32)), plgpu.SwizzleTransform(128)))
call = pl.pallas_call(kernel, out_specs=gmem, out_shape=jax.ShapeDtypeStruct((128, 128), jnp.int32),
                      scratch_shapes=[tile, plgpu.SemaphoreType.REGULAR])
y = jax.shard_map(call, mesh=jax.make_mesh((1, 2), ("x", "y")), in_specs=(), out_specs=P("y"), check_vma=False)()
np.testing.assert_array_equal(y, np.tile(np.arange(128), (256, 1)))
""")

    def test_trees(self):
        printed(r"""
def add(a_ref, b_ref, o_ref):
  o_ref[...] = a_ref[...] + b_ref[...]
def body(pair, scale):
  total = plgpu.kernel(add, out_type=jax.ShapeDtypeStruct((4, 128), jnp.float32))(pair["a"], pair["b"])
  return {"sum": total * scale, "rest": [pair["a"]]}
a, b = jnp.arange(1024, dtype=jnp.float32).reshape(8, 128), jnp.ones((8, 128), jnp.float32)
out = jax.shard_map(body, mesh=jax.make_mesh((2,), ("x",)), in_specs=(P("x"), P()), out_specs={"sum": P("x"), "rest": P("x")})(
    {"a": a, "b": b}, jnp.full((4, 128), 3.0, jnp.float32))
np.testing.assert_array_equal(out["sum"], (a + b) * 3)
np.testing.assert_array_equal(out["rest"][0], a)
""")

    def test_meshes_in_jaxs_words(self):
        out = printed(r"""
from jax.experimental import mesh_utils
from jax.experimental.shard_map import shard_map
from jax.sharding import Mesh, NamedSharding
m = Mesh(mesh_utils.create_device_mesh((2, 2)), ("x", "y"))
x = jax.device_put(jnp.arange(4.0), NamedSharding(m, P("x")))
np.testing.assert_array_equal(shard_map(lambda a: a * 2 + lax.axis_index("y") * 0, m, (P("x"),), P("x"))(x), x * 2)
np.testing.assert_array_equal(jax.shard_map(mesh=m, in_specs=P(("x", "y")), out_specs=P(("x", "y")))(lambda a: a + lax.axis_index(("x", "y")))(x), x + np.arange(4))
print(m.shape, m.axis_names, m.size, jax.devices()[1].id, jax.device_count())
""")
        self.assertTrue(out.endswith(" 4 1 8\n"), out)

    def test_arrays_are_combined_in_another_block(self):
        printed(r"""
TILE = (plgpu.TilingTransform((8, 32)), plgpu.SwizzleTransform(128))
def combined(atomic, dtype=jnp.int32):
  def body(x, first, out, tile, ready, loaded, sent):
    me = jax.lax.axis_index("c")
    plgpu.copy_gmem_to_smem(first.at[me], tile, loaded)
    plgpu.barrier_wait(loaded)
    plgpu.barrier_arrive(ready)
    plgpu.barrier_wait(ready)
    v = plgpu.load(x.at[me], layout=plgpu.Layout.WGMMA, optimized=False)
    plgpu.async_store_smem(v, tile, sent, cluster_idx=1 - me, cluster_dim="c", atomic=atomic)
    plgpu.barrier_wait(sent)
    out[me] = plgpu.load(tile, layout=plgpu.Layout.WGMMA)
  scratch = [plgpu.SMEM((64, 32), dtype, transforms=TILE), plgpu.ClusterBarrier(collective_axes=("c",), num_arrivals=1), plgpu.Barrier(num_arrivals=1), plgpu.Barrier(num_arrivals=1)]
  return plgpu.kernel(body, out_type=jax.ShapeDtypeStruct((2, 64, 32), dtype), scratch_types=scratch, cluster=(2,), cluster_names=("c",))
rng = np.random.default_rng(0)
x, first = (rng.integers(-99, 99, (2, 64, 32)).astype(np.int32) for _ in range(2))
for name, op in dict(add=np.add, min=np.minimum, max=np.maximum, xor=np.bitwise_xor).items():
  np.testing.assert_array_equal(np.asarray(combined(name)(x, first)), op(first, x[::-1]))
u = x.astype(np.uint32)
np.testing.assert_array_equal(np.asarray(combined("max", jnp.uint32)(u, first.astype(np.uint32))), np.maximum(first.astype(np.uint32), u[::-1]))
for bad, dtype, words in (("mul", jnp.int32, '"xor", not "mul"'), ("add", jnp.float32, "as i32 or u32, not as f32")):
  try:
    combined(bad, dtype)(x.astype(dtype), first.astype(dtype))
  except Exception as problem:
    assert words in str(problem), problem
  else:
    raise AssertionError(bad)
""")

    def test_collectives(self):
        printed(r"""
mesh = jax.make_mesh((2, 4), ("x", "y"))
x = jnp.arange(8 * 16, dtype=jnp.float32).reshape(8, 16)
def over(f, spec=P(("x", "y"))):
  return np.asarray(jax.shard_map(f, mesh=mesh, in_specs=P(("x", "y")), out_specs=spec, check_vma=False)(x))
rows = np.asarray(x)
np.testing.assert_array_equal(over(lambda a: lax.psum(a, ("x", "y")), P()), rows.sum(0, keepdims=True))
np.testing.assert_array_equal(over(lambda a: lax.psum(a, "y")), np.repeat([rows[:4].sum(0), rows[4:].sum(0)], 4, axis=0))
np.testing.assert_array_equal(over(lambda a: lax.pmax(a, "x")), np.tile(rows[4:], (2, 1)))
np.testing.assert_array_equal(over(lambda a: lax.pmin(a, "x")), np.tile(rows[:4], (2, 1)))
np.testing.assert_array_equal(over(lambda a: lax.pmean(a, "x")), np.tile((rows[:4] + rows[4:]) / 2, (2, 1)))
np.testing.assert_array_equal(over(lambda a: lax.all_gather(a, ("x", "y"), tiled=True), P()), rows)
np.testing.assert_array_equal(over(lambda a: lax.all_gather(a, "y", axis=1)[0], P("x", None)), rows.reshape(8, 16))
shift = [(i, (i + 1) % 4) for i in range(4)]
np.testing.assert_array_equal(over(lambda a: lax.ppermute(a, "y", shift)), np.concatenate([rows[3:4], rows[:3], rows[7:], rows[4:7]]))
np.testing.assert_array_equal(over(lambda a: lax.ppermute(a, "y", [(0, 1)]))[:4], np.concatenate([rows[:1] * 0, rows[:1], rows[:2] * 0]))
np.testing.assert_array_equal(over(lambda a: lax.psum_scatter(a, "y", scatter_dimension=1, tiled=True), P("x", "y")), np.stack([rows[:4].sum(0), rows[4:].sum(0)]))
np.testing.assert_array_equal(over(lambda a: lax.all_to_all(a, "y", 1, 0, tiled=True), P(("x", "y"))), rows.reshape(2, 4, 4, 4).transpose(0, 2, 1, 3).reshape(32, 4))
np.testing.assert_array_equal(over(lambda a: lax.psum(1, "y") + a * 0, P(("x", "y"))), rows * 0 + 4)
""")

    def test_mistakes(self):
        for text, message in REFUSED:
            with self.subTest(text), self.assertRaisesRegex(Exception, message):
                printed(text)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
