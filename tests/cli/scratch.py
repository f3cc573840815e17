#!/usr/bin/env python3
"""Launches whose arrays exceed `--memory` run with `--scratch`, to the same bytes as in memory, and leave no file.
Usage: scratch.py LANESCOPE"""
import array
import json
import os
import pathlib
import resource
import signal
import struct
import subprocess
import sys
import tempfile
import time

LANESCOPE = pathlib.Path(sys.argv[1]).resolve()
MIB = 1 << 20
LIMIT = 80  # MiB; each of the two arrays takes 128
WORDS = 128 * MIB // 4
# Each thread reads four words, changes two of them and writes them to the other array.
SCALE = """.version 8.0
.target sm_90
.address_size 64
.visible .entry scale(.param .u64 x, .param .u64 y) {
  .reg .u32 %r<9>; .reg .u64 %d<5>;
  ld.param.u64 %d1, [x];
  ld.param.u64 %d2, [y];
  mov.u32 %r1, %ctaid.x;
  mov.u32 %r2, %tid.x;
  shl.b32 %r1, %r1, 8;
  add.u32 %r1, %r1, %r2;
  mul.wide.u32 %d3, %r1, 16;
  add.s64 %d1, %d1, %d3;
  add.s64 %d2, %d2, %d3;
  ld.global.v4.u32 {%r2, %r3, %r4, %r5}, [%d1];
  mad.lo.u32 %r2, %r2, 3, %r1;
  xor.b32 %r3, %r3, %r2;
  st.global.v4.u32 [%d2], {%r2, %r3, %r4, %r5};
  ret;
}
"""
# Each block writes one word in 4 KiB. The last block also writes the word of the first one, which is a race.
SPARSE = """.version 8.0
.target sm_90
.address_size 64
.visible .entry sparse(.param .u64 x) {
  .reg .u32 %r<5>; .reg .u64 %d<4>; .reg .pred %p;
  ld.param.u64 %d1, [x];
  mov.u32 %r1, %ctaid.x;
  add.u32 %r2, %r1, 1;
  LAST
  mul.wide.u32 %d2, %r1, 4096;
  add.s64 %d2, %d1, %d2;
  st.global.u32 [%d2], %r2;
  ret;
}
"""
failed = 0


def expect(what, holds, said=""):
    global failed
    failed += not holds
    print(f"ok: {what}" if holds else f"FAILED: {what}: {said}")


def npy(count, pieces):
    header = f"{{'descr': '<u4', 'fortran_order': False, 'shape': ({count},), }}"
    header += " " * (-(len(header) + 11) % 64) + "\n"
    yield b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode()
    yield from pieces


def launch(folder, ptx, entry, grid, block, params):
    folder.mkdir()
    (folder / "kernel.ptx").write_text(ptx)
    (folder / "launch.json").write_text(json.dumps({"entry": entry, "grid": [grid, 1, 1], "block": [block, 1, 1], "params": params}))
    return folder


def run(folder, *words, command="emulate", **more):
    done = subprocess.run([LANESCOPE, command, "kernel.ptx", *map(str, words)], cwd=folder, capture_output=True, text=True, **more)
    return done.returncode, done.stdout, done.stderr


def results(folder):
    """The words that the kernel wrote, and nothing is left of them."""
    file = folder / "y.npy"
    found = file.read_bytes() if file.exists() else b""
    file.unlink(missing_ok=True)
    return found


