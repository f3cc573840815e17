#!/usr/bin/env python3
"""Runs kernels that have a synchronisation fault (tests/golden/sync), and the fixed kernels, on a GPU.

  tests/gpu/synchronisation.py make PACKAGES               # here: writes packages of the kernels for sm_90a
  tests/gpu/synchronisation.py run PACKAGES [--seconds S]  # on a Hopper GPU; WORKER names lanescope-worker

`run` launches all of them round after round for S seconds (60), and counts for each kernel: right, wrong, fault, hang.
A kernel that faults or hangs four times is left out of further rounds. The exit status is 1 if a fixed kernel is not
right."""
import collections
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tarfile
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
GIVEN_UP = 4  # launches that fault or hang


def make(folder):
    with tempfile.TemporaryDirectory() as temporary:
        for path in sorted((HERE.parent / "golden/sync").glob("*.tar.xz")):
            with tarfile.open(path) as archive:
                archive.extractall(temporary)
        for ptx in sorted(pathlib.Path(temporary).glob("*/*/k.ptx")):
            case, text = ptx.parent, ptx.read_text()
            launch = json.loads((case / "launch.json").read_text())
            if "sm_100" in text or launch.get("devices", 1) > 1 or not (case / "wanted").is_dir():
                continue
            if "%envreg" in text:  # a barrier of the whole grid, by the driver's cooperative launch
                continue
            launch.pop("cooperative", None)  # these grids are always resident
            buffers = [buffer for parameter in launch["params"]
                       for buffer in ([parameter] if parameter["kind"] == "buffer" else parameter.get("buffers", []))]
            name = f"{case.parent.name}.{case.name}"
            package = folder / f"{name}.lspkg"
            package.mkdir(parents=True, exist_ok=True)
            (package / "kernel.ptx").write_text(text)
            (package / "launch.json").write_text(json.dumps(launch))
            (package / "meta.json").write_text(json.dumps({"format": 1, "kernel": name, "arch": "sm_90a", "outputs": [
                number for number, buffer in enumerate(buffers) if "out" in buffer]}))
            for array in case.glob("*.npy"):
                shutil.copy(array, package)
            shutil.copytree(case / "wanted", package / "expected", dirs_exist_ok=True)
    print(f"{len(list(folder.glob('*.lspkg')))} packages in {folder}")


def outcome(result):
    kind = result.get("kind")
    if kind is None:
        return "right" if result.get("comparison") == "as expected" else "wrong"
    return {"unexpected-output": "wrong", "timeout": "hang"}.get(kind, "fault")


def run(folder, seconds):
    worker = os.environ.get("WORKER", str(HERE.parent.parent / "build/release/bin/lanescope-worker"))
    packages, counts = sorted(folder.glob("*.lspkg")), collections.defaultdict(collections.Counter)
    begin = time.monotonic()
    while packages and time.monotonic() - begin < seconds:
        with tempfile.TemporaryDirectory() as results:
            subprocess.run([worker, "run", *packages, "-o", results, "--timeout", "1"], stdout=subprocess.DEVNULL,
                           stderr=subprocess.DEVNULL)
            for package in packages:
                result = pathlib.Path(results) / package.stem / "result.json"
                if result.exists():
                    counts[package.stem][outcome(json.loads(result.read_text()))] += 1
        packages = [p for p in packages if counts[p.stem]["hang"] + counts[p.stem]["fault"] < GIVEN_UP]
    for name, count in sorted(counts.items()):
        print(f"{name:50} " + ", ".join(f"{number} {word}" for word, number in count.most_common()))
    bad = [name for name, count in counts.items() if name.endswith(".fixed") and set(count) != {"right"}]
    print(f"{len(counts)} kernels; mended ones that are not right: {', '.join(bad) or 'none'}")
    return bool(bad) or not counts


if __name__ == "__main__":
    if len(sys.argv) == 3 and sys.argv[1] == "make":
        make(pathlib.Path(sys.argv[2]))
    elif len(sys.argv) in (3, 5) and sys.argv[1] == "run":
        sys.exit(run(pathlib.Path(sys.argv[2]), float(sys.argv[4]) if sys.argv[3:4] == ["--seconds"] else 60))
    else:
        sys.exit(__doc__)
