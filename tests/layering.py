#!/usr/bin/env python3
"""Checks the one rule of the folders: a folder includes only folders to its left in layouts < core < viz < repl < app,
and only the libraries that its place allows. Usage: layering.py REPOSITORY"""
import pathlib
import re
import sys

ORDER = ["layouts", "core", "viz", "repl", "app"]
NO_COMPILER = ["layouts", "core/data", "core/profiler", "core/gpu/kernel", "core/gpu/emulator", "core/gpu/runtime", "viz"]
COMPILER = re.compile(r"(mlir|llvm|llvm-c)/")
# Standard headers have neither a slash nor a dot.
STANDARD = re.compile(r"^[a-z0-9_]+$")
INCLUDE = re.compile(r'^\s*#\s*include\s*[<"]([^>"]+)[>"]')


def problems(root):
    for folder in ORDER:
        for path in sorted((root / folder).rglob("*")):
            if path.suffix not in (".h", ".cpp", ".inc"):
                continue
            name = path.relative_to(root).as_posix()
            for number, line in enumerate(path.read_text().splitlines(), 1):
                match = INCLUDE.match(line)
                if not match:
                    continue
                header = match.group(1)
                top = header.split("/")[0]
                if top in ORDER and ORDER.index(top) > ORDER.index(folder):
                    yield f"{name}:{number}: {folder}/ may not include {header}"
                if COMPILER.match(header) and (any(name.startswith(f + "/") for f in NO_COMPILER)
                                               or re.fullmatch(r"core/[^/]+\.h", name)):
                    yield f"{name}:{number}: no compiler header here: {header}"
                if folder == "layouts" and top != "layouts" and not STANDARD.match(header):
                    yield f"{name}:{number}: layouts/ uses the standard library alone: {header}"


def main():
    root = pathlib.Path(sys.argv[1])
    found = list(problems(root))
    print("\n".join(found) or "folders include only what they may")
    return 1 if found else 0


sys.exit(main())
