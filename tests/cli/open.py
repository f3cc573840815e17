#!/usr/bin/env python3
"""`lanescope open` on folders with JAX's dumps: a page per kernel as text and as HTML, two dumps compared, invalid
requests, and damaged dumps: 90, or as many as --damaged says. Each damaged dump gives an error with a place, or a page
that names the missing parts, but never a crash. Usage: open.py LANESCOPE REPOSITORY [--damaged COUNT]"""
import concurrent.futures
import os
import pathlib
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time

LANESCOPE, ROOT = sys.argv[1], pathlib.Path(sys.argv[2])
DUMPS = ROOT / "tests/golden/jax_dumps"
PLACE = re.compile(r"^[^\n]*?:\d+:\d+: (error|warning): \S", re.M)
DAMAGED, SECONDS = int(sys.argv[4]) if len(sys.argv) > 4 else 90, 60
problems = []


def run(*arguments, timeout=SECONDS):
    return subprocess.run([LANESCOPE, "open", *map(str, arguments)], capture_output=True, text=True, errors="replace", timeout=timeout)


def expect(what, holds, shown=""):
    if not holds:
        problems.append(f"{what}\n{shown}")


def says(arguments, status, *words):
    """Checks the exit status, and words on either stream."""
    done = run(*arguments)
    out = done.stdout + done.stderr
    expect(f"open {' '.join(map(str, arguments))}: status {done.returncode}, wanted {status}", done.returncode == status, out)
    for word in words:
        expect(f"open {' '.join(map(str, arguments))}: no `{word}`", word in out, out)
    return done


def pages(scratch):
    matmul = DUMPS / "wgmma_Warpgroup"
    says([matmul], 0, "k_7, sm_90", "#11", "WGMMA", "shared memory in bytes", "the same for every value", "from the same constraints", "PTX for sm_90a")
    says([matmul / "k_7"], 0, "k_7, sm_90")
    says([DUMPS], 0, "add_Warpgroup/k_4", "wgmma_Warpgroup/k_7", "a kernel in full: lanescope open")
    says([DUMPS / "add_Lane"], 0, "the module before layout inference is missing", "PTX for sm_90a")
    html = scratch / "page.html"
    says([matmul, "-o", html], 0)
    text = html.read_text()
    for word in ("<svg", "data-from", "Module and PTX", "prefers-color-scheme", "bytes of shared memory"):
        expect(f"the HTML page has no `{word}`", word in text)
    expect("the HTML page loads something", not re.search(r"(src|href)=\"(?!#)", text))
    says([matmul, "--against", DUMPS / "tma_Warpgroup"], 0, "k_7 -> k_5", "operations in both", "only in the second")
    before = matmul / "k_7.before_layout_inference.txt"
    says([before, "--against", matmul], 0, "the same: 12 operations")
    # Without JAX's layouts, the command infers them. With half of the files, it shows the others.
    for name in ("k_7.after_layout_inference.txt", "k_7.before_layout_inference.txt", "kernel.ptx"):
        partial = scratch / f"without {name}"
        shutil.copytree(matmul, partial)
        (partial / name).unlink()
        says([partial], 0, "is missing", "k_7, sm_90")


def wrongly(scratch):
    folder, module = DUMPS / "wgmma_Warpgroup", DUMPS / "wgmma_Warpgroup/k_7.after_layout_inference.txt"
    for extra in (["--op", "1"], ["--emit", "ptx"], ["--why"], ["--arch", "sm_100a"], ["-o", "x.svg"]):
        says([folder, *extra], 2, "this is a folder of dumps")
    says([module, "--against", folder, "--op", "1"], 2, "`--against` compares")
    says([module, "--against", ROOT / "samples/modules/gather.mlir"], 1, "this module is for a SparseCore")
    says([module, "--op", "3", "--why"], 0, "no value of mosaic_gpu.initialize_barrier has a layout")
    says([ROOT / "samples/modules/gather.mlir", "--op", "1", "--why"], 2, "--why is about layouts that inference chooses")
    says([scratch / "nothing"], 1, "error")
    (scratch / "empty").mkdir()
    says([scratch / "empty"], 1, "there is no dump of JAX in", "MOSAIC_GPU_DUMP_TO")
    says([folder, "--against", DUMPS], 1, "kernels in", "name one")


def opening():
    """Seconds, only printed, because they depend more on the machine's load than on our code."""
    begin = time.monotonic()
    run(DUMPS / "wgmma_Warpgroup")
    return time.monotonic() - begin


def nested(depth):
    return "module {\n" + "scf.execute_region {\n" * depth + "}\n" * depth + "}\n"


