#!/usr/bin/env python3
"""Packs thousands of packages into one small archive, and checks their outputs on a GPU.

  tests/gpu/pack.py make DIR… -o FILE.tar.xz              here: DIR/*.lspkg with their expected outputs
  tests/gpu/pack.py run FILE.tar.xz… [--worker lanescope-worker] [-o RESULTS] [--device gpu] [--jobs 12] [--filter GLOB]
      on the GPU's machine: runs all, prints the differences; exit status 1 if there is one
  tests/gpu/pack.py compare DIR RESULTS                   here again: the first differences of the outputs that `run` kept
  tests/gpu/pack.py unpack FILE.tar.xz -o DIR             the packages, without expected outputs that are digests

The emulator gives the GPU's bits, so a digest of each output is enough, and 4 GB become 40 MB. If the PTX has `.approx`
or `.full` instructions, floats may differ. Then the archive contains the outputs, and the GPU's have to be within
`--tolerance` (absolute plus relative). A large output of this kind is not sent if the package of an exact kernel with
the same inputs gave the same result within that tolerance. It is compared with that kernel's result on the GPU, which
has a digest. Needs only the standard library. """
import argparse
import collections
import concurrent.futures
import fnmatch
import hashlib
import json
import lzma
import os
import pathlib
import struct
import subprocess
import sys
import tarfile
import tempfile
import time

import differential
from packing import Reader, Writer, split_npy

BIN = pathlib.Path(__file__).resolve().parents[2] / "build" / "release" / "bin"
FORMAT = 1
LARGE = 1 << 20  # bytes; a larger approximate output is not sent if possible
FLOATS = {"f16": "e", "f32": "f", "f64": "d", "bf16": None}


def outputs_of(launch):
    """{file name: dtype} of a launch.json's outputs."""
    return {buffer["out"]: buffer["dtype"] for param in launch["params"] for buffer in param.get("buffers", [param])
            if buffer.get("out")}


def is_approximate(folder):
    return any(word in (folder / "kernel.ptx").read_text() for word in (".approx", ".full"))


def numbers(dtype, data):
    if dtype == "bf16":
        halves = struct.unpack(f"<{len(data) // 2}H", data)
        return struct.unpack(f"<{len(halves)}f", struct.pack(f"<{len(halves)}I", *[half << 16 for half in halves]))
    return struct.unpack(f"<{len(data) // struct.calcsize(FLOATS[dtype])}{FLOATS[dtype]}", data)


def outside(dtype, actual, wanted, tolerance):
    """The number of elements of two .npy files that are further apart than tolerance[0] + tolerance[1] * |wanted|, and
    the greatest distance; None if the headers differ."""
    (head, actual), (wanted_head, wanted) = split_npy(actual), split_npy(wanted)
    if head != wanted_head or len(actual) != len(wanted):
        return None
    count, greatest, (absolute, relative) = 0, 0.0, tolerance
    for start in range(0, len(actual), LARGE):
        one, other = actual[start:start + LARGE], wanted[start:start + LARGE]
        if one == other:
            continue
        for x, y in zip(numbers(dtype, one), numbers(dtype, other)):
            if x == y or (x != x and y != y):
                continue
            distance = abs(x - y)
            greatest = max(greatest, distance)
            count += not distance <= absolute + relative * abs(y)
    return count, greatest


# --- making

class Maker:
    def __init__(self, texts, data, tolerance):
        self.texts, self.data, self.tolerance = Writer(texts), Writer(data), tolerance
        self.packages, self.exact = [], {}

    def add(self, folder):
        launch = json.loads((folder / "launch.json").read_text())
        dtypes, package = outputs_of(launch), {"name": folder.stem, "texts": {}, "arrays": {}, "expected": {}, "bytes": 0}
        approximate = is_approximate(folder)
        for path in sorted(path for path in folder.rglob("*") if path.is_file()):
            name, content = path.relative_to(folder).as_posix(), path.read_bytes()
            package["bytes"] += len(content)
            if name.startswith("expected/"):
                name = name.removeprefix("expected/")
                inexact = approximate and dtypes[name] in FLOATS
                package["expected"][name] = None if inexact else {"sha256": hashlib.sha256(content).hexdigest()}
            elif path.suffix == ".npy":
                package["arrays"][name] = self.data.add(content)
            else:
                package["texts"][name] = self.texts.chunks(content)
        for name in (name for name, how in package["expected"].items() if how is None):
            package["expected"][name] = self.inexact(folder, name, dtypes[name], package)
        if not approximate:
            self.exact.setdefault(self.question(package), []).append(folder)
        self.packages.append(package)

    @staticmethod
    def question(package):
        return json.dumps([package["arrays"], sorted(package["expected"])])

    def inexact(self, folder, name, dtype, package):
        content = (folder / "expected" / name).read_bytes()
        if len(content) > LARGE:
            for other in self.exact.get(self.question(package), []):
                found = outside(dtype, content, (other / "expected" / name).read_bytes(), self.tolerance)
                if found and found[0] == 0:
                    return {"near": other.stem, "dtype": dtype}
        return {"array": self.data.add(content), "dtype": dtype}


