#!/usr/bin/env python3
"""Every corpus of kernels beside the repository, and the archives of tests/golden/sync, through `lanescope` once. Prints
one table: the cases of each corpus, how many are right, how many right kernels are accused, how many planted faults are
missed, how many kernels are refused, how many runs crash or do not end, and the seconds. Names each case that is not
right. Not in CI: corpus.py, sync.py and sparsecore.py test the same archives there, and know their exceptions.
Usage: corpora.py LANESCOPE REPOSITORY GOLDEN [--only CORPUS] [--python PYTHON]"""
import argparse
import collections
import concurrent.futures
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tarfile
import tempfile
import time

import corpus
import sparsecore
import sync

RIGHT, ACCUSED, MISSED, REFUSED, CRASHED, WRONG = "right", "accused", "missed", "refused", "crashed", "wrong"
COLUMNS = (RIGHT, ACCUSED, MISSED, REFUSED, CRASHED, WRONG)
TIMEOUT = 300


def emulated(lanescope, ptx, launch, *options):
    """(verdict, reason) of one launch with checks; None if there is nothing to tell. Notes and hazards are allowed."""
    try:
        run = subprocess.run([lanescope, "emulate", str(ptx), "--launch", str(launch), "--threads", "1", *options],
                             capture_output=True, text=True, timeout=TIMEOUT)
    except subprocess.TimeoutExpired:
        return CRASHED, f"no end after {TIMEOUT} s"
    if run.returncode not in (0, 1, 2):
        return CRASHED, f"exit status {run.returncode}"
    errors = [line for line in run.stderr.splitlines() if "error: " in line]
    if not errors:
        return None
    return (ACCUSED if "emulated " in run.stdout + run.stderr else REFUSED), errors[0]


def case_with_results(lanescope, folder):
    """A case of corpus.py."""
    problem = corpus.run_case(lanescope, folder, [], corpus.HAZARDS)
    if not problem:
        return RIGHT, ""
    if problem.startswith("no launch"):
        return None
    if problem.startswith("no end") or "exit status -" in problem:
        return CRASHED, problem
    if problem.startswith(("exit status", "accused")):
        return (REFUSED if "does not run it" in problem or "is for `.target" in problem else ACCUSED), problem
    return WRONG, problem


def recorded(lanescope, folder):
    """A kernel of torch.compile with what the GPU gave."""
    launch = json.loads((folder / "launch.json").read_text())
    if told := emulated(lanescope, folder / "kernel.ptx", folder / "launch.json"):
        return told
    for buffer in corpus.buffers(launch):
        expected = buffer["out"].replace("out_", "expected_") if buffer.get("out") else ""
        if expected and (folder / expected).exists():
            # Sums in another order differ in the last bits.
            if wrong := corpus.difference(folder, buffer["out"], expected, buffer["dtype"], 1e-3, 1e-3):
                return WRONG, wrong
    return RIGHT, ""


def synchronised(lanescope, folder, faulty):
    said = sync.verdict(lanescope, str(folder))
    if said.startswith("more than"):
        return CRASHED, said
    if said.startswith("no JSON"):
        return REFUSED, said
    if faulty:
        return (RIGHT, "") if said != "clean" else (MISSED, "clean")
    return (ACCUSED, said) if said.startswith("fault") else (RIGHT, "")


def launched(lanescope, ptx, launch):
    """A launch that has no expectation, such as one of `field/`: only crashes and refusals count."""
    told = emulated(lanescope, ptx, launch)
    return told if told and told[0] == CRASHED else (RIGHT, "")


def checked(lanescope, words):
    """`check`, which invents the arrays that a launch lacks."""
    try:
        run = subprocess.run([lanescope, "check", *map(str, words), "--format", "json"], capture_output=True, text=True,
                             timeout=TIMEOUT)
        report = json.loads(run.stdout)
    except subprocess.TimeoutExpired:
        return CRASHED, f"no end after {TIMEOUT} s"
    except ValueError:
        return REFUSED, run.stderr.strip()
    faults = [finding["message"] for finding in report["findings"] if finding["grade"] == "fault"]
    if faults:
        return ACCUSED, faults[0]
    return (RIGHT, "") if run.returncode == 0 else (WRONG, run.stderr.strip())


def of_module(lanescope, folder):
    problem = sparsecore.run_case(lanescope, folder)
    return (WRONG, problem) if problem else (RIGHT, "")


def unpack(archive, into):
    with tarfile.open(archive) as tar:
        tar.extractall(into, filter="data")
    return into


