"""A kernel that records a trace with JAX's profiler: the trace is written, and the results are right."""
import json
import pathlib
import tempfile

import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental.pallas import mosaic_gpu as plgpu


def main():
  with tempfile.TemporaryDirectory() as folder:
    def body(x, out):
      with jax.named_scope("load"):
        value = x[...]
      with jax.named_scope("store"):
        out[...] = value + 1.0

    x = jnp.arange(256, dtype=jnp.float32)
    kernel = plgpu.kernel(body, out_type=jax.ShapeDtypeStruct(x.shape, x.dtype),
                          compiler_params=plgpu.CompilerParams(profile_space=16, profile_dir=folder))
    np.testing.assert_array_equal(kernel(x), np.arange(256) + 1)
    jax.effects_barrier()
    [trace] = pathlib.Path(folder).iterdir()
    names = {event.get("name") for event in json.loads(trace.read_text())["traceEvents"]}
    assert {"load", "store"} <= names, names
  print("profiled: ok")


if __name__ == "__main__":
  main()
