#!/usr/bin/env python3
"""Compares the bank conflicts that lanescope predicts with a GPU's counters.

  tests/gpu/conflicts.py --make accesses.json [--lanescope build/release/bin/lanescope]
  tests/gpu/conflicts.py --check accesses.json [--report measured.json]

--make needs no GPU. It asks lanescope for the addresses and the counts of layout/instruction pairs, and of accesses
that distinguish one rule for joining phases from another. --check needs nvcc, ncu and a Hopper GPU, but no lanescope.
It makes one launch per access, prints one line each, and fails if a count differs. Needs only the standard library.
"""
import argparse
import csv
import json
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
WAVEFRONTS = ["l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum", "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum"]
CONFLICTS = "l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum"

# (access, register layout, shared memory, more arguments). The worst instruction and warp of each is measured.
TILED16 = "smem_map((64, 64), f16, tiling=(8, 64), swizzle={})"
TILED32 = "smem_map((128, 64), f32, tiling=(8, {}), swizzle={})"
PAIRS = [
    ("ld.shared.b32", "WGMMA", TILED16.format(128), ""),
    ("ld.shared.b32", "WGMMA", TILED16.format(None), ""),
    ("st.shared.b16", "WGMMA", TILED16.format(None), ""),
    ("ld.shared.b16", "WGMMA", "smem_map((64, 64), f16, tiling=None, swizzle=None)", ", transposed=True"),
    ("st.shared.b64", "WGMMA", TILED32.format(32, 128), ""),
    ("ld.shared.b64", "WGMMA", TILED32.format(16, 64), ""),
    ("ld.shared.b64", "WGMMA", TILED32.format(4, None), ""),
    ("load", "WGMMA", TILED32.format(32, 128), ""),
    ("store", "TCGEN05", TILED32.format(16, 64), ""),
    ("load", "WGMMA", "smem_map((64, 128), i8, tiling=(8, 128), swizzle=128)", ""),
    ("load", "WGMMA_UPCAST_2X", "smem_map((64, 64), f16, tiling=(8, 64), swizzle=128)", ""),
    ("store", "WGMMA_ACC_32BIT", TILED32.format(32, 128), ""),
    ("store", "TMEM_NATIVE", TILED32.format(32, 128), ""),
    ("st.shared.b128", "tmem_native_layout(4)", "smem_map((128, 64), f32, tiling=None, swizzle=None)", ""),
    ("ld.shared.b128", "tmem_native_layout(4)", TILED32.format(32, 128), ""),
    ("ld.shared.b128", "WGStridedFragLayout((64, 64), 4)", "smem_map((64, 64), f32, tiling=None, swizzle=None)", ""),
    ("st.shared.b64", "WGStridedFragLayout((64, 64), 4)", "smem_map((64, 64), f16, tiling=None, swizzle=None)", ""),
    ("ldmatrix.x4", "WGMMA", TILED16.format(128), ""),
    ("ldmatrix.x4", "WGMMA", TILED16.format(None), ""),
    ("ldmatrix.x2", "WGMMA_8BIT", "smem_map((64, 64), i8, tiling=(8, 64), swizzle=64)", ""),
    ("stmatrix.x4", "WGMMA", "smem_map((64, 64), f16, tiling=(8, 16), swizzle=32)", ""),
    ("stmatrix.x2", "WGMMA", "smem_map((64, 64), f16, tiling=None, swizzle=None)", ""),
    ("ldmatrix.x4.trans", "WGMMA", TILED16.format(128), ", transposed=True"),
    ("ld.shared.b64", "TCGEN05", TILED32.format(4, None), ""),
    ("st.shared.b32", "TMEM_NATIVE", "smem_map((128, 64), f32, tiling=None, swizzle=None)", ""),
    ("ld.shared.b8", "WGMMA", "smem_map((128, 64), i8, tiling=None, swizzle=None)", ", transposed=True"),
    ("st.shared.b64", "WGMMA_UPCAST_2X", TILED16.format(None), ""),
    ("ldmatrix.x2.trans", "WGMMA", "smem_map((64, 64), f16, tiling=None, swizzle=None)", ", transposed=True"),
    ("ld.shared.b128", "tmem_native_layout(4)", TILED32.format(16, 64), ""),
    ("stmatrix.x1.trans", "WGMMA", "smem_map((64, 64), f16, tiling=None, swizzle=None)", ", transposed=True"),
]


