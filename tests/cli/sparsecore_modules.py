#!/usr/bin/env python3
"""Runs `lanescope open --emit ir` on JAX's SparseCore modules. Each module prints back to its own text. A module that
JAX's verifier refused has to be refused for the same reason and at a place.
Usage: sparsecore_modules.py LANESCOPE FOLDER [--sample N]; FOLDER may hold sparsecore.tar.xz."""
import concurrent.futures
import json
import os
import pathlib
import subprocess
import sys
import tarfile
import tempfile

# JAX's verifier's message, and ours for the same error.
SAME = {
    "Expected base and result element type to match": "expected the same element type",
    "must be vector of integer or index values": "must be vector of integer or index values",
    "must be vector of 1-bit signless integer values of ranks 1": "takes a mask of rank 1",
    "Offsets shape must be 1D or (1, N)": "expected (N,) or (1, N)",
}


def modules(folder):
    """(file, the reason why JAX's verifier refused it or None) of each module."""
    for meta in sorted(folder.rglob("meta.json")):
        refused = {one["module"]: one.get("verify_error") or "" for one in json.loads(meta.read_text())["lowerings"]
                   if one.get("verified") is False}
        for path in sorted(meta.parent.glob("module*.mlir")):
            name = path.name.replace(".raw.mlir", ".mlir")
            yield path, refused.get(name)


def check(lanescope, path, refused):
    """A description of the problem; None if there is none."""
    run = subprocess.run([lanescope, "open", str(path), "--emit", "ir"], capture_output=True, text=True)
    if refused is None:
        if run.returncode != 0:
            return f"is refused: {run.stderr[:300]}"
        ours, theirs = run.stdout.split("\n"), path.read_text().split("\n")
        if ours != theirs:
            line = next((i for i, pair in enumerate(zip(ours, theirs)) if pair[0] != pair[1]), min(len(ours), len(theirs)))
            return f"prints line {line + 1} otherwise: {ours[line:line + 1]}"
        return None
    if run.returncode != 1 or f"{path}:" not in run.stderr:
        return f"is taken, or refused without a place (status {run.returncode}): {run.stderr[:300]}"
    said = [ours for theirs, ours in SAME.items() if theirs in refused]
    if not said:
        return f"is refused by JAX for a reason that this test does not know: {refused[:300]}"
    return None if said[0] in run.stderr else f"is refused for another reason than `{said[0]}`: {run.stderr[:300]}"


def main():
    lanescope, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    step = int(sys.argv[4]) if len(sys.argv) > 4 else 1
    archive = folder / "sparsecore.tar.xz"
    if not archive.exists():
        print(f"skipped: there is no {archive}")
        return 77
    with tempfile.TemporaryDirectory() as scratch:
        with tarfile.open(archive) as tar:
            tar.extractall(scratch, filter="data",
                           members=[m for m in tar if m.name.endswith((".mlir", "meta.json"))])
        cases = list(modules(pathlib.Path(scratch)))[::step]
        wrong = refused = 0
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            for (path, why), problem in zip(cases, pool.map(lambda case: check(lanescope, *case), cases)):
                refused += why is not None
                if problem:
                    wrong += 1
                    print(f"{path.parent.name}/{path.name} {problem}")
        print(f"{len(cases) - wrong} of {len(cases)} modules as JAX has them, {refused} of them refused")
    return 1 if wrong else 0


sys.exit(main())
