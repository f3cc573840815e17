#!/usr/bin/env python3
"""Runs kernels for several devices on the GPUs of one machine. Compares them bit for bit with the emulator, and
measures how much of their copies they hide.

  tests/gpu/several.py make DIR [--lanescope …] [--unit build/release/bin/unit_several_devices] [--generated 200]
      here: writes packages of samples/multi and of the library's kernels for several devices, 200 generated packages,
      and packages for timing
  tests/gpu/several.py run DIR [--worker ./lanescope-worker] [--devices 0,1] [-o RESULTS] [--seconds 600]
      on a machine with two GPUs: runs all of it. With `--devices 0,0` one GPU stands for two, and the script compares
      only bits. `--device emulator` runs the same without a GPU

A package for more devices than are named, or with multimem, which needs a multicast object, is left out and counted.
The figures are those of all-gather and matmul in one kernel, and of matmul and reduce-scatter. They are compared with
the same kernel on two GPUs that exchange nothing, each with all of its inputs in place, and, if PyTorch is installed,
with NCCL's collective and cuBLAS. The hidden part of a copy is 1 - (both in one - product alone) / copy alone. The copy
alone is a kernel that only passes parts on. The worker times all three in one way: it fills the arrays again before each
launch, and takes the slower GPU. It times a kernel for one device in another way, by launches in a row; that figure is
printed too. Exit status: 0 all the same, 1 something differed or failed.
"""
import argparse
import json
import os
import pathlib
import random
import re
import shutil
import statistics
import struct
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
BIN = ROOT / "build" / "release" / "bin"
SOURCES = [*sorted((ROOT / "samples/multi").glob("*.py")), ROOT / "kernels/all_gather_matmul.py",
           ROOT / "kernels/matmul_reduce_scatter.py"]
TIMED, AT_ONCE = "timed", 50
# Only copies the parts, in the same way as the kernel: block by block through shared memory.
PASS_ON = """
def make_pass_on(devices, dtype=f16, shares=4):
  swizzled = (TilingTransform((8, 64)), SwizzleTransform(128))
  @kernel(mesh={"ring": devices}, grid=lambda: (M // tile_m, shares), grid_names=("rows", "share"))
  def pass_on(a: GMEM((M, K), dtype, sharding=("ring", None)), passed: Out((devices, M, K), dtype, sharding=("ring",))):
    rows, share, steps = ds(axis_index("rows") * tile_m, tile_m), axis_index("share"), K // tile_k // shares
    target = remote_ref(passed, (axis_index("ring") + devices - 1) % devices)
    def body(index, a_tile):
      copy_smem_to_gmem(a_tile, target.at[0, rows, ds((share * steps + index[0]) * tile_k, tile_k)])
      wait_smem_to_gmem(1, wait_read_only=True)
    emit_pipeline(body, grid=(steps,), max_concurrent_steps=2 * stages,
                  in_specs=[BlockSpec((tile_m, tile_k), lambda k: (axis_index("rows"), share * steps + k), transforms=swizzled, delay_release=1)])(a)
    wait_smem_to_gmem(0)
  return pass_on
"""


# --- making

def compile_packages(lanescope, source, target, *options):
    """Writes packages of all calls of a snippet to `target`."""
    with tempfile.TemporaryDirectory() as temporary:
        done = subprocess.run([lanescope, "compile", source, "--emit", "package", "-o", temporary, *options],
                              capture_output=True, text=True)
        if done.returncode:
            sys.exit(f"error: {source}: {done.stderr}")
        made = sorted(pathlib.Path(temporary).rglob("*.lspkg"))
        for package in made:
            shutil.copytree(package, target / f"{source.stem}-{package.stem}.lspkg", dirs_exist_ok=True)
    return len(made)


def generated(unit, count, target):
    """Packages of the kernels that unit_several_devices generates from seeds. It can make a thousand of them."""
    with tempfile.TemporaryDirectory() as temporary:
        environment = {**os.environ, "LANESCOPE_PACKAGES": temporary, "LANESCOPE_FULL": "1"}
        done = subprocess.run([unit, "--gtest_filter=GeneratedDevices.*"], env=environment, capture_output=True, text=True)
        if done.returncode:
            sys.exit(f"error: {done.stdout[-2000:]}")
        made = sorted(pathlib.Path(temporary).glob("*.lspkg"), key=lambda path: int(re.search(r"-(\d+)$", path.stem)[1]))
        made = [package for package in made if devices_of(package) == 2][:count]
        for package in made:
            shutil.copytree(package, target / package.name, dirs_exist_ok=True)
    return len(made)


