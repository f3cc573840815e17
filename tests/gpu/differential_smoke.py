#!/usr/bin/env python3
"""Runs differential.py on a few cases without a GPU: the emulator agrees with itself, and the script finds a planted
wrong bit.

  tests/gpu/differential_smoke.py LANESCOPE LANESCOPE_WORKER
"""
import pathlib
import subprocess
import sys
import tempfile

SCRIPT = pathlib.Path(__file__).resolve().parent / "differential.py"
COUNT = 30


def differential(*arguments):
    done = subprocess.run([sys.executable, str(SCRIPT), *map(str, arguments)], capture_output=True, text=True)
    return done.returncode, done.stdout + done.stderr


def main():
    lanescope, worker = sys.argv[1:]
    with tempfile.TemporaryDirectory() as scratch:
        cases = pathlib.Path(scratch) / "cases"
        status, text = differential("--make", cases, "--count", COUNT, "--jobs", 2, "--lanescope", lanescope)
        assert status == 0, text
        assert f"{COUNT} cases in" in text, text
        check = ["--worker", worker, "--device", "emulator", "--jobs", 2]
        status, text = differential("--check", f"{cases}.tar.xz", *check)
        assert status == 0 and f"{COUNT} of {COUNT} cases agree" in text, text
        # Changes any bit of an output that must be exact.
        path = sorted(cases.glob("c00000.lspkg/expected/*.npy"))[0]
        data = bytearray(path.read_bytes())
        data[-1] ^= 1
        path.write_bytes(data)
        status, text = differential("--check", cases, *check)
        assert status == 1 and "case 0 (" in text and "1 differ;" in text, text
    print(f"{COUNT} cases made and checked")


if __name__ == "__main__":
    main()
