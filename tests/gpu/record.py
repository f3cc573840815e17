#!/usr/bin/env python3
"""Records programs on a GPU, and replays them on a machine without one.

    tests/gpu/record.py make WORKER -o FOLDER     # on a GPU's machine; liblanescope_record.so is beside WORKER
    tests/gpu/record.py replay LANESCOPE FOLDER   # anywhere

`make` runs CUDA programs, also with graphs, with a static and with a dynamic runtime (if there is nvcc), PyTorch, Triton, JAX, CuPy and
Numba (if they can be imported), once plain and once recorded, several at a time. It compares their output, and prints the number of
recorded launches. Then it measures what the recorder adds to launches that are not recorded. `replay` emulates all packages, counts
the distinct launches, and fails if fewer than 97 % of them give the recorded results."""
import argparse
import collections
import concurrent.futures
import hashlib
import importlib.util
import json
import os
import pathlib
import shutil
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
PROGRAMS = HERE / "record_programs"
WANTED = 0.97
ENOUGH = 150  # the most packages of one program
SECONDS = 240
ROUNDS = 12  # rounds of the measurement
MOST_ADDED = 0.10  # by the recorder, to launches that are not recorded


def environment(folder):
    (folder / "xla").mkdir(parents=True, exist_ok=True)
    # CuPy's cache has machine code alone, so the recorder needs to see each compilation.
    return {**os.environ, "PYTORCH_NO_CUDA_MEMORY_CACHING": "1", "XLA_PYTHON_CLIENT_ALLOCATOR": "platform", "CUPY_CACHE_IN_MEMORY": "1",
            "XLA_FLAGS": f"--xla_dump_to={folder / 'xla'} --xla_dump_emitter_re=.* --xla_gpu_autotune_level=0",
            "MOSAIC_GPU_DUMP_TO": str(folder / "xla"), "TRITON_CACHE_DIR": str(folder / "triton"),
            "TORCHINDUCTOR_CACHE_DIR": str(folder / "inductor"), "TORCHINDUCTOR_COMPILE_THREADS": "1"}


def built(nvcc, source, runtime, scratch):
    program = scratch / f"{source}_{runtime}"
    done = subprocess.run([nvcc, "-std=c++17", "-lineinfo", "-cudart", runtime, "-gencode", "arch=compute_90,code=[sm_90,compute_90]",
                           "-o", program, PROGRAMS / f"{source}.cu"], capture_output=True, text=True)
    if done.returncode:
        print(f"nvcc: {done.stderr}")
    return None if done.returncode else program


def compiler():
    return shutil.which("nvcc") or shutil.which("nvcc", path="/usr/local/cuda/bin")


PYTHON = [("torch", ["torch"], ["networks", "elementwise", "reductions", "indices"]), ("triton", ["torch", "triton"], [""]),
          ("triton_cases", ["torch", "triton"], ["elementwise", "memory", "networks", "products", "gluon_kernels"]), ("jax", ["jax"], ["xla", "mosaic"]),
          ("cupy", ["cupy"], [""]), ("numba", ["numba.cuda"], [""])]


def programs(scratch, only):
    """The name and command of each program that can run here."""
    nvcc = compiler()
    for source in ("kernels", "graphs") if nvcc else ():
        for runtime in ("static", "shared"):
            if only in source and (program := built(nvcc, source, runtime, scratch)):
                yield program.name, [program]
    for name, modules, parts in PYTHON:
        try:
            there = all(importlib.util.find_spec(module) for module in modules)
        except (ImportError, AttributeError):
            there = False
        if not there:
            print(f"{name}: not importable")
            continue
        for part in parts:
            full = f"{name}_{part}".rstrip("_")
            command = [sys.executable, PROGRAMS / f"with_{name}.py", *([part] if part else [])]
            if only not in full:
                continue
            yield full, command


def run(command, env):
    begin = time.monotonic()
    try:
        got = subprocess.run([str(word) for word in command], capture_output=True, text=True, env=env, timeout=SECONDS)
    except subprocess.TimeoutExpired:
        return None, SECONDS
    return got, time.monotonic() - begin


def record_one(worker, folder, scratch, name, command):
    """Runs the program plain and recorded. Returns true if it behaves the same, and a report."""
    place = scratch / f"{name}-files"
    env = environment(place)
    plain, before = run(command, env)  # fills the caches
    got, taken = run([worker, "record", "-o", folder / name, "--at-most", ENOUGH, "--max-bytes", "64M", "--ptx", place / "xla",
                      "--", *command], env)
    # Blocks that print may do so in any order.
    good = plain and got and plain.returncode == got.returncode == 0 and sorted(plain.stdout.splitlines()) == sorted(got.stdout.splitlines())
    count = len(list((folder / name).glob("*.lspkg")))
    report = [f"{name}: {'same output' if good else 'FAILED'}, {count} packages, {before:.1f} s plain, {taken:.1f} s recorded"]
    for what, one in (("plain", plain), ("recorded", got)):
        if one and (not good or what == "recorded"):
            report += [f"  {what}: exit status {one.returncode}", *("    " + line for line in (one.stdout[-600:] + one.stderr[-2500:]).splitlines())]
    (folder / f"{name}.txt").write_text("\n".join([*report, *(("plain", plain.stdout, plain.stderr) if plain else ()), "recorded",
                                                   got.stdout if got else "", got.stderr if got else ""]))
    return good, "\n".join(report)


