#!/usr/bin/env python3
"""Tests in one run all parts of the package `lanescope` that need real JAX and Triton: imports in each order, public
SparseCore files, JAX's suites through the bridge, a program in a waiting process, the calls that such processes report,
Triton's kernels.

  PYTHONPATH=build/release/python tests/gpu/python_jax.py --sources SOURCES --checkout JAX [--seconds 480] [--only PART …] -o RESULTS

SOURCES: see sparsecore_files.py. JAX: a folder of jax-ml/jax of the installed version, see jax_suite.py.
`lanescope-worker` has to be on PATH. Parts that are not given or not installed are left out and named. The script
writes each part's output to RESULTS/PART.txt, and prints a line for each part. It works with Lanescope's stand-in if
JAX is missing. Exit status: 0 all parts are right, 1 one is not."""

import argparse
import concurrent.futures
import importlib.util
import json
import os
import pathlib
import re
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
SKIPPED = 77
LEAST_FILES = 12  # cases of sparsecore_files.py
# The least share of the methods of JAX's suites that has to pass: the figures of tests/gpu/README.md, less a margin for
# time limits.
LEAST_SHARE = {"sparsecore": 0.95, "hopper": 0.85, "blackwell": 0.85}


def installed(*names):
    return all(importlib.util.find_spec(name) is not None for name in names)


class Part:
    """A part's output file and its command."""

    def __init__(self, name, options):
        self.name, self.options = name, options
        self.file = options.output / f"{name}.txt"
        self.file.write_text("")

    def run(self, *command, seconds=600):
        """(exit status, output). The status is 124 after a timeout."""
        try:
            done = subprocess.run([*map(str, command)], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=seconds, cwd=ROOT)
            status, text = done.returncode, done.stdout
        except subprocess.TimeoutExpired as late:
            status, text = 124, (late.stdout or b"").decode(errors="replace")
        with self.file.open("a") as out:
            out.write(f"$ {' '.join(map(str, command))}\n{text}[exit status {status}]\n")
        return status, text


def imports(part):
    if not installed("jax") and not installed("torch"):
        return None, "neither JAX nor PyTorch is here"
    status, text = part.run(sys.executable, HERE / "python.py")
    return status == 0, f"{len(re.findall('ms a call on the emulator', text))} orders of imports, emulator and GPU"


def files(part):
    """Runs each file in its own process with `python3 -m lanescope run`."""
    if not part.options.sources:
        return None, "no --sources"
    names = subprocess.run([sys.executable, HERE / "sparsecore_files.py"], capture_output=True, text=True, check=True).stdout.split()
    run = lambda name: part.run(sys.executable, "-m", "lanescope", "run", "--tpu", "7x", HERE / "sparsecore_files.py", part.options.sources, name)  # noqa: E731
    with concurrent.futures.ThreadPoolExecutor(part.options.jobs) as pool:
        found = dict(zip(names, pool.map(run, names)))
    equal = [name for name, (_, text) in found.items() if re.search("^equal$", text, re.M)]
    faulty = [name for name in equal if found[name][0] == 1]
    wrong = [name for name, (status, _) in found.items() if name not in equal and status != SKIPPED]
    words = f"{len(equal)} of {len(names)} files give what their documentation says"
    words += f", {len(faulty)} of them with a finding of the checker ({', '.join(faulty)})" if faulty else ""
    return len(equal) >= LEAST_FILES and not wrong, words + (f"; not {', '.join(wrong)}" if wrong else "")


def suite(part, *options):
    if not part.options.checkout or not installed("jax"):
        return None, "no --checkout, or no JAX"
    output = part.options.output / part.name
    part.run(sys.executable, HERE / "jax_suite.py", part.options.checkout, *options, "--seconds", part.options.suite_seconds, "--jobs", part.options.jobs,
             "-o", output, seconds=part.options.suite_seconds + 90)  # fmt: skip
    log = output / "tests.jsonl"
    results = [json.loads(line)["result"] for line in log.read_text().splitlines()] if log.exists() else []
    passed, ran = results.count("pass"), len(results) - results.count("skip")
    return ran > 0 and passed >= LEAST_SHARE[part.name] * ran, f"{passed} of {ran} tests pass, {results.count('skip')} are skipped"


def waiting(part):
    status, text = part.run(sys.executable, ROOT / "tests/python/warm_host.py", "--most", 300)
    return None if status == SKIPPED else status == 0, text.strip().splitlines()[-1] if text.strip() else ""


def calls(part):
    status, text = part.run(sys.executable, HERE / "program_calls.py")
    return None if status == SKIPPED else status == 0, text.strip().splitlines()[-1] if text.strip() else ""


def bridge(part):
    """Runs tests/cli's tests of the bridge without JAX, and of forms of modules, with this machine's Python."""
    scripts = [[ROOT / "tests/python/test_host.py", ROOT], [ROOT / "tests/python/test_modules.py", ROOT]]
    ran = [part.run(sys.executable, *script) for script in scripts]
    failed = [script[0].name for script, (status, _) in zip(scripts, ran) if status not in (0, SKIPPED)]
    return not failed, "passed: " + ", ".join(script[0].name for script in scripts) if not failed else "failed: " + ", ".join(failed)


def triton(part):
    if not installed("triton", "torch"):
        return None, "Triton or PyTorch is not here"
    status, text = part.run(sys.executable, HERE / "triton_kernels.py")
    return None if status == SKIPPED else status == 0, text.strip().splitlines()[-1] if text.strip() else ""


PARTS = {
    "imports": imports,
    "waiting": waiting,
    "calls": calls,
    "bridge": bridge,
    "files": files,
    "sparsecore": lambda part: suite(part, "--tpu", "7x"),
    "triton": triton,
    "hopper": lambda part: suite(part, "--gpu", "h200", "--tests", "tests/pallas/mosaic_gpu_test.py"),
    "blackwell": lambda part: suite(part, "--gpu", "b200", "--tests", "tests/pallas/mosaic_gpu_test.py"),
}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sources", type=pathlib.Path)
    parser.add_argument("--checkout", type=pathlib.Path)
    parser.add_argument("--only", nargs="+", default=[*PARTS], choices=[*PARTS], metavar="PART", help=", ".join(PARTS))
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--seconds", type=float, default=480, help="for all; JAX's suites share what the other parts leave")
    parser.add_argument("-o", "--output", type=pathlib.Path, default=pathlib.Path("python-jax"))
    options = parser.parse_args()
    options.output = options.output.resolve()
    options.output.mkdir(parents=True, exist_ok=True)
    options.sources = options.sources and options.sources.resolve()
    options.checkout = options.checkout and options.checkout.resolve()
    end, good = time.time() + options.seconds, True
    suites = [name for name in options.only if name in LEAST_SHARE]
    for name in [each for each in PARTS if each in options.only]:
        begin = time.time()
        left = len([each for each in suites if [*PARTS].index(each) >= [*PARTS].index(name)])
        options.suite_seconds = max(30, int((end - begin) / max(1, left)) - 5)
        ok, words = PARTS[name](Part(name, options))
        good = good and ok is not False
        print(f"{'left out' if ok is None else 'good' if ok else 'BAD':8} {name:10} {time.time() - begin:4.0f} s  {words}", flush=True)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
