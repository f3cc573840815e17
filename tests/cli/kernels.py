#!/usr/bin/env python3
"""Runs every kernel of the library by the command that its first lines name, on the emulator with its checks. Each
kernel verifies its own result, and the checker must report no race and no missing wait. Programs run in PYTHON if it is given. Usage: kernels.py LANESCOPE
REPOSITORY [PYTHON]"""
import pathlib
import subprocess
import sys

from named_command import on_emulator


def main():
    lanescope, root = sys.argv[1], pathlib.Path(sys.argv[2])
    folder = root / "kernels"
    python = ["--python", sys.argv[3]] if sys.argv[3:] else []
    kernels = sorted([*folder.glob("*.py"), *(folder.glob("pallas/*.py") if python else [])])
    failed = 0
    for kernel in kernels:
        program = kernel.parent.name == "pallas"
        result = subprocess.run([lanescope, *on_emulator(kernel, root), *(python if program else [])],
                                capture_output=True, text=True, timeout=300, cwd=root)
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