def timed(lanescope, size, target):
    """Writes packages without arrays: both kernels of size^3 on two devices, the product alone on two devices and on one,
    the copy alone. Returns their number."""
    half, count = size // 2, 0
    # In both kernels, half of an array of size^2 goes over a link: half of `a`, or half of the sums.
    for kernel, a, b, split in (("all_gather_matmul", (size, size), (size, half), (0, 1)),
                                ("matmul_reduce_scatter", (size, half), (half, size), (1, 0))):
        text = (ROOT / f"kernels/{kernel}.py").read_text()
        text = text[:text.index("# The check")] + PASS_ON
        # A kernel made for one device exchanges nothing. Without exchange, two devices run it on a mesh of two.
        at_once = text.replace('mesh={"ring": devices}', 'mesh={"ring": 2}')
        assert at_once != text, f"{kernel}.py names its mesh in another way"
        whole = [tuple(length * (1 + (axis == along)) for axis, length in enumerate(shape))
                 for shape, along in zip((a, b), split)]
        cases = {"both": (text, f"make_{kernel}(2)(zeros({(size, size)}, f16), zeros({(size, size)}, f16))"),
                 "product": (at_once, f"make_{kernel}(1)(zeros({whole[0]}, f16), zeros({whole[1]}, f16))"),
                 "one": (text, f"make_{kernel}(1)(zeros({a}, f16), zeros({b}, f16))"),
                 "copy": (text, f"make_pass_on(2)(zeros({(size, size)}, f16))")}
        for name, (snippet, call) in cases.items():
            with tempfile.TemporaryDirectory() as temporary:
                source = pathlib.Path(temporary) / f"{TIMED}.{kernel}.{name}.{size}.py"
                source.write_text(f"{snippet}\n{call}\n")
                count += compile_packages(lanescope, source, target, "--no-expected")
    return count


def make(options):
    target = pathlib.Path(options.folder)
    target.mkdir(parents=True, exist_ok=True)
    library = sum(compile_packages(options.lanescope, source, target) for source in SOURCES)
    made = generated(options.unit, options.generated, target)
    times = sum(timed(options.lanescope, size, target) for size in options.sizes)
    print(f"{library} packages of samples and library, {made} generated for two devices, {times} to be timed")
    return 0 if made == options.generated else 1


# --- running

def devices_of(package):
    return json.loads((package / "launch.json").read_text()).get("devices", 1)


def needs_multicast(package):
    return "multimem." in (package / "kernel.ptx").read_text() or '"multicast"' in (package / "launch.json").read_text()


def worker(options, packages, results, *further):
    """{package: the content of its result.json}."""
    command = [options.worker, "run", *packages, "-o", results, "--device", options.device, *further]
    if options.device == "gpu":
        command += ["--devices", options.devices]
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True)
    if done.returncode not in (0, 1):
        sys.exit(f"error: {done.stdout}{done.stderr}")
    return {package: json.loads((results / package.stem / "result.json").read_text()) for package in packages}


def compare(options, packages, results):
    """Prints the differences. Returns the number of packages that were not as expected."""
    there, left_out, failed, passed = len(options.devices.split(",")), {}, [], {}
    run = []
    for package in packages:
        why = (f"for {devices_of(package)} devices" if options.device == "gpu" and devices_of(package) > there else
               "with multicast memory" if options.device == "gpu" and needs_multicast(package) else "")
        if why:
            left_out[why] = left_out.get(why, 0) + 1
        else:
            run.append(package)
    for begin in range(0, len(run), AT_ONCE):
        if time.monotonic() - options.begin > options.seconds:
            left_out["for lack of time"] = len(run) - begin
            failed.append("some were left out for lack of time")
            break
        for package, result in worker(options, run[begin:begin + AT_ONCE], results, "--timeout", "20").items():
            if result["ok"] and result.get("comparison") == "as expected":
                passed[devices_of(package)] = passed.get(devices_of(package), 0) + 1
            else:
                failed.append(f"{package.stem}: {result.get('comparison', '')} {result.get('error', '')}".strip())
    print("bit for bit with the emulator:", ", ".join(f"{count} on {devices} device{'s' * (devices > 1)}"
                                                      for devices, count in sorted(passed.items())) or "none")
    for why, count in sorted(left_out.items()):
        print(f"left out: {count} {why}")
    for each in failed:
        print("FAILED", each)
    return len(failed) + (not passed)


def fill(package, seed):
    """Writes random f16 inputs for a package without arrays, as the peers have them, because zeros would leave the GPU
    cool."""
    launch, chance = json.loads((package / "launch.json").read_text()), random.Random(seed)
    rows = [struct.pack("<4096e", *(chance.gauss(0, 1) for _ in range(4096))) for _ in range(64)]
    buffers = [buffer for param in launch["params"] for buffer in param.get("buffers", [param]) if "dtype" in buffer]
    for number, buffer in enumerate(buffers):
        if buffer["dtype"] != "f16" or buffer.get("out"):
            continue
        shape, count = tuple(buffer["shape"]), 1
        for size in shape:
            count *= size
        head = f"{{'descr': '<f2', 'fortran_order': False, 'shape': {shape!r}, }}"
        head += " " * (-(len(head) + 11) % 64) + "\n"
        buffer["data"] = f"random{number}.npy"
        with open(package / buffer["data"], "wb") as file:
            file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head.encode())
            for begin in range(0, count, 4096):
                file.write(chance.choice(rows)[:2 * min(4096, count - begin)])
    (package / "launch.json").write_text(json.dumps(launch))


