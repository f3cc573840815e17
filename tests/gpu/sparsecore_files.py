#!/usr/bin/env python3
"""Runs SparseCore kernels of public repositories on the emulator, and compares them with the results that their
documentation specifies.

  python3 -m lanescope run --tpu 7x tests/gpu/sparsecore_files.py SOURCES CASE      # one case; without CASE: their names

SOURCES has folders `maxtext`, `tokamax` and `tpu-inference`, each a checkout or the part of it that is named below. The
script works with JAX, whose lowering makes the modules, and with Lanescope's stand-in. Exit status: 0 equal for f32 and
bf16; 77 this Python cannot read the file."""

import dataclasses
import functools
import importlib.util
import pathlib
import sys

SKIPPED = 77
MAXTEXT, TPU_INFERENCE, TOKAMAX = "maxtext/src/maxtext/kernels/", "tpu-inference/tpu_inference/kernels/", "tokamax/tokamax/_src/ops/"
ROWS, FIRST, LAST = 400, 3, 338  # sizes of ragged kernels


def load(path):
    """Loads a file of the sources as a separate module, without the other modules of its package."""
    spec = importlib.util.spec_from_file_location(path.replace("/", "_").replace("-", "_").removesuffix(".py"), SOURCES / path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def as_f32(x):
    return np.asarray(jnp.asarray(x).astype(jnp.float32))


def near(got, want, dtype):
    tolerance = 2e-2 if dtype == jnp.bfloat16 else 1e-5
    np.testing.assert_allclose(as_f32(got), as_f32(want), rtol=tolerance, atol=tolerance)


def random(shape, dtype):
    return jax.random.normal(KEY, shape, jnp.float32).astype(dtype)


def gather(path, name, dtype):
    """Rows FIRST to LAST of the result are `x[indices]`."""
    x, indices = random((64, 128), dtype), jax.random.randint(KEY, (512,), 0, 64, jnp.int32)
    out = getattr(load(path), name)(x, indices, jnp.array([FIRST], jnp.int32), jnp.array([LAST], jnp.int32))
    np.testing.assert_array_equal(as_f32(out)[FIRST:LAST], as_f32(x[indices])[FIRST:LAST])


def scatter(path, name, dtype):
    """A row whose index lies between FIRST and LAST is `x[indices]`."""
    x, indices = random((ROWS, 128), dtype), jax.random.permutation(KEY, ROWS)
    out = getattr(load(path), name)(x, indices, jnp.array([FIRST], jnp.int32), jnp.array([LAST], jnp.int32))
    inside = np.asarray((indices >= FIRST) & (indices < LAST))[:, None]
    np.testing.assert_array_equal(np.where(inside, as_f32(out), 0), np.where(inside, as_f32(x[indices]), 0))


def gather_reduce(path, name, dtype):
    """Groups of eight gathered rows, each weighted or left out, are summed in f32."""
    rows, group, hidden = 512, 8, 1024
    x, indices = random((rows, hidden), dtype), jax.random.permutation(KEY, rows)
    weights, valid = random((rows,), jnp.float32), jax.random.bernoulli(KEY, 0.5, (rows,))
    out = getattr(load(path), name)(x, indices, weights, valid, group)
    each = jnp.where(valid[:, None], x[indices].astype(jnp.float32) * weights[:, None], 0)
    near(out, each.reshape(-1, group, hidden).sum(1).astype(out.dtype), out.dtype)


def maxtext_gather_reduce(dtype):
    rows, group, hidden = 1024, 8, 256
    x, indices = random((rows, hidden), jnp.bfloat16), jax.random.permutation(KEY, rows)
    out = load(MAXTEXT + "gather_reduce_pallas.py").sc_gather_reduce(x, indices, reduce_group_size=group, single_sc=True, col_chunk_size=128,
                                                                      row_chunk_size=64)  # fmt: skip
    near(out, x[indices].astype(jnp.float32).reshape(-1, group, hidden).sum(1).astype(jnp.bfloat16), jnp.bfloat16)


def dense_gather_reduce(dtype):
    rows, group, hidden = 16384, 4, 256
    x, indices = random((rows, hidden), dtype), jax.random.permutation(KEY, rows)
    weights = random((rows // group, group), jnp.bfloat16)
    module = load(TPU_INFERENCE + "sparse_core/dense_gather_reduce.py")
    out = module._sc_gather_reduce(x, indices, weights, reduce_group_size=group, col_chunk_size=256)
    each = x[indices].astype(jnp.float32) * weights.reshape(-1)[:, None].astype(jnp.float32)
    near(out, each.reshape(-1, group, hidden).sum(1).astype(dtype), dtype)


def csa_gather(dtype):
    """Two caches of bytes, gathered by token; the second's bytes are joined into 16 bits."""
    nope = jax.random.randint(KEY, (10, 64, 4, 128), 0, 256).astype(jnp.uint8)
    rope = jax.random.randint(KEY, (10, 16, 4, 128), 0, 256).astype(jnp.uint8)
    tokens = jax.random.randint(KEY, (37,), 0, 640, dtype=jnp.int32)
    a, b = load(TPU_INFERENCE + "experimental/deepseek_v4/core_attention/csa_gather.py").csa_gather(nope, rope, tokens)
    np.testing.assert_array_equal(np.asarray(a.view(jnp.uint8)), np.asarray(nope[tokens // 64, tokens % 64].reshape(-1, 512)))
    pairs = rope.reshape(-1, 128)[tokens]
    joined = (pairs[:, :64].astype(jnp.uint16) << 8) | pairs[:, 64:].astype(jnp.uint16)
    np.testing.assert_array_equal(np.asarray(b.view(jnp.uint16)), np.asarray(joined))


def top_k(dtype):
    x = random((4, 1024), jnp.float32)
    values, places = load(TOKAMAX + "experimental/tpu/topk/pallas_mosaic_tpu_kernel.py").top_k(x, k=16)
    values = np.asarray(values)  # unordered; tokamax sorts the kernel's result
    np.testing.assert_array_equal(np.sort(values), np.sort(np.asarray(x))[:, -16:])
    np.testing.assert_array_equal(np.take_along_axis(np.asarray(x), np.asarray(places), 1), values)


CASES = {
    "maxtext/gather_reduce_pallas": maxtext_gather_reduce,
    "maxtext/ragged_gather": functools.partial(gather, MAXTEXT + "ragged/ragged_gather.py", "ragged_gather"),
    "maxtext/ragged_gather_reduce": functools.partial(gather_reduce, MAXTEXT + "ragged/ragged_gather_reduce.py", "ragged_gather_reduce"),
    "maxtext/ragged_gather_reduce_v2": functools.partial(gather_reduce, MAXTEXT + "ragged/ragged_gather_reduce_v2.py", "ragged_gather_reduce"),
    "tpu-inference/ragged_gather_v2": functools.partial(gather, TPU_INFERENCE + "sparse_core/ragged_gather_v2.py", "ragged_gather_v2"),
    "tpu-inference/ragged_scatter": functools.partial(scatter, TPU_INFERENCE + "sparse_core/ragged_scatter.py", "ragged_scatter"),
    "tpu-inference/dense_gather_reduce": dense_gather_reduce,
    "tpu-inference/ragged_gather_reduce_v2": functools.partial(
        gather_reduce, TPU_INFERENCE + "sparse_core/ragged_gather_reduce_v2.py", "ragged_gather_reduce"
    ),
    "tpu-inference/csa_gather": csa_gather,
    "tokamax/ragged_gather": functools.partial(gather, TOKAMAX + "ragged_gather/pallas_mosaic_tpu_kernel.py", "ragged_gather_pallas"),
    "tokamax/ragged_gather_v2": functools.partial(gather, TOKAMAX + "ragged_gather/pallas_mosaic_v2_tpu_kernel.py", "ragged_gather_pallas"),
    "tokamax/ragged_gather_reduce": functools.partial(
        gather_reduce, TOKAMAX + "ragged_gather_reduce/pallas_mosaic_tpu_kernel.py", "ragged_gather_reduce_pallas"
    ),
    "tokamax/ragged_scatter": functools.partial(scatter, TOKAMAX + "ragged_scatter/pallas_mosaic_tpu_kernel.py", "ragged_scatter_pallas"),
    "tokamax/topk": top_k,
}
FOLDERS = ("maxtext/src/maxtext/kernels", "tpu-inference/tpu_inference/kernels", "tokamax/tokamax/_src/ops")

if __name__ == "__main__":
    if len(sys.argv) < 3:
        print("\n".join(CASES))
        sys.exit()
    SOURCES = pathlib.Path(sys.argv[1])
    sys.path.insert(0, str(SOURCES / "tpu-inference"))  # the kernels there import one another

    import jax
    import jax.numpy as jnp
    import numpy as np
    from jax.experimental.pallas import tpu as pltpu

    KEY = jax.random.key(0)
    # If a TensorCore has less memory than any array needs, the files use their SparseCore kernels for small arrays too.
    small = dataclasses.replace(pltpu.get_tpu_info(), vmem_capacity_bytes=1)
    pltpu.get_tpu_info = lambda: small
    try:
        for kind in (jnp.float32, jnp.bfloat16):
            CASES[sys.argv[2]](kind)
    except SyntaxError as problem:
        print(f"skipped: Python {sys.version.split()[0]} cannot read {problem.filename}")
        sys.exit(SKIPPED)
    print("equal")