def tasks(lanescope, repository, golden, scratch, python):
    """Yields (corpus, name of the case, function of no arguments that gives its verdict)."""
    for archive in sorted((repository / "tests/golden/sync").glob("*.tar.xz")):
        into = unpack(archive, scratch / f"sync-{archive.name.split('.')[0]}")
        expected = json.loads((repository / "tests/golden/sync/expected.json").read_text())
        for launch in sorted(into.rglob("launch.json")):
            case = launch.parent
            name = case.parent.name if case.name in ("bug", "fixed") else case.name
            faulty = case.name == "bug" or "__F" in name
            if expected.get(name, {}).get("bug") == "missed" and faulty:
                continue  # proven equivalent, or a leniency with its reason
            yield f"sync ({archive.name.split('.')[0]})", f"{name}/{case.name}", lambda c=case, f=faulty: synchronised(lanescope, c, f)
    if not golden.exists():
        return
    copy = lambda name: pathlib.Path(shutil.copytree(golden / name, scratch / name))
    for launch in sorted(copy("sync").rglob("launch.json")):
        case = launch.parent
        faulty = (case.name == "bug" and "legal" not in case.parent.name) or "__F" in case.name
        yield "golden/sync", f"{case.parent.name}/{case.name}", lambda c=case, f=faulty: synchronised(lanescope, c, f)
    for launch in sorted(copy("torch_compile").rglob("launch.json")):
        yield "golden/torch_compile", launch.parent.name, lambda c=launch.parent: recorded(lanescope, c)
    for archive in sorted(golden.glob("*_own.tar.xz")):
        into = unpack(archive, scratch / archive.name.split(".")[0])
        for meta in sorted(into.rglob("meta.json")):
            arch = json.loads(meta.read_text()).get("arch", "")
            yield f"{archive.name.split('.')[0]} {arch}", meta.parent.name, lambda c=meta.parent: case_with_results(lanescope, c)
    for launch in sorted(copy("jax_dumps").rglob("launch.json")):
        ptx = next(launch.parent.glob("*.ptx"))
        yield "jax_dumps", launch.parent.name, lambda p=ptx, l=launch: checked(lanescope, [p, "--launch", l])
    for launch in sorted(copy("field").rglob("l*.json")):
        for ptx in sorted(launch.parent.glob("*.ptx"))[:1]:
            yield "field (launches)", f"{launch.parent.name}/{launch.name}", lambda p=ptx, l=launch: launched(lanescope, p, l)
    if python:
        for path in sorted((golden / "pallas_source").glob("*.py")):
            yield "pallas_source", path.name, lambda p=path: checked(lanescope, [p, "--python", python])
    modules = unpack(golden / "upstream/sparsecore.tar.xz", scratch / "sparsecore")
    for meta in sorted(modules.glob("*/*/meta.json")):
        if json.loads(meta.read_text()).get("calls"):
            yield "sparsecore", meta.parent.name, lambda c=meta.parent: of_module(lanescope, c)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("lanescope")
    parser.add_argument("repository", type=pathlib.Path)
    parser.add_argument("golden", type=pathlib.Path)
    parser.add_argument("--only", default="", help="a part of a corpus's name")
    parser.add_argument("--python", default="", help="runs the Pallas programs")
    arguments = parser.parse_args()
    counts, seconds = collections.defaultdict(collections.Counter), collections.Counter()

    def timed(verdict):
        begin = time.monotonic()
        return verdict(), time.monotonic() - begin

    with tempfile.TemporaryDirectory() as temporary, concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        chosen = [task for task in tasks(arguments.lanescope, arguments.repository, arguments.golden, pathlib.Path(temporary),
                                         arguments.python) if arguments.only in task[0]]
        for (name, case, _), (verdict, took) in zip(chosen, pool.map(lambda task: timed(task[2]), chosen)):
            if verdict is None:
                continue
            counts[name][verdict[0]] += 1
            seconds[name] += took
            if verdict[0] != RIGHT:
                print(f"{verdict[0].upper()} {name}: {case}: {verdict[1].splitlines()[0] if verdict[1] else ''}", flush=True)
    print("| corpus | cases | " + " | ".join(COLUMNS) + " | seconds |\n|---|" + "---|" * (len(COLUMNS) + 2))
    for name, results in counts.items():
        print(f"| {name} | {sum(results.values())} | " + " | ".join(str(results[each]) for each in COLUMNS) +
              f" | {seconds[name]:.1f} |")
    return 1 if any(results[each] for results in counts.values() for each in COLUMNS[1:]) or not counts else 0


if __name__ == "__main__":
    sys.exit(main())
