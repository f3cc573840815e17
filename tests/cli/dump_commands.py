#!/usr/bin/env python3
"""Runs the commands on a module that JAX dumped: each stage of its compilation, packages that a worker runs, and
combinations of options, valid and invalid.
Usage: dump_commands.py LANESCOPE LANESCOPE-WORKER REPOSITORY"""
import pathlib
import subprocess
import sys
import tempfile

lanescope, worker, root = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3])
DUMP = root / "tests/golden/jax_dumps/tma_Warpgroup/k_5.before_layout_inference.txt"
SNIPPET = root / "samples/kernels/double.py"
failures = []


def run(*words):
    return subprocess.run([str(word) for word in words], capture_output=True, text=True)


def check(condition, what, done):
    if not condition:
        failures.append(what)
        print(f"FAILED {what}: exit status {done.returncode}\n{done.stdout[-500:]}{done.stderr[-500:]}")


def check_refused(status, part, *words):
    done = run(lanescope, *words)
    check(done.returncode == status and part in done.stderr, " ".join(map(str, words)), done)


def check_stages(folder):
    for stage, part in [("ir", "mosaic_gpu.async_load"), ("laid-out", "out_layouts"), ("nvvm", "nvvm.kernel"),
                        ("llvm", "define "), ("ptx", ".entry k_mosaic_gpu_kernel")]:
        done = run(lanescope, "compile", DUMP, "--emit", stage)
        check(done.returncode == 0 and part in done.stdout, f"--emit {stage}", done)
    cubin = folder / "k.cubin"
    done = run(lanescope, "compile", DUMP, "--emit", "cubin", "-o", cubin)
    check(done.returncode == 3 and "ptxas" in done.stderr or cubin.exists() and cubin.read_bytes()[:4] == b"\x7fELF",
          "--emit cubin", done)
    done = run(lanescope, "run", DUMP, "--device", "emulator", "--dump", folder / "stages")
    check(done.returncode == 0 and len(list((folder / "stages").glob("*.ptx"))) == 1, "--dump", done)


def check_package(folder):
    done = run(lanescope, "run", DUMP, "--device", "emulator", "-o", folder / "first")
    check(done.returncode == 0, "run", done)
    doubled = folder / "first" / "out_0.npy"
    done = run(lanescope, "compile", DUMP, "--emit", "package", "--inputs", doubled, "-o", folder)
    package = folder / "k_mosaic_gpu_kernel.lspkg"
    check(done.returncode == 0 and (package / "expected").exists(), "--emit package", done)
    check((package / "argument0.npy").read_bytes()[128:] == doubled.read_bytes()[128:], "the package's input", done)
    done = run(worker, "run", package, "-o", folder / "results", "--device", "emulator")
    check(done.returncode == 0, "the worker's run", done)


def main():
    with tempfile.TemporaryDirectory() as scratch:
        scratch = pathlib.Path(scratch)
        check_stages(scratch)
        check_package(scratch)
        array = scratch / "first" / "out_0.npy"
        check_refused(2, "`load`", "run", SNIPPET, "--inputs", array)
        check_refused(2, "records nothing", "run", DUMP, "--trace", scratch / "t.json")
        check_refused(2, "begins with `--emit ir`", "compile", DUMP, "--emit", "ast")
        check_refused(2, "a dump has one", "compile", DUMP, "--kernel", "k")
        check_refused(2, "`--emit package`", "compile", DUMP, "--inputs", array)
        check_refused(2, "`--emit package`", "compile", SNIPPET, "--inputs", array, "--emit", "package")
        check_refused(1, "3 inputs are given, but this kernel has 2 arguments", "run", DUMP, "--inputs", array, array, array)
        check_refused(1, "lanescope emulate", "run", root / "samples/modules/gather.mlir")
    print(f"{len(failures)} failed")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
