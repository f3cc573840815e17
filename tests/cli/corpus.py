#!/usr/bin/env python3
"""Runs kernels of other compilers (JAX's Mosaic GPU, Triton, Gluon, nvcc) on the emulator, with the checker and in the
fast mode. They have to give the expected arrays, within each case's tolerance. The checker must report no fault, and
hazards only by the rules that --hazards names; docs/checks.md explains the basis of these rules.

A case is a folder: kernel.ptx (or kernel_fixed.ptx, the same kernel with its own fault removed), launch.json, the
arrays and meta.json, which names the compared arrays and their tolerances. Cases are folders of FOLDER, or of the
archives in it.
Usage: corpus.py LANESCOPE FOLDER --arch sm_90a|sm_100a [--checks] [--fast] [--seed N] [--only TEXT] [--hazards RULE,…]
[--known NAME,…] [--sample N] [--count]
--sample runs every Nth case."""
import argparse
import array
import collections
import concurrent.futures
import json
import os
import pathlib
import re
import shutil
import struct
import subprocess
import sys
import tarfile
import tempfile

TIMEOUT = 300
# The beginnings of the messages of docs/checks.md's hazards.
HAZARDS = {
    "unfenced-overwrite": r"through the async proxy, and the read of .* before it is not fenced",
    "unfenced-cp-async": r"reads shared memory that `cp\.async` filled, through the async proxy",
    "narrow-scope": r"the operation that orders the two across blocks has the scope of one block",
    "unfenced-acquire": r"reads .*, which a warp of .* writes without an order between them",
    "unfenced-constant": r"uses register .* (before the first `wgmma\.fence`|written since the last `wgmma\.fence`)",
    "copied-in-flight": r"copies register .*, which a wgmma in flight",
    "replaced-in-flight": r"writes register .*, which a wgmma in flight reads as its A",
    "unawaited-store": r"of buffer .*, which another copy still writes",
    "unfinished-copy": r"ends while this copy still (reads|fills) its shared memory",
    "mbarrier-initialised-twice": r"is initialised twice without `mbarrier\.inval`",
    "unfenced-mbarrier-init": r"through the async proxy, and its initialisation by .* is not fenced",
    "mbarrier-reused": r"writes the memory of the mbarrier .* has not been invalidated",
    "phase-overrun": r"may both be over before .* waits here for phase",
    "mbarrier-parity": r"the phase parity is \d+: only the lowest bit counts",
}


def read_npy(path):
    """(bytes, type in NumPy's notation)"""
    data = path.read_bytes()
    size = struct.unpack_from("<H" if data[6] == 1 else "<I", data, 8)[0]
    begin = (10 if data[6] == 1 else 12) + size
    header = data[begin - size:begin].decode()
    return data[begin:], header.split("'descr': '")[1].split("'")[0]


def small_float(bits, mantissa, bias):
    sign = -1.0 if bits & 0x80 else 1.0
    exponent, fraction = (bits & 0x7F) >> mantissa, bits & ((1 << mantissa) - 1)
    if exponent == 0:
        return sign * fraction * 2.0**(1 - bias - mantissa)
    return sign * (1 + fraction / (1 << mantissa)) * 2.0**(exponent - bias)


def numbers(data, dtype):
    """The elements as floats. `dtype` is a name of NumPy, ml_dtypes or launch.json."""
    if dtype in ("float32", "f32"):
        return array.array("f", data)
    if dtype in ("float16", "f16"):
        return [value for (value,) in struct.iter_unpack("<e", data)]
    if dtype in ("bfloat16", "bf16"):
        return array.array("f", b"".join(b"\0\0" + data[n:n + 2] for n in range(0, len(data), 2)))
    if dtype in ("float8_e4m3fn", "f8e4m3fn"):
        return [small_float(bits, 3, 7) for bits in data]
    if dtype in ("float8_e5m2", "f8e5m2"):
        return [small_float(bits, 2, 15) for bits in data]
    kinds = {"int8": "b", "i8": "b", "uint8": "B", "u8": "B", "int16": "h", "i16": "h", "uint16": "H", "u16": "H",
             "int32": "i", "i32": "i", "uint32": "I", "u32": "I", "int64": "q", "i64": "q"}
    return array.array(kinds[dtype], data)


