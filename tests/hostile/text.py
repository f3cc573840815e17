#!/usr/bin/env python3
"""Text of strangers on a terminal. Names that would control the terminal, in files and as file names, go through every
command. The output must have no control character except line breaks and tabs (and colours, on a terminal), no
character that changes the direction of writing, and no line that a name makes. JSON is exact. Usage: text.py LANESCOPE
REPOSITORY"""
import io
import json
import os
import pathlib
import pty
import re
import select
import struct
import subprocess
import sys
import tempfile
import zipfile

FORGED = "error: FORGED"
# Titles, the screen, colours, C1 as UTF-8, bidi controls, characters without width, a new line, a carriage return.
EVIL = "a\x1b]0;owned\x07\x1b[2J\x1b[31m\u009b5m\u202eb\u2066\u200b\u2028\r\n" + FORGED + "\x7f"
RAW = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]")
SGR = re.compile("\x1b\\[[0-9;]*m")


def check(what, text, problems, colours=False, lines=True):
    if colours:
        text = SGR.sub("", text.replace("\r\n", "\n"))
    if found := RAW.search(text):
        around = text[max(0, found.start() - 60):found.end() + 20]
        problems.append(f"{what}: {found[0]!r} reaches the terminal: {around!r}")
    if lines and any(line.startswith(FORGED) for line in text.split("\n")):
        problems.append(f"{what}: a name has made a line of its own")
    if len(text) > 200_000:
        problems.append(f"{what}: {len(text)} characters are printed")


def texts_of(value):
    """All texts in a parsed JSON value."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, (list, dict)):
        for part in (value if isinstance(value, list) else [*value, *value.values()]):
            yield from texts_of(part)


class Shell:
    def __init__(self, lanescope, folder):
        self.lanescope, self.folder, self.problems, self.count = lanescope, folder, [], 0
        self.env = {"HOME": str(folder / "home"), "PATH": os.environ["PATH"], "LANG": "C.UTF-8"}

    def run(self, what, *words, program=None, text=None, exact=False, lines=True):
        """`exact`: the output is JSON, for another program."""
        done = subprocess.run([program or self.lanescope, *map(str, words)], input=text, capture_output=True, env=self.env,
                              cwd=self.folder, timeout=120)
        out, err = done.stdout.decode(errors="surrogateescape"), done.stderr.decode(errors="surrogateescape")
        self.count += 1
        if done.returncode not in (0, 1, 2, 3):
            self.problems.append(f"{what}: ended by {done.returncode}: {err[-300:]}")
        if not exact:
            check(what, out, self.problems, lines=lines)
        check(what + " (errors)", err, self.problems)
        return done.returncode, out, err

    def on_terminal(self, what, *words, lines=True):
        """Runs on a terminal, where colours are written. `lines`: no name may make a new line, but a snippet's print
        may."""
        pid, master = pty.fork()
        if pid == 0:
            os.chdir(self.folder)
            os.execve(self.lanescope, [self.lanescope, *map(str, words)], self.env)
        out = b""
        while select.select([master], [], [], 120)[0]:
            try:
                piece = os.read(master, 65536)
            except OSError:
                break
            if not piece:
                break
            out += piece
        os.waitpid(pid, 0)
        self.count += 1
        check(what + " (terminal)", out.decode(errors="surrogateescape"), self.problems, colours=True, lines=lines)
        return out


def trace_of(name):
    events = [{"name": "process_name", "ph": "M", "pid": 1, "tid": 1, "args": {"name": name}},
              {"name": "thread_name", "ph": "M", "pid": 1, "tid": 1, "args": {"name": name}}]
    for i in range(3):
        events += [{"name": name, "ph": "B", "ts": 10.0 * i, "pid": 1, "tid": 1}, {"name": name + "wait", "ph": "B", "ts": 10.0 * i + 1, "pid": 1, "tid": 1},
                   {"name": name + "wait", "ph": "E", "ts": 10.0 * i + 6, "pid": 1, "tid": 1}, {"name": name, "ph": "E", "ts": 10.0 * i + 7, "pid": 1, "tid": 1}]
    return json.dumps({"displayTimeUnit": "ns", "traceEvents": events})


PTX = """.version 8.0
.target sm_90a
.address_size 64
.visible .entry k(.param .u64 p) {
  ret;
}
"""
KERNEL = """@kernel()
def k(x: GMEM((128,), f32), out: Out((128,), f32)):
  with region(NAME):
    out[...] = x[...] + 1.0
