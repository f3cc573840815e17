#!/usr/bin/env python3
"""Runs programs of this folder under `lanescope record -- lanescope cuda`. The recordings replay bit for bit, and the
programs' own output and exit status stay the same. Usage: record.py LANESCOPE WORKER FOLDER"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

lanescope, worker, programs = (pathlib.Path(word) for word in sys.argv[1:4])
problems = []


def expect(what, condition):
    if not condition:
        problems.append(what)


def run(*words, **more):
    return subprocess.run([str(word) for word in words], capture_output=True, text=True, timeout=300, **more)


def record(folder, program, *options, arguments=(), by=lanescope, **more):
    return run(by, "record", "-o", folder, *options, "--", lanescope, "cuda", "--", programs / f"cuda_{program}", *arguments, **more)


def packages(folder):
    return sorted(pathlib.Path(folder).glob("*.lspkg"))


def recorded(package):
    return json.loads((package / "recorded.json").read_text())


def replays(folder):
    """For each program: the recorder does not change it, and its recordings replay."""
    for program in ("streams", "cluster", "shared", "threads", "cooperative", "state"):
        where = folder / program
        plain = run(lanescope, "cuda", "--", programs / f"cuda_{program}")
        got = record(where, program)
        expect(f"{program} prints the same: {got.stdout!r}, {got.stderr!r}", got.stdout == plain.stdout)
        expect(f"{program} ends with {got.returncode}", got.returncode == plain.returncode)
        expect(f"{program}: no package: {got.stderr}", packages(where))
        table = run(lanescope, "emulate", where)
        lines = table.stdout.splitlines()
        grades = [line.split("  ")[0] for line in lines[:-1]]
        complete = [recorded(package)["state"] == "complete" for package in packages(where)]
        expect(f"{program} replays: {table.stdout}{table.stderr}",
               grades == ["exact" if one else "not comparable" for one in complete] and any(complete))
        expect(f"{program}: a part of a package is left", not list(where.glob("*.part")))


def one(folder):
    """For one package: its files, and the commands that accept it."""
    record(folder, "streams")
    package = packages(folder)[0]
    about = recorded(package)
    expect("the state", about["state"] == "complete" and about["launch"] == 1)
    expect("the device", "H100" in about["device"]["name"])
    expect("the call stack", any("cuda_streams" in frame for frame in about["stack"]))
    expect("others may not read it", (package / "buffer1.npy").stat().st_mode & 0o077 == 0)
    alone = run(lanescope, "emulate", package)
    expect(f"emulate: {alone.stdout}{alone.stderr}", alone.returncode == 0 and "exact" in alone.stdout)
    checked = run(lanescope, "check", package)
    expect(f"check: {checked.stdout}{checked.stderr}", checked.returncode == 0)
    debugged = run(lanescope, "debug", package, "--commands", "/dev/stdin", input="continue\n")
    expect(f"debug: {debugged.stdout}{debugged.stderr}", debugged.returncode == 0)
    expected = package / "expected" / "buffer0.out.npy"
    bytes_ = bytearray(expected.read_bytes())
    bytes_[-1] ^= 0x40
    expected.write_bytes(bytes_)
    wrong = run(lanescope, "emulate", package)
    expect(f"another result is told: {wrong.stdout}", wrong.returncode == 1 and "different" in wrong.stdout and "`out`" in wrong.stdout)


def choices(folder):
    graphs = record(folder / "graphs", "graphs")
    expect(f"graphs are told: {graphs.stderr}", "5 launches of graphs" in graphs.stderr and not packages(folder / "graphs"))
    listed = record(folder / "list", "streams", "--list")
    expect(f"--list: {listed.stdout}", "2,1,1" in listed.stdout and "scale" in listed.stdout and not packages(folder / "list"))
    record(folder / "images", "images")
    texts = {(package / "kernel.ptx").read_text() for package in packages(folder / "images")}
    expect("each PTX of one kernel's name", len(texts) > 1 and len(texts) == len(packages(folder / "images")))
    record(folder / "none", "streams", "--kernel", "^other$")
    expect("--kernel", not packages(folder / "none"))
    record(folder / "every", "streams", "--every", "launch")
    expect("--every launch", len(packages(folder / "every")) == 2)
    record(folder / "second", "streams", "--launch", "2")
    expect("--launch", [recorded(one)["launch"] for one in packages(folder / "second")] == [2])
    record(folder / "few", "streams", "--every", "launch", "--at-most", "1")
    expect("--at-most", len(packages(folder / "few")) == 1)
    record(folder / "bare", "streams", "--no-arrays")
    bare = packages(folder / "bare")[0]
    expect("--no-arrays", not list(bare.rglob("*.npy")) and not recorded(bare)["arrays"])
    told = run(lanescope, "emulate", bare)
    expect(f"--no-arrays is told: {told.stdout}", "without arrays" in told.stdout)
    record(folder / "small", "streams", "--max-bytes", "2K")
    sizes = [buffer["bytes"] for one in packages(folder / "small") for buffer in recorded(one)["buffers"]]
    expect(f"--max-bytes: {sizes}", sum(sizes) <= 2048)
    record(folder / "worker", "streams", by=worker)
    expect("the worker records, too", len(packages(folder / "worker")) == 1)


def bad(folder):
    hang = record(folder / "hang", "findings", "--kernel", "hang", arguments=["hang"])
    states = [recorded(one)["state"] for one in packages(folder / "hang")]
    expect(f"a hang leaves its package: {states} {hang.stderr}", states == ["failed"])
    told = run(lanescope, "emulate", packages(folder / "hang")[0]) if states else hang
    expect(f"the hang is explained: {told.stderr}", told.returncode == 1 and "deadlock" in told.stderr)
    for word, option in (("regular expression", ["--kernel", "("]), ("size", ["--max-bytes", "many"]), ("--every", ["--every", "other"])):
        got = record(folder / "never", "streams", *option)
        expect(f"{option}: {got.stderr}", got.returncode == 2 and word in got.stderr)
    for program in (lanescope, worker):
        none = run(program, "record")
        expect(f"no words: {none.stderr}", none.returncode == 2 and "which program?" in none.stderr)
    missing = run(lanescope, "record", "-o", folder / "missing", "--", folder / "no program")
    expect(f"no program: {missing.stderr}", missing.returncode == 127 and "does not start" in missing.stderr)
    full = record("/dev/full/x", "streams")
    expect(f"no folder: {full.stderr}", full.returncode == 3 and "cannot create" in full.stderr)
    limited = run("bash", "-c", f"ulimit -f 1; trap '' XFSZ; exec \"$@\"", "-", lanescope, "record", "-o", folder / "limited", "--",
                  programs / "cuda_shared", env={**os.environ, "LD_LIBRARY_PATH": str(lanescope.parent.parent / "lib/lanescope/cuda")})
    expect(f"a file that does not fit: {limited.stderr}", not packages(folder / "limited") and not list((folder / "limited").glob("*.part")))
    expect(f"the program goes on: {limited.stdout}{limited.stderr}", "shared memory is as large as asked for" in limited.stdout)


with tempfile.TemporaryDirectory() as scratch:
    for part in (replays, one, choices, bad):
        place = pathlib.Path(scratch) / part.__name__
        place.mkdir()
        part(place)
print("\n".join(problems) or "launches are recorded and replayed")
sys.exit(1 if problems else 0)
