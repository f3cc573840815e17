#!/usr/bin/env python3
"""Hostile and unlucky inputs to every reader, command, protocol and environment.

    run.py BIN_FOLDER [--seed N] [--count 5000] [--seconds S] [--jobs 2] [--only AREA]

No program may end by a signal, hang, take unbounded memory, touch a file outside its scratch folder, or fail without a
message. Each area also checks that the answer is right. The same seed makes the same inputs. With `--seconds` the
script continues with further seeds until that time is over (an hour: 3600). It prints, by area, how many inputs got
past the first parser."""
import argparse
import concurrent.futures
import dataclasses
import itertools
import os
import pathlib
import random
import shutil
import sys
import tempfile
import threading
import time

import areas_editor
import areas_files
import areas_process
import areas_worker
import process
from sentinel import Sentinel

AREAS = areas_worker.AREAS + areas_editor.AREAS + areas_files.AREAS + areas_process.AREAS
REPOSITORY = pathlib.Path(__file__).resolve().parents[2]


@dataclasses.dataclass
class Tools:
    """The programs and folders that all areas use."""
    lanescope: pathlib.Path
    worker: pathlib.Path
    scratch: pathlib.Path
    repository: pathlib.Path = REPOSITORY
    numbers: itertools.count = dataclasses.field(default_factory=itertools.count)

    def number(self):
        return next(self.numbers)

    def folder(self):
        folder = self.scratch / f"run{self.number()}"
        folder.mkdir()
        return folder


class Tally:
    """Counts of the inputs by their results."""

    def __init__(self):
        self.lock, self.rows, self.failures = threading.Lock(), {}, []

    def add(self, area, verdicts, seconds):
        with self.lock:
            row = self.rows.setdefault(area, [0, 0, 0.0])
            row[0] += len(verdicts)
            row[1] += sum(1 for _, deep in verdicts if deep)
            row[2] += seconds

    def fail(self, area, seed, each, problem):
        with self.lock:
            self.failures.append((area, seed, each, problem))
            print(f"FAILED {area} (seed {seed}): {problem}\n       {str(each)[:600]!r}", flush=True)


def attempt(area, inputs, seed, tools, tally):
    """Runs the inputs in one process. If the process goes wrong as a whole, runs halves of them to find the input."""
    folder = tools.folder()
    try:
        verdicts = area.run(inputs, folder)
    finally:
        for place, folders, _ in os.walk(folder):
            for name in folders:
                os.chmod(os.path.join(place, name), 0o700) if not os.path.islink(os.path.join(place, name)) else None
        shutil.rmtree(folder, ignore_errors=True)
    if isinstance(verdicts, str):
        if len(inputs) == 1:
            tally.fail(area.name, seed, inputs[0], verdicts)
            return [("", False)]
        half = len(inputs) // 2
        found = attempt(area, inputs[:half], seed, tools, tally) + attempt(area, inputs[half:], seed, tools, tally)
        return found
    for each, (problem, _) in zip(inputs, verdicts):
        if problem:
            tally.fail(area.name, seed, each, problem)
    return verdicts


def timed(area, inputs, seed, tools, tally):
    begin = time.monotonic()
    tally.add(area.name, attempt(area, inputs, seed, tools, tally), time.monotonic() - begin)


def batches(areas, seed, count):
    """(area, inputs) in an order in which the longest begin first."""
    total = sum(area.share for area in areas)
    out = []
    for area in areas:
        generator = random.Random(f"{seed} {area.name}")
        wanted = -(-area.share * count // total)
        inputs = [area.make(generator) for _ in range(wanted)]
        out += [(area, inputs[n:n + area.batch]) for n in range(0, len(inputs), area.batch)]
    return sorted(out, key=lambda one: -len(one[1]))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("bin", type=pathlib.Path)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=5000)
    parser.add_argument("--seconds", type=float, default=0)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--only", default="")
    arguments = parser.parse_args()
    process.limit_this_process()
    begin, tally = time.monotonic(), Tally()
    with tempfile.TemporaryDirectory(prefix="lanescope_hostile_") as top:
        scratch = pathlib.Path(top) / "scratch"
        scratch.mkdir()
        os.environ["HOME"] = str(scratch)
        sentinel = Sentinel(pathlib.Path(top) / "sentinel")
        tools = Tools(arguments.bin.resolve() / "lanescope", arguments.bin.resolve() / "lanescope-worker", scratch)
        areas = [area(tools) for area in AREAS if arguments.only in area.name]
        for seed in itertools.count(arguments.seed):
            with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
                for done in [pool.submit(timed, area, inputs, seed, tools, tally) for area, inputs in batches(areas, seed, arguments.count)]:
                    done.result()
            if problem := sentinel.problem():
                tally.fail("all", seed, "", problem)
            if time.monotonic() - begin >= arguments.seconds:
                break
    for name, (inputs, deep, seconds) in tally.rows.items():
        print(f"{name:22} {inputs:6} inputs, {deep:6} past the first parser, {seconds:6.1f} s")
    total, deep = (sum(row[n] for row in tally.rows.values()) for n in (0, 1))
    print(f"{total} inputs, {deep} past the first parser, {len(tally.failures)} failures, {time.monotonic() - begin:.0f} s")
    return 1 if tally.failures else 0


if __name__ == "__main__":
    sys.exit(main())
