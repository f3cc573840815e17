#!/usr/bin/env python3
"""Runs kernels that JAX dumped on a GPU. JAX's own PTX, and our compilation of the module beside it, have to give the
expected arrays within each case's tolerance.

  tests/gpu/dumps.py make GOLDEN -o dumps.tar.xz [--arch sm_90a] [--only TEXT] [--lanescope FILE]     here
  tests/gpu/dumps.py run dumps.tar.xz [--worker lanescope-worker] [-o RESULTS] [--device gpu] [--only TEXT]
      on the GPU's machine; exit status 1 if an output differs, 3 if there is no GPU

GOLDEN holds pallas_own.tar.xz, or folders of cases (meta.json names the compared arrays and their tolerances), and
possibly jax_dumps. A package is NAME.jax.lspkg or NAME.ours.lspkg. Needs only the standard library."""
import argparse
import collections
import json
import pathlib
import shutil
import subprocess
import sys
import tarfile
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
BIN = HERE.parents[1] / "build" / "release" / "bin"
sys.path.insert(0, str(HERE.parent / "cli"))
import make_packages  # noqa: E402
from corpus import buffers, comparisons, difference  # noqa: E402


# --- making

def compile_module(options, module, inputs, arch, into, *more):
    """Makes our package of a dump's kernel. Returns the compiler's message if there is none."""
    with tempfile.TemporaryDirectory() as scratch:
        command = [options.lanescope, "compile", str(module), "--emit", "package", "-o", scratch, *more]
        command += ["--arch", arch] + (["--inputs", *map(str, inputs)] if inputs else [])
        done = subprocess.run(command, capture_output=True, text=True)
        made = list(pathlib.Path(scratch).glob("*.lspkg"))
        if done.returncode != 0 or not made:
            return done.stderr.strip() or f"exit status {done.returncode}"
        shutil.copytree(made[0], into)
    return None


def output_files(package):
    """The files of a package's outputs, in the order of the kernel's results."""
    named = list(buffers(json.loads((package / "launch.json").read_text())))
    return [named[index]["out"] for index in json.loads((package / "meta.json").read_text())["outputs"]]


class Maker:
    def __init__(self, options, folder):
        self.options, self.folder, self.checks, self.refused = options, folder, {}, []

    def add(self, name, package, checks):
        """`checks`: [(file that the run writes, expected file, dtype, rtol, atol)]. The archive includes the expected
        files."""
        (package / "checks").mkdir()
        for _, expected, *_ in checks:
            shutil.copy(expected, package / "checks")
        self.checks[name] = [(out, f"checks/{expected.name}", *how) for out, expected, *how in checks]

    def add_ours(self, name, module, inputs, arch, checks):
        """`checks`: [(number of the output, …)]"""
        package = self.folder / f"{name}.ours.lspkg"
        if problem := compile_module(self.options, module, inputs, arch, package, "--no-expected"):
            self.refused.append(name)
            print(f"{name}: not compiled: {problem[:300]}")
            return
        outs = output_files(package)
        self.add(f"{name}.ours", package, [(outs[number], *rest) for number, *rest in checks])

    def add_case(self, case):
        meta, launch = (json.loads((case / file).read_text()) for file in ("meta.json", "launch.json"))
        package = self.folder / f"{case.name}.jax.lspkg"
        package.mkdir()
        for file in [case / "kernel.ptx", case / "launch.json", *(case / each["data"] for each in buffers(launch) if each.get("data"))]:
            shutil.copy(file, package)
        outs = [index for index, each in enumerate(buffers(launch)) if each.get("out")]
        (package / "meta.json").write_text(json.dumps(
            {"format": 1, "kernel": meta["entry"], "arch": meta["arch"], "outputs": outs}))
        self.add(f"{case.name}.jax", package, [(out, case / expected, *how) for out, expected, *how in comparisons(case, meta, launch)])
        if (case / "before.mlir").exists():
            self.add_ours(case.name, case / "before.mlir", [case / each["file"] for each in meta["inputs"]], meta["arch"],
                          [(check["output"], case / check["expected"], check["dtype"], check["rtol"], check["atol"])
                           for check in meta["checks"]])

    def add_dumps(self, dumps, scratch):
        """Adds the three kernels of jax_dumps, whose results are exact."""
        make_packages.jax_packages(scratch)
        for made in sorted(scratch.glob("*.lspkg")):
            if self.options.only not in made.stem:
                continue
            expected, inputs = made / "expected" / "out.npy", sorted(made.glob("*.npy"))
            dtype = next(each["dtype"] for each in buffers(json.loads((made / "launch.json").read_text())) if each.get("out"))
            package = self.folder / f"{made.stem}.jax.lspkg"
            shutil.copytree(made, package, ignore=shutil.ignore_patterns("expected"))
            self.add(f"{made.stem}.jax", package, [("out.npy", expected, dtype, 0, 0)])
            for module in (dumps / made.stem.removeprefix("jax_")).glob("*.before_layout_inference.txt"):
                self.add_ours(made.stem, module, inputs, "sm_90a", [(0, expected, dtype, 0, 0)])


    def add_lanes(self, modules, arch):
        """Adds threads' code without golden arrays. The expected outputs are the emulator's, bit for bit."""
        for module in sorted(modules.glob("*.mlir")):
            name = f"lane_{module.stem}.ours"
            package = self.folder / f"{name}.lspkg"
            if self.options.only not in name:
                continue
            if problem := compile_module(self.options, module, [], arch, package):
                self.refused.append(name)
                print(f"{name}: not compiled: {problem[:300]}")
                continue
            dtypes = {each["out"]: each["dtype"] for each in buffers(json.loads((package / "launch.json").read_text())) if each.get("out")}
            self.add(name, package, [(out, package / "expected" / out, dtypes[out], 0, 0) for out in output_files(package)])


