#!/usr/bin/env python3
"""Compares our snippets with JAX's modules of the same kernels: operations, operands and attributes in the same order.
Usage: modules.py LANESCOPE REPOSITORY ARCHIVE [NAME…]   (ARCHIVE: sparsecore.tar.xz; skipped with a message if it is
absent)

The script runs each file of modules/ once for each chip, after a line that sets `chip` and `lanes`. `module(NAME,
kernel)` prints the kernel's module, and the script compares its text with the archive's NAME__CHIP. Both printers name
values by their order, so equal texts are equal modules. differences.txt lists modules that have another form on
purpose."""
import difflib
import pathlib
import re
import subprocess
import sys
import tarfile
import tempfile

CHIPS = {"7x": 16, "v5p": 8, "v6e": 8}
FEWEST = 80


def archived(path):
    """{"NAME__CHIP": text of module.mlir}"""
    out = {}
    with tarfile.open(path) as archive:
        for member in archive:
            parts = pathlib.PurePosixPath(member.name).parts
            if member.isfile() and parts[-1] == "module.mlir" and re.match(r"(seed|extra)\.", parts[-2]):
                out[parts[-2]] = archive.extractfile(member).read().decode()
    return out


def ours(lanescope, path, chip):
    """{NAME: module} of one file of snippets, and the problems."""
    head = f'chip = "{chip}"\nlanes = {CHIPS[chip]}\n'
    head += 'def module(name, kernel):\n  print("=== " + name)\n  print(ir(kernel))\n'
    with tempfile.NamedTemporaryFile("w", suffix=".py") as file:
        file.write(head + path.read_text())
        file.flush()
        done = subprocess.run([lanescope, "run", file.name], capture_output=True, text=True)
    modules = {}
    for part in done.stdout.split("=== ")[1:]:
        name, text = part.split("\n", 1)
        modules[name] = text
    return modules, done.stderr if done.returncode else ""


def main():
    lanescope, root, archive = sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])
    wanted = sys.argv[4:]
    if not archive.exists():
        print(f"skipped: {archive} is not here")
        return 77
    expected = archived(archive)
    folder = root / "tests" / "sparsecore"
    known = {line.split("#")[0].strip() for line in (folder / "differences.txt").read_text().splitlines()} - {""}
    same, other, failed = set(), set(), 0
    for path in sorted((folder / "modules").glob("*.py")):
        for chip in CHIPS:
            modules, problem = ours(lanescope, path, chip)
            if problem:
                print(f"{path.name} for {chip}: {problem}")
                failed += 1
            for name, text in modules.items():
                case = f"{name}__{chip}"
                if case not in expected or (wanted and not any(w in case for w in wanted)):
                    continue
                if text.strip() == expected[case].strip():
                    same.add(case)
                    if case in known:
                        print(f"{case}: listed as another form, and it is the same")
                        failed += 1
                elif name in known or case in known:
                    other.add(case)
                else:
                    failed += 1
                    print(f"{case}: not the archive's module")
                    diff = difflib.unified_diff(expected[case].strip().splitlines(), text.strip().splitlines(),
                                                "archive", "ours", lineterm="", n=1)
                    print("\n".join(line[:200] for line, _ in zip(diff, range(14 if not wanted else 80))))
    print(f"{len(same)} modules are the archive's, {len(other)} another form on purpose, {failed} problems")
    if not wanted and len(same) < FEWEST:
        print(f"expected {FEWEST} at least")
        return 1
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