def make(options):
    begin = time.monotonic()
    folders = sorted(path for directory in options.sources for path in pathlib.Path(directory).glob("*.lspkg"))
    twice = [name for name, count in collections.Counter(path.stem for path in folders).items() if count > 1]
    if twice or not folders:
        sys.exit(f"error: {'two packages are named ' + twice[0] if twice else 'there are no packages'}")
    with tempfile.TemporaryFile() as texts, tempfile.TemporaryFile() as data:
        maker = Maker(texts, data, options.tolerance)
        for folder in sorted(folders, key=is_approximate):
            maker.add(folder)
        manifest = {"format": FORMAT, "tolerance": options.tolerance, "texts": maker.texts.position,
                    "data": maker.data.position, "packages": sorted(maker.packages, key=lambda package: package["name"])}
        with lzma.open(options.output, "wb", preset=9) as packed, tarfile.open(fileobj=packed, mode="w|") as tar:
            with tempfile.TemporaryFile() as listing:
                listing.write(json.dumps(manifest).encode())
                for name, file in (("manifest.json", listing), ("texts", texts), ("data", data)):
                    member = tarfile.TarInfo(name)
                    member.size = file.tell()
                    file.seek(0)
                    tar.addfile(member, file)
    ways = collections.Counter(next(iter(how)) for package in maker.packages for how in package["expected"].values())
    print(f"{len(folders)} packages, {sum(package['bytes'] for package in maker.packages) / 1e6:.1f} MB, as "
          f"{os.path.getsize(options.output) / 1e6:.1f} MB; outputs: {ways['sha256']} by digest, {ways['array']} within the "
          f"tolerance, {ways['near']} within it of another package's; {time.monotonic() - begin:.0f} s")
    return 0


# --- unpacking

class Archive:
    def __init__(self, path, scratch):
        with tarfile.open(path) as tar:
            tar.extractall(scratch, **({"filter": "data"} if hasattr(tarfile, "data_filter") else {}))
        self.folder = pathlib.Path(scratch)
        self.manifest = json.loads((self.folder / "manifest.json").read_text())
        if self.manifest["format"] != FORMAT:
            sys.exit(f"error: {path} has format {self.manifest['format']}; this script reads {FORMAT}")

    def restore(self, packages, target, expected=False):
        """Writes folders target/NAME.lspkg, with expected outputs only if `expected` is set and the archive has
        them."""
        with open(self.folder / "texts", "rb") as texts, open(self.folder / "data", "rb") as data:
            words, arrays = Reader(texts, self.manifest["texts"]), Reader(data, self.manifest["data"])
            for package in packages:
                folder = target / f"{package['name']}.lspkg"
                folder.mkdir(parents=True)
                for name, numbers_of in package["texts"].items():
                    (folder / name).write_bytes(words.stream(numbers_of))
                for name, entry in package["arrays"].items():
                    (folder / name).write_bytes(arrays.bytes_of(entry))
                for name, how in package["expected"].items():
                    if expected and "array" in how:
                        (folder / "expected").mkdir(exist_ok=True)
                        (folder / "expected" / name).write_bytes(arrays.bytes_of(how["array"]))

    def wanted(self, entry):
        with open(self.folder / "data", "rb") as data:
            return Reader(data, self.manifest["data"]).bytes_of(entry)


def unpack(options):
    with tempfile.TemporaryDirectory() as scratch:
        archive = Archive(options.archive, scratch)
        packages = archive.manifest["packages"]
        archive.restore(packages, pathlib.Path(options.output), expected=True)
    print(f"{len(packages)} packages in {options.output}")
    return 0


