#!/usr/bin/env python3
"""The corpus's kernels (tests/cli/corpus.py) as a benchmark of the emulator: processor seconds of all kernels in the
fast mode and with checks, on one core. Whole processes are measured, with decoding and files, less the time of a
process that emulates nothing.
Usage: corpus.py LANESCOPE FOLDER [--arch sm_90a] [--only TEXT] [--slowest N]"""
import argparse
import json
import pathlib
import resource
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "cli"))
import corpus  # noqa: E402


def seconds(command):
    """Processor seconds of the command; None if it fails."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    failed = subprocess.run(command, capture_output=True).returncode
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return None if failed else after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("lanescope")
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--arch", default="sm_90a")
    parser.add_argument("--only", default="")
    parser.add_argument("--slowest", type=int, default=5)
    arguments = parser.parse_args()
    if not arguments.folder.exists():
        print(f"skipped: no {arguments.folder}")
        return 77
    start = min(seconds([arguments.lanescope, "emulate", "--help"]) for _ in range(9))
    rows = []
    with tempfile.TemporaryDirectory() as temporary:
        for case in corpus.find_cases(arguments.folder, pathlib.Path(temporary), arguments.arch, arguments.only):
            launch = next((case / name for name in ("launch_full.json", "launch.json") if (case / name).exists()), None)
            ptx = next((case / name for name in ("kernel_fixed.ptx", "kernel.ptx") if (case / name).exists()), None)
            if not launch or not ptx:
                continue
            command = [arguments.lanescope, "emulate", str(ptx), "--launch", str(launch), "--threads", "1"]
            fast, checked = seconds(command + ["--fast"]), seconds(command)
            if fast is not None and checked is not None:
                rows.append((case.name, max(0, fast - start), max(0, checked - start)))
    fast, checked = sum(row[1] for row in rows), sum(row[2] for row in rows)
    for name, one, other in sorted(rows, key=lambda row: -row[2])[:arguments.slowest]:
        print(f"{name}: {one:.3f} s fast, {other:.3f} s with checks")
    print(json.dumps({"kernels": len(rows), "fast (s)": round(fast, 2), "with checks (s)": round(checked, 2),
                      "ratio": round(checked / fast, 2) if fast else None}))
    return 0


if __name__ == "__main__":
    sys.exit(main())
