#!/usr/bin/env python3
"""Runs kernels of whole programs in a process as the window starts it. Every call has to reach the parent process, with
its code, arrays and findings.

  PYTHONPATH=build/release/python tests/gpu/program_calls.py

The programs use JAX (the installed one, or Lanescope's stand-in): Mosaic GPU, under `jax.jit`, with a fault;
SparseCore. Others use Triton if it is installed. Exit status: 0 all are right, 1 one is not, 77 no NumPy."""

import importlib.util
import pathlib
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "python"))
from warm_host import Host  # noqa: E402

PALLAS = """import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.experimental import pallas as pl
from jax.experimental.pallas import mosaic_gpu as plgpu
from jax.experimental.pallas import tpu as pltpu
from jax.experimental.pallas import tpu_sc as plsc

"""
MOSAIC = PALLAS + """def body(x_ref, o_ref):
    o_ref[...] = x_ref[...] * 2 + 1

twice = plgpu.kernel(body, out_type=jax.ShapeDtypeStruct((64, 128), jnp.float32))
x = np.arange(64 * 128, dtype=np.float32).reshape(64, 128)
np.testing.assert_array_equal(np.asarray(jax.jit(lambda x: twice(x))(x)), 2 * x + 1)
"""
FAULT = PALLAS + """def body(x_ref, o_ref, tile, loaded):
    plgpu.copy_gmem_to_smem(x_ref, tile, loaded)
    o_ref[...] = tile[...]  # nothing waits for the copy
    plgpu.barrier_wait(loaded)

hasty = plgpu.kernel(body, out_type=jax.ShapeDtypeStruct((64, 128), jnp.float32),
                     scratch_types=[plgpu.SMEM((64, 128), jnp.float32), plgpu.Barrier()])
try:
    np.asarray(hasty(np.ones((64, 128), np.float32)))
except Exception as problem:
    print(problem)
"""
SPARSECORE = PALLAS + """mesh = plsc.VectorSubcoreMesh(core_axis_name="core", subcore_axis_name="subcore", num_cores=1)

def body(x, out, tile):
    place = pl.ds(lax.axis_index("subcore") * 16, 16)
    pltpu.sync_copy(x.at[place], tile)
    tile[...] = tile[...] * 2
    pltpu.sync_copy(tile, out.at[place])

double = pl.kernel(body, out_type=jax.ShapeDtypeStruct((256,), jnp.int32), mesh=mesh, scratch_types=[pltpu.VMEM((16,), jnp.int32)])
x = np.arange(256, dtype=np.int32)
np.testing.assert_array_equal(np.asarray(double(x)), 2 * x)
"""
TRITON = """import lanescope.triton
import torch
import triton
import triton.language as tl

@triton.jit
def add(x, y, out, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + at, tl.load(x + at, mask=at < n) + tl.load(y + at, mask=at < n), mask=at < n)

x, y = torch.arange(1000.0), torch.ones(1000)
out = torch.empty_like(x)
with lanescope.triton.emulated(arch="sm_90a"):
    add[(4,)](x, y, out, 1000, BLOCK=256)
assert torch.equal(out, x + y)
"""


def messages(text):
    """The messages of a program's process: its calls, and how it ended."""
    with tempfile.TemporaryDirectory() as folder:
        host = Host()
        host.send(text, pathlib.Path(folder, "program.py"))
        found = []
        while (message := host.receive()) is not None:
            found.append(message)
        host.process.wait(60)
        return found, host.end()


def problem_of(text, stages, fault=False):
    """A description of what is wrong with the single call of a program's kernel; empty if nothing is."""
    found, said = messages(text)
    if not found or found[-1]["type"] != "ended":
        return f"it did not end: {said[-600:]}"
    ended, calls = found[-1], found[:-1]
    if ended["calls"] < 1 or not calls:
        return f"no call came: {ended} {said[-600:]}"
    call = calls[0]
    if bool(ended["faults"]) != fault or (not fault and ended["status"]):
        return f"it ended with {ended}: {said[-600:]}"
    if not set(stages) <= {each["id"] for each in call["stages"]}:
        return f"its stages are {[each['id'] for each in call['stages']]}"
    if not call["inputs"] or "result" not in call:
        return "the call has no inputs or no result"
    findings = [each["kind"] for each in call["result"]["diagnostics"]]
    if fault and not findings:
        return "the call has no findings"
    if b"program.py" not in call["blob"]:
        return "the call names no line of the program"
    return ""


def main():
    if importlib.util.find_spec("numpy") is None:
        return 77
    programs = {"Mosaic GPU": (MOSAIC, ["ptx"], False), "at fault": (FAULT, ["ptx"], True), "SparseCore": (SPARSECORE, ["ir"], False)}
    if importlib.util.find_spec("triton") and importlib.util.find_spec("torch"):
        programs["Triton"] = TRITON, ["ptx"], False
    problems = {name: problem for name, program in programs.items() if (problem := problem_of(*program))}
    for name, problem in problems.items():
        print(f"{name}: {problem}")
    print(f"{len(programs) - len(problems)} of {len(programs)} kinds of programs: {', '.join(programs)}")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
