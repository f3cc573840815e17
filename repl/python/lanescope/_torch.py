"""`python3 -m lanescope torch SCRIPT`: from a PyTorch program to checked kernels in one command (docs/record.md)."""

import argparse
import ctypes
import os
import pathlib
import shutil
import subprocess
import sys

from .jax.options import beside

DESCRIPTION = """Runs a PyTorch program on this machine's GPU, records the launches of its kernels (those of torch.compile and Triton have PTX), replays
each on the emulator with the checks, and compares the results with the GPU's."""
EPILOG = """Examples:
  python3 -m lanescope torch train.py --epochs 1
  python3 -m lanescope torch --kernel '^triton_' -o kernels train.py"""
# PyTorch's pool is one allocation, in which the checker cannot see where an array ends.
ENVIRONMENT = {"PYTORCH_NO_CUDA_MEMORY_CACHING": "1"}
NO_GPU = """error: there is no GPU here, and PyTorch's kernels are recorded where they run. Without a GPU, `lanescope check` runs the kernels in Inductor's cache,
with the shapes, numbers and grids of its output code: `lanescope check /tmp/torchinductor_$USER`"""


def devices():
    """The number of CUDA devices that the driver sees; 0 without a driver."""
    try:
        driver = ctypes.CDLL("libcuda.so.1")
    except OSError:
        return 0
    count = ctypes.c_int(0)
    if driver.cuInit(0) or driver.cuDeviceGetCount(ctypes.byref(count)):
        return 0
    return count.value


def run(words, **more):
    """Runs a command. Returns its exit status; as in a shell, 128 and the signal's number if a signal ended it."""
    status = subprocess.run(words, **more).returncode
    return status if status >= 0 else 128 - status


def parse(arguments):
    parser = argparse.ArgumentParser("python3 -m lanescope torch", description=DESCRIPTION, epilog=EPILOG, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-o", "--output", default="recorded", type=pathlib.Path, metavar="DIR", help="the folder for packages (%(default)s)")
    parser.add_argument("--kernel", default="", metavar="REGEX", help="kernels whose names match")
    parser.add_argument("--at-most", default=100, type=int, metavar="N", help="packages of the program (%(default)s)")
    parser.add_argument("--blocks", default="", metavar="BLOCKS", help="check these blocks of each grid: 0-7, or sample:16")
    parser.add_argument("script", help="the program")
    parser.add_argument("words", nargs=argparse.REMAINDER, help="its arguments")
    return parser.parse_args(arguments)


def main(arguments):
    options = parse(arguments)
    if not os.path.exists(options.script):
        print(f"error: there is no file {options.script!r}", file=sys.stderr)
        return 2
    if not devices():
        print(NO_GPU, file=sys.stderr)
        return 3
    lanescope = shutil.which(beside("lanescope"))
    if not lanescope:
        print("error: there is no program `lanescope`, neither beside this package nor in PATH", file=sys.stderr)
        return 3
    before = set(options.output.glob("*.lspkg"))
    record = [lanescope, "record", "-o", str(options.output), "--at-most", str(options.at_most), *(["--kernel", options.kernel] if options.kernel else [])]
    program = run([*record, "--", sys.executable, options.script, *options.words], env={**ENVIRONMENT, **os.environ})
    made = sorted(set(options.output.glob("*.lspkg")) - before)
    if program:
        print(f"the program ended with status {program}", file=sys.stderr)
    if not made:
        return program or 1
    part = ["--blocks", options.blocks] if options.blocks else []
    statuses = [run([lanescope, "check", *part, str(package)]) for package in made]
    if before:
        print(f"{options.output} also has packages of earlier runs, which are compared, too", file=sys.stderr)
    statuses.append(run([lanescope, "emulate", *part, str(options.output)]))
    return program or max(statuses)
