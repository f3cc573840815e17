#!/usr/bin/env python3
"""Times the library's kernels for Ampere beside Triton's, both compiled for `sm_80`, in one run on one GPU.

  tests/gpu/ampere_speed.py FOLDER --make [--lanescope lanescope]      here: packages at the sizes of CASES
  tests/gpu/ampere_speed.py FOLDER [--results FILE]                    on a GPU since Ampere: with PyTorch, Triton and JAX

Each problem has several variants of ours and of Triton's, and the best of each side counts. Results are compared with
PyTorch's. cuBLAS and PyTorch's flash attention, which may use all that the GPU has, are shown beside them."""
import argparse
import json
import os
import pathlib

from speed import make


def matmuls(m, n, k):
    for tile_m, tile_n, tile_k, stages in ((128, 128, 32, 4), (128, 128, 64, 3), (64, 128, 64, 3), (128, 64, 64, 4)):
        yield (f"matmul-{m}x{n}x{k}-f16@{tile_m}x{tile_n}x{tile_k}, {stages} stages", "ampere_matmul",
               f"make_ampere_matmul(tile_m={tile_m}, tile_n={tile_n}, tile_k={tile_k}, stages={stages})"
               f"(zeros(({m}, {k}), f16), zeros(({k}, {n}), f16))")


def attentions(batch, sequence, heads, width, causal):
    shape = f"{batch}, {sequence}, {heads}, {width}"
    for block_q, block_kv, stages in ((64, 64, 2), (128, 64, 2), (128, 64, 3), (128, 32, 2)):
        yield (f"attention-{batch}x{sequence}x{heads}x{width}{'-causal' * causal}@{block_q} rows by {block_kv}, {stages} stages",
               "ampere_attention", f"x = zeros(({shape}), f16)\nmake_ampere_attention({shape}, block_q={block_q}, "
                                   f"block_kv={block_kv}, stages={stages}, causal={causal})(x, x, x)")


CASES = [*matmuls(2048, 2048, 2048), *matmuls(4096, 4096, 4096), *matmuls(8192, 8192, 1024),
         *attentions(2, 4096, 16, 64, False), *attentions(2, 4096, 16, 64, True), *attentions(2, 4096, 16, 128, False)]


def triton_calls(problem, other):
    """{name: call} of Triton's variants that compute the right result into `other`."""
    import torch
    import triton_ampere
    arrays = (*problem.inputs, other)
    made = triton_ampere.matmul(*arrays) if hasattr(problem, "a") else triton_ampere.attention(*arrays, problem.causal)
    wanted, calls = problem.reference().float(), {}
    for name, call in made:
        other.zero_()
        call()
        torch.cuda.synchronize()
        if not torch.allclose(other.float(), wanted, rtol=problem.tolerance, atol=problem.tolerance):
            print(f"  {name}: wrong")
            continue
        calls[name] = call
    return calls


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--make", action="store_true")
    parser.add_argument("--lanescope", default="lanescope")
    parser.add_argument("--results", type=pathlib.Path)
    arguments = parser.parse_args()
    if arguments.make:
        make(arguments.folder, arguments.lanescope, CASES, ["--arch", "sm_80"])
        return 0
    os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")
    import torch
    from launching import Kernel
    from problems import problem as problem_of
    from timing import Clock, median
    packages, results, wrong, clock = {}, {}, 0, Clock()
    for package in sorted(arguments.folder.glob("*.lspkg")):
        packages.setdefault(package.stem.partition("@")[0], []).append(package)
    for name, ours in packages.items():
        problem = problem_of(name)
        calls = {}
        for package in ours:
            launch = Kernel(package).bind(problem.inputs + [problem.out])
            problem.out.zero_()
            launch()
            torch.cuda.synchronize()
            if problem.error() <= problem.tolerance:
                calls[f"lanescope, {package.stem.partition('@')[2]}"] = launch
            else:
                wrong += 1
                print(f"  {package.stem}: wrong by {problem.error():.1e}")
        calls |= triton_calls(problem, torch.empty_like(problem.out))
        calls |= {"cuBLAS" if hasattr(problem, "a") else "PyTorch's flash attention": problem.reference}
        times = {each: t for each, t in clock.compare(calls, slow=1.5, keep=[*calls][-1:]).items() if t}
        best = {side: min(median(t) for each, t in times.items() if each.startswith(side)) for side in ("lanescope", "Triton")}
        print(f"{name}: {best['Triton'] / best['lanescope']:.3f} x the best of Triton's", flush=True)
        for each, t in sorted(times.items(), key=lambda item: median(item[1])):
            print(f"  {each:56} {median(t):9.1f} us {problem.work / median(t):8.1f} {problem.unit}", flush=True)
        results[name] = times
        if arguments.results:
            arguments.results.write_text(json.dumps(results))
    return 1 if wrong else 0


if __name__ == "__main__":
    raise SystemExit(main())
