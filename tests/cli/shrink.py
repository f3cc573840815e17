#!/usr/bin/env python3
"""`lanescope check --shrink`: the smaller launches that it names show the finding. Usage: shrink.py LANESCOPE"""
import json
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

LANESCOPE = pathlib.Path(sys.argv[1])
# Each block writes its own element; from block 8 on, that is outside of the array.
OUTSIDE = """.version 8.0
.target sm_90
.address_size 64
.visible .entry outside(.param .u64 out) {
  .reg .b32 %r<3>; .reg .b64 %rd<4>;
  ld.param.u64 %rd1, [out];
  mov.u32 %r1, %ctaid.x;
  mul.wide.u32 %rd2, %r1, 4;
  add.s64 %rd3, %rd1, %rd2;
  st.global.u32 [%rd3], %r1;
  ret;
}
"""
# The last block alone writes outside, so a smaller grid does too, at its own last block.
LAST = OUTSIDE.replace("outside", "last").replace(".reg .b32 %r<3>;", ".reg .b32 %r<3>; .reg .pred %p1;").replace(
    "st.global", """mov.u32 %r2, %nctaid.x;
  sub.u32 %r2, %r2, 1;
  setp.eq.u32 %p1, %r1, %r2;
  @%p1 st.global""").replace("mul.wide.u32 %rd2, %r1, 4;", "mul.wide.u32 %rd2, 100, 4;")
GOOD = OUTSIDE.replace("outside", "good").replace("mov.u32 %r1, %ctaid.x;", "mov.u32 %r1, 0;")
problems = []


def check(folder, *words, file="k.ptx"):
    return subprocess.run([LANESCOPE, "check", file, *words], cwd=folder, capture_output=True, text=True, timeout=120)


def write(folder, ptx, entry, blocks):
    (folder / "k.ptx").write_text(ptx)
    launch = {"entry": entry, "grid": [blocks, 1, 1], "block": [1, 1, 1], "params": [{"kind": "buffer", "dtype": "i32", "shape": [64 if entry == "good" else 8]}]}
    (folder / "launch.json").write_text(json.dumps(launch))


def shown(folder, text):
    """The commands of `text` show the finding, too."""
    commands = re.findall(r"`lanescope check (.*)`", text)
    if len(commands) != 2:
        problems.append(f"not two commands: {text}")
    for command in commands:
        file, *words = shlex.split(command)
        again = check(folder, *words, file=file)
        if again.returncode != 1 or "global-out-of-bounds" not in again.stdout:
            problems.append(f"{command} shows nothing: {again.stdout}{again.stderr}")


def expect(what, got, condition):
    if not condition:
        problems.append(f"{what}: {got.stdout}{got.stderr}")


with tempfile.TemporaryDirectory() as scratch:
    folder = pathlib.Path(scratch)
    write(folder, OUTSIDE, "outside", 64)
    got = check(folder, "--shrink")
    expect("the smallest grid", got, got.returncode == 1 and "with a grid of 9,1,1 in place of 64,1,1" in got.stderr)
    expect("one block", got, re.search(r"--blocks (8|9|[1-5]\d|6[0-3])`", got.stderr))
    shown(folder, got.stderr)
    got = check(folder, "--shrink", "--grid", "32", "--keep-going")
    expect("the user's grid", got, "in place of 32,1,1" in got.stderr and re.search(r"--keep-going --grid 32,1,1 --blocks \d+`", got.stderr))
    shown(folder, got.stderr)
    elsewhere = folder / "it's a folder"
    elsewhere.mkdir()
    (folder / "launch.json").rename(elsewhere / "its launch.json")
    (folder / "k.ptx").rename(elsewhere / "its kernel.ptx")
    got = check(folder, "--launch", "it's a folder/its launch.json", "--shrink", file="it's a folder/its kernel.ptx")
    shown(folder, got.stderr)
    write(folder, LAST, "last", 1000)
    got = check(folder, "--shrink")
    expect("a grid of one block", got, "with a grid of 1,1,1 in place of 1000,1,1" in got.stderr and "--blocks 999`" in got.stderr)
    shown(folder, got.stderr)
    write(folder, GOOD, "good", 1)
    got = check(folder, "--shrink")
    expect("nothing to shrink", got, got.returncode == 0 and "nothing to shrink" in got.stderr)
    got = check(folder, "--shrink", "--blocks", "0")
    expect("--blocks and --shrink", got, got.returncode == 1 and "leave out `--blocks`" in got.stderr)
    (folder / "s.py").write_text("print(1)\n")
    got = subprocess.run([LANESCOPE, "check", "s.py", "--shrink"], cwd=folder, capture_output=True, text=True, timeout=120)
    expect("a snippet", got, got.returncode == 1 and "`--shrink` is for one PTX file" in got.stderr)
print("\n".join(problems) or "launches shrink")
sys.exit(1 if problems else 0)
