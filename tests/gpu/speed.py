#!/usr/bin/env python3
"""Times the library's kernels and their peers in one run on one GPU: medians of the kernels alone.

  tests/gpu/speed.py FOLDER --make [--lanescope lanescope]                   here: packages of kernels/ at the sizes of CASES
  tests/gpu/speed.py FOLDER [--only NAME…] [--results FILE] [--seconds S]    on the GPU: with PyTorch and JAX

A package has the name of its problem (problems.py), followed by `@` and a variant if there are several. A problem that
takes several kernels is a folder of packages, in their order. The script compares results with PyTorch's. It begins a
further problem only if enough of `--seconds` is left. """
import argparse
import concurrent.futures
import json
import os
import pathlib
import subprocess
import tempfile
import time

KERNELS = pathlib.Path(__file__).resolve().parents[2] / "kernels"


def matmul(m, n, k):
    return f"matmul-{m}x{n}x{k}-f16", "matmul", f"matmul_for({m}, {n}, {k})(zeros(({m}, {k}), f16), zeros(({k}, {n}), f16))"


def attention(batch, sequence, heads, width, causal=False):
    name = f"attention-{batch}x{sequence}x{heads}x{width}" + "-causal" * causal
    shape = f"{batch}, {sequence}, {heads}, {width}"
    return name, "attention", f"x = zeros(({shape}), f16)\nmake_attention({shape}, causal={causal})(x, x, x)"


def attention_backward(batch, sequence, heads, width, causal=False):
    shape = f"{batch}, {sequence}, {heads}, {width}"
    name = f"attention_backward-{batch}x{sequence}x{heads}x{width}" + "-causal" * causal
    return name, "attention_backward", (f"x = zeros(({shape}), f16)\nmake_attention_backward({shape}, causal={causal})"
                                        f"(x, x, x, x, x, zeros(({batch}, {heads}, {sequence}), f32))")


def rows(kind, count, columns):
    vectors = {"softmax": 0, "rms_norm": 1, "layer_norm": 2}[kind] * f", zeros(({columns},), f32)"
    made = "make_softmax()" if kind == "softmax" else f"{kind}_for({count}, {columns})"
    return f"{kind}-{count}x{columns}-f32", kind, f"{made}(zeros(({count}, {columns}), f32){vectors})"


# (problem, the library's file, the call that replaces its check)
CASES = [
    *(matmul(*sizes) for sizes in ((2048, 2048, 2048), (4096, 4096, 4096), (8192, 8192, 8192), (16384, 4096, 1024),
                                   (1024, 8192, 8192), (4096, 4096, 16384))),
    ("matmul-8192x8192x8192-f8e4m3fn", "matmul",
     "x = zeros((8192, 8192), f8e4m3fn)\n"
     "make_matmul(f8e4m3fn, group=16, b_transposed=True, scaled=True)(x, x, zeros((1,), f32))"),
    *(attention(*shape, causal) for shape in ((2, 4096, 16, 128), (1, 16384, 16, 128), (2, 4096, 16, 64))
      for causal in (False, True)),
    *(attention_backward(*shape, causal) for shape in ((2, 4096, 16, 128), (2, 4096, 16, 64)) for causal in (False, True)),
    *(rows(kind, *shape) for shape in ((65536, 1024), (16384, 4096), (8192, 8192))
      for kind in ("softmax", "layer_norm", "rms_norm")),
    ("transpose-8192x8192-f16", "transpose", "transpose_matrix(zeros((8192, 8192), f16))"),
]


def make_one(folder, lanescope, case, options):
    name, file, call = case
    with tempfile.TemporaryDirectory() as temporary:
        snippet, out = pathlib.Path(temporary) / "kernel.py", pathlib.Path(temporary) / "out"
        text = (KERNELS / f"{file}.py").read_text()
        snippet.write_text(f"{text[:text.index('# The check')]}{call}\n")
        subprocess.run([lanescope, "compile", snippet, *options, "--emit", "package", "--no-expected", "-o", out], check=True,
                       stdout=subprocess.DEVNULL)
        made = sorted(out.glob("*.lspkg"), key=lambda package: package.joinpath("meta.json").stat().st_mtime_ns)
        for number, package in enumerate(made):
            target = folder / f"{name}.lspkg" / (f"{number}.lspkg" if len(made) > 1 else "")
            target.mkdir(parents=True, exist_ok=True)
            for file_name in ("kernel.ptx", "launch.json", "meta.json"):
                target.joinpath(file_name).write_bytes((package / file_name).read_bytes())


