#!/usr/bin/env python3
"""Checks docs/what-runs-where.md: which of the project's files, and of JAX's, run in which way.

  tests/python/what_runs.py REPOSITORY [--update LANESCOPE [--checkout JAX]]

With --update the script runs everything, and writes the page: LANESCOPE is the program, and JAX is a folder of
jax-ml/jax. Otherwise it only checks that the page counts the files that are there. It needs a Python with NumPy and
without JAX, and is skipped (77) in another one."""

import argparse
import importlib.util
import os
import pathlib
import re
import subprocess
import sys

SKIPPED = 77
HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "cli")]
import jax_ops  # noqa: E402
from named_command import on_emulator  # noqa: E402

PAGE = "docs/what-runs-where.md"
FOLDERS = {  # folder -> (what is in it, the pattern of its files)
    "kernels": ("the library's kernels, snippets", "*.py"),
    "kernels/pallas": ("kernels as Pallas programs", "*.py"),
    "samples/kernels": ("snippets", "*.py"),
    "samples/multi": ("snippets for several GPUs", "*.py"),
    "samples/sparsecore": ("snippets for SparseCores", "*.py"),
    "samples/pallas": ("Pallas programs", "*.py"),
}
HEAD = """# What runs where

Measured on Debian 12: Python {python}, NumPy, no JAX, no GPU. `tests/python/what_runs.py . --update LANESCOPE --checkout JAX` runs all of it, and writes
this page. "Its own command" is the one that a file names in its first lines, on the emulator.

| files | | its own command | `python3 -m lanescope run FILE` |
|---|---|---|---|
"""
JAXS = """
JAX's own files, at the version that the tests are written for, with Lanescope's stand-in for JAX ([coming from JAX](coming-from-jax.md)):

| files | run to the right results |
|---|---|
"""


def files_of(root, folder):
    return sorted((root / folder).glob(FOLDERS[folder][1]))


def succeeds(command, root):
    env = {**os.environ, "PATH": f"{pathlib.Path(sys.executable).parent}:{os.environ['PATH']}", "VIRTUAL_ENV": ""}
    done = subprocess.run(command, cwd=root, env=env, capture_output=True, text=True)
    if done.returncode:
        print(f"FAILED {' '.join(map(str, command))}: {(done.stdout + done.stderr).strip()[-400:]}", flush=True)
    return done.returncode == 0


def ways(path, root, lanescope):
    """The commands that run the file, in the order of the table's columns."""
    words = on_emulator(path, root)
    gpu = [word for arch, name in (("sm_100a", "b200"), ("sm_120a", "rtx5090")) if arch in words for word in ("--gpu", name)]
    return [lanescope, *words], [sys.executable, "-m", "lanescope", "run", *gpu, path.relative_to(root)]


def suites(root):
    """(name, passing, all) of each of JAX's suites, from the page that their scripts write."""
    for section in re.split(r"(?m)^## ", (root / "docs/jax-suite.md").read_text())[1:]:
        name = re.search(r"`(tests/pallas/\S+)`", section)[1]
        row = re.search(r"(?m)^\| all \| (\d+) \| (\d+) \|", section)
        yield name, row[2], row[1]


def page(root, lanescope, checkout):
    out = HEAD.format(python=".".join(map(str, sys.version_info[:2])))
    for folder, (what, _) in FOLDERS.items():
        files = files_of(root, folder)
        done = [sum(column) for column in zip(*([succeeds(way, root) for way in ways(path, root, lanescope)] for path in files))]
        out += f"| `{folder}/` | {what} | " + " | ".join(f"{count} of {len(files)}" for count in done) + " |\n"
    out += JAXS
    ops = jax_ops.outcomes(checkout)
    parsed = [problem for problem in ops.values() if problem is not None]
    left = ", ".join(f"`{name}`" for name, problem in ops.items() if problem is None)
    out += f"| `{jax_ops.FOLDER}/*_mgpu.py` | {parsed.count('')} of {len(parsed)}" + (f"; {left} needs a newer Python" if left else "") + " |\n"
    for name, passing, methods in suites(root):
        out += f"| `{name}` | {passing} of {methods} methods ([which](jax-suite.md)) |\n"
    return out


def stale(root):
    """What the page says of files that is no longer so."""
    text = (root / PAGE).read_text()
    for folder in FOLDERS:
        count = len(files_of(root, folder))
        row = re.search(rf"(?m)^\| `{folder}/` \|.*$", text)
        if not row or any(int(n) != count for n in re.findall(r" of (\d+)", row[0])):
            yield f"`{folder}/` has {count} files"
    for name, passing, methods in suites(root):
        if f"| `{name}` | {passing} of {methods} methods" not in text:
            yield f"{passing} of {methods} methods of {name} pass"


def main():
    if importlib.util.find_spec("numpy") is None or importlib.util.find_spec("jax") is not None:
        return SKIPPED
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("root", type=pathlib.Path)
    parser.add_argument("--update", default="", metavar="LANESCOPE")
    parser.add_argument("--checkout", default="", metavar="JAX")
    options = parser.parse_args()
    root = options.root.resolve()
    if options.update:
        (root / PAGE).write_text(page(root, pathlib.Path(options.update).resolve(), options.checkout))
    problems = list(stale(root))
    print("\n".join(f"{PAGE} does not say that {problem}" for problem in problems) or f"{PAGE} counts the files that are there")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