def buffers(launch):
    for param in launch["params"]:
        yield from param.get("buffers", []) if param["kind"] == "bytes" else [param] if param["kind"] == "buffer" else []


def comparisons(folder, meta, launch):
    """[(file of the output, expected file, type, relative and absolute tolerance)]"""
    outputs = {buffer["out"]: buffer for buffer in buffers(launch) if buffer.get("out")}
    if "checks" in meta:
        names = list(outputs)
        return [(f"out{check['output']}.npy" if f"out{check['output']}.npy" in outputs else names[check["output"]],
                 check["expected"], check["dtype"], check["rtol"], check["atol"]) for check in meta["checks"]]
    tolerance = meta.get("tolerance", {"rtol": 0, "atol": 0})  # a GPU's recordings must be equal
    found = []
    for out, buffer in outputs.items():
        expected = out.replace("out", "expected", 1)
        if (folder / expected).exists():
            found.append((out, expected, buffer["dtype"], tolerance["rtol"], tolerance["atol"]))
    return found


def difference(folder, out, expected, dtype, rtol, atol, unordered=()):
    """`unordered`: outputs whose elements may have any order."""
    got, _ = read_npy(folder / out)
    want, _ = read_npy(folder / expected)
    if pathlib.Path(out).stem in unordered and len(got) == len(want):
        return None if sorted(numbers(got, dtype)) == sorted(numbers(want, dtype)) else f"{out} has other elements"
    if got == want:
        return None
    if len(got) != len(want):
        return f"{out} has {len(got)} bytes, expected {len(want)}"
    wrong, first = 0, None
    for index, (a, b) in enumerate(zip(numbers(got, dtype), numbers(want, dtype))):
        if a != b and not (a != a and b != b) and not abs(a - b) <= atol + rtol * abs(b):
            wrong += 1
            first = first or f"[{index}] is {a}, expected {b}"
    return f"{out}: {wrong} of {index + 1} wrong: {first}" if wrong else None


def complete_launch(folder, meta):
    """Completes a launch that lacks the type of padded 4-bit descriptors, which Triton's metadata has."""
    launch = json.loads((folder / "launch_incomplete.json").read_text())
    maps = [tensor_map for param in launch["params"] for tensor_map in param.get("tensor_maps", [])]
    described = json.loads(meta["metadata"]["tensordesc_meta"].replace("'", '"').replace("True", "true").replace(
        "False", "false"))
    for tensor_map, said in zip(maps, described, strict=True):
        if said["fp4_padded"]:  # there the array's sizes are in bytes
            tensor_map |= {"dtype": "b4x16_p64", "box": said["block_size"]}
            tensor_map["shape"][-1] *= 2
    (folder / "launch_full.json").write_text(json.dumps(launch))


def rules_told(lanescope, folder):
    """The rules of the hazards and notes that a case with checks reports, once each."""
    launch = next((folder / name for name in ("launch_full.json", "launch.json") if (folder / name).exists()), None)
    if launch is None:
        return []
    ptx = next(folder / name for name in ("kernel_fixed.ptx", "kernel.ptx") if (folder / name).exists())
    run = subprocess.run([lanescope, "emulate", str(ptx), "--launch", str(launch), "--threads", "1"], capture_output=True,
                         text=True, timeout=TIMEOUT)
    told = {rule for line in run.stderr.splitlines() if "warning: " in line for rule in HAZARDS if re.search(HAZARDS[rule], line)}
    if re.search(r"note: .*no result depends on what it holds", run.stderr):
        told.add("uninitialised (note)")
    return told


