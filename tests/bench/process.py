#!/usr/bin/env python3
"""Measures whole processes: the start-up time of `eval 1`, and the peak memory of a REPL session that runs the double kernel.
Usage: process.py LANESCOPE OUT.json"""
import json
import pathlib
import resource
import statistics
import subprocess
import sys
import time


def seconds(command, text=""):
    begin = time.perf_counter()
    subprocess.run(command, input=text.encode(), check=True, capture_output=True)
    return time.perf_counter() - begin


def main():
    lanescope, out = sys.argv[1:]
    root = pathlib.Path(__file__).parents[2]
    start = sorted(seconds([lanescope, "eval", "1"]) for _ in range(21))[1:]
    session = (root / "samples/kernels/double.py").read_text()
    double = [seconds([lanescope], session) for _ in range(3)]
    memory = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
    figures = {
        "eval 1, median (ms)": round(statistics.median(start) * 1e3, 1),
        "REPL session with samples/kernels/double.py, median (s)": round(statistics.median(double), 2),
        "its peak memory (MB)": round(memory, 1),
    }
    pathlib.Path(out).write_text(json.dumps(figures, indent=1) + "\n")
    for name, value in figures.items():
        print(f"{name}: {value}")


main()