def hang(worker, folder, scratch):
    """A kernel that never ends leaves its package, also if the program is killed."""
    nvcc = compiler()
    program = built(nvcc, "hang", "shared", scratch) if nvcc else None
    if not program:
        return True
    try:
        subprocess.run([worker, "record", "-o", folder / "hang", "--time-limit", "3", "--", program], capture_output=True, timeout=15)
    except subprocess.TimeoutExpired:
        pass
    states = [json.loads((package / "recorded.json").read_text())["state"] for package in (folder / "hang").glob("*.lspkg")]
    print(f"hang: packages {states}")
    return states == ["running"]


def added(worker, scratch):
    """The part by which programs of which nothing is recorded take longer, in the one with the most. A program's time is
    the least of several runs, which take turns."""
    nvcc = compiler()
    program = built(nvcc, "launches", "shared", scratch) if nvcc else None
    measured = {"CUDA": [program]} if program else {}
    if importlib.util.find_spec("torch"):
        measured["PyTorch"] = [sys.executable, PROGRAMS / "with_torch.py", "launches"]
        measured["training"] = [sys.executable, PROGRAMS / "with_torch.py", "training"]
    most = 0
    for name, words in measured.items():
        times = {"plain": [], "recorded": []}
        for _ in range(ROUNDS):
            for how, command in (("plain", words), ("recorded", [worker, "record", "-o", scratch / "none", "--kernel", "^none$", "--", *words])):
                done, _ = run(command, os.environ)
                times[how] += [float(word[0]) for line in (done.stderr.splitlines() if done else []) if (word := line.split(" us a "))[1:]]
        part = min(times["recorded"]) / min(times["plain"]) - 1 if all(times.values()) else 1
        print(f"{name}, us a launch or step: {times}: {part:+.1%}")
        most = max(most, part)
    return most


def make(worker, folder, jobs, only):
    folder.mkdir(parents=True, exist_ok=True)
    scratch = pathlib.Path("/tmp") / f"record-{os.getpid()}"
    scratch.mkdir()
    problems = 0
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        for good, report in pool.map(lambda one: record_one(worker, folder, scratch, *one), list(programs(scratch, only))):
            problems += not good
            print(report, flush=True)
    problems += not hang(worker, folder, scratch) if only in "hang" else 0
    part = added(worker, scratch) if only in ("", "added") else 0
    print(f"the recorder adds {part:.1%} to what is not recorded")
    shutil.rmtree(scratch)
    return 1 if problems or part > MOST_ADDED else 0


def kind_of(package):
    """The parts in which distinct launches differ: the PTX, the entry, the grid and the block."""
    launch = json.loads((package / "launch.json").read_text())
    return (hashlib.sha256((package / "kernel.ptx").read_bytes()).hexdigest(), launch["entry"], str(launch["grid"]), str(launch["block"]))


def replay(lanescope, folder):
    grades, kinds = collections.Counter(), {}
    for place in sorted(each for each in folder.iterdir() if each.is_dir()):
        got = subprocess.run([lanescope, "emulate", place, "--fast", "--time-limit", "60"], capture_output=True, text=True)
        print(f"{place.name}\n{got.stdout}{got.stderr}")
        for line in got.stdout.splitlines()[:-1]:
            words = [word for word in line.split("  ") if word]
            if len(words) > 1 and (place / words[1].strip()).is_dir():
                kinds.setdefault(kind_of(place / words[1].strip()), words[0])
    grades.update(kinds.values())
    all_, good = sum(grades.values()), grades["exact"] + grades["close"] + grades["atomics"]
    all_ -= grades["not comparable"]  # kernels of a graph that cannot be taken apart have no result
    print(f"{good} of {all_} distinct launches: {dict(grades)}")
    return 0 if all_ and good >= WANTED * all_ else 1


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["make", "replay"])
    parser.add_argument("program", type=pathlib.Path)
    parser.add_argument("folder", type=pathlib.Path, nargs="?", default=pathlib.Path("recorded"))
    parser.add_argument("-o", dest="output", type=pathlib.Path)
    parser.add_argument("--jobs", type=int, default=max(1, (os.cpu_count() or 2) // 2))
    parser.add_argument("--only", default="", help="programs whose name has this text; `added`: only what the recorder adds to programs of which nothing is recorded")
    arguments = parser.parse_args()
    if arguments.what == "make":
        return make(arguments.program.resolve(), (arguments.output or arguments.folder).resolve(), arguments.jobs, arguments.only)
    return replay(arguments.program, arguments.folder)


sys.exit(main())