r = run(k, ones((128,), f32), profile=True)
"""


def traces(s):
    (s.folder / "t.json").write_text(trace_of(EVIL))
    (s.folder / "u.json").write_text(trace_of(EVIL + "2"))
    for words in ((), ("--summary",), ("--explain",), ("--compare", "u.json")):
        s.run(f"trace {words}", "trace", "t.json", *words)
        s.on_terminal(f"trace {words}", "trace", "t.json", *words)
    code, out, _ = s.run("trace --explain --json", "trace", "t.json", "--explain", "--json", exact=True)
    if code != 0 or not any(EVIL in text for text in texts_of(json.loads(out))):
        s.problems.append("trace --json does not hold the name as it is")
    s.run("trace -o svg", "trace", "t.json", "-o", "t.svg")
    check("the picture", (s.folder / "t.svg").read_text(), s.problems, lines=False)
    s.run("eval trace", "eval", "explain_trace('t.json')")
    s.run("eval trace", "eval", "trace('t.json')")


def file_names(s):
    name = EVIL.replace("\x00", "")
    contents = {".py": ["print(1)\n", "1 +\n", "x = undefined\n", "import os\n"], ".ptx": [PTX, "x", PTX.replace("ret", "frob")],
                ".json": ["{", trace_of("x"), "[]"], ".mlir": ["module {", "x"], ".npy": ["x"], ".txt": ["x"], ".layout": ["x", "WGMMA"]}
    commands = (("run",), ("check",), ("compile",), ("open",), ("emulate",), ("trace",), ("show",), ("debug", "--commands", "/dev/null"), ())
    for ending, texts in contents.items():
        for text in texts:
            path = s.folder / (name + ending)
            path.write_text(text)
            for command in commands:
                s.run(f"{command} of a {ending} file", *command[:1], path.name, *command[1:])
            path.unlink()
    name += "folder"
    (s.folder / name).mkdir()
    for command in commands:
        s.run(f"{command} of a folder", *command[:1], name, *command[1:])
        s.run(f"{command} of nothing", *command[:1], name + ".none", *command[1:])
    (s.folder / name / (name + ".before_layout_inference.txt")).write_text("module {")
    (s.folder / name / (name + "2.ptx")).write_text(PTX)
    for command in (("open",), ("check",)):
        s.run(f"{command} of a folder of dumps", *command, name)
    s.run("emulate --launch", "emulate", "k.ptx", "--launch", name)
    s.run("load", "eval", f"load({name + '.npy'!r})")
    s.run("open_dump", "eval", f"open_dump({name!r})")
    for words in (("run", "--device", name), ("run", "--" + name), (name,), ("eval", "--json", name), ("show", name), ("gui", "--size", name),
                  ("show", "WGMMA", "--shape", name), ("show", "WGMMA", "--dtype", name), ("check", "x", "--checks", name),
                  ("run", "x.py", "--strict-rule", name), ("run", "x.py", "--seed", name), ("run", "x.py", "--param", name), ("run", "x.py", "--arch", name)):
        s.run(f"the argument {words[0]!r}", *words)


def snippets(s):
    evil = repr(EVIL)
    for code in (f"print({evil})", f"print('%s' % {evil}, [{evil}], {{{evil}: {evil}}})", f"raise ValueError({evil})", f"assert False, {evil}",
                 f"x = {{}}\nx[{evil}]", f"getattr(1, {evil})", f"layout({evil})", f"zeros((2,), {evil})", f"param({evil}, 1)", f"help({evil})",
                 f"ones(2)[{evil}]", f"load({evil})", f"save({evil}, ones(2))", f"import {EVIL}", f"x = {EVIL}", f"'{EVIL}", f"# {EVIL}\n1 +", f"f'{{{EVIL}}}'",
                 f"open_dump({evil})", f"trace({evil})", f"run({evil})", f"show(WGMMA, shape={evil})", f"notation(WGMMA, {evil}, (64, 64))",
                 f"print(f{evil})", f"class A:\n  pass\nA().{EVIL}", f"int({evil})", f"float({evil})", f"{evil}.format(1)", f"print(1, end={evil})",
                 f"show({{{evil}: [1], 'b': [2]}})", f"show([{{{evil}: {evil}}}])"):
        (s.folder / "s.py").write_text(code, newline="")
        lines = not code.startswith("print")
        # A file with an import is a program, whose output comes from Python. So such a file is only compiled.
        command = "compile" if code.startswith("import") else "run"
        s.run(f"the snippet {code[:30]!r}", command, "s.py", lines=lines)
        s.run(f"the entry {code[:30]!r}", text=(code + "\n").encode(), lines=lines)
        s.on_terminal(f"the snippet {code[:30]!r}", command, "s.py", lines=lines)
    for value in (EVIL, "\x00", "a"):
        code, out, _ = s.run("eval --json", "eval", "--json", repr(value), exact=True)
        if code != 0 or json.loads(out) != value:
            s.problems.append(f"eval --json does not hold {value!r} as it is")
        s.run("eval of text", "eval", repr(value), lines=False)
        s.run("eval of a dict", "eval", repr({value: [1, 2], "b": [value, value]}))
    (s.folder / "s.py").write_text(KERNEL.replace("NAME", evil) + "print(r.trace)\nshow(r.trace)\nprint(r)\nprint(ptx(k))\n", newline="")
    s.run("a region", "run", "s.py", "--trace", "r.json")
    s.on_terminal("a region", "run", "s.py")
    s.on_terminal("stages", "compile", "s.py", "--emit", "ir")


def archives(s):
    npy = b"\x93NUMPY\x01\x00" + struct.pack("<H", 118) + b"{'descr': '<f4', 'fortran_order': False, 'shape': (1,), }".ljust(117) + b"\n" + b"\0\0\0\0"
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as file:
        file.writestr(zipfile.ZipInfo(EVIL + ".npy"), npy)
        file.writestr(zipfile.ZipInfo(EVIL + "2"), npy)
    (s.folder / "z.npz").write_bytes(out.getvalue())
    for code in ("load('z.npz')", "print(load('z.npz'))", "list(load('z.npz'))", "for k in load('z.npz'):\n  print(k)", "load('z.npz')['x']", "show(load('z.npz'))"):
        s.run(f"an archive: {code}", text=(code + "\n\n").encode())
    (s.folder / "z.npz").write_bytes(out.getvalue().replace(npy[-4:], b"\1\0\0\0", 1))
    s.run("a damaged archive", "eval", "load('z.npz')")
    (s.folder / "n.npy").write_bytes(npy.replace(b"'<f4'", b"'\x1b[2'"))
    s.run("a type of an array", "eval", "load('n.npy')")


def ptx(s):
    evil = EVIL.encode()
    for name, text in {"a comment": PTX.encode().replace(b"  ret", b"// " + evil + b"\n  frob // " + evil + b"\n ret"),
                       "a name": PTX.encode().replace(b" k(", b" k" + evil + b"("),
                       "a target": PTX.encode().replace(b"sm_90a", b"sm_90a" + evil),
                       "a file": PTX.encode() + b'.file 1 "' + evil + b'"\n',
                       "a section": PTX.encode() + b".section .debug_str {\n" + evil + b"}\n"}.items():
        (s.folder / "k.ptx").write_bytes(text)
        (s.folder / "launch.json").write_text(json.dumps({"entry": "k" + EVIL, "grid": [1, 1, 1], "cluster": [1, 1, 1], "block": [1, 1, 1],
                                                          "dynamic_smem": 0, "params": [{"kind": EVIL}]}))
        s.run(f"PTX with {name}", "emulate", "k.ptx", "--launch", "launch.json")
        s.run(f"PTX with {name}, checked", "check", "k.ptx")
        (s.folder / "launch.json").unlink()
        s.run(f"PTX with {name}, sketched", "emulate", "k.ptx")
        s.run(f"PTX with {name}, checked", "check", "k.ptx")
        (s.folder / "launch.json").unlink(missing_ok=True)
    for key in ("data", "out", "name", "dtype", "kind"):
        buffer = {"kind": "buffer", "dtype": "f32", "shape": [1], key: EVIL}
        (s.folder / "k.ptx").write_text(PTX)
        (s.folder / "launch.json").write_text(json.dumps({"entry": "k", "grid": [1, 1, 1], "cluster": [1, 1, 1], "block": [1, 1, 1],
                                                          "dynamic_smem": 0, "params": [buffer]}))
        s.run(f"a launch's {key}", "emulate", "k.ptx", "--launch", "launch.json")
        s.run(f"a launch's {key}, checked", "check", "k.ptx")


def modules(s):
    quoted = "".join(c if c.isascii() and c.isprintable() and c not in '"\\' else "".join(f"\\{byte:02X}" for byte in c.encode()) for c in EVIL)
    for kind, text in {"a module": f'module @"{quoted}" {{ "mosaic_gpu.{quoted}"() : () -> () }}', "an op": f'"mosaic_gpu.x{quoted}"() : () -> ()',
                       "a function": f'module {{ func.func @"{quoted}"() attributes {{tpu.core_type = #tpu.core_type<sc_vector_subcore>}} {{ return }} }}',
                       "raw text": f"module @mosaic_gpu. {EVIL}", "a string": f'module attributes {{mosaic_gpu.x = "{EVIL}"}} {{}}'}.items():
        (s.folder / "m.mlir").write_text(text, newline="")
        for words in (("open",), ("open", "--op", "1", "m.mlir"), ("open", "--emit", "ir", "m.mlir"), ("run",), ("compile",), ("emulate",)):
            if words[0] == "open" and "--emit" in words:
                s.on_terminal(f"{kind}: {words}", *words)
            else:
                s.run(f"{kind}: {words}", *(words if len(words) > 1 else (*words, "m.mlir")))
        s.run(f"{kind}: open_dump", "eval", "open_dump('m.mlir')")


def packages(s, worker):
    for name in (EVIL, "x"):
        folder = s.folder / (name + ".lspkg")
        folder.mkdir()
        (folder / "kernel.ptx").write_text(PTX)
        (folder / "launch.json").write_text(json.dumps({"entry": EVIL, "grid": [1, 1, 1], "cluster": [1, 1, 1], "block": [1, 1, 1], "dynamic_smem": 0,
                                                        "params": [{"kind": "buffer", "dtype": "f32", "shape": [1], "name": EVIL, "out": "x.npy"}]}))
        (folder / "meta.json").write_text(json.dumps({"format": 1, "kernel": EVIL, "arch": EVIL, "outputs": [0]}))
        s.run("a package", "run", folder.name, "--device", "emulator", "-o", "results", program=worker)
    s.run("a package's results", "run", "x.lspkg", "--device", "emulator", "-o", EVIL, program=worker)
    for words in (("compare", EVIL, "x"), (EVIL,), ("run", EVIL), ("--" + EVIL, "x"), ("run", "--device", EVIL)):
        s.run(f"the worker's argument {words[0]!r}", *words, program=worker)


def long_lines(s):
    million = "a" * 1_000_000
    for ending, text in ((".py", f"x = '{million}' +"), (".py", f"x = {million}"), (".py", f"raise ValueError('{million}')"), (".py", f"assert False, '{million}'"),
                         (".ptx", PTX.replace("ret;", f"frob_{million} 1;")), (".ptx", PTX.replace("ret;", f"// {million}\n frob;").replace("\n", " ")),
                         (".json", f'{{"traceEvents": [{{"name": "{million}", "ph": 1}}]'), (".json", f'{{"x": "{million}",,'),
                         (".mlir", f"module {{ mosaic_gpu.{million} }}"), (".mlir", f'module @"{million}" {{ "mosaic_gpu.x{million}"() : () -> () }}'),
                         (".layout", million), (".layout", f"TiledLayout({million})")):
        path = s.folder / ("long" + ending)
        path.write_text(text)
        command = {".py": "run", ".ptx": "check", ".json": "trace", ".mlir": "open", ".layout": "show"}[ending]
        _, out, err = s.run(f"a long line in {ending}", command, path)
        if len(out) + len(err) > 20_000:
            s.problems.append(f"a line of 1 MB in {ending} ({text[:30]!r}): {len(out) + len(err)} characters are printed")
    (s.folder / "long.mlir").write_text(f'"mosaic_gpu.x"() {{a = "{million}"}} : () -> ()')
    _, out, err = s.run("an op of a long line", "open", s.folder / "long.mlir", "--op", "1")
    if len(out) + len(err) > 20_000:
        s.problems.append(f"an op of a long line: {len(out) + len(err)} characters are printed")


def main():
    lanescope = os.path.abspath(sys.argv[1])
    with tempfile.TemporaryDirectory(prefix="lanescope-text-") as folder:
        folder = pathlib.Path(folder)
        (folder / "home").mkdir()
        (folder / "x.py").write_text("print(1)\n")
        shell = Shell(lanescope, folder)
        for part in (traces, snippets, archives, ptx, modules, long_lines, file_names):
            part(shell)
        packages(shell, os.path.join(os.path.dirname(lanescope), "lanescope-worker"))
    print("\n".join(shell.problems) or f"{shell.count} runs, nothing of strangers reached the terminal raw")
    return 1 if shell.problems else 0


if __name__ == "__main__":
    sys.exit(main())
