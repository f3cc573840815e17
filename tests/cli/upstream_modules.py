#!/usr/bin/env python3
"""Modules of JAX's own tests through `lanescope open`: what upstream's dialect accepts opens, what it rejects does not,
and every module of its layout inference opens, before and after it.
Usage: upstream_modules.py LANESCOPE FOLDER [--sample N]; FOLDER holds dialect.tar.xz and inference.tar.xz, where it is
there. With --sample every Nth module of the inference archive is opened."""
import concurrent.futures
import json
import os
import pathlib
import subprocess
import sys
import tarfile
import tempfile


def opens(lanescope, path):
    """Whether `open --emit ir` takes the file; what it says where not, or None where that has no place."""
    run = subprocess.run([lanescope, "open", str(path), "--emit", "ir"], capture_output=True, text=True)
    if run.returncode == 0:
        return True, ""
    told = run.returncode == 1 and f"{path}:" in run.stderr and "error: " in run.stderr
    return False, run.stderr if told else None


def unpacked(archive, folder):
    with tarfile.open(archive) as tar:
        tar.extractall(folder, filter="data")
    return sorted(meta.parent for meta in pathlib.Path(folder).rglob("meta.json"))


def dialect_modules(case, scratch):
    """[(what, file, whether upstream takes it)] of a case."""
    meta = json.loads((case / "meta.json").read_text())
    accepted = meta["error"] is None
    if meta["kind"] == "verify":
        files = [("generic form", case / "generic.mlir", accepted)]
        if (case / "pretty.mlir").exists():
            files.append(("pretty form", case / "pretty.mlir", accepted))
        return files
    if meta["kind"].startswith("parse "):
        path = scratch / f"{case.name}.mlir"
        path.write_text(f"func.func private @f() attributes {{a = {meta['input']}}}\n")
        return [(meta["kind"], path, accepted)]
    return [(name, case / f"{name}.mlir", True) for name in ("before", "after") if (case / f"{name}.mlir").exists()]


def check(lanescope, modules):
    """Prints each module that is not taken as it should be; their number."""
    wrong = 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        outcomes = pool.map(lambda module: opens(lanescope, module[1]), modules)
        for (what, path, accepted), (taken, said) in zip(modules, outcomes):
            if taken == accepted and said is not None:
                continue
            wrong += 1
            print(f"{path.parent.name}, {what}: upstream {'takes' if accepted else 'rejects'} it, we "
                  f"{'take' if taken else 'reject'} it: {said or 'without a place'}")
    return wrong


def main():
    lanescope, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    step = int(sys.argv[4]) if len(sys.argv) > 4 else 1
    wrong = 0
    with tempfile.TemporaryDirectory() as scratch:
        scratch = pathlib.Path(scratch)
        for name in ("dialect", "inference"):
            archive = folder / f"{name}.tar.xz"
            if not archive.exists():
                print(f"skipped: there is no {archive}")
                continue
            cases = unpacked(archive, scratch / name)
            if name == "dialect":
                modules = [module for case in cases for module in dialect_modules(case, scratch)]
            else:
                modules = [(form, case / f"{form}.mlir", True) for case in cases[::step] for form in ("before", "after")
                           if (case / f"{form}.mlir").exists()]
            failed = check(lanescope, modules)
            print(f"{name}: {len(modules) - failed} of {len(modules)} modules as upstream has them")
            wrong += failed
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