def run_case(lanescope, folder, options, hazards=()):
    meta = json.loads((folder / "meta.json").read_text())
    if not (folder / "launch.json").exists() and (folder / "launch_incomplete.json").exists():
        complete_launch(folder, meta)
    launch_file = next((folder / name for name in ("launch_full.json", "launch.json") if (folder / name).exists()), None)
    if launch_file is None:
        return f"no launch: {meta.get('no_launch_json', '')}"
    launch = json.loads(launch_file.read_text())
    ptx = next(folder / name for name in ("kernel_fixed.ptx", "kernel.ptx") if (folder / name).exists())
    for buffer in buffers(launch):
        if buffer.get("out"):
            (folder / buffer["out"]).unlink(missing_ok=True)
    try:
        run = subprocess.run([lanescope, "emulate", str(ptx), "--launch", str(launch_file), "--threads", "1", *options], capture_output=True,
                             text=True, timeout=TIMEOUT)
    except subprocess.TimeoutExpired:
        return f"no end after {TIMEOUT} s"
    if run.returncode != 0 or "error: " in run.stderr:
        return f"exit status {run.returncode}\n{run.stderr}"
    accused = [line for line in run.stderr.splitlines()
               if "warning: " in line and not any(re.search(HAZARDS[rule], line) for rule in hazards)]
    if accused:
        return f"accused: {accused[0]}"
    compared = comparisons(folder, meta, launch)
    if not compared:
        return "nothing is compared"
    unordered = {f"out_{name}" for name, how in meta.get("compare", {}).items() if how == "sorted"}
    problems = [problem for what in compared if (problem := difference(folder, *what, unordered))]
    return "\n".join(problems) or None


def find_cases(folder, into, arch, only):
    """Writable copies of the cases."""
    for archive in sorted(folder.glob("*_own.tar.xz")):
        with tarfile.open(archive) as tar:
            tar.extractall(into / archive.name.split(".")[0], filter="data")
    for meta in sorted(folder.glob("**/meta.json")):
        if meta.parent.name.startswith("M_"):
            continue  # the checker's kernels, which have no recorded outputs
        shutil.copytree(meta.parent, into / "folders" / meta.parent.name)
    return [path.parent for path in sorted(into.glob("**/meta.json"))
            if json.loads(path.read_text()).get("arch") == arch and only in path.parent.name]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("lanescope")
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--arch", required=True)
    parser.add_argument("--hazards", default="", help="rules that may be told")
    parser.add_argument("--checks", action="store_true")
    parser.add_argument("--fast", action="store_true")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", default="")
    parser.add_argument("--known", default="", help="cases that may fail")
    parser.add_argument("--sample", type=int, default=1, help="run every Nth case")
    parser.add_argument("--count", action="store_true", help="in how many cases each hazard and note is told")
    arguments = parser.parse_args()
    if not arguments.folder.exists():
        print(f"skipped: no {arguments.folder}")
        return 77
    modes = [options for chosen, options in ((arguments.checks, ["--seed", str(arguments.seed)]), (arguments.fast, ["--fast"])) if chosen]
    hazards = list(filter(None, arguments.hazards.split(",")))
    known = set(filter(None, arguments.known.split(",")))
    with tempfile.TemporaryDirectory() as temporary:
        cases = find_cases(arguments.folder, pathlib.Path(temporary), arguments.arch, arguments.only)[::arguments.sample]
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            work = {}
            for case in cases: # runs the modes of a case in sequence, because they write the same files
                work[pool.submit(lambda case=case: [run_case(arguments.lanescope, case, mode, hazards) for mode in modes])] = case
            failed = 0
            for future in concurrent.futures.as_completed(work):
                for mode, problem in zip(modes, future.result()):
                    if problem:
                        failed += work[future].name not in known
                        print(f"FAILED {work[future].name} {' '.join(mode)}: {problem}", flush=True)
        if arguments.count:
            counts = collections.Counter()
            with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
                for told in pool.map(lambda case: rules_told(arguments.lanescope, case), cases):
                    counts.update(told)
            print(", ".join(f"{rule} {count}" for rule, count in counts.most_common()) or "no hazards, no notes")
    print(f"{len(cases)} cases, {len(modes)} modes each, {failed} failed")
    return 1 if failed or not cases else 0


if __name__ == "__main__":
    sys.exit(main())
