#!/usr/bin/env python3
"""Synchronisation faults of real kernels, each as a small kernel and the same kernel without the fault. `lanescope
check` has to report each fault with the grade, the rule and the line of tests/golden/sync/expected.json, and nothing
for the fixed kernel.

cases.tar.xz holds NAME__vN/bug and NAME__vN/fixed (k.cu, its PTX from nvcc 13.0, launch.json, inputs, wanted/) and
M_NAME (hand-written PTX). own.tar.xz holds NN_NAME/bug and NN_NAME/fixed in the same form, and RNN_NAME/fixed: kernels
without a fault that look as if they had one. ampere.tar.xz holds kernels for sm_80, X_NAME/bug and X_NAME/fixed, whose
X is A (cp.async), B (ldmatrix), C (buffers filled by stores), D (named barriers, mbarriers), E (blocks), F (lanes of a
warp) or G (flags). projects.tar.xz holds PNN_NAME/bug and PNN_NAME/fixed: counters and sums that threads clear or read
too early, and faults that public projects corrected (the first line of k.cu names the project). queues.tar.xz holds
QNN_NAME: queues, locks and counts at which threads look before an atomic. stages.tar.xz holds SNN_NAME: stages of
pipelines, barriers and phases, clusters, tensor memory, grid barriers. In the file of
expectations, a correct case has the word `clean` in both places. A case that the checker misses has `missed` and a
`why`, and so does a corrected kernel in which something is left to report. One of KEPT of the faulty kernels goes on after its fault (`--keep-going`), which has to tell it as well.
Usage: sync.py LANESCOPE REPOSITORY [--only TEXT] [--update] [--keep-all]"""
import concurrent.futures
import json
import os
import pathlib
import subprocess
import sys
import tarfile
import tempfile

GRADES = ("fault", "hazard")
TIMEOUT = 120
KEPT = 4


def verdict(lanescope, folder, *options):
    """The result of `check` for a folder: "clean", or "GRADE RULE FILE:LINE" of the first of its most severe
    findings."""
    try:
        ran = subprocess.run([lanescope, "check", folder, "--format", "json", *options], capture_output=True, text=True, timeout=TIMEOUT)
        findings = json.loads(ran.stdout)["findings"]
    except subprocess.TimeoutExpired:
        return f"more than {TIMEOUT} s"
    except (json.JSONDecodeError, KeyError):
        return f"no JSON: {ran.stdout[:100]}{ran.stderr[:200]}"
    for grade in GRADES:
        for finding in findings:
            if finding["grade"] == grade:
                return f"{grade} {finding['rule']} {os.path.basename(finding['file'])}:{finding['line']}"
    return "clean"


def main():
    words = sys.argv[1:]
    update = "--update" in words and not words.remove("--update")
    every = 1 if "--keep-all" in words and not words.remove("--keep-all") else KEPT
    only = words.pop(words.index("--only") + 1) if "--only" in words else ""
    lanescope, golden = words[0], pathlib.Path(words[1]) / "tests/golden/sync"
    expected = json.loads((golden / "expected.json").read_text()) if (golden / "expected.json").exists() else {}
    with tempfile.TemporaryDirectory() as temporary:
        for path in sorted(golden.glob("*.tar.xz")):
            with tarfile.open(path) as archive:
                archive.extractall(temporary)
        folders = {}
        for path in sorted(pathlib.Path(temporary).glob("*/")):
            if path.is_dir() and only in path.name:
                for kind in ("bug", "fixed"):
                    if (path / kind).is_dir():
                        folders[path.name, kind] = path / kind
                if (path / "kernel.ptx").exists():
                    folders[path.name, "fixed" if path.name.endswith("__P") else "bug"] = path
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            found = dict(zip(folders, pool.map(lambda folder: verdict(lanescope, folder), folders.values())))
            told = [key for key, said in found.items() if key[1] == "bug" and said.startswith(GRADES)][::every]
            kept = dict(zip(told, pool.map(lambda key: verdict(lanescope, folders[key], "--keep-going"), told)))
    failures = [f"{name} fixed: {wanted['fixed']}, and no `why` says what is left in it" for name, wanted in expected.items()
                if wanted.get("fixed", "clean") != "clean" and "why" not in wanted]
    failures += [f"{name} {kind} with --keep-going: {said}" for (name, kind), said in kept.items() if not said.startswith(GRADES)]
    for (name, kind), said in found.items():
        wanted = expected.setdefault(name, {}).get(kind)
        if update:
            expected[name][kind] = "missed" if said == "clean" and "why" in expected[name] and kind == "bug" else said
        elif (said if said != "clean" or wanted != "missed" else "missed") != wanted:
            failures.append(f"{name} {kind}: {said}, expected {wanted}")
    if update:
        (golden / "expected.json").write_text(json.dumps(expected, indent=1) + "\n")
    for failure in failures:
        print(failure)
    told = sum(kind == "bug" and said != "clean" for (_, kind), said in found.items())
    accused = sum(kind == "fixed" and said != "clean" for (_, kind), said in found.items())
    print(f"{told} of {sum(kind == 'bug' for _, kind in found)} told, {accused} of "
          f"{sum(kind == 'fixed' for _, kind in found)} mended ones accused; {len(failures)} differ from expected.json")
    return bool(failures) or not found


if __name__ == "__main__":
    sys.exit(main())