def peers_times(kernel, size, repeat):
    """Microseconds of NCCL's collective and of cuBLAS, one after the other and alone, on two GPUs: medians of the
    slower GPU."""
    import torch
    import torch.cuda.nccl as nccl
    gpus, half = [torch.device("cuda", number) for number in range(2)], size // 2

    def arrays(*shape):
        return [torch.randn(*shape, device=gpu, dtype=torch.float16) for gpu in gpus]

    gathers = kernel == "all_gather_matmul"
    part, whole = arrays(half, size), arrays(size, size)
    a, b, out = (whole, arrays(size, half), arrays(size, half)) if gathers else (arrays(size, half), arrays(half, size), whole)

    def product():
        for number, gpu in enumerate(gpus):
            with torch.cuda.device(gpu):
                torch.matmul(a[number], b[number], out=out[number])

    def exchange():
        nccl.all_gather(part, whole) if gathers else nccl.reduce_scatter(whole, part)

    def both():
        for call in (exchange, product) if gathers else (product, exchange):
            call()

    def median(call):
        times = []
        for _ in range(repeat + 3):
            marks = []
            for gpu in gpus:
                torch.cuda.synchronize(gpu)
            for gpu in gpus:
                with torch.cuda.device(gpu):
                    marks.append([torch.cuda.Event(enable_timing=True) for _ in range(2)])
                    marks[-1][0].record()
            call()
            for gpu, (_, end) in zip(gpus, marks):
                with torch.cuda.device(gpu):
                    end.record()
            for gpu in gpus:
                torch.cuda.synchronize(gpu)
            times.append(max(begin.elapsed_time(end) for begin, end in marks) * 1000)
        return statistics.median(times[3:])

    return {"NCCL and cuBLAS in turn": median(both), "NCCL": median(exchange), "cuBLAS": median(product)}


def overlap(options, packages, results):
    """Prints the figures. Returns the number of failed runs."""
    failures, sizes = 0, {}
    for package in packages:
        _, kernel, name, size = package.stem.split("-")[0].split(".")
        sizes.setdefault((kernel, int(size)), {})[name] = package
    for (kernel, size), cases in sorted(sizes.items()):
        times = {}
        for name, package in cases.items():
            with tempfile.TemporaryDirectory() as temporary:
                copy = pathlib.Path(temporary) / package.name
                shutil.copytree(package, copy)
                fill(copy, size)
                result = worker(options, [copy], results, "--repeat", str(options.repeat), "--timeout", "120")[copy]
            if result["ok"]:
                times[name] = result["time_us"]
            else:
                failures += 1
                print("FAILED", package.stem, result.get("error", ""))
        print(f"{kernel}, {size}^3 f16 on two devices ({result['device']}), microseconds:")
        for name, label in (("both", "both in one kernel"), ("product", "product alone"), ("copy", "copy alone"),
                            ("one", "product alone, on one device")):
            if name in times:
                print(f"  {label:32} {times[name]:10.1f}")
        if {"both", "product", "copy"} <= times.keys() and times["copy"] > 0:
            print(f"  hidden: {100 * (1 - (times['both'] - times['product']) / times['copy']):.1f} % of the copy")
        try:
            peers = peers_times(kernel, size, options.repeat) if options.device == "gpu" else {}
        except (ImportError, RuntimeError) as trouble:
            peers = {}
            print(f"  without PyTorch's figures: {trouble}")
        for label, microseconds in peers.items():
            print(f"  {label:32} {microseconds:10.1f}")
    return failures


def run(options):
    options.begin = time.monotonic()
    folder, results = pathlib.Path(options.folder), pathlib.Path(options.output)
    packages = sorted(folder.glob("*.lspkg"))
    if not packages:
        sys.exit(f"error: {folder} holds no packages; `several.py make {folder}` makes them")
    to_time = [package for package in packages if package.stem.startswith(TIMED + ".")]
    failures = compare(options, [package for package in packages if package not in to_time], results)
    one = options.device == "gpu" and len(set(options.devices.split(","))) < 2
    if one:
        print("no times: one GPU stands for several devices")
    elif to_time:
        failures += overlap(options, to_time, results)
    return 1 if failures else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    maker = commands.add_parser("make")
    maker.add_argument("folder")
    maker.add_argument("--lanescope", default=BIN / "lanescope")
    maker.add_argument("--unit", default=BIN / "unit_several_devices")
    maker.add_argument("--generated", type=int, default=200)
    maker.add_argument("--sizes", type=int, nargs="*", default=[8192])
    runner = commands.add_parser("run")
    runner.add_argument("folder")
    runner.add_argument("--worker", default=BIN / "lanescope-worker")
    runner.add_argument("--devices", default="0,1")
    runner.add_argument("--device", default="gpu", choices=["gpu", "emulator"])
    runner.add_argument("-o", "--output", default="several-results")
    runner.add_argument("--repeat", type=int, default=20)
    runner.add_argument("--seconds", type=float, default=600)
    options = parser.parse_args()
    return make(options) if options.command == "make" else run(options)


if __name__ == "__main__":
    raise SystemExit(main())