def probes():
    """Accesses for which rules other than ours give other counts: lanes that share words across halves and quarters, in
    part or at other distances, inactive lanes, words that are accessed twice."""
    rng = random.Random(11)
    lanes = range(32)
    shares = {
        "pairs": lambda i: i // 2,
        "across bit 1": lambda i: (i & 1) + (i >> 2) * 2,
        "across bit 2": lambda i: (i & 3) + (i >> 3) * 4,
        "across bit 3": lambda i: (i & 7) + (i >> 4) * 8,
        "across bit 4": lambda i: i & 15,
        "crosswise": lambda i: ((i ^ (i >> 1)) & 1) + (i >> 2) * 2,
        "fours": lambda i: i // 4,
        "one address": lambda i: 0,
        "halves in two ways": lambda i: i // 2 if i < 16 else (i & 1) + (i >> 2) * 2,
        "quarters in two ways": lambda i: i // 2 if i & 8 == 0 else (i & 1) + (i >> 2) * 2,
        "one pair parted": lambda i: i // 2 if i != 5 else 40,
        "pairs in one half": lambda i: i // 2 if i < 16 else i,
        "pairs far apart": lambda i: i // 2 * 16,
        "pairs in one bank in twos": lambda i: i // 4 + (i >> 1 & 1) * 64,
        "rows shared by halves": lambda i: (i & 15) * 4 + (i >> 4),
    }
    for bytes_, name in ((8, "b64"), (16, "b128")):
        for what, place in shares.items():
            yield f"ld.shared.{name}", what, [place(i) * bytes_ for i in lanes]
        for what in ("pairs", "one address"):
            yield f"st.shared.{name}", what, [shares[what](i) * bytes_ for i in lanes]
        yield f"ld.shared.{name}", "odd lanes off", [None if i & 1 else i * bytes_ for i in lanes]
        yield f"ld.shared.{name}", "lower half", [i * bytes_ if i < 16 else None for i in lanes]
        yield f"ld.shared.{name}", "every fourth lane", [i * bytes_ if i % 4 == 0 else None for i in lanes]
        yield f"st.shared.{name}", "odd lanes off", [None if i & 1 else i * bytes_ for i in lanes]
        for limit in (128, 256, 512):
            yield f"ld.shared.{name}", f"random in {limit} bytes", [rng.randrange(limit // bytes_) * bytes_ for _ in lanes]
            pairs = [rng.randrange(4 * limit // bytes_) * bytes_ for _ in range(16)]
            yield f"ld.shared.{name}", f"random pairs in {4 * limit} bytes", [pairs[i // 2] for i in lanes]
    for name, bytes_ in (("b8", 1), ("b16", 2), ("b32", 4)):
        for op in ("ld", "st"):
            yield f"{op}.shared.{name}", "random in 512 bytes", [rng.randrange(512 // bytes_) * bytes_ for _ in lanes]
            yield (f"{op}.shared.{name}", "random, lanes off",
                   [rng.randrange(1024 // bytes_) * bytes_ if rng.random() < 0.6 else None for _ in lanes])
    for op in ("ldmatrix", "stmatrix"):
        for form in ("x1", "x2", "x4", "x2.trans", "x4.trans"):
            yield f"{op}.{form}", "random rows in 1 KiB", [rng.randrange(64) * 16 for _ in lanes]
        yield f"{op}.x4", "equal rows", [i // 2 * 16 for i in lanes]


def evaluate(lanescope, expression):
    done = subprocess.run([lanescope, "eval", "--json", expression], capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{expression}\n{done.stderr}{done.stdout}")
    return json.loads(done.stdout)


def make(path, lanescope):
    accesses = []
    for access, layout, memory, more in PAIRS:
        answer = evaluate(lanescope, f"conflicts('{access}', {layout}, {memory}{more})")
        accesses.append({"kind": "layout", "name": f"{access} {layout} {memory}{more}", "op": answer["op"],
                         "addresses": answer["addresses"], "wavefronts": answer["shown"]["wavefronts"],
                         "conflicts": answer["shown"]["conflicts"]})
    for op, what, addresses in probes():
        answer = evaluate(lanescope, f"smem_wavefronts('{op}', {addresses!r})")
        accesses.append({"kind": "rule", "name": f"{op} {what}", "op": op, "addresses": addresses, **answer})
    layouts = [a for a in accesses if a["kind"] == "layout"]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps({"accesses": accesses}, indent=1))
    print(f"{path}: {len(layouts)} layout/instruction pairs, {sum(a['conflicts'] > 0 for a in layouts)} with conflicts; "
          f"{len(accesses) - len(layouts)} accesses for the rule")


def tool(name):
    """The tool on PATH, or in the folders of CUDA and Nsight Compute."""
    found = shutil.which(name) or shutil.which(name, path="/usr/local/cuda/bin")
    places = sorted(pathlib.Path("/opt/nvidia/nsight-compute").glob(f"*/{name}"))
    if not found and not places:
        sys.exit(f"{name} is neither on the PATH nor in /usr/local/cuda/bin")
    return found or str(places[-1])


def measure(accesses, folder):
    program, lines = folder / "conflicts", folder / "accesses.txt"
    subprocess.run([tool("nvcc"), "-arch=sm_90a", "-O2", "-o", program, HERE / "conflicts.cu"], check=True)
    lines.write_text("".join(" ".join([a["op"], *(str(-1 if x is None else x) for x in a["addresses"])]) + "\n"
                             for a in accesses))
    done = subprocess.run([tool("ncu"), "--clock-control", "none", "--csv", "--page", "raw", "--metrics",
                           ",".join([*WAVEFRONTS, CONFLICTS]), program, lines], capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"ncu: {done.stderr}{done.stdout}")
    rows = list(csv.DictReader(line for line in done.stdout.splitlines() if line.startswith('"')))
    number = lambda text: float((text or "0").replace(",", ""))
    rows = [row for row in rows if row["ID"]]  # the row of units has no ID
    if len(rows) != len(accesses):
        sys.exit(f"{len(rows)} launches were measured, {len(accesses)} expected\n{done.stdout[-2000:]}")
    return [(round(sum(number(row[name]) for name in WAVEFRONTS)), round(number(row[CONFLICTS]))) for row in rows]


def check(path, report):
    accesses = json.loads(path.read_text())["accesses"]
    with tempfile.TemporaryDirectory() as folder:
        measured = measure(accesses, pathlib.Path(folder))
    wrong = 0
    for access, (wavefronts, conflicts) in zip(accesses, measured):
        right = (wavefronts, conflicts) == (access["wavefronts"], access["conflicts"])
        wrong += not right
        print(f"{'ok   ' if right else 'WRONG'} {wavefronts:3} wavefronts {conflicts:3} conflicts  {access['name']}"
              + ("" if right else f"  (predicted {access['wavefronts']}, {access['conflicts']})"))
    if report:
        report.write_text(json.dumps([{**a, "measured": {"wavefronts": w, "conflicts": c}}
                                      for a, (w, c) in zip(accesses, measured)], indent=1))
    for kind in ("layout", "rule"):
        of = [m for a, m in zip(accesses, measured) if a["kind"] == kind]
        print(f"{kind}: {len(of)} accesses, {sum(c > 0 for _, c in of)} with conflicts")
    print("all counts as predicted" if wrong == 0 else f"{wrong} of {len(accesses)} counts differ")
    return wrong != 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--make", type=pathlib.Path, metavar="FILE")
    parser.add_argument("--check", type=pathlib.Path, metavar="FILE")
    parser.add_argument("--lanescope", default=str(HERE.parents[1] / "build/release/bin/lanescope"))
    parser.add_argument("--report", type=pathlib.Path)
    args = parser.parse_args()
    if args.make:
        make(args.make, args.lanescope)
    if args.check:
        return check(args.check, args.report)
    if not args.make:
        parser.error("one of --make and --check is needed")
    return 0


if __name__ == "__main__":
    sys.exit(main())