# --- running

def batches(packages):
    """Lists of at most 24 packages or 256 MB. A package that is compared with another's outputs follows that one."""
    following = collections.defaultdict(list)
    leaders = []
    for package in packages:
        near = {how["near"] for how in package["expected"].values() if "near" in how}
        following[near.pop()].append(package) if near else leaders.append(package)
    found, size = [[]], 0
    for package in leaders:
        group = [package, *following[package["name"]]]
        weight = sum(each["bytes"] for each in group)
        if found[-1] and (size + weight > 256e6 or len(found[-1]) + len(group) > 24):
            found.append([])
            size = 0
        found[-1] += group
        size += weight
    return [batch for batch in found if batch]


def check(archive, package, results):
    """(the result: "equal", "near", "unchecked" or the problem), a text, the outputs to keep."""
    folder, state, texts, kept = results / package["name"], "equal" if package["expected"] else "unchecked", [], []
    result = folder / "result.json"
    if not result.is_file():
        return "no result", "the worker wrote no result", []
    outcome = json.loads(result.read_text())
    if "the kernel is compiled for" in outcome.get("error", ""):
        return "elsewhere", "", []  # for example a package for Blackwell on a Hopper GPU
    if not outcome["ok"]:
        return "failed", outcome.get("error") or outcome.get("comparison", "?"), []
    for name, how in package["expected"].items():
        path = folder / name
        if not path.is_file():
            return ("equal", "", []) if "failed as expected" in outcome.get("comparison", "") else ("failed", f"no {name}", [])
        content = path.read_bytes()
        if "sha256" in how:
            if hashlib.sha256(content).hexdigest() != how["sha256"]:
                texts.append(f"{name}: other bits than expected")
                kept.append(path)
            continue
        state = "near"
        wanted = archive.wanted(how["array"]) if "array" in how else (results / how["near"] / name).read_bytes()
        found = outside(how["dtype"], content, wanted, archive.manifest["tolerance"])
        if found is None or found[0]:
            texts.append(f"{name}: another shape" if found is None else
                         f"{name}: {found[0]} elements outside the tolerance, by up to {found[1]:g}")
            kept.append(path)
        elif found[1]:
            texts.append(f"{name}: by up to {found[1]:g}")
    return ("differs" if kept else state), "; ".join(texts), kept


def run_batch(archive, batch, options, output):
    """[(name, state, text)] of some packages; a string if there is no GPU."""
    with tempfile.TemporaryDirectory(dir=archive.folder) as place:
        target, results, found = pathlib.Path(place) / "packages", pathlib.Path(place) / "results", []
        archive.restore(batch, target)
        done = subprocess.run([str(pathlib.Path(options.worker).resolve()), "run",
                               *[str(target / f"{package['name']}.lspkg") for package in batch], "-o", str(results), "--timeout",
                               str(options.timeout), "--device", options.device], capture_output=True, text=True)
        if done.returncode == 3:
            return done.stderr.strip().removeprefix("error: ") or "there is no GPU"
        for package in batch:
            state, text, kept = check(archive, package, results)
            found.append((package["name"], state, text))
            for each in kept:
                if sum(1 for _ in output.glob("*.xz")) < options.keep:
                    (output / f"{package['name']}.{each.name}.xz").write_bytes(lzma.compress(each.read_bytes()))
        return found


job = None  # in each process of the pool: (archive, options, output)


def start(*arguments):
    global job
    job = arguments


def run_job(batch):
    archive, options, output = job
    return run_batch(archive, batch, options, output)


def run_archive(path, options, output, found):
    with tempfile.TemporaryDirectory() as scratch:
        archive = Archive(path, scratch)
        packages = [package for package in archive.manifest["packages"] if fnmatch.fnmatch(package["name"], options.filter)]
        names = {package["name"] for package in packages}
        absent = {how["near"] for package in packages for how in package["expected"].values() if "near" in how} - names
        packages += [package for package in archive.manifest["packages"] if package["name"] in absent]
        # Processes, because unpacking and comparing takes as much time as the GPU's work.
        with concurrent.futures.ProcessPoolExecutor(options.jobs, initializer=start,
                                                    initargs=(archive, options, output)) as pool:
            for outcome in pool.map(run_job, batches(packages)):
                if isinstance(outcome, str):
                    print(f"error: {outcome}", file=sys.stderr)
                    pool.shutdown(cancel_futures=True)
                    return 3
                found += outcome
    return 0


