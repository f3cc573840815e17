#!/usr/bin/env python3
"""Sizes and times of exported pages: linked pictures of layouts, and traces.

    tests/bench/exports.py LANESCOPE [REPOSITORY]

Prints a line for each page. Exit status 1: a page is larger than it may be."""
import pathlib
import subprocess
import sys
import tempfile
import time

LINKED = ["--dtype", "f16", "--view", "grid,lanes,smem", "--tiling", "8x64", "--swizzle", "128"]


def pages(repository):
    """Yields (title, arguments of the command, largest number of bytes)."""
    for shape, one, three in (("64x64", 150_000, 300_000), ("256x256", 1_500_000, 1_500_000)):
        yield f"WGMMA {shape}", ["show", "WGMMA", "--shape", shape], one
        yield f"WGMMA {shape}, three views", ["show", "WGMMA", "--shape", shape, *LINKED], three
    for trace in sorted((repository / "samples/traces").glob("*.json.gz")):
        yield f"trace {trace.name}", ["trace", str(trace)], 300_000


def main():
    lanescope = pathlib.Path(sys.argv[1]).resolve()
    repository = pathlib.Path(sys.argv[2] if len(sys.argv) > 2 else ".").resolve()
    large = 0
    with tempfile.TemporaryDirectory() as folder:
        page = pathlib.Path(folder) / "page.html"
        for name, arguments, most in pages(repository):
            began = time.monotonic()
            subprocess.run([lanescope, *arguments, "-o", page], check=True, stdout=subprocess.DEVNULL)
            took, size = time.monotonic() - began, page.stat().st_size
            large += size > most
            print(f"{name:38} {size / 1000:8.1f} kB {took:6.2f} s{'  LARGE: more than ' + str(most) if size > most else ''}")
    return 1 if large else 0


if __name__ == "__main__":
    sys.exit(main())
