#!/usr/bin/env python3
"""Records programs on a GPU, and replays them on a machine without one.

    tests/gpu/record.py make WORKER -o FOLDER     # on a GPU's machine; liblanescope_record.so is beside WORKER
    tests/gpu/record.py replay LANESCOPE FOLDER   # anywhere

`make` runs CUDA programs, also with graphs, with a static and with a dynamic runtime (if there is nvcc), PyTorch, Triton, JAX, CuPy and
Numba (if they can be imported), once plain and once recorded. It compares their output, and prints the number of
recorded launches. `replay` emulates all packages, and fails if fewer than 97 % give the recorded results."""
import argparse
import collections
import importlib.util
import os
import pathlib
import shutil
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
PROGRAMS = HERE / "record_programs"
WANTED = 0.97
ENOUGH = 40  # the most packages of one program
SECONDS = 180


def environment(folder):
    return {**os.environ, "PYTORCH_NO_CUDA_MEMORY_CACHING": "1", "XLA_PYTHON_CLIENT_ALLOCATOR": "platform", "CUPY_COMPILE_WITH_PTX": "1",
            "XLA_FLAGS": f"--xla_dump_to={folder / 'xla'}", "TRITON_CACHE_DIR": str(folder / "triton"),
            "TORCHINDUCTOR_CACHE_DIR": str(folder / "inductor"), "TORCHINDUCTOR_COMPILE_THREADS": "1"}


def programs(scratch):
    """The name and command of each program that can run here."""
    nvcc = shutil.which("nvcc") or shutil.which("nvcc", path="/usr/local/cuda/bin")
    for runtime, source in [("static", "kernels"), ("shared", "kernels"), ("static", "graphs"), ("shared", "graphs")] if nvcc else ():
        program = scratch / f"{source}_{runtime}"
        built = subprocess.run([nvcc, "-std=c++17", "-lineinfo", "-cudart", runtime, "-gencode", "arch=compute_90,code=[sm_90,compute_90]",
                                "-o", program, PROGRAMS / f"{source}.cu"], capture_output=True, text=True)
        if built.returncode:
            print(f"nvcc: {built.stderr}")
        else:
            yield program.name, [program]
    for name, modules in (("torch", ["torch"]), ("triton", ["torch", "triton"]), ("jax", ["jax"]), ("cupy", ["cupy"]),
                          ("numba", ["numba.cuda"])):
        try:
            there = all(importlib.util.find_spec(module) for module in modules)
        except (ImportError, AttributeError):
            there = False
        if there:
            yield name, [sys.executable, PROGRAMS / f"with_{name}.py"]
        else:
            print(f"{name}: not importable")


def run(command, env):
    begin = time.monotonic()
    try:
        got = subprocess.run([str(word) for word in command], capture_output=True, text=True, env=env, timeout=SECONDS)
    except subprocess.TimeoutExpired:
        return None, SECONDS
    return got, time.monotonic() - begin


def make(worker, folder):
    folder.mkdir(parents=True, exist_ok=True)
    scratch = pathlib.Path("/tmp") / f"record-{os.getpid()}"
    scratch.mkdir()
    problems = 0
    for name, command in programs(scratch):
        place = scratch / f"{name}-files"
        place.mkdir()
        env = environment(place)
        run(command, env)  # fills the caches
        plain, before = run(command, env)
        idle, listing = run([worker, "record", "--list", "--", *command], env)
        got, taken = run([worker, "record", "-o", folder / name, "--at-most", ENOUGH, "--max-bytes", "64M", "--ptx", place / "xla",
                          "--", *command], env)
        good = plain and got and plain.returncode == got.returncode == 0 and plain.stdout == got.stdout
        problems += not good
        count = len(list((folder / name).glob("*.lspkg")))
        print(f"{name}: {'same output' if good else 'FAILED'}, {count} packages, {before:.1f} s plain, {listing:.1f} s listed, {taken:.1f} s recorded")
        for what, one in (("plain", plain), ("recorded", got)):
            if one and (not good or what == "recorded"):
                print(f"  {what}: exit status {one.returncode}\n    " + "\n    ".join((one.stdout[-600:] + one.stderr[-2500:]).splitlines()))
        if idle:
            print("  " + "\n  ".join(idle.stdout.splitlines()[:60]))
        sys.stdout.flush()
    shutil.rmtree(scratch)
    return 1 if problems else 0


def replay(lanescope, folder):
    grades = collections.Counter()
    for place in sorted(folder.iterdir()):
        got = subprocess.run([lanescope, "emulate", place, "--fast", "--time-limit", "60"], capture_output=True, text=True)
        print(f"{place.name}\n{got.stdout}{got.stderr}")
        grades.update(line.split("  ")[0] for line in got.stdout.splitlines()[:-1])
    all_, good = sum(grades.values()), grades["exact"] + grades["close"] + grades["atomics"]
    all_ -= grades["not comparable"]  # kernels of a graph that cannot be taken apart have no result
    print(f"{good} of {all_}: {dict(grades)}")
    return 0 if all_ and good >= WANTED * all_ else 1


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["make", "replay"])
    parser.add_argument("program", type=pathlib.Path)
    parser.add_argument("folder", type=pathlib.Path, nargs="?", default=pathlib.Path("recorded"))
    parser.add_argument("-o", dest="output", type=pathlib.Path)
    arguments = parser.parse_args()
    if arguments.what == "make":
        return make(arguments.program.resolve(), (arguments.output or arguments.folder).resolve())
    return replay(arguments.program, arguments.folder)


sys.exit(main())