def cases_of(golden, scratch, options):
    if (golden / "pallas_own.tar.xz").exists():
        with tarfile.open(golden / "pallas_own.tar.xz") as tar:
            tar.extractall(scratch, filter="data")
    for meta in sorted((scratch if scratch.exists() else golden).rglob("meta.json")):
        said = json.loads(meta.read_text())
        if said.get("arch") == options.arch and said.get("checks") and options.only in meta.parent.name:
            yield meta.parent


def make(options):
    golden = pathlib.Path(options.golden)
    with tempfile.TemporaryDirectory() as scratch:
        scratch = pathlib.Path(scratch)
        folder = scratch / "packages"
        folder.mkdir()
        maker = Maker(options, folder)
        for case in cases_of(golden, scratch / "cases", options):
            maker.add_case(case)
        if (golden / "jax_dumps").exists() and options.arch == "sm_90a":
            maker.add_dumps(golden / "jax_dumps", scratch / "dumps")
        if options.arch == "sm_90a":
            maker.add_lanes(HERE.parent / "golden" / "lane", options.arch)
        (folder / "checks.json").write_text(json.dumps(maker.checks))
        with tarfile.open(options.output, "w:xz") as tar:
            tar.add(folder, "packages")
    ours = sum(name.endswith(".ours") for name in maker.checks)
    print(f"{len(maker.checks) - ours} packages with JAX's PTX, {ours} with ours, {len(maker.refused)} not compiled by us; "
          f"{pathlib.Path(options.output).stat().st_size / 1e6:.1f} MB")
    return 1 if maker.refused or not maker.checks else 0


# --- running

def run(options):
    results = pathlib.Path(options.output).resolve()
    with tempfile.TemporaryDirectory() as scratch:
        with tarfile.open(options.archive) as tar:
            tar.extractall(scratch, filter="data")
        folder = pathlib.Path(scratch) / "packages"
        checks = {name: each for name, each in json.loads((folder / "checks.json").read_text()).items() if options.only in name}
        packages = {name: folder / f"{name}.lspkg" for name in checks}
        done = subprocess.run([str(pathlib.Path(options.worker).resolve()), "run", *map(str, packages.values()), "-o", str(results),
                               "--timeout", str(options.timeout), "--device", options.device], capture_output=True, text=True)
        if done.returncode == 3:
            print(done.stderr.strip(), file=sys.stderr)
            return 3
        states = collections.Counter()
        for name, package in packages.items():
            whose = name.rpartition(".")[2]
            problem = next(filter(None, (check(results / package.stem, package, *each) for each in checks[name])), None)
            states[whose, not problem] += 1
            if problem:
                print(f"FAILED {name}: {problem}")
        if states.total() != sum(states[whose, True] for whose in ("jax", "ours")):
            (results / "worker.txt").write_text(done.stdout + done.stderr)
            print(f"what the worker said: {results / 'worker.txt'}")
    for whose, what in (("jax", "JAX's PTX"), ("ours", "compiled by us")):
        print(f"{what}: {states[whose, True]} of {states[whose, True] + states[whose, False]} right")
    return 0 if states.total() and not any(count for (_, right), count in states.items() if not right) else 1


def check(results, package, out, expected, dtype, rtol, atol):
    if not (results / out).exists():
        return f"no {out}: the run failed"
    return difference(results, out, package / expected, dtype, rtol, atol)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True)
    making = commands.add_parser("make")
    making.add_argument("golden", metavar="GOLDEN")
    making.add_argument("-o", "--output", required=True)
    making.add_argument("--arch", default="sm_90a")
    making.add_argument("--only", default="")
    making.add_argument("--lanescope", default=str(BIN / "lanescope"))
    making.set_defaults(act=make)
    running = commands.add_parser("run")
    running.add_argument("archive", metavar="FILE")
    running.add_argument("-o", "--output", default="gpu-results")
    running.add_argument("--worker", default=str(BIN / "lanescope-worker"))
    running.add_argument("--device", default="gpu", choices=("gpu", "emulator"))
    running.add_argument("--timeout", type=int, default=20)
    running.add_argument("--only", default="")
    running.set_defaults(act=run)
    options = parser.parse_args()
    return options.act(options)


if __name__ == "__main__":
    sys.exit(main())
