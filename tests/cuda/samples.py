#!/usr/bin/env python3
"""Builds NVIDIA's public samples and runs them under `lanescope cuda`.
Usage: samples.py LANESCOPE CHECKOUT [--only NAME,…] [--seconds N] [--build FOLDER] [OPTIONS of lanescope cuda…]

CHECKOUT is a checkout of github.com/NVIDIA/cuda-samples. Samples that need graphics or closed libraries are left out. The
table has one of these words for each sample:

passed      its own check passes (exit status 0), and the checker reports no fault
fault       the checker reports the fault that the sample has (FAULTS)
refused     it uses something that the emulator refuses by name
waived      the sample itself says that this GPU lacks something
not built   nvcc cannot build it with the shared runtime and PTX
too slow    it is not done after --seconds
failed      all else

The exit status is 77 without nvcc, and 1 if a sample failed or was too slow."""
import collections
import pathlib
import re
import shutil
import subprocess
import sys

MISSING = 77
# Headers for things that neither the emulator nor this script has.
NEEDS = {
    "graphics": r"GL/|GLES|glut|EGL|vulkan|\bd3d|DirectX|cuda_gl_interop|cudaEGL|helper_gl",
    "a closed library": r"cublas|cufft|cusparse|cusolver|curand\.h|npp|nvjpeg|cudnn|nvml",
    "a compiler in the program": r"nvrtc|nvvm|nvJitLink",
    "NvSci": r"nvsci",
    "MPI": r"mpi\.h",
    "OpenMP": r"omp\.h",
    "processes that share memory": r"helper_multiprocess",
}
ARCHITECTURE = "90"
SOURCES = (".cu", ".cpp", ".c")
# Sizes for samples that would take long on the emulator.
ARGUMENTS = {
    "FDTD3d": ["--dimx=64", "--dimy=32", "--dimz=32", "--timesteps=2", "--radius=4"],
    "SobolQRNG": ["1000", "20"],
    "cdpAdvancedQuicksort": ["size=1000"],
    "cudaGraphsPerfScaling": ["16", "1", "1", "2"],
    "eigenvalues": ["--matrix-size=256", "--iters-timing=1"],
    "globalToShmemAsyncCopy": ["-wA=256", "-hA=64", "-wB=128", "-hB=256"],
    "histogram": ["--sizemult=1"],
    "matrixMul": ["-wA=64", "-hA=32", "-wB=32", "-hB=64"],
    "radixSortThrust": ["-n=4096", "-iterations=1"],
    "reduction": ["--n=65536"],
    "reductionMultiBlockCG": ["--n=65536"],
    "threadFenceReduction": ["--n=16384"],
    "transpose": ["-dimX=64", "-dimY=64"],
}
OPTIONS = {name: ["--devices", "2"] for name in ("simpleP2P", "simpleMultiGPU", "streamOrderedAllocationP2P", "p2pBandwidthLatencyTest", "conjugateGradientMultiDeviceCG", "topologyQuery")}
# Samples with faults: the texts of the findings.
FAULTS = {
    "globalToShmemAsyncCopy": "which a copy still fills",  # line 131: it loads five stages ahead into four buffers
    "newdelete": "without an order between them",  # Vector::pop() reads m_top, which other blocks change by atomicSub
    "simpleAssert": "the assertion `gtid < N` failed",  # on purpose
    "simpleAttributes": "without an order between them",  # `while (hit < hitCount)` races with atomicAdd(&hit, 1)
}


def folders(sample):
    return [sample, *(sample / name for name in ("src", "inc") if (sample / name).is_dir())]


def sources(sample):
    return sorted(each for folder in folders(sample) for each in folder.iterdir() if each.suffix in SOURCES)


def missing(sample):
    files = [each for folder in folders(sample) for each in folder.iterdir() if each.suffix in (*SOURCES, ".cuh", ".h")]
    includes = "\n".join(line for each in files for line in each.read_text(errors="replace").splitlines() if "include" in line)
    return next((what for what, pattern in NEEDS.items() if re.search(pattern, includes, re.I)), None)


def build(nvcc, sample, checkout, out):
    out.mkdir(parents=True, exist_ok=True)
    program = out / sample.name
    if program.exists():
        return program, ""
    flags = ["-std=c++17", "-lineinfo", "-cudart", "shared", "-Wno-deprecated-gpu-targets", "-I", checkout / "Common", "-I", checkout / "Common" / "UtilNPP"]
    for folder in folders(sample):
        flags += ["-I", folder]
    code = f"-gencode=arch=compute_{ARCHITECTURE},code=compute_{ARCHITECTURE}"
    cmake = sample / "CMakeLists.txt"
    text = cmake.read_text() if cmake.exists() else ""
    loaded = []  # files that the program loads at run time
    for name, kind in sorted(set(re.findall(r"(\w+)64\.(fatbin|ptx)", text))):
        if (sample / f"{name}.cu").exists():
            made = out / f"{name}64.{kind}"
            subprocess.run([nvcc, f"-arch=compute_{ARCHITECTURE}", f"-{kind}", "-o", made, sample / f"{name}.cu"], capture_output=True)
            shutil.copyfile(made, sample / made.name)
            loaded.append(name)
    compiled = [each for each in sources(sample) if each.stem not in loaded or not each.stem.endswith("_kernel")]
    # All samples ask for separate compilation, but few need it.
    for separate in ([], ["-rdc=true"]):
        done = subprocess.run([nvcc, *flags, *separate, code, *compiled, "-lcuda", "-o", program, "-L", out.parent / "stubs"], capture_output=True, text=True)
        if done.returncode == 0:
            break
    return (program, "") if done.returncode == 0 else (None, next((line for line in done.stderr.splitlines() if "error" in line), "nvcc fails"))


def run(lanescope, program, sample, seconds, options):
    command = [lanescope, "cuda", *options, *OPTIONS.get(sample.name, []), "--", program, *ARGUMENTS.get(sample.name, [])]
    try:
        done = subprocess.run(command, cwd=sample, capture_output=True, text=True, errors="replace", timeout=seconds)
    except subprocess.TimeoutExpired:
        return "too slow", f"not done after {seconds:g} s"
    lines = done.stderr.splitlines()
    last = [line for line in lines if line.startswith("lanescope cuda:")]
    if done.returncode == 0:
        return "passed", last[-1] if last else ""
    problem = next((line for line in lines if "error: " in line), last[0] if last else "")
    if sample.name in FAULTS and FAULTS[sample.name] in done.stderr:
        return "fault", problem
    if refusal := next((line for line in lines if "the emulator has no" in line or "and the emulator knows" in line), None):
        return "refused", refusal
    if done.returncode == 2 and ("waiv" in done.stdout.lower() or "not supported" in done.stdout.lower()):
        return "waived", next((line for line in reversed(done.stdout.splitlines()) if line.strip()), "")
    own = next((line for line in reversed(done.stdout.splitlines()) if line.strip()), "")
    return "failed", f"status {done.returncode}: {problem or own}"


def main():
    lanescope, checkout, *rest = sys.argv[1:]
    checkout, only, seconds, folder, options = pathlib.Path(checkout).absolute(), None, 120, None, []
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
        print(f"{verdict:10} {sample.name:34} {words}", flush=True)
    print(", ".join(f"{count} {verdict}" for verdict, count in counts.most_common()))
    sys.exit(1 if counts["failed"] or counts["too slow"] else 0)


if __name__ == "__main__":
    main()