GOOD = {"equal": "bit for bit", "near": "within the tolerance", "unchecked": "ran, nothing to compare",
        "elsewhere": "for another architecture"}


def counted(states):
    return ", ".join(f"{count} {GOOD.get(state, state)}" for state, count in sorted(states.items()))


def report(found):
    """Prints the differences and the result of each test."""
    tests = collections.defaultdict(collections.Counter)
    for name, state, text in found:
        tests[name.rpartition("-")[0] or name][state] += 1
        if state not in GOOD:
            print(f"{name}: {state}: {text}")
    width = max(map(len, tests), default=0)
    for test, states in sorted(tests.items()):
        print(f"{test:{width}}  {counted(states)}")


def run_all(options):
    output, found, begin = pathlib.Path(options.output), [], time.monotonic()
    output.mkdir(parents=True, exist_ok=True)
    for path in options.archives:
        before, started = len(found), time.monotonic()
        if status := run_archive(path, options, output, found):
            return status
        found[before:] = sorted(found[before:])
        report(found[before:])
        print(f"{pathlib.Path(path).name}: {time.monotonic() - started:.0f} s", flush=True)
        (output / "summary.json").write_text(json.dumps(found, indent=0))
    states = collections.Counter(state for _, state, _ in found)
    bad = sum(count for state, count in states.items() if state not in GOOD)
    print(f"{len(found)} packages: {counted(states)}; {bad} bad; {time.monotonic() - begin:.0f} s")
    return 1 if bad else 0


def compare(options):
    """Prints the places where the outputs that `run` kept differ from the packages' own."""
    for path in sorted(pathlib.Path(options.results).glob("*.xz")):
        package = next((folder for folder in pathlib.Path(options.packages).glob("*.lspkg")
                        if path.name.startswith(folder.stem + ".")), None)
        if package is None:
            print(f"{path.name}: there is no such package in {options.packages}")
            continue
        name = path.name.removeprefix(package.stem + ".").removesuffix(".xz")
        dtype = outputs_of(json.loads((package / "launch.json").read_text()))[name]
        with tempfile.TemporaryDirectory() as scratch:
            actual = pathlib.Path(scratch) / name
            actual.write_bytes(lzma.decompress(path.read_bytes()))
            expected = package / "expected" / name
            differs = differential.difference(differential.read_npy(actual), differential.read_npy(expected), dtype, {}, False)
        print(f"{package.stem}: {name}: {differs[1] if differs else 'the same'}")
    return 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True)
    making = commands.add_parser("make")
    making.add_argument("sources", nargs="+", metavar="DIR")
    making.add_argument("-o", "--output", required=True)
    making.add_argument("--tolerance", nargs=2, type=float, default=[2e-3, 2e-3], metavar=("ABSOLUTE", "RELATIVE"))
    making.set_defaults(act=make)
    running = commands.add_parser("run")
    running.add_argument("archives", nargs="+", metavar="FILE")
    running.add_argument("-o", "--output", default="gpu-results")
    running.add_argument("--worker", default=str(BIN / "lanescope-worker"))
    running.add_argument("--device", default="gpu", choices=("gpu", "emulator"))
    running.add_argument("--timeout", type=int, default=20)
    running.add_argument("--jobs", type=int, default=min(12, os.cpu_count() or 1))
    running.add_argument("--keep", type=int, default=6, help="how many outputs that differ are kept")
    running.add_argument("--filter", default="*", help="names of packages, such as 'Matmul.Drawn*'")
    running.set_defaults(act=run_all)
    unpacking = commands.add_parser("unpack")
    unpacking.add_argument("archive", metavar="FILE")
    unpacking.add_argument("-o", "--output", required=True)
    unpacking.set_defaults(act=unpack)
    comparing = commands.add_parser("compare")
    comparing.add_argument("packages", metavar="DIR")
    comparing.add_argument("results", metavar="RESULTS")
    comparing.set_defaults(act=compare)
    options = parser.parse_args()
    return options.act(options)


if __name__ == "__main__":
    sys.exit(main())
