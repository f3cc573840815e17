#!/usr/bin/env python3
"""Runs every sample of a SparseCore: its own check holds, its module is there, its trace has its regions and its copies.
Usage: samples.py LANESCOPE REPOSITORY"""
import json
import pathlib
import subprocess
import sys
import tempfile

REGIONS = {"embedding": {"gather", "pool"}, "segment_sum": {"clear", "add", "store"}, "gather_pipeline": set()}


def main():
    lanescope, root = sys.argv[1], pathlib.Path(sys.argv[2])
    problems = []
    for path in sorted((root / "samples" / "sparsecore").glob("*.py")):
        with tempfile.TemporaryDirectory() as folder:
            trace = pathlib.Path(folder) / "trace.json"
            ran = subprocess.run([lanescope, "run", path, "--trace", trace], capture_output=True, text=True)
            if ran.returncode:
                problems.append(f"{path.name}: {ran.stderr}")
                continue
            names = {event.get("name") for event in json.loads(trace.read_text())["traceEvents"]}
            if missing := REGIONS[path.stem] - names:
                problems.append(f"{path.name}: the trace lacks {missing}")
        module = subprocess.run([lanescope, "compile", path, "--emit", "ir"], capture_output=True, text=True)
        if module.returncode or "tpu.core_type" not in module.stdout:
            problems.append(f"{path.name}: no module: {module.stderr}")
    print("\n".join(problems) or "all samples hold")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
