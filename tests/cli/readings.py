#!/usr/bin/env python3
"""Runs the cases of tests/golden/readings with the real commands: the REPL's `owners` and `equal` for all cases in one
run, and `lanescope show` for ambiguous cases. Each case has one reading, and a note if it was a guess.
Usage: readings.py LANESCOPE REPOSITORY"""
import json
import pathlib
import subprocess
import sys

lanescope, repository = sys.argv[1], pathlib.Path(sys.argv[2])
cases = json.loads((repository / "tests/golden/readings/cases.json").read_text())
assert len(cases) >= 60, len(cases)
failures = []
FIRST = {"thread": "registers", "offset": "shared", "lane": "tmem"}


def run(*arguments, text=None):
    return subprocess.run([lanescope, *arguments], input=text, capture_output=True, text=True, timeout=120)


# One session, with a line per case between marks.
lines, asked = [], []
for case in cases:
    if case["reads"] is None or case["text"].startswith("WGSplat"):
        continue
    shape = tuple(case["shape"]) if case["shape"] else None
    zero = tuple(0 for _ in case["reads"])
    lines.append(f"t = {case['text']!r}")
    lines.append(f"print('@', list(owners(t, {shape}, {zero}).keys())[0], equal(t, t, {shape}).memory)")
    asked.append(case)
script = run("eval", "1")  # the command exists
assert script.returncode == 0, script.stderr
session = run(text="\n".join(lines) + "\n")
said = [line[2:] for line in session.stdout.splitlines() if line.startswith("@ ")]
if len(said) != len(asked):
    failures.append(f"{len(said)} answers to {len(asked)} questions\n{session.stderr[-2000:]}")
names = {"registers": "registers", "shared": "shared memory", "tmem": "tensor memory"}
for case, answer in zip(asked, said):
    first, memory = answer.split(" ", 1)
    if FIRST[first] != case["memory"] or memory != names[case["memory"]]:
        failures.append(f"{case['text']}: owners and equal say {answer}, not {case['memory']}")
notes = session.stderr.count("is read as") + session.stderr.count("both are read as")
guesses = sum(case["note"] is not None for case in asked)
if notes != 2 * guesses:
    failures.append(f"{notes} notes on {guesses} guesses, two questions each\n{session.stderr[-2000:]}")

# `lanescope show`: pictures name the memory in their titles.
titles = {"registers": None, "shared": "in shared memory", "tmem": "in tensor memory"}
for case in cases:
    if case["note"] is None or case["reads"] is None:
        continue
    arguments = ["show", case["text"]]
    if case["shape"]:
        arguments += ["--shape", "x".join(map(str, case["shape"]))]
    result = run(*arguments)
    if result.returncode != 0:
        failures.append(f"{arguments}: {result.stderr}")
        continue
    wanted = titles[case["memory"]]
    if (wanted or "in shared memory") not in result.stdout and wanted or (not wanted and "in shared memory" in result.stdout):
        failures.append(f"{arguments} does not draw {case['memory']}: {result.stdout[:200]}")
    if case["note"] not in result.stderr or "`--memory " not in result.stderr:
        failures.append(f"{arguments} says nothing of its guess: {result.stderr}")
switched = run("show", "(8,4):(4,1)", "--memory", "registers", "--shape", "8x4")
if switched.returncode != 0 or "in shared memory" in switched.stdout or "is read as" in switched.stderr:
    failures.append(f"--memory registers: {switched.stdout[:200]}{switched.stderr}")
refused = run("show", "(8,4):(4,1)", "--memory", "gmem")
if refused.returncode != 2 or "registers, shared or tmem" not in refused.stderr:
    failures.append(f"--memory gmem: {refused.returncode} {refused.stderr}")

print("\n".join(failures) or f"{len(asked)} readings in the session, {guesses} pictures with a note")
sys.exit(1 if failures else 0)
