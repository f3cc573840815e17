#!/usr/bin/env python3
"""Times kernels of ours beside their peers, in one run on one GPU: medians, TFLOP/s.

  tests/gpu/speed.py FOLDER --make [--lanescope lanescope]              here: packages of kernels/, at the peers' sizes
  tests/gpu/speed.py FOLDER [--worker lanescope-worker] [--repeat N] [--peers]                         on the GPU

The kernels are named `matmul…` (two inputs (m, k), (k, n), one output) or `attention…` (q, k, v and out, each (batch,
sequence, heads, head_dim)). Inputs are made on the GPU's machine (standard normal); a result is compared with PyTorch's.
Peers: cuBLAS through PyTorch, Pallas' Mosaic GPU kernels. Needs NumPy and PyTorch; the Pallas peers need JAX.
"""
import argparse
import inspect
import json
import pathlib
import re
import shutil
import statistics
import subprocess
import tempfile

KERNELS = pathlib.Path(__file__).resolve().parents[2] / "kernels"
# Variants by name: the library's file and what is called in place of its check.
VARIANTS = {
    "matmul": ("matmul", "make_matmul(f16)(zeros((8192, 8192), f16), zeros((8192, 8192), f16))"),
    "matmul_pair": ("matmul", "make_matmul(f16, pair=2)(zeros((8192, 8192), f16), zeros((8192, 8192), f16))"),
    "attention": ("attention", "x = zeros((2, 4096, 16, 128), f16)\nmake_attention(2, 4096, 16, 128)(x, x, x)"),
}


def make(folder, lanescope):
    for name, (kernel, call) in VARIANTS.items():
        with tempfile.TemporaryDirectory() as temporary:
            snippet = pathlib.Path(temporary) / f"{name}.py"
            text = (KERNELS / f"{kernel}.py").read_text()
            # The package has the kernel's name.
            text = re.sub(rf"\b(def|return) {kernel}\b", rf"\1 {name}", text[:text.index("# The check")])
            snippet.write_text(f"{text}{call}\n")
            subprocess.run([lanescope, "compile", snippet, "--emit", "package", "--no-expected", "-o",
                            folder], check=True)


def prepare(package, folder):
    """A copy of the package with random inputs; the inputs and the name of the output's file."""
    import numpy as np
    copy = folder / package.name
    shutil.copytree(package, copy)
    launch = json.loads((copy / "launch.json").read_text())
    inputs, out = [], None
    generator = np.random.default_rng(0)
    for buffer in launch["params"][0]["buffers"]:
        if "out" in buffer:
            out = buffer["out"]
            continue
        array = generator.standard_normal(buffer["shape"], np.float32).astype(np.float16)
        buffer["data"] = f"input{len(inputs)}.npy"
        np.save(copy / buffer["data"], array)
        inputs.append(array)
    (copy / "launch.json").write_text(json.dumps(launch))
    return copy, inputs, out


def flops(kind, inputs):
    if kind == "matmul":
        (m, k), (_, n) = inputs[0].shape, inputs[1].shape
        return 2 * m * n * k
    batch, sequence, heads, width = inputs[0].shape
    return 4 * batch * heads * sequence * sequence * width


def reference(kind, inputs):
    import torch
    tensors = [torch.from_numpy(x).cuda() for x in inputs]
    if kind == "matmul":
        return tensors, lambda: tensors[0] @ tensors[1]
    q, k, v = (t.transpose(1, 2).contiguous() for t in tensors)
    # No scale, as in Pallas' attention_mgpu.
    return tensors, lambda: torch.nn.functional.scaled_dot_product_attention(q, k, v, scale=1.0)


def torch_time(call, repeat):
    import torch
    call()
    times = []
    for _ in range(repeat):
        start, stop = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        start.record()
        call()
        stop.record()
        stop.synchronize()
        times.append(start.elapsed_time(stop))
    return statistics.median(times) * 1000