def damaged(number, texts, ptx):
    """A kernel's two modules and PTX, at least one of them damaged. The damage depends on the number, so runs are
    equal."""
    rng = random.Random(number)
    before, after = texts[number % len(texts)]
    spoil = after if rng.random() < 0.7 else before
    kind = number % 10
    if kind in (0, 1):
        spoil = spoil[:rng.randrange(len(spoil))]
    elif kind == 2:
        at, end = sorted(rng.randrange(len(spoil)) for _ in range(2))
        spoil = spoil[:at] + spoil[min(end, at + 400):]
    elif kind == 3:
        other = rng.choice(texts)[rng.randrange(2)]
        cut = rng.randrange(len(spoil))
        spoil = spoil[:cut] + other[rng.randrange(len(other)):]
    elif kind == 4:
        old, new = rng.choice([("mosaic_gpu.", "mosaic_gpu_next."), ("vector<", "tensor<"), ("in_layouts", "in_layouts_v2"),
                               ("arch_major = 9", "arch_major = 99"), ("TiledLayout", "TiledLayout3"), (": i32", ": i7"),
                               ("#mosaic_gpu.", "#gpu."), ("warp_dims", "wave_dims"), ("offset = ", "offset = 99999999999"),
                               ("vector_dim = -1", "vector_dim = -9"), ("64", "63"), ("128", "0"), ("[64, 8]", "[-64, 8]"),
                               ("memref<64", "memref<9223372036854775807"), ("f32", "f8E3M4"), ("func.func", "llvm.func")])
        spoil = spoil.replace(old, new)
    elif kind == 5:
        spoil = rng.choice([nested(rng.choice([100, 3000, 30000])), "(" * rng.choice([1000, 300000]), "[" * 100000,
                            "module {" * rng.choice([1000, 100000]), '"a"(' * 50000, "#mosaic_gpu.tile<" * 50000])
    elif kind == 6:
        data = bytearray(spoil.encode())
        for _ in range(rng.choice([1, 5, 50])):
            data[rng.randrange(len(data))] = rng.randrange(256)
        return data, before, ptx
    elif kind == 7:
        lines = spoil.split("\n")
        rng.shuffle(lines)
        spoil = "\n".join(lines)
    elif kind == 8:
        spoil = rng.choice([ptx, "", "\0" * 1000, "Resources()", "%PDF-1.4", before.replace("%", "%%"), "{}", "module"])
    else:
        spoil = re.sub(r"\b\d+\b", lambda match: rng.choice([match[0]] * 6 + ["0", "1", "-1", str(1 << 40), "7"]), spoil)
    return spoil.encode(), before if spoil is not before else after, rng.choice([ptx, ptx[:rng.randrange(len(ptx))], ""])


def survive(number, texts, ptx, scratch):
    spoiled, before, code = damaged(number, texts, ptx)
    folder = scratch / f"damaged{number}"
    folder.mkdir()
    (folder / "k_1.after_layout_inference.txt").write_bytes(spoiled)
    if number % 3:
        (folder / "k_1.before_layout_inference.txt").write_text(before if number % 2 else spoiled.decode(errors="replace"))
    (folder / "k_1.ptx").write_text(code)
    out = []
    for arguments in ([folder], [folder / "k_1.after_layout_inference.txt"],
                      [folder, "-o", folder / "page.html"] if number % 5 == 0 else None):
        if arguments is None:
            continue
        try:
            done = run(*arguments)
        except subprocess.TimeoutExpired:
            out.append(f"damaged dump {number}: no end after {SECONDS} s: {arguments}")
            continue
        text = done.stdout + done.stderr
        if done.returncode not in (0, 1):
            out.append(f"damaged dump {number}: exit status {done.returncode}: {arguments}\n{text[-600:]}")
        elif done.returncode == 1 and not PLACE.search(done.stderr) and "  ! " not in done.stdout:
            out.append(f"damaged dump {number}: neither a place nor a word of what is missing: {arguments}\n{text[-600:]}")
    shutil.rmtree(folder)
    return out


def large(scratch):
    """A file of 100 MB that is no module, and one with a valid module followed by blanks only."""
    good = (DUMPS / "wgmma_Warpgroup/k_7.after_layout_inference.txt").read_text()
    for name, text in (("open", "(" * (100 << 20)), ("blank", good + "\n" * (100 << 20))):
        file = scratch / f"{name}.txt"
        file.write_text(text)
        done = run(file)
        expect(f"100 MB of {name}: exit status {done.returncode}", done.returncode in (0, 1), done.stderr[-400:])
        file.unlink()


def main():
    with tempfile.TemporaryDirectory() as name:
        scratch = pathlib.Path(name)
        pages(scratch)
        wrongly(scratch)
        seconds = opening()
        texts = [tuple((DUMPS / folder / f"{kernel}.{stage}_layout_inference.txt").read_text() for stage in ("before", "after"))
                 for folder, kernel in (("wgmma_Warpgroup", "k_7"), ("tma_Warpgroup", "k_5"), ("add_Warpgroup", "k_4"))]
        ptx = (DUMPS / "wgmma_Warpgroup/kernel.ptx").read_text()
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            for found in pool.map(lambda number: survive(number, texts, ptx, scratch), range(DAMAGED)):
                problems.extend(found)
        large(scratch)
    print("\n".join(problems) or f"pages, comparisons and {DAMAGED} damaged dumps; a folder opens in {seconds * 1000:.0f} ms")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