def make(folder, lanescope, cases, options=()):
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        list(pool.map(lambda case: make_one(folder, lanescope, case, options), cases))


def calls_of(problem, packages):
    """{name: call} of our variants and the peers. Calls that fail or are wrong are printed and left out."""
    import torch
    from launching import Kernel
    calls, wrong = {}, 0
    for package in packages:
        name = f"lanescope {package.stem.partition('@')[2]}".strip()
        try:
            problem.out.zero_()
            steps = sorted(package.glob("*.lspkg")) or [package]
            launches = [Kernel(step).bind(tensors) for step, tensors in zip(steps, problem.tensors(), strict=True)]

            def launch(launches=launches):
                for each in launches:
                    each()

            launch()
            torch.cuda.synchronize()
            error = problem.error()
            if not error <= problem.tolerance:
                raise RuntimeError(f"wrong by {error:.1e}")
            calls[name] = launch
        except RuntimeError as trouble:
            wrong += 1
            print(f"  {name}: {trouble}", flush=True)
    try:
        for name, call in problem.peers():
            try:
                call()
                torch.cuda.synchronize()
                calls[name] = call
            except Exception as trouble:  # a library may raise anything
                print(f"  {name}: {type(trouble).__name__}: {str(trouble)[:100]}", flush=True)
    except Exception as trouble:
        print(f"  further peers: {type(trouble).__name__}: {str(trouble)[:100]}", flush=True)
    return calls, wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--make", action="store_true")
    parser.add_argument("--lanescope", default="lanescope")
    parser.add_argument("--only", nargs="*", default=[""])
    parser.add_argument("--results", type=pathlib.Path)
    parser.add_argument("--rounds", type=int, default=6)
    parser.add_argument("--seconds", type=float, default=3600)
    arguments = parser.parse_args()
    if arguments.make:
        make(arguments.folder, arguments.lanescope, CASES)
        return 0
    os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")
    import torch
    from problems import problem as problem_of
    from timing import Clock, median
    begin, clock, results, wrong = time.monotonic(), Clock(), {}, 0
    packages = {}
    for package in sorted(arguments.folder.glob("*.lspkg")):
        packages.setdefault(package.stem.partition("@")[0], []).append(package)
    order = [case[0] for case in CASES]
    for name in sorted(packages, key=lambda name: order.index(name) if name in order else len(order)):
        if not name.startswith(tuple(arguments.only)):
            continue
        if time.monotonic() - begin > arguments.seconds:
            print(name, "left out: no time", flush=True)
            continue
        problem = problem_of(name)
        calls, bad = calls_of(problem, packages[name])
        wrong += bad
        times = clock.compare(calls, rounds=arguments.rounds, keep=[each for each in calls if each.startswith("lanescope")])
        results[name] = times
        best = {mine: min((median(t) for each, t in times.items() if t and each.startswith("lanescope") == mine
                           and (each != "copy" or len(times) == 2)), default=float("nan")) for mine in (True, False)}
        print(f"{name}: {best[False] / best[True]:.3f} x the best peer", flush=True)
        for each, t in sorted(times.items(), key=lambda item: median(item[1])):
            if t:
                rate = problem.work / median(t)
                print(f"  {each:56} {median(t):9.1f} us {rate:8.1f} {problem.unit}  {min(t):.1f} to {max(t):.1f}", flush=True)
        del problem, calls
        torch.cuda.empty_cache()
        if arguments.results:
            arguments.results.write_text(json.dumps(results))
    return 1 if wrong else 0


if __name__ == "__main__":
    raise SystemExit(main())
