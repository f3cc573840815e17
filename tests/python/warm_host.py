#!/usr/bin/env python3
"""Measures the time from saving a program to its first kernel's PTX in a waiting process, like the window's. Also tests
that the program ends only that process.

  tests/python/warm_host.py REPOSITORY [--most MILLISECONDS] [--runs N]

Needs the package on PYTHONPATH and NumPy. The program imports JAX, either the installed one or Lanescope's stand-in.
The script prints the time with and without JAX's import. With `--most` it fails if the median of the latter is larger,
which depends on the machine. Exit status 77: no NumPy."""

import argparse
import importlib.util
import json
import os
import pathlib
import signal
import statistics
import struct
import subprocess
import sys
import tempfile
import time

HEAD = struct.Struct("<3s1sIQ")
MODULES = ["jax", "jax.numpy", "jax.experimental.pallas", "jax.experimental.pallas.mosaic_gpu", "numpy"]
PROGRAM = """import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental import pallas as pl
from jax.experimental.pallas import mosaic_gpu as plgpu

def body(x_ref, o_ref):
    o_ref[...] = x_ref[...] * {factor} + 1

scale = plgpu.kernel(body, out_type=jax.ShapeDtypeStruct((64, 128), jnp.float32))
out = scale(np.ones((64, 128), np.float32))
assert float(out[0, 0]) == {factor} + 1
"""


class Host:
    """A process that waits for a program."""

    def __init__(self):
        self.process = subprocess.Popen([sys.executable, "-P", "-m", "lanescope", "host", *MODULES], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE)  # fmt: skip

    def seconds(self):
        """The seconds of processor time so far."""
        fields = pathlib.Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def wait_until_warm(self):
        before = -1.0
        while (now := self.seconds()) != before or now == 0:
            before = now
            time.sleep(0.4)

    def send(self, text, path):
        request = {"type": "run", "path": str(path), "arguments": [], "arch": "", "seed": 0, "strict": False, "fast": False, "timeout": 20.0,
                   "keep_going": False, "strict_rules": "", "mark_values": False}  # fmt: skip
        message, blob = json.dumps(request).encode(), text.encode()
        self.process.stdin.write(HEAD.pack(b"LSW", b"1", len(message), len(blob)) + message + blob)
        self.process.stdin.flush()

    def receive(self):
        """The next message; None if the process has ended."""
        head = self.process.stdout.read(HEAD.size)
        if len(head) < HEAD.size:
            return None
        _, _, json_bytes, blob_bytes = HEAD.unpack(head)
        message = json.loads(self.process.stdout.read(json_bytes))
        return message | {"blob": self.process.stdout.read(blob_bytes)}

    def end(self):
        self.process.kill()
        return self.process.communicate()[1].decode(errors="replace")


def first_call(folder, factor, warm):
    """(milliseconds to the first kernel's call with its PTX, to the end)"""
    host = Host()
    if warm:
        host.wait_until_warm()
    begin = time.perf_counter()
    host.send(PROGRAM.format(factor=factor), folder / "program.py")
    call = host.receive()
    called = time.perf_counter()
    assert call and call["type"] == "call", (call, host.end())
    assert b".visible .entry" in call["blob"] or ".visible .entry" in json.dumps(call | {"blob": ""}), "the call has no PTX"
    ended = host.receive()
    done = time.perf_counter()
    assert ended["type"] == "ended" and ended["status"] == 0, (ended, host.end())
    host.end()
    return 1e3 * (called - begin), 1e3 * (done - begin)


def ends_alone(folder, text, how):
    """A program that hangs or crashes ends only its own process."""
    host = Host()
    host.send(text, folder / "program.py")
    if how == "hang":
        time.sleep(3)
        assert host.process.poll() is None
        host.process.send_signal(signal.SIGINT)
        message = host.receive()
        assert message["type"] == "ended" and "KeyboardInterrupt" in message["exception"]["message"], message
    else:
        assert host.receive() is None
        assert host.process.wait(30) == -signal.SIGSEGV
    host.end()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("repository", nargs="?")
    parser.add_argument("--most", type=float, metavar="MILLISECONDS")
    parser.add_argument("--runs", type=int, default=5)
    options = parser.parse_args()
    if importlib.util.find_spec("numpy") is None:
        return 77
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        cold, _ = first_call(folder, 0.5, warm=False)
        seed = int(time.time()) % 100000  # makes a kernel that is in no cache
        times = [first_call(folder, seed + i, warm=True) for i in range(options.runs)]
        ends_alone(folder, "import time\nwhile True: time.sleep(0.01)\n", "hang")
        ends_alone(folder, "import os, signal\nos.kill(os.getpid(), signal.SIGSEGV)\n", "crash")
    called, done = (statistics.median(column) for column in zip(*times))
    jax = "JAX" if importlib.util.find_spec("jax") else "the stand-in for JAX"
    print(f"first kernel's PTX after {called:.0f} ms, the end after {done:.0f} ms, in a process that waits; after {cold:.0f} ms with {jax} imported anew")
    return 1 if options.most and called > options.most else 0


if __name__ == "__main__":
    sys.exit(main())
