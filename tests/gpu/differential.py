#!/usr/bin/env python3
"""Generated snippets that must give the same bits on a GPU as on the emulator.

  tests/gpu/differential.py --make DIR [--count 2000] [--seed 0] [--lanescope build/release/bin/lanescope] [--jobs 2]
      writes DIR/cNNNNN.lspkg (with the emulator's outputs as expected outputs), DIR/cases.json and DIR.tar.xz
  tests/gpu/differential.py --check DIR|DIR.tar.xz --worker lanescope-worker [--device gpu] [--jobs 12]
      runs them, compares, and prints the differences; exit status 1 if there is one
  tests/gpu/differential.py --only 1234 [--seed 0]
      prints the snippet of one case and runs it on the emulator

The seed and the number determine a case. Needs only the standard library.
"""
import argparse
import collections
import concurrent.futures
import json
import math
import os
import pathlib
import re
import struct
import subprocess
import sys
import tarfile
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
BIN = HERE.parents[1] / "build" / "release" / "bin"


# --- making

def compile_case(lanescope, seed, number, folder):
    """Writes one package. Returns its entry for cases.json."""
    from generator import make
    case = make(seed, number)
    source = folder / f"{case.name}.py"
    source.write_text(case.snippet())
    done = subprocess.run([lanescope, "compile", source.name, "--emit", "package"], cwd=folder, text=True,
                          capture_output=True, timeout=300)
    package = folder / f"{case.name}.lspkg"
    problem = done.stderr.strip()
    if done.returncode == 0 and not problem and not (package / "expected").is_dir():
        problem = "the emulator gave no outputs"
    if not problem and done.returncode != 0:
        problem = f"exit status {done.returncode}"
    if not problem:
        ptx = (package / "kernel.ptx").read_text()
        inexact = [word for word in (".approx", ".full") if word in ptx]
        if inexact and not all(case.outputs.values()):
            problem = f"the PTX has {inexact[0]}, but an output is to be exact"
    # The PTX ISA does not define which NaN the sign operations give. ptxas folds them into other operations and changes
    # it.
    any_nan = not problem and re.search(r"\b(neg|abs|copysign)\.(ftz\.)?(f|bf)", ptx) is not None
    return {"number": number, "family": case.family, **({"any_nan": True} if any_nan else {}), "tolerances": {k: v for k, v in case.outputs.items() if v},
            "tags": sorted(case.tags)}, problem


def make_cases(options):
    target = pathlib.Path(options.make)
    target.mkdir(parents=True, exist_ok=True)
    sys.path.insert(0, str(HERE))
    numbers = range(options.first, options.first + options.count)
    cases, problems, begin = [], [], time.monotonic()
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        lanescope = str(pathlib.Path(options.lanescope).resolve())
        for entry, problem in pool.map(lambda n: compile_case(lanescope, options.seed, n, target), numbers):
            if problem:
                problems.append((entry["number"], entry["family"], problem))
                print(f"case {entry['number']} ({entry['family']}): {problem}")
            cases.append(entry)
    broken = {number for number, _, _ in problems}
    cases = [case for case in cases if case["number"] not in broken]
    (target / "cases.json").write_text(json.dumps({"seed": options.seed, "cases": cases}))
    for name in broken:
        remove(target / f"c{name:05d}.lspkg")
    print_coverage(cases, options)
    archive = target.parent / f"{target.name}.tar.xz"
    with tarfile.open(archive, "w:xz", preset=6) as tar:
        tar.add(target / "cases.json", "cases.json")
        for case in cases:
            tar.add(target / f"c{case['number']:05d}.lspkg", f"c{case['number']:05d}.lspkg")
    print(f"{len(cases)} cases in {target}, {archive.stat().st_size / 1e6:.1f} MB packed, {len(problems)} failed, "
          f"{time.monotonic() - begin:.0f} s")
    return 1 if problems else 0


def remove(folder):
    if folder.is_dir():
        for path in sorted(folder.rglob("*"), reverse=True):
            path.rmdir() if path.is_dir() else path.unlink()
        folder.rmdir()