def pallas_times(kind, inputs, repeat):
    """(name, µs) of every configuration of Pallas' kernel that runs."""
    import jax
    from jax.experimental.mosaic.gpu import profiler
    arrays = [jax.device_put(x) for x in inputs]
    if kind == "matmul":
        from jax.experimental.pallas.ops.gpu import hopper_matmul_mgpu as module
        dims = module.MatmulDimension
        function = getattr(module, "matmul_kernel", None) or module.matmul
        # Some versions add a third matrix to the product.
        extra = {"c": None} if "c" in inspect.signature(function).parameters else {}
        runs = [(f"width {width}, minor {dim.name}",
                 lambda a, b, config=module.TuningConfig(tile_m=128, tile_n=128, tile_k=64, max_concurrent_steps=4,
                                                         grid_minor_dim=dim, grid_tile_width=width):
                 function(a, b, config=config, **extra))
                for dim in (dims.M, dims.N) for width in (4, 8, 16)]
    else:
        from jax.experimental.pallas.ops.gpu import attention_mgpu as module
        runs = [(f"block_q {block_q}, block_kv {block_kv}, {steps} steps",
                 lambda q, k, v, config=module.TuningConfig(block_q=block_q, block_kv=block_kv,
                                                            max_concurrent_steps=steps):
                 module.attention(q, k, v, config))
                for block_q, block_kv, steps in ((64, 128, 2), (64, 256, 2), (64, 64, 4), (128, 128, 2))]
    for name, run in runs:
        try:
            _, times = profiler.measure(run, iterations=repeat)(*arrays)
            yield name, statistics.median(times) * 1000
        except Exception as problem:  # a configuration that this version refuses
            yield f"{name}: {type(problem).__name__}: {str(problem).splitlines()[0][:90]}", None


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--make", action="store_true")
    parser.add_argument("--lanescope", default="lanescope")
    parser.add_argument("--worker", default="lanescope-worker")
    parser.add_argument("--repeat", type=int, default=20)
    parser.add_argument("--peers", action="store_true")
    arguments = parser.parse_args()
    if arguments.make:
        make(arguments.folder, arguments.lanescope)
        return 0
    import numpy as np
    import torch
    seen = {}
    failed = False

    def line(name, time, work, note=""):
        print(f"{name:48} {time:10.1f} us {work / time / 1e6:8.1f} TFLOP/s  {note}", flush=True)

    for package in sorted(arguments.folder.glob("*.lspkg")):
        kind = "attention" if "attention" in json.loads((package / "meta.json").read_text())["kernel"] else "matmul"
        with tempfile.TemporaryDirectory() as temporary:
            folder = pathlib.Path(temporary)
            copy, inputs, out = prepare(package, folder)
            seen.setdefault(kind, inputs)
            done = subprocess.run([arguments.worker, "run", copy, "-o", folder / "results", "--repeat",
                                   str(arguments.repeat)], capture_output=True, text=True)
            result = folder / "results" / package.stem
            if done.returncode != 0:
                print(package.stem, "failed:", done.stdout, done.stderr, flush=True)
                failed = True
                continue
            time = json.loads((result / "result.json").read_text())["time_us"]
            tensors, expected = reference(kind, inputs)
            ours = torch.from_numpy(np.load(result / out)).cuda().float()
            wanted = expected().float()
            if kind == "attention":
                wanted = wanted.transpose(1, 2)
            error = ((ours - wanted).abs() / (1 + wanted.abs())).max().item()
            failed |= error > 1e-2
            line(package.stem, time, flops(kind, inputs), f"largest error {error:.1e}")
    if arguments.peers:
        for kind, inputs in seen.items():
            _, call = reference(kind, inputs)
            line(f"PyTorch {kind}", torch_time(call, arguments.repeat), flops(kind, inputs))
            for name, time in pallas_times(kind, inputs, arguments.repeat):
                if time is None:
                    print("Pallas", name, flush=True)
                else:
                    line(f"Pallas {kind}, {name}", time, flops(kind, inputs))
    return 1 if failed else 0


if __name__ == "__main__":
    raise SystemExit(main())
