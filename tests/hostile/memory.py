#!/usr/bin/env python3
"""Runs out of memory in every command and reader, under `ulimit -v` of 1, 2 and 4 GB and under `--memory`.
Usage: memory.py LANESCOPE LANESCOPE_WORKER REPOSITORY [--all] [--only TEXT]

A case passes if the program ends by itself within its time, without a signal, with one of its own exit statuses (0 to
3), and names the problem if the status is not 0. --all runs every case under each limit, which takes minutes. Without
it, each case except the long ones runs under 1 GB, and cases that read arrays also run under 2 GB."""
import argparse
import gzip
import json
import os
import pathlib
import pty
import re
import resource
import select
import signal
import struct
import subprocess
import sys
import tempfile
import time
import zipfile

GB = 1 << 30
SECONDS = 60  # the time limit of a case; most cases take less than a second


def npy_header(shape, descr="<f4"):
    text = f"{{'descr': '{descr}', 'fortran_order': False, 'shape': {shape!r}, }}"
    text += " " * (-(len(text) + 11) % 64) + "\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text)) + text.encode()


def sparse(path, head, size):
    """Writes a sparse file, which takes no space on the disk."""
    with open(path, "wb") as file:
        file.write(head)
        file.truncate(len(head) + size)


def bomb(path, head, piece, times, tail=b""):
    """Writes a gzip file that expands a thousandfold, without ever holding the expanded data."""
    with gzip.open(path, "wb", compresslevel=1) as file:
        file.write(head)
        for _ in range(times):
            file.write(piece)
        file.write(tail)


KERNEL = """@kernel(grid=(1,), out_shapes=[Out((N,), f32)])
def k(x_ref, o_ref):
    o_ref[...] = x_ref[...]
"""
PTX = """.version 8.0
.target sm_90a
.address_size 64
{globals}
.visible .entry k(.param .u64 p)
{{
  .reg .b32 %r<{registers}>;
  .local .align 4 .b8 frame[{local}];
  ret;
}}
"""


