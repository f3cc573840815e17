"""XLA's kernels, or Mosaic's. Usage: with_jax.py xla|mosaic"""
import pathlib
import runpy
import sys

import jax
import jax.numpy as jnp
import numpy as np

FLOATS = (jnp.float32, jnp.float16, jnp.bfloat16)


def random(number, shape, kind):
    values = np.random.RandomState(number).randn(*shape)
    return jnp.asarray(values * 8 if jnp.issubdtype(kind, jnp.integer) else values, kind)


def show(name, results):
    print(name, *(f"{np.asarray(part).astype(np.float64).sum():.4g}" for part in jax.tree.leaves(results)))


def each(name, function, kinds, shapes, arguments=2):
    for kind in kinds:
        for shape in shapes:
            show(f"{name} {kind.__name__} {shape}", jax.jit(function)(*(random(n, shape, kind) for n in range(arguments))))


def attempt(name, part):
    """Another JAX may lack a part of Pallas."""
    try:
        part()
    except Exception as error:
        print(name, type(error).__name__)
        print(name, error, file=sys.stderr)


def xla():
    each("arithmetic", lambda x, y: jnp.where(x > y, x * y + 1, x - y) / (jnp.abs(y) + 1), FLOATS, ((33, 65), (64, 32)))
    each("exponentials", lambda x, y: jnp.exp(-x * x) + jnp.log1p(jnp.abs(y)) + jnp.tanh(x), FLOATS, ((40, 30),))
    each("trigonometry", lambda x, y: jnp.sin(x) * jnp.cos(y) + jnp.arctan2(x, y), (jnp.float32,), ((500,),))
    each("special", lambda x, y: jax.scipy.special.erf(x) + jax.nn.sigmoid(y) + jnp.cbrt(x) + jax.lax.lgamma(jnp.abs(y) + 1), (jnp.float32,), ((128,),))
    each("integers", lambda x, y: (x * y) ^ (x & 7) | (y << 2), (jnp.int32, jnp.uint8, jnp.int16), ((300,),))
    each("sums", lambda x, y: (x.sum(0), y.sum(1), (x * y).sum(), x.max(1)), FLOATS, ((32, 32), (17, 65)))
    each("softmax", lambda x, y: (jax.nn.softmax(x, -1), jax.nn.log_softmax(y, 0), jax.nn.logsumexp(x)), FLOATS, ((24, 40), (5, 700)))
    each("normalised", lambda x, y: (x - x.mean(1, keepdims=True)) * jax.lax.rsqrt(x.var(1, keepdims=True) + 1e-5) * y, FLOATS, ((12, 96),))
    each("scans", lambda x, y: (jnp.cumsum(x, 0), jnp.cumprod(y * 0.5, 1)), (jnp.float32,), ((16, 32), (9, 70)))
    each("sorted", lambda x, y: (jnp.sort(x, 1), jnp.argsort(y, 0)), (jnp.float32, jnp.int32), ((16, 32), (9, 70)))
    each("transposed", lambda x, y: (x.T + 1, jnp.flip(y, 0), jnp.roll(x, 3, 1)), (jnp.float32, jnp.float16), ((33, 65), (64, 64)))
    each("indexed", lambda x, y: (x[jnp.arange(10) * 3 % x.shape[0]], jnp.take_along_axis(y, jnp.argsort(x, 1), 1)), (jnp.float32,), ((20, 24),))
    each("scattered", lambda x, y: (jnp.zeros_like(x).at[jnp.arange(20) * 7 % 20].add(y), x.at[3].set(0), x.at[:, 2].multiply(2)), (jnp.float32, jnp.int32), ((20, 24),))
    each("joined", lambda x, y: (jnp.concatenate((x, y), 1), jnp.pad(x, ((1, 2), (0, 3))), jnp.stack((x, y))), (jnp.float32, jnp.bfloat16), ((20, 12),))
    each("extremes", lambda x, y: (jnp.argmax(x, 1), jnp.argmin(y, 0), jnp.clip(x, -1, 1)), (jnp.float32,), ((20, 33),))
    each("loops", lambda x, y: jax.lax.fori_loop(0, 4, lambda n, at: at * 0.5 + jnp.sin(at), x) + jax.lax.scan(lambda s, row: (s + row, s * row), y[0], y)[1].sum(), (jnp.float32,), ((16, 20),))
    each("gradients", jax.grad(lambda x, y: jnp.sum(jax.nn.gelu(x) * jnp.exp(-y * y)) + jnp.max(x)), FLOATS[:2], ((16, 32), (33, 65)))
    each("small products", lambda x, y: jnp.einsum("ij,kj->ik", x, y), FLOATS, ((16, 32), (33, 64)))
    show("random", jax.jit(lambda key: (jax.random.normal(key, (300,)), jax.random.randint(key, (100,), 0, 9), jax.random.permutation(key, 50)))(jax.random.PRNGKey(3)))
    show("conversions", jax.jit(lambda x: [x.astype(kind).astype(jnp.float32) for kind in (jnp.int8, jnp.uint16, jnp.bfloat16, jnp.float8_e4m3fn, jnp.bool_)])(random(1, (200,), jnp.float32)))


