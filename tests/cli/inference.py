#!/usr/bin/env python3
# inventory: LI infer_layout_for_print_tmem_layout_op, infer_layouts_for_mma_op, async_load_tmem_reduce,
# multimem_load_reduce_infer_layout, async_store_smem_to_tmem_allows_unswizzled_tiling,
# async_store_smem_to_tmem_rejects_incompatible_tmem_packing, infer_transforms_for_query_cluster_cancel_op,
# infer_transforms_for_async_gather_scatter_indices_minormost_dim_unaligned_raises,
# infer_transforms_for_async_gather_scatter_indices_slice_len_nondivisibility_raises,
# slice_tmem_constraint_system_with_alias_ids_works_correctly, slice_tmem_constraint_system_with_alias_ids_fails_on_conflict,
# infer_tmem_layouts_for_subview_raises_on_slice_incompatible_with_tile, infer_tmem_layouts_for_subview_handles_dynamic_offsets,
# valid_tiling_and_swizzle_combinations
"""Compares the layouts and transforms that `lanescope open --emit laid-out` infers with JAX's, attribute by attribute,
in every module of layout inference in JAX's own tests. If JAX gives an error, Lanescope has to give one too.

A case is a folder with before.mlir, meta.json, and after.mlir or an `error` in meta.json. Cases are the folders of
FOLDER, or of inference.tar.xz or pallas_own.tar.xz in it.
Usage: inference.py LANESCOPE FOLDER [--sample N] [--known NAME,…] [--only TEXT] [--jobs N]; --sample takes every Nth
case, beginning with the first."""
import argparse
import collections
import concurrent.futures
import json
import os
import pathlib
import re
import subprocess
import sys
import tarfile
import tempfile

ATTRIBUTE = re.compile(r"\b((?:in|out)_(?:layouts|transforms|tmem_layouts)) = \[")
TIMEOUT = 60


def entries(text):
    """The attributes that inference writes: a list of texts for each line that has attributes."""
    out = []
    for line in text.splitlines():
        found = []
        for match in ATTRIBUTE.finditer(line):
            depth, end = 1, match.end()
            while depth:
                depth += {"[": 1, "]": -1}.get(line[end], 0)
                end += 1
            found.append(line[match.start():end])
        if found:
            out.append(sorted(found))
    return out


def opened(lanescope, path, *options):
    return subprocess.run([lanescope, "open", str(path), *options], capture_output=True, text=True, timeout=TIMEOUT)


def run_case(lanescope, case):
    """A description of the problem; None if there is none."""
    meta = json.loads((case / "meta.json").read_text())
    error = meta.get("error")
    if not error and not (case / "after.mlir").exists():
        return "there is neither after.mlir nor an error"
    options = ["--emit", "laid-out"]
    if "arch" in meta and isinstance(meta["arch"], list):
        options += ["--arch", f"sm_{meta['arch'][0]}{meta['arch'][1]}a"]
    try:
        ours = opened(lanescope, case / "before.mlir", *options)
    except subprocess.TimeoutExpired:
        return f"no end after {TIMEOUT} s"
    if error:
        if meta.get("fuel"):  # one test limits JAX's search
            return None
        if ours.returncode == 0:
            return f"JAX says {error['message'][:100]}, we infer layouts"
        return None if ours.returncode == 1 and "error: " in ours.stderr else f"exit status {ours.returncode}: {ours.stderr}"
    if ours.returncode != 0:
        return f"we say {ours.stderr.strip()}"
    theirs = opened(lanescope, case / "after.mlir", "--emit", "ir")
    if theirs.returncode != 0:
        theirs.stdout = (case / "after.mlir").read_text()  # JAX's own verifiers refuse it, so read it as it is
    mine, wanted = entries(ours.stdout), entries(theirs.stdout)
    if len(mine) != len(wanted):
        return f"{len(mine)} operations with layouts, JAX has {len(wanted)}"
    for one, other in zip(mine, wanted):
        if one != other:
            return f"we infer {one}\n  JAX infers {other}"
    return None


def find_cases(folder, scratch, only):
    for archive in (folder / "inference.tar.xz", folder / "pallas_own.tar.xz"):
        if archive.exists():
            with tarfile.open(archive) as tar:
                tar.extractall(scratch / "cases", filter="data")
            folder = scratch / "cases"
            break
    return [meta.parent for meta in sorted(folder.glob("**/meta.json"))
            if (meta.parent / "before.mlir").exists() and only in meta.parent.name]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("lanescope")
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--sample", type=int, default=1)
    parser.add_argument("--known", default="", help="cases that may differ")
    parser.add_argument("--only", default="")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    arguments = parser.parse_args()
    known = set(filter(None, arguments.known.split(",")))
    with tempfile.TemporaryDirectory() as scratch, concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        cases = find_cases(arguments.folder, pathlib.Path(scratch), arguments.only)[::arguments.sample]
        if not cases:
            print(f"skipped: no modules in {arguments.folder}")
            return 77
        failed = collections.Counter()
        for case, problem in zip(cases, pool.map(lambda case: run_case(arguments.lanescope, case), cases)):
            if problem:
                failed[case.name in known] += 1
                print(f"DIFFERS {case.name}: {problem[:1500]}", flush=True)
    print(f"{len(cases) - failed.total()} of {len(cases)} modules as JAX, {failed[True]} known to differ")
    return 1 if failed[False] else 0


if __name__ == "__main__":
    sys.exit(main())