class Files:
    """Makes the files that the cases read."""

    def __init__(self, folder):
        self.folder = folder
        for name in ("snippets", "launches", "package.lspkg/expected"):
            (folder / name).mkdir(parents=True)
        sparse(folder / "large.npy", npy_header((3 << 28,)), 3 << 30)
        sparse(folder / "honest.npy", npy_header((150 << 20,)), 600 << 20)
        sparse(folder / "column.npy", npy_header((150 << 10, 1 << 10)).replace(b"False", b"True "), 600 << 20)
        os.symlink("/dev/zero", folder / "zero.npy")
        os.symlink("/dev/zero", folder / "zero.npz")
        with zipfile.ZipFile(folder / "bomb.npz", "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
            for n in range(8):
                with archive.open(f"a{n}.npy", "w") as member:
                    member.write(npy_header((32 << 20,)))
                    for _ in range(128):
                        member.write(bytes(1 << 20))
        event = b'{"name":"n","ph":"X","ts":1,"dur":1,"pid":1,"tid":1},' * 4096
        bomb(folder / "spaces.json.gz", b'{"traceEvents":[', b" " * (1 << 20), 1100, b"]}")
        bomb(folder / "events.json.gz", b'{"traceEvents":[', event, 300, event[:-1] + b"]}")
        (folder / "k.ptx").write_text(PTX.format(globals="", registers=4, local=4))
        variables = "\n".join(f".global .align 4 .b8 v{n}[1000000000];" for n in range(4))
        (folder / "globals.ptx").write_text(PTX.format(globals=variables, registers=4, local=4))
        (folder / "registers.ptx").write_text(PTX.format(globals="", registers=60000000, local=4))
        (folder / "local.ptx").write_text(PTX.format(globals="", registers=4, local=500000))
        (folder / "long.ptx").write_text(PTX.format(globals="// " + "x" * (20 << 20), registers=4, local=4)
                                         .replace("  ret;", "  add.u32 %r1, %r2, %r3;\n" * 400000 + "  ret;"))
        for name, shapes in {"one": [[1 << 32]], "two": [[1 << 28]] * 2, "many": [[1 << 26]] * 64}.items():
            buffers = [{"kind": "buffer", "dtype": "f32", "shape": shape} for shape in shapes]
            self.launch(name, params=buffers)
        self.launch("small", params=[{"kind": "buffer", "dtype": "f32", "shape": [16]}])
        self.launch("threads", block=[1024, 1, 1], grid=[100000, 1, 1], params=[{"kind": "buffer", "dtype": "f32", "shape": [16]}])
        (folder / "deep.json").write_text("[" * 3000000)
        (folder / "wide.json").write_text("[" + "0," * 12000000 + "0]")
        (folder / "long.mlir").write_text("module {\n" + 'func.func private @f() -> ()\n' * 1000 + "  // " + "x" * (30 << 20) + "\n}\n")
        (folder / "dense.mlir").write_text("module {\n  func.func @f() {\n" + "".join(
            f"    %{n} = arith.constant {n} : i32\n" for n in range(30000)) + "    return\n  }\n}\n")
        (folder / "long.py").write_text("x = [\n" + "  1, 2, 3, 4, 5, 6, 7, 8, 9, 10,\n" * 20000 + "]\n")
        package = folder / "package.lspkg"
        (package / "kernel.ptx").write_text((folder / "k.ptx").read_text())
        (package / "meta.json").write_text(json.dumps({"name": "k", "arch": "sm_90a", "outputs": []}))
        (package / "launch.json").write_text((folder / "launches/two.json").read_text())

    def launch(self, name, **more):
        launch = {"entry": "k", "grid": [1, 1, 1], "cluster": [1, 1, 1], "block": [32, 1, 1], "dynamic_smem": 0, **more}
        (self.folder / f"launches/{name}.json").write_text(json.dumps(launch))

    def snippet(self, name, text):
        path = self.folder / f"snippets/{name}.py"
        path.write_text(text)
        return str(path)


SNIPPETS = {
    "arrays": "all = []\nwhile True:\n    all.append(zeros((1 << 24,), f32))\n",
    "small_arrays": "all = []\nwhile True:\n    all.append(zeros((1 << 10,), f32))\n",
    "lists": "x = [0]\nwhile True:\n    x = x + x\n",
    "tuples": "x = (0,)\nwhile True:\n    x = (x, x + (1,), list(x))\n    x = x + x\n",
    "strings": "x = 'ab'\nwhile True:\n    x = x + x\n",
    "kept_strings": "all = []\nwhile True:\n    all.append('a' * 100000)\n",
    "dicts": "d = {}\ni = 0\nwhile True:\n    d[i] = str(i)\n    i = i + 1\n",
    "sets": "s = set()\ni = 0\nwhile True:\n    s.add((i, str(i)))\n    i = i + 1\n",
    "nested": "x = []\nwhile True:\n    x = [x]\n",
    "closures": "f = []\nwhile True:\n    f.append(lambda x, y=[1, 2, 3]: x)\n",
    "generators": "def g():\n    yield 1\nall = []\nwhile True:\n    h = g()\n    next(h)\n    all.append(h)\n",
    "classes": "class C:\n    def __init__(self):\n        self.x = [1, 2, 3]\nall = []\nwhile True:\n    all.append(C())\n",
    "printing": "while True:\n    x = str(list(range(1000000)))\n    y = [x] * 3\n    del x\n    z = ''.join(y * 40)\n",
    "ranges": "x = list(range(20000000))\ny = [str(i) for i in x]\n",
    "sorting": "x = sorted(list(range(19000000)), key=lambda v: -v)\n",
    "array_math": "x = zeros((1 << 27,), f32)\ny = x + 1\nz = y * y\nw = [x - z, y + z, x * 2]\n",
    "casts": "x = zeros((1 << 27,), f32)\ny = x.astype(f64)\n",
    "maps": "m = [element_map(WGMMA, (64 * n, 8192)) for n in range(1, 60)]\n",
    "layouts": "all = []\nwhile True:\n    all.append(layout('TiledLayout(Tiling(((64, 8),)), (-2,), (-1,), 0)') if False else WGMMA.canonicalize())\n",
    "caught": "x = 1\ntry:\n    y = [zeros((1 << 27,), f32) for i in range(100)]\nexcept Exception as e:\n    print(e)\nprint(x)\n",
    "kernel_arrays": "N = 1 << 26\n" + KERNEL + "x = zeros((N,), f32)\nrun(k, x, device='emulator')\n",
    "many_kernels": "N = 128\n" + KERNEL + "x = zeros((N,), f32)\nall = [zeros((1 << 20,), f32)]\nwhile True:\n"
                    "    all = all + [run(k, x, device='emulator')] + [zeros((1 << 22,), f32)]\n",
}


# Cases that take half a minute or more each. Only --all runs them.
LONG = re.compile(r"run (classes|dicts|sets|closures|layouts|ranges|sorting|casts|maps|array_math)$|show|"
                  r"trace -o|trace (spaces|events)|emulate k.ptx threads|eval (--json|\[0\]|'a'|str)")


def cases(lanescope, worker, root, files):
    """(name, arguments)"""
    at = lambda name: str(files.folder / name)
    for name, text in SNIPPETS.items():
        yield f"run {name}", [lanescope, "run", files.snippet(name, text)]
    for name in ("large.npy", "honest.npy", "column.npy", "zero.npy", "zero.npz", "bomb.npz"):
        yield f"load {name}", [lanescope, "run", files.snippet("load_" + name.replace(".", "_"),
                                                               f"x = load({at(name)!r})\ny = load({at(name)!r})\n")]
        if name.endswith(".npy"):
            yield f"compare {name}", [worker, "compare", at(name), at(name)]
    for expression in ("'a' * (1 << 28)", "[0] * 20000000", "list(range(20000000))", "element_map(WGMMA, (16384, 8192))",
                       "str(list(range(3000000)))", "zeros((1 << 28,), f32) + zeros((1 << 28,), f32)", "zeros((1 << 14, 1 << 14), f32)"):
        yield f"eval {expression}", [lanescope, "eval", expression]
        yield f"eval --json {expression}", [lanescope, "eval", expression, "--json"]
    for suffix in ("txt", "json", "csv", "svg"):
        yield f"show -o {suffix}", [lanescope, "show", "WGMMA", "--shape", "16384x8192", "-o", at(f"out.{suffix}")]
    yield "show", [lanescope, "show", "WGMMA", "--shape", "4096x4096"]
    for trace in ("spaces.json.gz", "events.json.gz", "wide.json", "deep.json", "zero.npy", "bomb.npz"):
        yield f"trace {trace}", [lanescope, "trace", at(trace), "--summary"]
    yield "trace -o", [lanescope, "trace", at("events.json.gz"), "-o", at("trace.html")]
    for ptx in ("k.ptx", "globals.ptx", "registers.ptx", "local.ptx", "long.ptx"):
        for launch in ("one", "two", "many", "small", "threads") if ptx == "k.ptx" else ("small",):
            yield f"emulate {ptx} {launch}", [lanescope, "emulate", at(ptx), "--launch", at(f"launches/{launch}.json"), "--time-limit", "5"]
    yield "check k.ptx two", [lanescope, "check", at("k.ptx"), "--launch", at("launches/two.json")]
    yield "debug k.ptx two", [lanescope, "debug", at("k.ptx"), "--launch", at("launches/two.json"), "--commands", "/dev/null"]
    for launch in ("wide.json", "deep.json", "zero.npy", "spaces.json.gz"):
        yield f"emulate --launch {launch}", [lanescope, "emulate", at("k.ptx"), "--launch", at(launch)]
    yield "worker run", [worker, "run", at("package.lspkg"), "-o", at("results"), "--device", "emulator"]
    for module in ("long.mlir", "dense.mlir", "zero.npy"):
        yield f"open {module}", [lanescope, "open", at(module)]
        yield f"emulate {module}", [lanescope, "emulate", at(module), "--inputs"]
    for file in ("long.py", "zero.npy", "long.ptx", "dense.mlir"):
        yield f"compile {file}", [lanescope, "compile", at(file)]
        yield f"run {file}", [lanescope, "run", at(file)]
    sample = str(root / "samples/kernels/double.py")
    yield "run a sample", [lanescope, "run", sample, "--device", "emulator"]
    yield "compile a sample", [lanescope, "compile", sample, "--emit", "ptx"]
    yield "check a sample", [lanescope, "check", sample]


def limited(address_space):
    def before():
        resource.setrlimit(resource.RLIMIT_AS, (address_space, address_space))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    return before


def problem_of(status, said, seconds):
    if status is None:
        return f"did not end within {SECONDS} seconds"
    if status < 0:
        return f"ended by {signal.Signals(-status).name}: {said[-300:]}"
    if status not in (0, 1, 2, 3):
        return f"exit status {status}: {said[-300:]}"
    if status and not re.search("error|memory|failed", said):
        return f"exit status {status} without an error: {said[-300:]}"
    if "terminate called" in said or "LLVM ERROR" in said:
        return said[-300:]
    return None


def run(arguments, address_space, folder):
    start = time.monotonic()
    try:
        done = subprocess.run(arguments, stdin=subprocess.DEVNULL, capture_output=True, timeout=SECONDS, cwd=folder,
                              preexec_fn=limited(address_space), env={**os.environ, "XDG_CACHE_HOME": str(folder / "cache")})
        status, said = done.returncode, (done.stdout[-2000:] + done.stderr).decode(errors="replace")
    except subprocess.TimeoutExpired:
        status, said = None, ""
    return status, said, time.monotonic() - start


class Terminal:
    """The REPL on its own terminal, where a failed entry does not end it."""

    def __init__(self, arguments, address_space, folder):
        self.pid, self.file = pty.fork()
        if self.pid == 0:
            limited(address_space)()
            os.environ.update(TERM="dumb", XDG_STATE_HOME=str(folder / "state"))
            os.execv(arguments[0], arguments)

    def answer(self, entry, until, seconds=SECONDS):
        """The output after the entry, up to `until`."""
        os.write(self.file, entry.encode() + b"\n")
        got, end = b"", time.monotonic() + seconds
        while until.encode() not in got and time.monotonic() < end:
            if select.select([self.file], [], [], 0.2)[0]:
                try:
                    piece = os.read(self.file, 1 << 16)
                except OSError:
                    break
                if not piece:
                    break
                got += piece
        return got.decode(errors="replace")

    def close(self):
        os.close(self.file)
        os.kill(self.pid, signal.SIGKILL)
        os.waitpid(self.pid, 0)


def session_problems(lanescope, folder, address_space):
    """A session that runs out of memory, again and again, keeps its values."""
    terminal = Terminal([lanescope], address_space, folder)
    problems = []
    entries = ["all = [zeros((1 << 24,), f32) for i in range(1000)]",
               "keep.append([str(i) for i in range(19000000)])",
               "d = {i: (i, str(i)) for i in range(19000000)}"]
    try:
        terminal.answer("keep = [41]; keep[0] = keep[0] + 1; print('re' + 'ady')", "ready")
        for entry in entries + entries[:1]:
            said = terminal.answer(entry, "memory")
            if "memory" not in said:
                problems.append(f"`{entry}` says: {said[-300:]!r}")
            said = terminal.answer("print('val' + 'ues', keep)", "values [")
            if "values [42]" not in said + terminal.answer("", "values [42]", 1):
                problems.append(f"after `{entry}` the values are: {said[-300:]!r}")
            if problems:
                break
    finally:
        terminal.close()
    return problems


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("lanescope")
    parser.add_argument("worker")
    parser.add_argument("root", type=pathlib.Path)
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--only", default="")
    parser.add_argument("--times", action="store_true", help="print each case's time")
    options = parser.parse_args()
    failed = ran = 0
    with tempfile.TemporaryDirectory(prefix="lanescope-memory-") as name:
        folder = pathlib.Path(name)
        all_cases = list(cases(os.path.abspath(options.lanescope), os.path.abspath(options.worker), options.root.resolve(), Files(folder)))
        for gigabytes in (1, 2, 4):
            for case, arguments in all_cases:
                if options.only not in case or (LONG.search(case) and not (options.all or options.only)) or not (options.all or gigabytes == 1 or (gigabytes == 2 and case.startswith("load"))):
                    continue
                status, said, seconds = run(arguments, gigabytes * GB, folder)
                ran += 1
                if options.times:
                    print(f"{seconds:6.2f} s  {gigabytes} GB  {case}: {status} {said[-160:].strip()!r}", flush=True)
                if found := problem_of(status, said, seconds):
                    failed += 1
                    print(f"{gigabytes} GB: {case}: {found}", flush=True)
            if options.only in "session" and (options.all or gigabytes == 1):
                ran += 1
                for found in session_problems(os.path.abspath(options.lanescope), folder, gigabytes * GB):
                    failed += 1
                    print(f"{gigabytes} GB: session: {found}", flush=True)
    print(f"{ran} runs without enough memory, {failed} of them failed")
    return 1 if failed or ran < 1 else 0


if __name__ == "__main__":
    sys.exit(main())
