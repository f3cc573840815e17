#!/usr/bin/env python3
"""Runs a program of this folder, or a CUDA source, under `lanescope cuda`.
Usage: run.py LANESCOPE PROGRAM|FILE.cu [--status N] [--says TEXT]… [--silent] [--argument WORD] [OPTIONS of lanescope
cuda…]

--says: a text that the output or the messages must have. --silent: there must be no finding. --argument: an argument of
the program. A CUDA source is compiled with nvcc and the shared runtime; without nvcc the exit status is 77."""
import pathlib
import shutil
import subprocess
import sys
import tempfile

MISSING = 77


def compiled(source, folder):
    nvcc = shutil.which("nvcc") or shutil.which("nvcc", path="/usr/local/cuda/bin")
    if not nvcc:
        print("there is no nvcc")
        sys.exit(MISSING)
    program = folder / source.stem
    subprocess.run([nvcc, "-lineinfo", "-std=c++17", "-cudart", "shared", "-arch=compute_90", "-o", program, source], check=True)
    return program


def main():
    lanescope, program, *rest = sys.argv[1:]
    status, says, silent, arguments, options = 0, [], False, [], []
    while rest:
        word = rest.pop(0)
        if word == "--status":
            status = int(rest.pop(0))
        elif word == "--says":
            says.append(rest.pop(0))
        elif word == "--argument":
            arguments.append(rest.pop(0))
        elif word == "--silent":
            silent = True
        else:
            options.append(word)
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(program)
        if path.suffix == ".cu":
            path = compiled(path, pathlib.Path(folder))
        run = subprocess.run([lanescope, "cuda", *options, "--", path, *arguments], capture_output=True, text=True, timeout=300)
    everything = run.stdout + run.stderr
    print(everything)
    problems = [f"no `{text}`" for text in says if text not in everything]
    if run.returncode != status:
        problems.append(f"exit status {run.returncode}, not {status}")
    if silent and "; 0 faults, 0 hazards, 0 notes" not in run.stderr:
        problems.append("something is found")
    sys.exit("; ".join(problems) or 0)


main()