def print_coverage(cases, options):
    counts = collections.Counter(tag for case in cases for tag in case["tags"])
    counts.update(f"family {case['family']}" for case in cases)
    least = options.count // 100
    print("coverage, in cases:")
    for tag, count in sorted(counts.items()):
        print(f"  {count:5d}  {tag}{'   (few)' if count < least else ''}")


# --- checking

def read_npy(path):
    """(descr, shape, bytes)."""
    data = path.read_bytes()
    wide = data[6] >= 2
    size = struct.unpack_from("<I" if wide else "<H", data, 8)[0]
    start = (12 if wide else 10) + size
    header = data[12 if wide else 10:start].decode("latin-1")
    descr = header.split("'descr': '")[1].split("'")[0]
    shape = [int(part) for part in header.split("'shape': (")[1].split(")")[0].split(",") if part.strip()]
    return descr, shape, data[start:]


def values(dtype, data):
    """The numbers of a float array, and its bits as integers that count ulps."""
    code = {"f32": "I", "f64": "Q"}.get(dtype, "H")
    bits = struct.unpack(f"<{len(data) // struct.calcsize(code)}{code}", data)
    if dtype == "bf16":
        numbers = struct.unpack(f"<{len(bits)}f", struct.pack(f"<{len(bits)}I", *[b << 16 for b in bits]))
    else:
        numbers = struct.unpack(f"<{len(bits)}{ {'f32': 'f', 'f64': 'd', 'f16': 'e'}[dtype] }", data)
    top = 1 << (8 * struct.calcsize(code) - 1)
    return numbers, [top - b if b & top else b for b in bits]


def close(a, b, rank_a, rank_b, tolerance):
    if math.isnan(a) or math.isnan(b):
        return math.isnan(a) and math.isnan(b)
    if "absolute" in tolerance and abs(a - b) <= tolerance["absolute"]:
        return True
    return abs(rank_a - rank_b) <= tolerance.get("ulps", 0)


