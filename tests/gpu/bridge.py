#!/usr/bin/env python3
"""Runs JAX programs through the bridge (repl/python/lanescope/jax), and compares their kernels' results with this
machine's GPU.

  tests/gpu/bridge.py [FILE|FOLDER …] [-o RESULTS] [--lowering ours|jax] [--device emulator|gpu] [--only TEXT]
  tests/gpu/bridge.py tests/gpu/bridge_programs/blackwell --gpu b200 --no-gpu

Needs JAX, and without --no-gpu its CUDA plugin and a GPU. Each program runs twice, in separate processes: with JAX on
the GPU, where the script keeps every result of every kernel, and through the bridge with CUDA hidden, on the emulator
with checks (--device gpu: on the GPU's worker). Both runs have to succeed (programs check themselves), and the kernels'
results have to be equal, bit for bit or within the printed tolerance. GPU results that RESULTS already has are not made
again. A fault of a kernel is reported, and its program continues. Without arguments, the script runs the programs of
../shared/golden/pallas_source and of bridge_programs/.
Exit status: 0 all the same; 1 something differed or failed."""
import argparse
import json
import os
import re
import shutil
import pathlib
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
PACKAGE = ROOT / "build" / "release" / "python"
FAULTS = re.compile(r"^lanescope: (\d+ of \d+ calls of kernels are at fault)$", re.M)
sys.path.insert(0, str(PACKAGE))
from lanescope.jax.capture import plain_name  # noqa: E402

TOLERANCE = {"float64": 1e-6, "float32": 2e-5, "float16": 2e-3, "bfloat16": 2e-2, "float8_e4m3fn": 0.13, "float8_e5m2": 0.26}


# --- on the GPU: keeps every kernel's results

def record(program, folder):
    """Runs the program with unchanged JAX, and saves each kernel's results as FOLDER/NAME_COUNT.npz."""
    import itertools
    import runpy

    import jax
    import numpy as np
    from jax._src.interpreters import mlir
    from jax.experimental.mosaic import gpu
    from jaxlib.mlir import ir

    count, lower = itertools.count(), gpu.core._mosaic_gpu_lowering_rule

    def lower_and_keep(ctx, *args, module, **params):
        name = plain_name(ir.StringAttr(module.operation.attributes["sym_name"]).value)
        results = lower(ctx, *args, module=module, **params)

        def keep(*arrays):
            arrays = [np.asarray(each) for each in arrays]
            np.savez(folder / f"{name}_{next(count)}.npz", types=np.array([each.dtype.name for each in arrays]),
                     **{f"r{i}": np.frombuffer(each.tobytes(), np.uint8) for i, each in enumerate(arrays)},
                     **{f"s{i}": np.array(each.shape, np.int64) for i, each in enumerate(arrays)})

        def called(*arrays):
            jax.debug.callback(keep, *arrays, ordered=False)
            return ()

        mlir.lower_fun(called, multiple_results=True)(ctx.replace(avals_in=ctx.avals_out, avals_out=[]), *results)
        return results

    gpu.core._mosaic_gpu_lowering_rule = lower_and_keep
    mlir.register_lowering(gpu.core.mosaic_gpu_p, lower_and_keep, "cuda")
    folder.mkdir(parents=True, exist_ok=True)
    sys.argv, sys.path[0] = [str(program)], str(program.parent)
    runpy.run_path(str(program), run_name="__main__")
    jax.effects_barrier()


# --- comparing

def difference(package, kept, timed):
    """(the difference between a captured call's outputs and the GPU's results, or None; its size). `timed`: integers
    hold times."""
    import ml_dtypes  # noqa: F401  NumPy's bfloat16 and smaller
    import numpy as np

    files = json.loads((package / "results.json").read_text())
    with np.load(kept) as results:
        want = [np.frombuffer(results[f"r{i}"].tobytes(), np.dtype(str(name))).reshape(results[f"s{i}"]) for i, name in enumerate(results["types"])]
    if len(files) != len(want):
        return f"{len(files)} results, and {len(want)} on the GPU", 0.0
    worst = 0.0
    for number, (file, there) in enumerate(zip(files, want)):
        if file is None:  # the kernel does not write it
            continue
        here = np.frombuffer(np.load(package / "expected" / file, allow_pickle=False).tobytes(), np.uint8)
        if here.tobytes() == there.tobytes() or (timed and there.dtype.kind == "u"):
            continue
        if here.size != there.nbytes:
            return f"result {number} has {here.size} bytes, {there.nbytes} on the GPU", 0.0
        a, b = np.frombuffer(here.tobytes(), there.dtype).astype(np.float64), there.ravel().astype(np.float64)
        tolerance = TOLERANCE.get(there.dtype.name)
        scale = max(float(np.max(np.abs(b[np.isfinite(b)]), initial=0)), 1e-30)
        if tolerance is None or not np.array_equal(np.isfinite(a), np.isfinite(b)):
            return f"result {number} ({there.dtype.name}) differs in {int(np.sum(a != b))} of {a.size} elements", 0.0
        off = float(np.max(np.abs(np.where(np.isfinite(a), a - b, 0)))) / scale
        worst = max(worst, off)
        if off > tolerance:
            return f"result {number} ({there.dtype.name}) is off by {off:.3g} of its largest element", worst
    return None, worst


