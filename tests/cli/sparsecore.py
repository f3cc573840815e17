#!/usr/bin/env python3
"""`lanescope emulate MODULE.mlir` on JAX's SparseCore modules. Each call of each test has to give the test's expected
files.
Usage: sparsecore.py LANESCOPE ARCHIVE [--only TEXT] [--sample N]

ARCHIVE is sparsecore.tar.xz; if it is absent, the test says so and passes. Outputs are compared bit for bit, unless the
test compares floats with a tolerance. A kernel reads the results of earlier kernels of the same test from the files
they wrote. --sample runs every Nth test."""
import ast
import concurrent.futures
import json
import pathlib
import struct
import subprocess
import sys
import tarfile
import tempfile


def load(path):
    """shape, descr and bytes of a .npy file."""
    data = path.read_bytes()
    size = struct.unpack("<H", data[8:10])[0]
    header = ast.literal_eval(data[10:10 + size].decode("latin1").split("#")[0].strip())
    return tuple(header["shape"]), header["descr"], data[10 + size:]


def save(path, shape, descr, data):
    header = repr({"descr": descr, "fortran_order": False, "shape": tuple(shape)}).encode()
    header += b" " * (63 - (10 + len(header)) % 64) + b"\n"
    path.write_bytes(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header + data)


def tolerance(meta, call, output):
    for check in meta["asserts"]:
        if check["kind"] == "allclose" and [call, output] in (check.get("maps_to") or []):
            return check.get("rtol") or 1e-7
    return 0


def differs(folder, meta, call, number, expected, out):
    shape, descr, got = load(out)
    _, _, wanted = load(folder / expected["file"])
    blocks = "window_bounds" in (folder / "module.mlir").read_text()  # they may have only the array's size
    if list(shape) != expected["shape"] and not (blocks and count(shape) == count(expected["shape"])):
        return f"output {number} has shape {shape} instead of {expected['shape']}"
    if len(got) != len(wanted):
        return f"output {number} has {len(got)} bytes instead of {len(wanted)}"
    width = max(1, len(got) // max(1, count(shape)))
    mask = load(folder / expected["mask_file"])[2] if expected.get("mask_file") else None
    relative = tolerance(meta, call, number)
    for k in range(count(shape)):
        a, b = got[k * width:(k + 1) * width], wanted[k * width:(k + 1) * width]
        if a == b or (mask is not None and not mask[k]):
            continue
        if descr == "<f4":
            x, y = struct.unpack("<f", a)[0], struct.unpack("<f", b)[0]
            if abs(x - y) <= relative * abs(y):  # like NumPy's comparison, ignores the sign of zero
                continue
        return f"output {number}, element {k}: {a.hex()} instead of {b.hex()}"
    return None


def count(shape):
    total = 1
    for size in shape:
        total *= size
    return total


def run_case(lanescope, folder):
    """A description of what is wrong with a case; None if nothing is. Raises KeyError if there is nothing to run."""
    meta = json.loads((folder / "meta.json").read_text())
    faults = any("JaxRuntimeError" in error["expected"] for error in meta.get("errors", []))
    with tempfile.TemporaryDirectory() as temporary:
        place = pathlib.Path(temporary)
        calls = meta["calls"]
        if folder.name.startswith("dist."):
            return run_devices(lanescope, folder, meta, place)
        for call, what in enumerate(calls):
            module = folder / meta["lowerings"][what["lowering"]]["module"]
            inputs = []
            for k, given in enumerate(what["inputs"]):
                path = place / f"{call}_in_{k}.npy"
                if given.get("from_output"):
                    made = place / str(given["from_output"]["call"]) / f"out_{given['from_output']['out']}.npy"
                    shape, descr, data = load(made)
                    save(path, given["shape"], descr, data)
                elif given.get("omitted"):
                    save(path, given["shape"], "<i4", struct.pack(f"<{count(given['shape'])}i", *range(count(given["shape"]))))
                else:
                    path = folder / given["file"]
                inputs.append(str(path))
            out = place / str(call)
            done = subprocess.run([lanescope, "emulate", module, "--inputs", *inputs, "-o", out], capture_output=True, text=True)
            if faults:
                return None if done.returncode == 1 else "the fault was not told"
            if done.returncode != 0:
                return done.stderr.strip()[:400]
            for number, expected in enumerate(what["outputs"]):
                if expected["expected"] == "none":
                    continue
                wrong = differs(folder, meta, call, number, expected, out / f"out_{number}.npy")
                if wrong:
                    return f"call {call}: {wrong}"
    return None


def run_devices(lanescope, folder, meta, place):
    """One call per device. Devices get the calls in the order of their contents, because a sharded array counts up."""
    calls = sorted(meta["calls"], key=lambda call: load(folder / call["inputs"][0]["file"])[2][:4][::-1])
    inputs = [str(folder / given["file"]) for call in calls for given in call["inputs"]]
    module = folder / meta["lowerings"][0]["module"]
    done = subprocess.run([lanescope, "emulate", module, "--devices", str(len(calls)), "--inputs", *inputs, "-o", place],
                          capture_output=True, text=True)
    if done.returncode != 0:
        return done.stderr.strip()[:400]
    for device, call in enumerate(calls):
        for number, expected in enumerate(call["outputs"]):
            wrong = differs(folder, meta, 0, number, expected, place / f"device_{device}" / f"out_{number}.npy")
            if wrong:
                return f"device {device}: {wrong}"
    return None


def main():
    lanescope, archive = sys.argv[1], pathlib.Path(sys.argv[2])
    only = sys.argv[sys.argv.index("--only") + 1] if "--only" in sys.argv else ""
    step = int(sys.argv[sys.argv.index("--sample") + 1]) if "--sample" in sys.argv else 1
    if not archive.exists():
        print(f"skipped: there is no {archive}")
        return 77
    with tempfile.TemporaryDirectory() as temporary:
        with tarfile.open(archive) as packed:
            packed.extractall(temporary, filter="data")
        folders = [meta.parent for meta in sorted(pathlib.Path(temporary).glob("*/*/meta.json"))]
        folders = [f for f in folders if only in f.name and json.loads((f / "meta.json").read_text()).get("calls")][::step]
        with concurrent.futures.ThreadPoolExecutor() as pool:
            wrong = list(zip(folders, pool.map(lambda folder: run_case(lanescope, folder), folders)))
    bad = [(folder.name, what) for folder, what in wrong if what]
    for name, what in bad:
        print(f"{name}: {what}")
    print(f"{len(folders) - len(bad)} of {len(folders)} cases are right")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