def difference(actual, expected, dtype, tolerance, any_nan):
    """The first difference of two arrays as (kind, text); None if they are equal."""
    _, shape, data = actual
    _, wanted_shape, wanted = expected
    if shape != wanted_shape or len(data) != len(wanted):
        return "shape", f"shape {shape}, expected {wanted_shape}"
    if data == wanted:
        return None
    size = len(data) // max(1, math.prod(shape))
    differ = [i for i in range(len(data) // size) if data[i * size:i * size + size] != wanted[i * size:i * size + size]]
    floats = dtype in ("f32", "f64", "f16", "bf16")
    kind, shown = "bits", str
    if floats:
        numbers, ranks = values(dtype, data)
        wanted_numbers, wanted_ranks = values(dtype, wanted)
        if tolerance:
            differ = [i for i in differ if not close(numbers[i], wanted_numbers[i], ranks[i], wanted_ranks[i], tolerance)]
            kind = "tolerance"
        if any_nan:
            differ = [i for i in differ if not (math.isnan(numbers[i]) and math.isnan(wanted_numbers[i]))]
        if not differ:
            return None
        if all(math.isnan(numbers[i]) and math.isnan(wanted_numbers[i]) for i in differ):
            kind = "NaN bits"
    at, rest = [], differ[0]
    for extent in reversed(shape):
        at.insert(0, rest % extent)
        rest //= extent
    i = differ[0]
    bits = [int.from_bytes(d[i * size:i * size + size], "little") for d in (data, wanted)]
    text = f"{len(differ)} of {len(data) // size} differ, first at {tuple(at)}: {bits[0]:#0{2 + 2 * size}x}"
    text += f" ({numbers[i]!r})" if floats else ""
    text += f", expected {bits[1]:#0{2 + 2 * size}x}" + (f" ({wanted_numbers[i]!r})" if floats else "")
    return kind, text


def check_package(folder, results, tolerances, any_nan):
    """The differences as a list of (kind, text)."""
    result = results / "result.json"
    if not result.is_file():
        return [("no result", "the worker wrote no result")]
    outcome = json.loads(result.read_text())
    found = []
    launch = json.loads((folder / "launch.json").read_text())
    dtypes = {buffer["out"]: (buffer["dtype"], buffer["name"]) for param in launch["params"]
              for buffer in param.get("buffers", [param]) if buffer.get("out")}
    for path in sorted((folder / "expected").iterdir()):
        dtype, name = dtypes[path.name]
        if not (results / path.name).is_file():
            found.append(("failed", outcome.get("error", "no output")))
            break
        differs = difference(read_npy(results / path.name), read_npy(path), dtype, tolerances.get(name, {}), any_nan)
        if differs:
            found.append((differs[0], f"{name}: {differs[1]}"))
    if not found and not outcome["ok"] and outcome.get("kind") != "unexpected-output":
        found.append(("failed", outcome.get("error", "?")))
    return found


def check_cases(options):
    begin = time.monotonic()
    source = pathlib.Path(options.check)
    with tempfile.TemporaryDirectory() as scratch:
        if source.is_file():
            folder = pathlib.Path(scratch) / "cases"
            with tarfile.open(source) as tar:
                tar.extractall(folder, **({"filter": "data"} if hasattr(tarfile, "data_filter") else {}))
        else:
            folder = source
        cases = json.loads((folder / "cases.json").read_text())["cases"]
        results = pathlib.Path(scratch) / "results"
        worker = str(pathlib.Path(options.worker).resolve())
        batch = 25
        parts = [cases[i:i + batch] for i in range(0, len(cases), batch)]

        def run(part):
            names = [str(folder / f"c{case['number']:05d}.lspkg") for case in part]
            return subprocess.run([worker, "run", *names, "-o", str(results), "--timeout", str(options.timeout), "--device",
                                   options.device], capture_output=True, text=True)

        with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
            for done in pool.map(run, parts):
                if done.returncode not in (0, 1):
                    print(done.stderr.strip(), file=sys.stderr)
                    return done.returncode
        print(f"ran {len(cases)} cases in {time.monotonic() - begin:.0f} s")
        kinds, families, bad = collections.Counter(), collections.Counter(), 0
        for case in cases:
            name = f"c{case['number']:05d}"
            found = check_package(folder / f"{name}.lspkg", results / name, case["tolerances"], case.get("any_nan", False))
            bad += bool(found)
            for kind, text in found:
                kinds[kind] += 1
                families[case["family"]] += 1
                print(f"case {case['number']} ({case['family']}): {kind}: {text}")
        for title, counts in (("kinds", kinds), ("families", families)):
            if counts:
                print(f"{title}: {dict(counts)}")
        exact = sum(not case["tolerances"] for case in cases)
        print(f"{len(cases) - bad} of {len(cases)} cases agree ({exact} of them to be equal bit for bit), {bad} differ; "
              f"{time.monotonic() - begin:.0f} s")
    return 1 if bad else 0


def run_one(options):
    sys.path.insert(0, str(HERE))
    from generator import make
    case = make(options.seed, options.only)
    print(case.snippet())
    with tempfile.TemporaryDirectory() as scratch:
        path = pathlib.Path(scratch) / f"{case.name}.py"
        path.write_text(case.snippet())
        return subprocess.run([str(pathlib.Path(options.lanescope).resolve()), "run", path.name, "--device", "emulator"],
                              cwd=scratch).returncode


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--make", metavar="DIR")
    parser.add_argument("--check", metavar="DIR")
    parser.add_argument("--only", type=int, metavar="NUMBER")
    parser.add_argument("--count", type=int, default=2000)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--lanescope", default=str(BIN / "lanescope"))
    parser.add_argument("--worker", default=str(BIN / "lanescope-worker"))
    parser.add_argument("--device", default="gpu", choices=("gpu", "emulator"))
    parser.add_argument("--timeout", type=int, default=10)
    parser.add_argument("--jobs", type=int, default=min(12, os.cpu_count() or 1))
    options = parser.parse_args()
    if options.only is not None:
        return run_one(options)
    if not options.make and not options.check:
        parser.error("say --make, --check or --only")
    status = make_cases(options) if options.make else 0
    return max(status, check_cases(options)) if options.check else status


if __name__ == "__main__":
    sys.exit(main())
