#!/usr/bin/env python3
"""Runs every kernel of the library on the emulator with its checks. Each kernel verifies its own result, and the
checker must report no race and no missing wait. Programs run in PYTHON if it is given. Usage: kernels.py LANESCOPE
REPOSITORY [PYTHON]"""
import pathlib
import subprocess
import sys


def main():
    lanescope, folder = sys.argv[1], pathlib.Path(sys.argv[2]) / "kernels"
    python = ["--python", sys.argv[3]] if sys.argv[3:] else []
    kernels = sorted([*folder.glob("*.py"), *(folder.glob("pallas/*.py") if python else [])])
    failed = 0
    for kernel in kernels:
        arch = {"blackwell": "sm_100a", "ampere": "sm_80"}.get(kernel.stem.split("_")[0], "sm_90a")
        program = kernel.parent.name == "pallas"
        result = subprocess.run([lanescope, "run", *(python if program else []), str(kernel), "--device", "emulator", "--arch", arch],
                                capture_output=True, text=True, timeout=300)
        said = result.stdout + ("" if program else result.stderr)  # Python writes to standard error that it has no JAX
        problem = "exit status %d" % result.returncode if result.returncode else ""
        if not problem and said != f"{kernel.stem}: the result is right\n":
            problem = "it says more or less than that its result is right"
        if "# The check" not in kernel.read_text():
            problem = "it does not check its result"
        if problem:
            failed += 1
            print(f"FAILED {kernel.relative_to(folder)}: {problem}\n{said}")
    print(f"kernels: {len(kernels) - failed} passed, {failed} failed")
    return 1 if failed or not kernels else 0


sys.exit(main())
