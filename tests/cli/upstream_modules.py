#!/usr/bin/env python3
"""Runs `lanescope open` on modules of JAX's own tests. A module opens if and only if upstream's dialect accepts it. A
module that upstream's lowering accepts becomes PTX, and so does the lowered module with each thread's code. Every
module of its layout inference opens, before and after inference, and a module that launches a kernel becomes PTX,
except for the reasons in REFUSED.
Usage: upstream_modules.py LANESCOPE FOLDER [--sample N]; FOLDER may hold dialect.tar.xz and inference.tar.xz. --sample
opens every Nth module of the inference archive, and of the dialect's every third."""
import concurrent.futures
import json
import os
import pathlib
import subprocess
import sys
import tarfile
import tempfile


# Words of the errors for kernels that we do not compile: dumps without the parts that JAX adds later, a kernel that
# stretches a dimension of size one, and a kernel that was dumped for an architecture other than its own.
REFUSED = ["takes TMA descriptors that JAX makes after layout inference", "is not stretched", "tensor memory is that of sm_100a"]


def opens(lanescope, path, stage="ir"):
    """(True if `open --emit` accepts the file, otherwise its message, or None if the message has no place)."""
    run = subprocess.run([lanescope, "open", str(path), "--emit", stage], capture_output=True, text=True)
    if run.returncode == 0:
        return True, ""
    told = run.returncode == 1 and f"{path}:" in run.stderr and "error: " in run.stderr
    return False, run.stderr if told else None


def unpacked(archive, folder):
    with tarfile.open(archive) as tar:
        tar.extractall(folder, filter="data")
    return sorted(meta.parent for meta in pathlib.Path(folder).rglob("meta.json"))


def dialect_modules(case, scratch):
    """[(name, file, True if upstream accepts it)] of a case."""
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


def lowered_modules(case):
    """[(name, file, True if upstream's lowering accepts it)] of a case, to be compiled."""
    meta = json.loads((case / "meta.json").read_text())
    if meta["kind"] != "lower":
        return []
    accepted = meta["error"] is None
    return [("lowering", case / "before.mlir", accepted)] + ([("threads' code", case / "after.mlir", True)] if accepted else [])


def launched_modules(cases):
    """[(name, file, True)] of the modules that launch a kernel and have layouts."""
    for case in cases:
        path = case / "before.mlir"
        if path.exists() and not json.loads((case / "meta.json").read_text()).get("error") and "gpu.launch" in path.read_text():
            yield "kernel", path, True


def check(lanescope, modules, stage="ir", refused=()):
    """Prints each module with an unexpected result, unless it is refused with one of these words. Returns their
    number."""
    wrong = 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        outcomes = pool.map(lambda module: opens(lanescope, module[1], stage), modules)
        for (what, path, accepted), (taken, said) in zip(modules, outcomes):
            if said is not None and (taken == accepted or any(words in said for words in refused)):
                continue
            wrong += 1
            print(f"{path.parent.name}, {what}: upstream {'takes' if accepted else 'rejects'} it, we "
                  f"{'take' if taken else 'reject'} it: {said or 'without a place'}")
    return wrong


def main():
    lanescope, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    step = int(sys.argv[4]) if len(sys.argv) > 4 else 1
    wrong = read = 0
    with tempfile.TemporaryDirectory() as scratch:
        scratch = pathlib.Path(scratch)
        for name in ("dialect", "inference"):
            archive = folder / f"{name}.tar.xz"
            if not archive.exists():
                print(f"skipped: there is no {archive}")
                continue
            read += 1
            cases = unpacked(archive, scratch / name)[::step if name == "inference" else min(step, 3)]
            if name == "dialect":
                modules = [module for case in cases for module in dialect_modules(case, scratch)]
            else:
                modules = [(form, case / f"{form}.mlir", True) for case in cases for form in ("before", "after")
                           if (case / f"{form}.mlir").exists()]
            failed = check(lanescope, modules)
            print(f"{name}: {len(modules) - failed} of {len(modules)} modules as upstream has them")
            wrong += failed
            if lowered := [module for case in cases for module in lowered_modules(case)] if name == "dialect" else []:
                failed = check(lanescope, lowered, "ptx")
                print(f"{name}: {len(lowered) - failed} of {len(lowered)} compile as upstream has them")
                wrong += failed
            if kernels := list(launched_modules(cases)) if name == "inference" else []:
                failed = check(lanescope, kernels, "ptx", REFUSED)
                print(f"{name}: {len(kernels) - failed} of {len(kernels)} kernels compile, or say what they lack")
                wrong += failed
    if not read:
        return 77
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