def ordered(folder, pattern):
    """Files by kernel and call: {name: [file, …]}."""
    found = {}
    for file in sorted(folder.glob(pattern), key=lambda file: int(file.stem.rpartition("_")[2])):
        found.setdefault(file.stem.rpartition("_")[0], []).append(file)
    return found


def run(command, log, timeout, **environment):
    began = time.monotonic()
    with open(log, "wb") as stream:
        try:
            done = subprocess.run(command, stdout=stream, stderr=subprocess.STDOUT, env={**os.environ, **environment}, timeout=timeout)
        except subprocess.TimeoutExpired:
            return f"no end after {timeout} s", timeout
    return done.returncode, time.monotonic() - began


def check(program, options):
    """(True if all is well, a line about it)"""
    folder = options.output / program.stem
    calls, kept = folder / "calls", folder / "gpu"
    folder.mkdir(parents=True, exist_ok=True)
    said, path = [], os.pathsep.join(filter(None, (str(PACKAGE), os.environ.get("PYTHONPATH"))))
    shutil.rmtree(calls, ignore_errors=True)
    if not options.no_gpu and not any(kept.glob("*.npz")):
        status, seconds = run([sys.executable, __file__, "--record", str(kept), str(program)], folder / "gpu.log", options.timeout, XLA_PYTHON_CLIENT_PREALLOCATE="false")
        if status:
            return False, f"JAX on the GPU ended with {status}: {tail(folder / 'gpu.log')}"
        said.append(f"GPU {seconds:.1f} s")
    command = [sys.executable, "-m", "lanescope", "run", "--capture", str(calls), "--device", options.device, "--lowering", options.lowering, "--gpu", options.gpu, "--lanescope-worker", options.lanescope_worker]
    hidden = {} if options.device == "gpu" else {"CUDA_VISIBLE_DEVICES": ""}
    status, seconds = run([*command, str(program)], folder / "bridge.log", options.timeout, PYTHONPATH=path, JAX_PLATFORMS="cpu", **hidden)
    faults = FAULTS.search((folder / "bridge.log").read_text(errors="replace"))
    if faults and status == 1 and options.device == "emulator":
        said.append(faults[1])
    elif status:
        return False, f"the bridge ended with {status}: {tail(folder / 'bridge.log')}"
    packages = ordered(calls, "*.lspkg")
    count = sum(map(len, packages.values()))
    said.append(f"bridge {seconds:.1f} s, {count} calls")
    if count == 0:
        return False, "no kernel was called"
    if options.no_gpu:
        return True, ", ".join(said)
    results, same, worst = ordered(kept, "*.npz"), 0, 0.0
    timed = "profile_space" in program.read_text()
    for name, files in packages.items():
        if len(results.get(name, [])) != len(files):
            return False, f"kernel `{name}` was called {len(files)} times, {len(results.get(name, []))} times on the GPU"
        left = list(results[name])
        for package in files:  # the GPU's results are not in the order of the calls
            outcomes = [(*difference(package, file, timed), file) for file in left]
            problem, off, file = min(outcomes, key=lambda each: (each[0] is not None, each[1]))
            if problem:
                return False, f"{package.name}: {problem}"
            left.remove(file)
            same, worst = same + (off == 0), max(worst, off)
    return True, ", ".join([*said, f"{same} the same bit for bit" + (f", others within {worst:.2g}" if same < count else "")])


def tail(log):
    return log.read_text(errors="replace").strip()[-600:]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("programs", nargs="*", type=pathlib.Path, metavar="FILE|FOLDER")
    parser.add_argument("-o", "--output", type=pathlib.Path, default=pathlib.Path("bridge-results"))
    parser.add_argument("--lanescope-worker", default=str(ROOT / "build/release/bin/lanescope-worker"))
    parser.add_argument("--lowering", default="ours", choices=("ours", "jax"))
    parser.add_argument("--device", default="emulator", choices=("emulator", "gpu"))
    parser.add_argument("--gpu", default="h200", help="the GPU that programs see")
    parser.add_argument("--no-gpu", action="store_true")
    parser.add_argument("--only", default="")
    parser.add_argument("--timeout", type=int, default=300, help="seconds for one program")
    parser.add_argument("--record", type=pathlib.Path, help=argparse.SUPPRESS)
    parser.add_argument("--jobs", type=int, default=1)
    options = parser.parse_args()
    if options.record:
        record(options.programs[0].resolve(), options.record)
        return 0
    places = options.programs or [ROOT.parent / "shared/golden/pallas_source", HERE / "bridge_programs"]
    programs = [file.resolve() for place in places for file in (sorted(place.glob("*.py")) if place.is_dir() else [place])]
    programs = [program for program in programs if options.only in program.stem]
    import concurrent.futures

    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        outcomes = list(zip(programs, pool.map(lambda program: check(program, options), programs)))
    for program, (well, said) in outcomes:
        print(f"{'ok' if well else 'FAILED'} {program.stem}: {said}")
    right = sum(well for _, (well, _) in outcomes)
    print(f"{right} of {len(programs)} programs: the same as on the GPU" if not options.no_gpu else f"{right} of {len(programs)} programs run")
    return 0 if programs and right == len(programs) else 1


if __name__ == "__main__":
    sys.exit(main())
