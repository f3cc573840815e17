#!/usr/bin/env python3
"""Runs JAX's own GPU kernels (jax/experimental/pallas/ops/gpu/*_mgpu.py) with Lanescope's stand-in for JAX, and compares
their results with NumPy's.

  tests/python/jax_ops.py CHECKOUT

CHECKOUT is a folder of jax-ml/jax. Files that this Python cannot parse are left out, and named. Without a checkout the
test is skipped (exit status 77)."""

import ast
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

SKIPPED = 77
ROOT = pathlib.Path(__file__).resolve().parents[2]
FOLDER = "jax/experimental/pallas/ops/gpu"
BRIDGE = ROOT / "tests/gpu/bridge_programs"

BEGIN = """
import jax
import jax.numpy as jnp
import numpy as np

P = jax.P
rng = np.random.default_rng(0)


def on(devices, function, in_specs, out_specs):
    mesh = jax.make_mesh((devices,), ("x",))
    return jax.shard_map(function, mesh=mesh, in_specs=in_specs, out_specs=out_specs, check_vma=False)
"""
ALL_GATHER = """
from jax.experimental.pallas.ops.gpu.all_gather_mgpu import all_gather
x = jnp.asarray(rng.integers(-9, 9, (512, 1024)), jnp.float32)
gather = lambda x: all_gather(x, axis_name="x", gather_dimension=0, num_blocks=4, tile_size=2048)
got = on(2, gather, P("x", None), P("x", None))(x)
np.testing.assert_array_equal(np.asarray(got), np.concatenate([np.asarray(x)] * 2))
"""
REDUCE_SCATTER = """
from jax.experimental.pallas.ops.gpu.reduce_scatter_mgpu import reduce_scatter
x = jnp.asarray(rng.integers(-9, 9, (512, 1024)), jnp.float32)
scatter = lambda x: reduce_scatter(x, axis_name="x", scatter_dimension=0, reduction="add", num_blocks=4, tile_size=2048)
got = on(2, scatter, P("x", None), P("x", None))(x)
np.testing.assert_array_equal(np.asarray(got), np.asarray(x)[:256] + np.asarray(x)[256:])
"""
TRANSPOSED_RAGGED_DOT = """
from jax.experimental.pallas.ops.gpu.transposed_ragged_dot_mgpu import transposed_ragged_dot
a, b = (jnp.asarray(rng.integers(-3, 4, (512, n)), jnp.float16) for n in (128, 256))
got = transposed_ragged_dot(a, b, group_sizes=jnp.asarray([200, 56, 256], jnp.int32), block_m=64, block_n=128, block_k=64,
                            max_concurrent_steps=2, grid_block_n=1)
groups = (slice(0, 200), slice(200, 256), slice(256, 512))
want = [np.asarray(a, np.float32)[rows].T @ np.asarray(b, np.float32)[rows] for rows in groups]
np.testing.assert_allclose(np.asarray(got, np.float32), want, rtol=1e-3)
"""
COLLECTIVE_MATMUL = """
from jax.experimental.pallas.ops.gpu.collective_matmul_mgpu import all_gather_lhs_matmul
from jax.experimental.pallas.ops.gpu.hopper_matmul_mgpu import MatmulDimension, TuningConfig
n = jax.device_count()  # the kernel works over all devices
a, b = jnp.asarray(rng.integers(-3, 4, (256 * n, 256)), jnp.float16), jnp.asarray(rng.integers(-3, 4, (256, 128 * n)), jnp.float16)
config = TuningConfig(tile_m=64, tile_n=64, tile_k=64, max_concurrent_steps=2, grid_minor_dim=MatmulDimension.N, grid_tile_width=1,
                      wg_dimension=MatmulDimension.N)
product = lambda a, b: all_gather_lhs_matmul(a, b, axis_name="x", config=config, dtype=jnp.float16)
got = on(n, product, (P("x", None), P(None, "x")), P(None, "x"))(a, b)
np.testing.assert_allclose(np.asarray(got, np.float32), np.asarray(a, np.float32) @ np.asarray(b, np.float32), rtol=1e-3)
"""
BLACKWELL = BRIDGE / "blackwell/pallas_blackwell_matmul.py"
PROGRAMS = {  # a kernel's file -> a program that calls it: a path, or a text that follows BEGIN
    "all_gather_mgpu.py": ALL_GATHER,
    "attention_mgpu.py": BRIDGE / "pallas_attention.py",
    "blackwell_matmul_mgpu.py": BLACKWELL,
    "blackwell_ragged_dot_mgpu.py": BLACKWELL,
    "collective_matmul_mgpu.py": COLLECTIVE_MATMUL,
    "hopper_matmul_mgpu.py": BRIDGE / "pallas_matmul.py",
    "hopper_mixed_type_matmul_mgpu.py": BRIDGE / "pallas_mixed_matmul.py",
    "ragged_dot_mgpu.py": BRIDGE / "pallas_ragged_dot.py",
    "reduce_scatter_mgpu.py": REDUCE_SCATTER,
    "transposed_ragged_dot_mgpu.py": TRANSPOSED_RAGGED_DOT,
}


def parses(path):
    try:
        ast.parse(path.read_text())
    except SyntaxError:
        return False
    return True


def outcomes(checkout):
    """For each file: None if this Python cannot parse it, "" if its program runs, and else what it says."""
    files = sorted((pathlib.Path(checkout) / FOLDER).glob("*_mgpu.py"))
    out = {}
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)  # the stand-in finds the kernels beside the program
        for path in files:
            shutil.copy(path, folder)
        for path in files:
            program = PROGRAMS.get(path.name)
            if not parses(path):
                out[path.name] = None
            elif program is None:
                out[path.name] = "no program calls it: give PROGRAMS one"
            else:
                text = program.read_text() if isinstance(program, pathlib.Path) else BEGIN + program
                (folder / "program.py").write_text(text)
                gpu = ["--gpu", "b200"] if path.name.startswith("blackwell") else []
                done = subprocess.run([sys.executable, "-m", "lanescope", "run", *gpu, folder / "program.py"], capture_output=True, text=True)
                out[path.name] = "" if done.returncode == 0 else done.stderr
    return out


def main():
    checkout = os.environ.get("JAX_CHECKOUT", sys.argv[1] if len(sys.argv) > 1 else "")
    if not (pathlib.Path(checkout) / FOLDER).exists():
        print(f"skipped: no checkout of jax-ml/jax with {FOLDER} is given")
        return SKIPPED
    found = outcomes(checkout)
    for name, problem in found.items():
        print(f"{'left out' if problem is None else 'FAILED' if problem else 'ok'} {name} {problem or ''}")
    return 1 if any(found.values()) else 0


if __name__ == "__main__":
    sys.exit(main())
