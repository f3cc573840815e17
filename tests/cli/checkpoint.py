#!/usr/bin/env python3
"""A long emulation that is stopped by its time limit or by a signal goes on from its checkpoint, to the same results.

    checkpoint.py LANESCOPE"""
import json
import pathlib
import signal
import subprocess
import sys
import tempfile

LANESCOPE = pathlib.Path(sys.argv[1]).resolve()
BLOCKS = 4096
# Each block counts to 30000, and adds its number to its element.
COUNT = """.version 8.0
.target sm_90
.address_size 64
.visible .entry count(.param .u64 out) {
  .reg .pred %p; .reg .u32 %r<5>; .reg .u64 %d<4>;
  ld.param.u64 %d1, [out];
  mov.u32 %r1, 0;
again:
  add.u32 %r1, %r1, 1;
  setp.lt.u32 %p, %r1, 30000;
  @%p bra again;
  mov.u32 %r2, %ctaid.x;
  mul.wide.u32 %d2, %r2, 4;
  add.s64 %d1, %d1, %d2;
  ld.global.u32 %r3, [%d1];
  add.u32 %r3, %r3, %r2;
  st.global.u32 [%d1], %r3;
  ret;
}
"""
ATOMIC = COUNT.replace("st.global.u32 [%d1], %r3;", "red.global.add.u32 [%d1], %r3;")
LAUNCH = {"entry": "count", "grid": [BLOCKS, 1, 1], "block": [1, 1, 1], "params": [{"kind": "buffer", "dtype": "u32", "shape": [BLOCKS], "out": "out.npy"}]}
failed = 0


def expect(what, holds, said=""):
    global failed
    failed += not holds
    print(f"ok: {what}" if holds else f"FAILED: {what}: {said}")


def start(folder, *words):
    return subprocess.Popen([LANESCOPE, "emulate", "kernel.ptx", "--threads", "1", *words], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def run(folder, *words):
    process = start(folder, *words)
    out, err = process.communicate()
    return process.returncode, out, err


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "kernel.ptx").write_text(COUNT)
        (folder / "launch.json").write_text(json.dumps(LAUNCH))
        status, out, err = run(folder, "--time-limit", "600")
        expect("the whole runs", status == 0, err)
        wanted = (folder / "out.npy").read_bytes()
        (folder / "out.npy").unlink()

        stops = 0
        while (ended := run(folder, "--time-limit", "0.5", "--checkpoint", "run.checkpoint"))[0] != 0 and stops < 1000:
            stops += 1
            if "the same command goes on from there" not in ended[2] or not (folder / "run.checkpoint").exists():
                break
            if stops == 1:  # a signal, too
                process = start(folder, "--time-limit", "600", "--checkpoint", "run.checkpoint")
                try:
                    process.communicate(timeout=0.3)
                except subprocess.TimeoutExpired:
                    process.send_signal(signal.SIGINT)
                    process.communicate()
        expect(f"a run that was stopped {stops} times ends", ended[0] == 0, ended)
        expect("it has the results of the whole", (folder / "out.npy").exists() and (folder / "out.npy").read_bytes() == wanted)
        expect("it says in how many parts", stops == 0 or "of them before this call" in ended[1], ended[1])
        expect("no checkpoint is left", not (folder / "run.checkpoint").exists())

        (folder / "run.checkpoint").write_text("something else")
        status, out, err = run(folder, "--checkpoint", "run.checkpoint")
        expect("another file is refused and kept", status == 1 and "is not a checkpoint" in err and (folder / "run.checkpoint").read_text() == "something else", err)
        (folder / "kernel.ptx").write_text(ATOMIC)
        status, out, err = run(folder, "--checkpoint", "other.checkpoint")
        expect("blocks that may communicate are refused", status == 1 and "may wait for each other" in err, err)
        status, out, err = run(folder, "--checkpoint", "other.checkpoint", "--blocks", "0-3")
        expect("--blocks is refused", status == 2, err)
    return 1 if failed else 0


sys.exit(main())
