#!/usr/bin/env python3
"""Builds NVIDIA's public samples and runs them under `lanescope cuda`.
Usage: samples.py LANESCOPE CHECKOUT [--only NAME,…] [--seconds N] [--build FOLDER] [OPTIONS of lanescope cuda…]

CHECKOUT is a checkout of github.com/NVIDIA/cuda-samples. Samples that need graphics or closed libraries are left out. A
sample passes if its own check passes (exit status 0) and the checker reports no fault. The exit status is 77 without
nvcc, and 1 if a sample fails."""
import collections
import pathlib
import re
import shutil
import subprocess
import sys

MISSING = 77
# Headers for things that neither the emulator nor this script has.
NEEDS = {
    "graphics": r"GL/|GLES|glut|EGL|vulkan|d3d|DirectX|cuda_gl_interop|cudaEGL|helper_gl",
    "a closed library": r"cublas|cufft|cusparse|cusolver|curand|npp|nvjpeg|cudnn|nvml",
    "a compiler in the program": r"nvrtc|nvvm|nvJitLink",
    "NvSci": r"nvsci",
    "MPI": r"mpi\.h",
    "OpenMP": r"omp\.h",
    "processes that share memory": r"helper_multiprocess",
}
ARCHITECTURE = "90"
SOURCES = (".cu", ".cpp", ".c")


def sources(folder):
    return sorted(each for each in folder.iterdir() if each.suffix in SOURCES)


def missing(folder):
    text = "\n".join(each.read_text(errors="replace") for each in folder.iterdir() if each.suffix in (*SOURCES, ".cuh", ".h"))
    includes = "\n".join(line for line in text.splitlines() if "include" in line)
    return next((what for what, pattern in NEEDS.items() if re.search(pattern, includes, re.I)), None)


def build(nvcc, folder, checkout, out):
    out.mkdir(parents=True, exist_ok=True)
    program = out / folder.name
    if program.exists():
        return program, ""
    flags = ["-std=c++17", "-lineinfo", "-cudart", "shared", "-Wno-deprecated-gpu-targets", "-I", checkout / "Common", "-I", folder, "-I", checkout / "Common" / "UtilNPP"]
    code = f"-gencode=arch=compute_{ARCHITECTURE},code=compute_{ARCHITECTURE}"
    cmake = folder / "CMakeLists.txt"
    for name in re.findall(r"(\w+)64\.fatbin", cmake.read_text() if cmake.exists() else ""):  # the program loads it
        if (folder / f"{name}.cu").exists():
            subprocess.run([nvcc, code, "-fatbin", "-o", out / f"{name}64.fatbin", folder / f"{name}.cu"], capture_output=True)
            shutil.copyfile(out / f"{name}64.fatbin", folder / f"{name}64.fatbin")
    command = [nvcc, *flags, code, *(each for each in sources(folder) if not each.stem.endswith("_kernel") or not (out / f"{each.stem}64.fatbin").exists()), "-lcuda", "-o", program,
               "-L", out.parent / "stubs"]
    done = subprocess.run(command, capture_output=True, text=True)
    return (program, "") if done.returncode == 0 else (None, next((line for line in done.stderr.splitlines() if "error" in line), "nvcc fails"))


def run(lanescope, program, folder, seconds, options):
    try:
        done = subprocess.run([lanescope, "cuda", *options, "--", program], cwd=folder, capture_output=True, text=True, errors="replace", timeout=seconds)
    except subprocess.TimeoutExpired:
        return "too slow", f"not done after {seconds} s"
    last = [line for line in done.stderr.splitlines() if line.startswith("lanescope cuda:")]
    if done.returncode == 0:
        return "passed", last[-1] if last else ""
    problem = next((line for line in done.stderr.splitlines() if "error" in line or line.startswith("lanescope cuda: ")), "")
    own = next((line for line in reversed(done.stdout.splitlines()) if line.strip()), "")
    waived = done.returncode == 2 and ("waiv" in done.stdout.lower() or "not supported" in done.stdout.lower())
    return "waived" if waived else "failed", f"status {done.returncode}: {problem or own}"


def main():
    lanescope, checkout, *rest = sys.argv[1:]
    checkout, only, seconds, folder, options = pathlib.Path(checkout), None, 120, None, []
    while rest:
        word = rest.pop(0)
        if word == "--only":
            only = rest.pop(0).split(",")
        elif word == "--seconds":
            seconds = float(rest.pop(0))
        elif word == "--build":
            folder = pathlib.Path(rest.pop(0))
        else:
            options.append(word)
    lanescope = pathlib.Path(lanescope).absolute()  # samples run in their own folders
    nvcc = shutil.which("nvcc") or shutil.which("nvcc", path="/usr/local/cuda/bin")
    if not nvcc:
        print("there is no nvcc")
        sys.exit(MISSING)
    folder = (folder or pathlib.Path("build/cuda-samples")).absolute()
    stubs = folder / "stubs"
    stubs.mkdir(parents=True, exist_ok=True)
    library = lanescope.parent.parent / "lib" / "lanescope" / "cuda" / "libcuda.so.1"
    link = stubs / "libcuda.so"
    link.unlink(missing_ok=True)
    link.symlink_to(library)
    counts = collections.Counter()
    for sample in sorted((checkout / "Samples").glob("*/*")):
        if not sample.is_dir() or not sources(sample) or (only and sample.name not in only):
            continue
        what = missing(sample)
        if what:
            verdict, words = "left out", f"needs {what}"
        else:
            program, problem = build(nvcc, sample, checkout, folder / sample.name)
            verdict, words = run(lanescope, program, sample, seconds, options) if program else ("not built", problem)
        counts[verdict] += 1
        print(f"{verdict:10} {sample.name:40} {words}", flush=True)
    print(", ".join(f"{count} {verdict}" for verdict, count in counts.most_common()))
    sys.exit(1 if counts["failed"] or counts["too slow"] else 0)


if __name__ == "__main__":
    main()
