#!/usr/bin/env python3
"""Runs Triton and Gluon kernels on the emulator, and compares them with PyTorch on the CPU. Needs and uses no GPU.

  PYTHONPATH=build/release/python tests/gpu/triton_kernels.py [--arch sm_80 …] [--only TEXT] [--list]

Needs Triton 3.6 and PyTorch. The installed Triton compiles each case of triton_programs/ for each architecture, and the
emulator runs it with all checks. faults.py has kernels that go wrong; the checker has to report them at their Python
lines.
Exit status: 0 all good, 1 something differs or fails, 77 Triton or PyTorch is missing."""

import argparse
import concurrent.futures
import importlib
import multiprocessing
import os
import pathlib
import sys
import time
import traceback
import warnings

PROGRAMS = pathlib.Path(__file__).resolve().parent / "triton_programs"
ARCHITECTURES = ("sm_80", "sm_90a", "sm_100a")


def cases(only, arch):
    """(module, name) of each case for the architecture."""
    capability = int(arch.strip("sm_a"))
    for path in sorted(PROGRAMS.glob("*.py")):
        module = importlib.import_module(path.stem)
        for name in [each for each in vars(module) if each.startswith("case_")]:
            case = getattr(module, name)
            wanted = getattr(case, "only", capability) == capability and getattr(case, "least", 0) <= capability
            if only in f"{path.stem}.{name}" and wanted:
                yield path.stem, name


def run(module, name, arch):
    """(the problem or None, warnings, seconds)"""
    import lanescope.triton
    import torch

    sys.path.insert(0, str(PROGRAMS))
    torch.manual_seed(0)
    torch.set_num_threads(1)
    case = getattr(importlib.import_module(module), name)
    began = time.monotonic()
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        try:
            with lanescope.triton.emulated(arch=arch, multiprocessors=4):
                case()
            problem = None
        except BaseException:  # noqa: BLE001  an assertion, a fault, or any exception of the compiler
            problem = traceback.format_exc()
    hazards = [f"{pathlib.Path(each.filename).name}:{each.lineno}: {each.message}" for each in told if issubclass(each.category, lanescope.HazardWarning)]
    return problem, hazards, time.monotonic() - began


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--arch", nargs="+", default=ARCHITECTURES)
    parser.add_argument("--only", default="", help="cases whose name has this text")
    parser.add_argument("--list", action="store_true")
    options = parser.parse_args()
    for package in ("triton", "torch"):
        if importlib.util.find_spec(package) is None:
            print(f"skipped: there is no {package} here")
            return 77
    sys.path.insert(0, str(PROGRAMS))
    work = [(arch, *case) for arch in options.arch for case in cases(options.only, arch)]
    if options.list:
        print("\n".join(f"{arch} {module}.{name}" for arch, module, name in work))
        return 0
    bad = 0
    with concurrent.futures.ProcessPoolExecutor(max(1, os.cpu_count() // 2), multiprocessing.get_context("spawn")) as pool:
        pending = [(each, pool.submit(run, each[1], each[2], each[0])) for each in work]
        for (arch, module, name), future in pending:
            problem, hazards, seconds = future.result()
            print(f"{'FAILED' if problem else 'ok':6} {arch:8} {module}.{name.removeprefix('case_')} ({seconds:.1f} s)", flush=True)
            for hazard in hazards:
                print(f"       {hazard}")
            if problem:
                bad += 1
                print("       " + problem.strip().replace("\n", "\n       "))
    print(f"{len(work) - bad} of {len(work)} are right")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
