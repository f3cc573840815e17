#!/usr/bin/env python3
"""Runs several.py on the emulator: it makes packages for several devices, the worker runs them, and the script compares
them, finds a wrong bit and computes the figures. Then a sample runs through a worker. Usage: several_smoke.py LANESCOPE
WORKER"""
import contextlib
import io
import pathlib
import subprocess
import sys
import tempfile

import several


def main():
    lanescope, worker = sys.argv[1:3]
    problems = []

    def expect(condition, what):
        if not condition:
            problems.append(what)

    def run(*words):
        said = io.StringIO()
        sys.argv[1:] = ["run", *map(str, words)]
        with contextlib.redirect_stdout(said):
            status = several.main()
        return status, said.getvalue()

    sample = several.ROOT / "samples/multi/ring_all_reduce.py"
    with tempfile.TemporaryDirectory() as temporary:
        folder, results = pathlib.Path(temporary) / "packages", pathlib.Path(temporary) / "results"
        folder.mkdir()
        several.compile_packages(lanescope, sample, folder)
        several.timed(lanescope, 512, folder)
        options = [folder, "--worker", worker, "--device", "emulator", "-o", results]
        status, said = run(*options)
        expect(status == 0 and said.startswith("bit for bit with the emulator: 1 on 1 device, 1 on 2 devices"), said)
        expect(said.count("hidden: ") == 2 and said.count("both in one kernel") == 2, said)
        # Packages that two GPUs cannot run are counted, not run.
        there = type("Options", (), {"devices": "0,1", "device": "gpu", "begin": 0, "seconds": 0, "worker": worker})
        with contextlib.redirect_stdout(io.StringIO()) as counted:
            several.compare(there, [package for package in folder.glob("ring*") if several.devices_of(package) > 2], results)
        # The sample calls its kernel once more, for four devices, with a profile.
        expect("left out: 2 for 4 devices\nleft out: 1 for 8 devices" in counted.getvalue(), counted.getvalue())
        package = next(package for package in sorted(folder.glob("ring*")) if several.devices_of(package) == 2)
        array = next((package / "expected").glob("*.npy"))
        content = bytearray(array.read_bytes())
        content[-1] ^= 1
        array.write_bytes(content)
        status, said = run(*options)
        expect(status == 1 and f"FAILED {package.stem}" in said, said)
    for device in ("gpu", "auto"):
        done = subprocess.run([lanescope, "run", sample, "--device", device, "--worker", f"{worker} serve --device emulator"],
                              capture_output=True, text=True)
        expect(done.returncode == 0 and "the result is right" in done.stdout, done)
    refused = subprocess.run([worker, "run", "x.lspkg", "--devices", "0,x"], capture_output=True, text=True)
    expect(refused.returncode == 2 and "takes the numbers of GPUs" in refused.stderr, refused)
    for problem in problems:
        print("FAILED", problem)
    print(f"several devices: {len(problems)} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    raise SystemExit(main())
