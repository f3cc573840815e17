#!/usr/bin/env python3
"""Runs every SparseCore sample: its own check holds, its module exists, its trace has its regions and its copies.
Usage: samples.py LANESCOPE REPOSITORY"""
import json
import pathlib
import subprocess
import sys
import tempfile

REGIONS = {"embedding": {"gather", "pool"}, "segment_sum": {"clear", "add", "store"}, "gather_pipeline": set()}


TILED = """
@sc_kernel(use_tc_tiling_on_sc=True)
def double(x: GMEM((3, 16), i32), o: Out((3, 16), i32)):
  for i in range(3):
    o[i] = x[i] * 2
x = reshape(arange(48, dtype=i32), (3, 16))
assert max_error(double(x), x * 2) == 0
save("x.npy", x)
"""


def tiled(lanescope):
    """Checks the module with the layouts of a TensorCore's tiling: it can be read back and runs."""
    with tempfile.TemporaryDirectory() as folder:
        here = pathlib.Path(folder)
        (here / "t.py").write_text(TILED)
        subprocess.run([lanescope, "run", "t.py"], cwd=here, check=True, capture_output=True)
        subprocess.run([lanescope, "compile", "t.py", "--emit", "laid-out", "-o", "t.mlir"], cwd=here, check=True)
        text = (here / "t.mlir").read_text()
        again = subprocess.run([lanescope, "open", "t.mlir", "--emit", "ir"], cwd=here, capture_output=True, text=True)
        ran = subprocess.run([lanescope, "emulate", "t.mlir", "--inputs", "x.npy", "-o", "out"], cwd=here, capture_output=True, text=True)
        if "#tpu.tiled<(1,128),[1,1]>" not in text or again.stdout.strip() != text.strip():
            return [f"laid out: {again.stderr}{text}"]
        got = (here / "out/out_0.npy").read_bytes()[-48 * 4:]
        if ran.returncode or got != b"".join((2 * k).to_bytes(4, "little") for k in range(48)):
            return [f"laid out, the module gives {got}: {ran.stderr}"]
    return []


def main():
    lanescope, root = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2])
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
        for other in ("ptx", "package"):
            with tempfile.TemporaryDirectory() as folder:
                refused = subprocess.run([lanescope, "compile", path, "--emit", other, "-o", f"{folder}/o"], capture_output=True, text=True)
            if refused.returncode != 1 or f"`ir` and no further: its target has no `{other}`" not in refused.stderr:
                problems.append(f"{path.name}: --emit {other} says: {refused.stderr}")
    problems += tiled(lanescope)
    print("\n".join(problems) or "all samples hold")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
