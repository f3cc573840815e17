#!/usr/bin/env python3
"""Assembles the PTX of packages with ptxas, each for its own architecture. So kernels that no available GPU can run are
checked this far.

  tests/gpu/assemble.py DIR      DIR/*.lspkg; exit status 1 if ptxas refuses one
"""
import concurrent.futures
import json
import pathlib
import shutil
import subprocess
import sys


def assemble(folder):
    arch = json.loads((folder / "meta.json").read_text())["arch"]
    done = subprocess.run(["ptxas", f"-arch={arch}", str(folder / "kernel.ptx"), "-o", "/dev/null"], capture_output=True, text=True)
    return folder.name, arch, done.stderr if done.returncode else ""


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    packages = sorted(pathlib.Path(sys.argv[1]).glob("*.lspkg"))
    if not packages:
        sys.exit(f"error: there is no package (*.lspkg) in {sys.argv[1]}")
    if not shutil.which("ptxas"):
        sys.exit("error: ptxas is not on the PATH; it comes with the CUDA toolkit")
    with concurrent.futures.ThreadPoolExecutor() as pool:
        found = list(pool.map(assemble, packages))
    refused = [each for each in found if each[2]]
    for name, arch, message in refused:
        print(f"{name}: refused for {arch}\n{message}")
    by_arch = {arch: sum(1 for each in found if each[1] == arch) for arch in sorted({each[1] for each in found})}
    print(", ".join(f"{count} for {arch}" for arch, count in by_arch.items()) + f"; {len(refused)} refused")
    return 1 if refused else 0


if __name__ == "__main__":
    sys.exit(main())