def products():
    from jax.experimental.pallas.ops.gpu import hopper_matmul_mgpu as hopper

    M, N = hopper.MatmulDimension.M, hopper.MatmulDimension.N
    choices = (dict(wg_dimension=N), dict(wg_dimension=M, grid_minor_dim=M, grid_tile_width=2), dict(wg_dimension=N, epi_tile_m=None, epi_tile_n=None),
               dict(wg_dimension=M, cluster_dimension=N), dict(wg_dimension=N, cluster_dimension=M))
    for kind in (jnp.float16, jnp.bfloat16):
        for m, n, k in ((128, 256, 128), (256, 256, 64)):
            for options in choices:
                config = hopper.TuningConfig(tile_m=64, tile_n=64, tile_k=64, max_concurrent_steps=2, **options)
                show(f"product {kind.__name__} {m} {n} {k}", jax.jit(hopper.matmul, static_argnums=3)(random(1, (m, k), kind), random(2, (k, n), kind), None, config))


def attention():
    from jax.experimental.pallas.ops.gpu import attention_mgpu

    for heads, kv, causal in ((2, 2, False), (2, 1, False), (2, 2, True)):
        for kind in (jnp.float16, jnp.bfloat16):
            config = attention_mgpu.TuningConfig(block_q=64, block_kv=64, max_concurrent_steps=2, causal=causal)
            q, k, v = (random(n, (1, 128, count, 64), kind) for n, count in enumerate((heads, kv, kv)))
            show(f"attention {heads} {kv} {causal} {kind.__name__}", attention_mgpu.attention(q, k, v, config, save_residuals=True))
    config = attention_mgpu.TuningConfig(block_q=64, block_kv=64, max_concurrent_steps=2, block_q_dkv=64, block_kv_dkv=64, block_q_dq=64, block_kv_dq=64)
    inputs = [random(n, (1, 128, 1, 64), jnp.float16) for n in range(3)]
    show("attention, backward", jax.grad(lambda *x: attention_mgpu.attention(*x, config).astype(jnp.float32).sum(), argnums=(0, 1, 2))(*inputs))


def elementwise():
    from jax.experimental import pallas as pl
    from jax.experimental.pallas import mosaic_gpu as plgpu

    def kernel(function, x, y):
        def body(x_ref, y_ref, out_ref):
            out_ref[...] = function(x_ref[...], y_ref[...])

        return plgpu.kernel(lambda x_ref, y_ref, out_ref, *scratch: loop(body, x_ref, y_ref, out_ref, *scratch), out_type=jax.ShapeDtypeStruct(x.shape, x.dtype),
                            scratch_types=[plgpu.SMEM((64, 64), x.dtype), plgpu.SMEM((64, 64), x.dtype), plgpu.SMEM((64, 64), x.dtype), plgpu.Barrier(num_arrivals=2)],
                            grid=(x.shape[0] // 64,), grid_names=("rows",))(x, y)

    def loop(body, x_ref, y_ref, out_ref, x_smem, y_smem, out_smem, barrier):
        rows = pl.ds(jax.lax.axis_index("rows") * 64, 64)
        plgpu.copy_gmem_to_smem(x_ref.at[rows], x_smem, barrier)
        plgpu.copy_gmem_to_smem(y_ref.at[rows], y_smem, barrier)
        plgpu.barrier_wait(barrier)
        body(x_smem, y_smem, out_smem)
        plgpu.commit_smem()
        plgpu.copy_smem_to_gmem(out_smem, out_ref.at[rows])
        plgpu.wait_smem_to_gmem(0)

    functions = {"sum": lambda x, y: x + y, "polynomial": lambda x, y: x * x * y - x, "exponential": lambda x, y: jnp.exp(-x * x) * y, "larger": jnp.maximum}
    for name, function in functions.items():
        for kind in FLOATS:
            for rows in (64, 192):
                attempt(f"{name} {kind.__name__} {rows}", lambda: show("result", kernel(function, random(1, (rows, 64), kind), random(2, (rows, 64), kind))))


def samples():
    for path in sorted((pathlib.Path(__file__).resolve().parents[3] / "samples" / "pallas").glob("*.py")):
        if path.stem != "all_gather":  # it takes several GPUs
            attempt(path.stem, lambda: runpy.run_path(str(path), run_name="__main__"))


def mosaic():
    for part in (elementwise, products, attention, samples):
        attempt(part.__name__, part)


{"xla": xla, "mosaic": mosaic}[sys.argv[1]]()
