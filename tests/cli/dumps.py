#!/usr/bin/env python3
"""Compiles modules that JAX dumped with warpgroup semantics, and runs them on the emulator. They have to give the
arrays of JAX's own code, within each case's tolerance.

A case is a folder with before.mlir, the arrays and meta.json, which names the compared arrays and their tolerances.
Cases are the folders of FOLDER, or of pallas_own.tar.xz in it.
Usage: dumps.py LANESCOPE FOLDER [--module after] [--only TEXT] [--known NAME,…] [--fast] [--jobs N]"""
import argparse
import collections
import concurrent.futures
import json
import os
import pathlib
import subprocess
import sys
import tarfile
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from corpus import TIMEOUT, difference  # noqa: E402


def run_case(lanescope, case, module, options, scratch):
    meta = json.loads((case / "meta.json").read_text())
    out = scratch / case.name
    inputs = [str(case / entry["file"]) for entry in meta["inputs"]]
    command = [lanescope, "run", str(case / f"{module}.mlir"), "--device", "emulator", "-o", str(out), *options]
    try:
        run = subprocess.run(command + (["--inputs", *inputs] if inputs else []), capture_output=True, text=True, timeout=TIMEOUT)
    except subprocess.TimeoutExpired:
        return f"no end after {TIMEOUT} s"
    if run.returncode != 0 or "error: " in run.stderr:
        return f"exit status {run.returncode}: {run.stderr.strip()}"
    if not meta["checks"]:
        return "nothing is compared"
    for check in meta["checks"]:
        written = out / f"out_{check['output']}.npy"
        if not written.exists():
            return f"no output {check['output']}"
        problem = difference(case, written, check["expected"], check["dtype"], check["rtol"], check["atol"])
        if problem:
            return problem
    return None


def find_cases(folder, scratch, module, only):
    archive = folder / "pallas_own.tar.xz"
    if archive.exists():
        with tarfile.open(archive) as tar:
            tar.extractall(scratch / "cases", filter="data")
        folder = scratch / "cases"
    metas = sorted(folder.glob("**/meta.json"))
    cases = [meta.parent for meta in metas if (meta.parent / f"{module}.mlir").exists() and only in meta.parent.name]
    return [case for case in cases if "checks" in json.loads((case / "meta.json").read_text())]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("lanescope")
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--module", default="before", choices=["before", "after"])
    parser.add_argument("--only", default="")
    parser.add_argument("--known", default="", help="cases that may fail")
    parser.add_argument("--fast", action="store_true")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    arguments = parser.parse_args()
    if not arguments.folder.exists():
        print(f"skipped: no {arguments.folder}")
        return 77
    known = set(filter(None, arguments.known.split(",")))
    options = ["--fast"] if arguments.fast else []
    with tempfile.TemporaryDirectory() as scratch, concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        scratch = pathlib.Path(scratch)
        cases = find_cases(arguments.folder, scratch, arguments.module, arguments.only)
        if not cases:
            print(f"skipped: no dumps in {arguments.folder}")
            return 77
        outcomes = pool.map(lambda case: run_case(arguments.lanescope, case, arguments.module, options, scratch), cases)
        failed = collections.Counter()
        for case, problem in zip(cases, outcomes):
            if problem:
                failed[case.name in known] += 1
                print(f"FAILED {case.name}: {problem[:600]}", flush=True)
    print(f"{len(cases) - failed.total()} of {len(cases)} dumps right, {failed[True]} known to fail")
    return 1 if failed[False] else 0


if __name__ == "__main__":
    sys.exit(main())
