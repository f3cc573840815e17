#!/usr/bin/env python3
"""Runs every sample by the command that its first lines name, on the emulator, and checks the kernels' traces: each
traced warpgroup has its regions, in order. Programs run in PYTHON if it is given. Usage: samples.py LANESCOPE REPOSITORY [PYTHON]"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

from named_command import on_emulator

STEPS = 8
# Regions that the emulator adds to the kernel's own.
ADDED = {"arrive", "mbarrier wait", "copy group wait", "wgmma wait"}
REGIONS = {
    "ampere": (1, ["warm up"] + ["wait", "multiply"] * 4),
    "double": (1, ["load", "double", "store"]),
    "pipeline": (8, ["warm up"] + ["fetch", "wait", "add"] * (STEPS - 1) + ["wait", "add", "store"]),
    "tune_stages": (2, ["warm up"] + ["fetch", "wait", "add"] * (STEPS - 3) + ["wait", "add"] * 3 + ["store"]),  # 4 stages
    "transpose": (8, ["load", "turn", "store"]),
    "warps": (1, ["warps"]),
    "gather": (4, ["tokens", "gather", "store"]),
    "tensor_core": (1, ["load", "multiply", "store"]),
    "tensor_memory": (1, ["load", "multiply", "add"]),
}


def regions_by_track(trace):
    """The regions of the warpgroups' tracks, without the tracks of operations in flight."""
    flights = {(event["pid"], event["tid"]) for event in trace["traceEvents"]
               if event["ph"] == "M" and event["name"] == "thread_name" and "in flight" in event["args"]["name"]}
    tracks = {}
    for event in trace["traceEvents"]:
        if event["ph"] == "B" and event["name"] not in ADDED and (event["pid"], event["tid"]) not in flights:
            tracks.setdefault((event["pid"], event["tid"]), []).append(event["name"])
        if event["ph"] in "BE":
            assert event["ts"] >= 0
    return tracks


def main():
    lanescope, repository = sys.argv[1], pathlib.Path(sys.argv[2])
    passed, failed = 0, 0
    assert {path.stem for path in (repository / "samples/kernels").glob("*.py")} == REGIONS.keys()
    with tempfile.TemporaryDirectory() as folder:
        for name, (count, expected) in REGIONS.items():
            out = pathlib.Path(folder) / f"{name}.json"
            words = on_emulator(repository / f"samples/kernels/{name}.py", repository)
            result = subprocess.run([lanescope, *words, "--trace", str(out)], capture_output=True, text=True, timeout=300, cwd=repository)
            problem = None
            if result.returncode != 0:
                problem = f"exit status {result.returncode}\n{result.stdout}{result.stderr}"
            else:
                tracks = regions_by_track(json.loads(out.read_text()))
                wrong = [regions for regions in tracks.values() if [r for r in regions if r != "Init"] != expected]
                if len(tracks) != count or wrong:
                    problem = f"{len(tracks)} tracks (expected {count}); regions {wrong[:1]} (expected {expected})"
            if problem:
                failed += 1
                print(f"FAILED {name}: {problem}")
            else:
                passed += 1
    # Pallas programs run by their name alone, in the `python3` on PATH. The command distinguishes PTX from programs.
    for program in sorted((repository / "samples/pallas").glob("*.py")) if sys.argv[3:] else []:
        path = f"{pathlib.Path(sys.argv[3]).parent}:{os.environ['PATH']}"
        result = subprocess.run([lanescope, *on_emulator(program, repository)], capture_output=True, text=True, timeout=300, cwd=repository,
                                env={**os.environ, "PATH": path, "VIRTUAL_ENV": ""})
        good = result.returncode == 0 and result.stdout == f"{program.stem}: ok\n"
        passed, failed = passed + good, failed + (not good)
        if not good:
            print(f"FAILED {program.name}: {result.stdout}{result.stderr}")
    # Kernels for several devices, and for SparseCores, check their results themselves. The latter then show them.
    for program in sorted([*(repository / "samples/multi").glob("*.py"), *(repository / "samples/sparsecore").glob("*.py")]):
        result = subprocess.run([lanescope, *on_emulator(program, repository)], capture_output=True, text=True, timeout=300, cwd=repository)
        right = f"{program.stem}: the result is right\n"
        good = result.returncode == 0 and (program.parent.name == "sparsecore" or result.stdout + result.stderr == right)
        passed, failed = passed + good, failed + (not good)
        if not good:
            print(f"FAILED {program.name}: {result.stdout}{result.stderr}")
    with tempfile.NamedTemporaryFile(suffix=".ptx") as ptx:
        result = subprocess.run([lanescope, "run", ptx.name], capture_output=True, text=True, timeout=60)
        good = result.returncode == 1 and "this is PTX, which `lanescope run` does not take" in result.stderr
        passed, failed = passed + good, failed + (not good)
        if not good:
            print(f"FAILED on PTX: {result.returncode} {result.stderr}")
    print(f"samples: {passed} passed, {failed} failed")
    return 1 if failed else 0


sys.exit(main())