def scale(folder, scratch, limited):
    step = MIB // 4
    big = launch(folder / "big", SCALE, "scale", WORDS // 1024, 256, [
        {"kind": "buffer", "dtype": "u32", "shape": [WORDS], "data": "x.npy"},
        {"kind": "buffer", "dtype": "u32", "shape": [WORDS], "out": "y.npy"}])
    with open(big / "x.npy", "wb") as file:
        file.writelines(npy(WORDS, (array.array("I", range(k, k + step)).tobytes() for k in range(0, WORDS, step))))
    whole = run(big, "--memory", "4G")
    wanted = results(big)
    expect("it runs in memory", whole[0] == 0 and len(wanted) > WORDS * 4, whole)

    refused = run(big, "--memory", f"{LIMIT}M")
    expect("without a folder the arrays are an error that names a way out", refused[0] == 1 and "--scratch DIR" in refused[2], refused)
    for name, words in {"paged": [], "one thread": ["--threads", "1"], "strict": ["--strict"], "fast": ["--fast"], "schedules": ["--seed", "3"],
                        "in parts": ["--checkpoint", "run.checkpoint"]}.items():
        paged = run(big, *limited, *words)
        expect(f"{name}: with a folder it runs to the same bytes", paged[0] == 0 and results(big) == wanted, paged)
    expected = folder / "expected"
    expected.mkdir()
    (expected / "y.npy").write_bytes(wanted)
    compared = run(big, *limited, "--launch", "launch.json", "--expected", expected)
    expect("outputs are compared", compared[0] == 0, compared)
    # Files of the system's limit on sizes: as if the disk were full.
    small = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (100 * MIB, 100 * MIB))
    full = run(big, *limited, preexec_fn=small)
    expect("a full disk is an error with a way out", full[0] == 1 and "out-of-memory" not in full[1] and "has no room for it: File too large" in full[2] and "--scratch" in full[2], full)
    narrow = run(big, *limited, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (250 * MIB, 250 * MIB)))
    expect("so are too few addresses", narrow[0] == 1 and "launch.json:1:" in narrow[2] and "`ulimit -v`" in narrow[2], narrow)
    checked = run(big, *limited, command="check")
    expect("check runs it", checked[0] == 0 and "0 faults, 0 hazards, 0 notes" in checked[1], checked)

    # Killed at any time, it leaves nothing.
    process = subprocess.Popen([LANESCOPE, "emulate", "kernel.ptx", *limited], cwd=big, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    while process.poll() is None and str(scratch) not in (pathlib.Path(f"/proc/{process.pid}/maps").read_text()):
        time.sleep(0.01)
    used = process.poll() is None
    process.send_signal(signal.SIGKILL)
    process.wait()
    expect("the process was killed while it used a file", used)
    expect("no file is left", not any(scratch.iterdir()), list(scratch.iterdir()))

    many = subprocess.run([LANESCOPE, "check", big, "--results", folder / "records", *limited], cwd=folder, capture_output=True, text=True)
    expect("check --results passes the folder on", many.returncode == 0 and "1 kernel" in many.stdout, many)


def sparse(folder, limited):
    blocks = 100000
    for name, last in {"disjoint": "", "racing": f"setp.eq.u32 %p, %r1, {blocks - 1};\n  @%p mov.u32 %r1, 0;"}.items():
        place = launch(folder / name, SPARSE.replace("LAST", last), "sparse", blocks, 1, [
            {"kind": "buffer", "dtype": "u32", "shape": [blocks * 1024], "out": "y.npy"}])
        whole = run(place, "--memory", "8G")
        wanted = results(place)
        paged = run(place, *limited)
        expect(f"{name}: {blocks} blocks on scattered words", (whole[0], whole[2]) == (paged[0], paged[2]) and results(place) == wanted, (whole, paged))
        expect(f"{name}: races are found", ("race" in paged[2]) == bool(last), paged)


def folders(folder):
    (folder / "file").write_text("")
    (folder / "none").mkdir(mode=0o500)
    for name, place in {"no such folder": "missing", "a file": "file", "memory": "/dev/shm"}.items():
        refused = run(folder / "big", "--scratch", place if place.startswith("/") else folder / place)
        expect(f"{name} is refused", refused[0] == 2 and "cannot hold arrays" in refused[2] and "--scratch" in refused[2], refused)


SNIPPET = """rows, columns = 1 << 17, 256

@kernel(grid=(rows // 64,), grid_names=("block",), num_threads=1,
        scratch=[SMEM((64, columns), f32), Barrier()])
def move(x: GMEM((rows, columns), f32), out: Out((rows, columns), f32), tile, loaded):
  mine = ds(axis_index("block") * 64, 64)
  copy_gmem_to_smem(x.at[mine, :], tile, loaded)
  barrier_wait(loaded)
  copy_smem_to_gmem(tile, out.at[mine, :])
  wait_smem_to_gmem(0)

x = iota((rows, columns), f32, 0)
y = run(move, x).outputs[0]
print(max_error(x, y), y[100, 3], y[rows - 1, columns - 1])
"""


def snippet(folder, scratch):
    """Its arrays of 128 MiB exceed the limit, which also has to hold the compiler."""
    (folder / "snippet.py").write_text(SNIPPET)
    done = [subprocess.run([LANESCOPE, "run", "snippet.py", "--device", "emulator", *map(str, words)], cwd=folder, capture_output=True, text=True)
            for words in (["--memory", "6G"], ["--memory", "200M"], ["--memory", "200M", "--scratch", scratch])]
    expect("a snippet's arrays in memory", done[0].returncode == 0, done[0])
    expect("beyond the limit they are an error that names a way out", done[1].returncode == 1 and "--scratch" in done[1].stderr, done[1])
    expect("with a folder it prints the same", done[2].returncode == 0 and done[0].stdout == done[2].stdout, done)


def main():
    # The repository's disk: a folder for temporary files may lie in memory.
    with tempfile.TemporaryDirectory(dir="/var/tmp") as name:
        folder = pathlib.Path(name)
        scratch = folder / "scratch"
        scratch.mkdir()
        limited = ["--memory", f"{LIMIT}M", "--scratch", str(scratch)]
        scale(folder, scratch, limited)
        sparse(folder, limited)
        folders(folder)
        snippet(folder, scratch)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
