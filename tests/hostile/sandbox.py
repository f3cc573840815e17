#!/usr/bin/env python3
"""Attacks on each sentence of docs/security.md: a stranger's snippet, archive, dump or launch tries to read, write or
replace files. Each attack runs in its own scratch folder, with a home, and must not change anything outside its folder.
Usage: sandbox.py LANESCOPE REPOSITORY [ATTACK…]"""
import ast
import hashlib
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
import threading
import time
import zipfile
import zlib

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from display import display  # noqa: E402: found through the line above

SECONDS = 60
SECRET = "TOP-SECRET-4711"
ATTACKS = []


def attack(promise):
    """Registers a function of the scratch folder. `promise` is the sentence of docs/security.md that it attacks."""
    def register(function):
        ATTACKS.append((promise, function))
        return function
    return register


def npy(values, shape=None):
    header = "{'descr': '<f4', 'fortran_order': False, 'shape': %s, }" % ((shape or (len(values),)),)
    header += " " * (-(len(header) + 11) % 64) + "\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + struct.pack(f"<{len(values)}f", *values)


ONES = npy([1.0, 1.0])


class Scratch:
    """home/ work/ (where commands run) kernels/ (where the snippet lies) outside/ (files that no snippet may reach)."""

    def __init__(self, root, lanescope):
        self.root, self.lanescope = root, lanescope
        for name in ("home", "work", "kernels", "outside", "home/.ssh"):
            (root / name).mkdir()
        (root / "outside/secret.txt").write_text(f"{SECRET}: 0:0\n")
        (root / "outside/precious.npy").write_bytes(npy([42.0]))
        (root / "outside/helpers.py").write_text(f"secret = '{SECRET}'\n")
        (root / "outside/in.npy").write_bytes(npy([4711.0, 4711.0]))
        (root / "home/.ssh/id").write_text(SECRET + "\n")
        (root / "home/.profile").write_text("# " + SECRET + "\n")
        (root / "kernels/precious.npy").write_bytes(npy([42.0]))
        (root / "kernels/notes.txt").write_text(f"{SECRET} line one\nline two\n")

    def path(self, name):
        return self.root / name

    def run(self, *words, text=None, env=None, cwd="work"):
        """The finished process, which has to end by itself and without a signal."""
        environment = {"HOME": str(self.root / "home"), "PATH": os.environ["PATH"], "LANG": "C.UTF-8",
                       "TMPDIR": os.environ.get("TMPDIR", "/tmp"), **(env or {})}
        done = subprocess.run([self.lanescope, *map(str, words)], input=text, capture_output=True, text=True, errors="replace",
                              env=environment, cwd=self.root / cwd, timeout=SECONDS)
        assert done.returncode in (0, 1, 2, 3), f"ended by {done.returncode}: {done.stderr[-500:]}"
        return done

    def snippet(self, code, *options, name="kernels/a.py", env=None):
        self.path(name).write_text(code)
        return self.run("run", self.path(name), *options, env=env)

    def refused(self, code, *options, kind=r"error: ", **more):
        done = self.snippet(code, *options, **more)
        assert done.returncode == 1 and re.search(kind, done.stderr), f"not refused: {done.stdout}{done.stderr}"
        assert SECRET not in done.stdout + done.stderr, "it tells the text of a stranger's file"
        return done

    def allowed(self, code, *options, **more):
        done = self.snippet(code, *options, **more)
        assert done.returncode == 0, f"refused: {done.stdout}{done.stderr}"
        return done

    def seen(self, *kept):
        """Every file's name, kind and content, except below `kept`."""
        out = {}
        for path in sorted(self.root.rglob("*")):
            name = path.relative_to(self.root).as_posix()
            if any(name == keep or name.startswith(keep + "/") for keep in kept):
                continue
            if path.is_symlink():
                out[name] = ("link", os.readlink(path))
            elif path.is_file():
                out[name] = ("file", hashlib.sha256(path.read_bytes()).hexdigest())
            else:
                out[name] = ("other",)
        return out


# Files that a run may leave: its record of saved files and its cache in the home, and arrays that the attack names.
OURS = ("home/.local", "home/.cache", "home/.state", "kernels/a.py", "kernels/b.py")

# ---------------------------------------------------------------- one folder is written


def save_refused(name, code, kind="error: "):
    @attack("writes")
    def save(s):
        s.refused(code.replace("ROOT", str(s.root)), kind=kind)
    save.__name__ = name


save_refused("save_up", "save('../outside/x.npy', ones(2))")
save_refused("save_up_over", "save('../outside/precious.npy', ones(2))")
save_refused("save_up_hidden", "save('a/../../outside/x.npy', ones(2))")
save_refused("save_absolute", "save('ROOT/outside/precious.npy', ones(2))")
save_refused("save_root", "save('/x.npy', ones(2))")
save_refused("save_work", "save('ROOT/work/x.npy', ones(2))")
save_refused("save_tmp", "save('/tmp/lanescope-attack.npy', ones(2))")
save_refused("save_proc_cwd", "save('/proc/self/cwd/x.npy', ones(2))")
save_refused("save_proc_fd", "save('/proc/self/fd/1/x.npy', ones(2))")
save_refused("save_dev", "save('/dev/shm/lanescope-attack.npy', ones(2))")
save_refused("save_folder_that_is_not", "save('none/x.npy', ones(2))")
save_refused("save_from_a_function", "def f(p):\n  save(p, ones(2))\nfor p in ['../outside/x.npy']:\n  f(p)")
save_refused("save_by_another_name", "s = save\ns('../outside/x.npy', ones(2))")
save_refused("save_computed", "save('..' + chr(47) + 'outside' + chr(47) + 'x.npy', ones(2))")


@attack("writes")
def save_home_is_letters(s):
    s.refused("save('~/x.npy', ones(2))")
    s.refused("save('$HOME/x.npy', ones(2))")
    s.allowed("save('~.npy', ones(2))")
    s.path("kernels/~.npy").unlink()


@attack("writes")
def save_beside(s):
    s.allowed("save('x.npy', ones(2))")
    assert s.path("kernels/x.npy").is_file() and not s.path("work/x.npy").exists()
    s.path("kernels/x.npy").unlink()


@attack("writes")
def out_is_the_folder(s):
    s.allowed("save('x.npy', ones(2))\nassert load('x.npy')[0] == 1", "--out", s.path("work/results"))
    assert s.path("work/results/x.npy").is_file() and not s.path("kernels/x.npy").exists()
    s.refused("save('../x.npy', ones(2))", "--out", s.path("work/results"))
    s.path("work/results/x.npy").unlink(), s.path("work/results").rmdir()


@attack("writes")
def typed_entries_write_here(s):
    assert s.run("eval", "save('../outside/x.npy', ones(2))").returncode == 1
    assert s.run(text="save('../outside/x.npy', ones(2))\n").returncode == 1
    assert s.run("eval", "save('x.npy', ones(2))").returncode == 0
    assert s.path("work/x.npy").is_file()
    s.path("work/x.npy").unlink()


# ---------------------------------------------------------------- only arrays

for suffix in ("x.py", "x.npz", "x.NPY", ".npy/x", "x.npy ", "x.npy.", "x", "x.npy/"):
    save_refused(f"save_as_{suffix.replace('/', '_')}", f"save({suffix!r}, ones(2))")


@attack("arrays-only")
def save_over_the_snippet(s):
    code = "save('a.py', ones(2))"
    s.refused(code)
    assert s.path("kernels/a.py").read_text() == code


@attack("arrays-only")
def nul_cuts_no_name(s):
    for target in ("a.py", "notes.txt", "../outside/secret.txt", "../home/.profile"):
        s.refused(f"save('{target}\\0.npy', ones(2))")
        s.refused(f"save('{target}' + chr(0) + '.npy', ones(2))")
        s.refused(f"load('{target}\\0.npy')")
    s.refused("open_dump('notes.txt\\0')")
    s.refused("trace('notes.txt\\0.json')")
    s.refused("run('a\\0.py')")


@attack("arrays-only")
def config_and_caches(s):
    s.path("home/.config").mkdir()
    s.path("home/.config/x.npy").write_bytes(ONES)
    for name in (".config/x.npy", ".cache/lanescope/kernels/x.npy", ".local/state/lanescope/saved", ".bashrc"):
        s.refused(f"save('{s.path('home') / name}', ones(2))")


# ---------------------------------------------------------------- links


@attack("links")
def save_through_a_link(s):
    s.path("kernels/link.npy").symlink_to(s.path("outside/precious.npy"))
    s.refused("save('link.npy', ones(2))", kind="symbolic link")
    s.refused("save('link.npy', ones(2))", "--overwrite", kind="symbolic link")


@attack("links")
def save_through_a_broken_link(s):
    s.path("kernels/link.npy").symlink_to(s.path("outside/new.npy"))
    s.refused("save('link.npy', ones(2))", kind="symbolic link")


@attack("links")
def save_through_a_linked_folder(s):
    s.path("kernels/sub").symlink_to(s.path("outside"))
    s.refused("save('sub/x.npy', ones(2))", kind="symbolic link")
    s.refused("save('sub/precious.npy', ones(2))", "--overwrite", kind="symbolic link")
    s.refused("save('sub/../x/y.npy', ones(2))")


@attack("links")
def link_to_itself(s):
    s.path("kernels/loop.npy").symlink_to("loop.npy")
    s.refused("save('loop.npy', ones(2))", kind="symbolic link")
    s.refused("load('loop.npy')", kind="symbolic link")


@attack("links")
def load_through_links(s):
    s.path("kernels/link.npy").symlink_to(s.path("outside/precious.npy"))
    s.path("kernels/sub").symlink_to(s.path("outside"))
    s.refused("load('link.npy')", kind="symbolic link")
    s.refused("load('sub/precious.npy')", kind="symbolic link")


@attack("links")
def proc_is_a_link(s):
    for name in ("/proc/self/cwd/precious.npy", "/proc/self/root/etc/passwd", "/proc/self/environ"):
        s.refused(f"load('{name}')")
    s.path("kernels/fd").symlink_to("/proc/self/fd")
    s.refused("load('fd/0.npy')")


@attack("links")
def links_that_swap_while_it_runs(s):
    """A link replaces a folder and vanishes again, as fast as possible, while the snippet saves and loads."""
    good, aside, bad = s.path("kernels/d"), s.path("kernels/d2"), s.path("kernels/l")
    good.mkdir()
    (good / "in.npy").write_bytes(ONES)
    bad.symlink_to(s.path("outside"))
    stop = threading.Event()

    def swap():
        while not stop.is_set():
            os.rename(good, aside), os.rename(bad, good)
            os.rename(good, bad), os.rename(aside, good)
    thread = threading.Thread(target=swap)
    before = s.seen("kernels", "home")
    thread.start()
    try:
        for round in range(40):  # each round ends at its first refusal
            s.path("kernels/a.py").write_text("""
for i in range(400):
  save('d/x' + str(i) + '.npy', ones(2))
  if load('d/in.npy')[0] != 1:
    print('ESCAPED')
""")
            done = s.run("run", s.path("kernels/a.py"), "--overwrite")
            assert "ESCAPED" not in done.stdout and done.returncode in (0, 1), done.stdout + done.stderr
    finally:
        stop.set(), thread.join()
    assert s.seen("kernels", "home") == before, "it wrote through the link"
    import shutil
    for path in (good, aside, bad):
        path.unlink() if path.is_symlink() else shutil.rmtree(path, ignore_errors=True)


@attack("links")
def hard_links_are_not_written_through(s):
    os.link(s.path("outside/precious.npy"), s.path("kernels/hard.npy"))
    s.refused("save('hard.npy', ones(2))", kind="did not make")
    s.allowed("save('hard.npy', ones(2))", "--overwrite")  # the name then belongs to another file
    s.path("kernels/hard.npy").unlink()


# ---------------------------------------------------------------- what is replaced


@attack("replaces")
def not_what_it_did_not_make(s):
    done = s.refused("save('precious.npy', ones(2))", kind="did not make")
    assert "--overwrite" in done.stderr and "--out" in done.stderr


@attack("replaces")
def its_own_again(s):
    for value in (1, 2):
        s.allowed(f"save('x.npy', full(2, {value}.0))\nsave('x.npy', full(2, {value}.0))\nassert load('x.npy')[0] == {value}")
    s.refused("save('x.npy', ones(2))", name="kernels/b.py", kind="did not make")
    s.path("kernels/x.npy").write_bytes(npy([7.0]))  # now the user's file
    s.refused("save('x.npy', ones(2))", kind="did not make")
    s.path("kernels/x.npy").unlink()


@attack("replaces")
def overwrite_is_the_users_word(s):
    s.refused("save('precious.npy', ones(2), overwrite=True)")
    s.refused("save('precious.npy', ones(2), True)")
    s.allowed("save('precious.npy', full(1, 42.0))", "--overwrite")


@attack("replaces")
def the_record_cannot_be_forged(s):
    record = s.path("home/.local/state/lanescope")
    record.mkdir(parents=True)
    os.mkfifo(record / "saved")
    s.refused("save('precious.npy', ones(2))", kind="did not make")  # and must not wait for the pipe
    (record / "saved").unlink()
    (record / "saved").write_text("{}\n[1,2,3,4,5,6]\n" + json.dumps([str(s.path("kernels/a.py")), str(s.path("kernels/precious.npy")),
                                                                     0, 0, 0, 0]) + "\n" + "x" * 100000)
    s.refused("save('precious.npy', ones(2))", kind="did not make")


@attack("replaces")
def no_folder_pipe_or_device(s):
    s.path("kernels/d.npy").mkdir()
    os.mkfifo(s.path("kernels/p.npy"))
    for name in ("d.npy", "p.npy"):
        s.refused(f"save('{name}', ones(2))", "--overwrite")
    s.path("kernels/d.npy").rmdir(), s.path("kernels/p.npy").unlink()


@attack("replaces")
def the_terminal_asks(s):
    precious = s.path("work/precious.npy")
    precious.write_bytes(npy([42.0]))
    for answer, changed in (("", False), ("n", False), ("no", False), ("y", True)):
        pid, master = pty.fork()
        if pid == 0:
            os.chdir(s.path("work"))
            os.execve(s.lanescope, [s.lanescope], {"HOME": str(s.path("home")), "PATH": os.environ["PATH"], "TERM": "xterm"})
        seen, sent, deadline = b"", 0, time.monotonic() + SECONDS
        steps = ((b">>> ", b"save('precious.npy', ones(2))\n"), (b"[y/N] ", answer.encode() + b"\n"), (b">>> ", b"\x04"))
        while time.monotonic() < deadline:
            try:
                if select.select([master], [], [], 1)[0]:
                    seen += os.read(master, 65536)
            except OSError:
                break
            if sent < len(steps) and steps[sent][0] in seen:
                seen = b""
                os.write(master, steps[sent][1])
                sent += 1
        os.close(master)
        os.waitpid(pid, 0)
        assert sent == 3, f"it did not ask: {seen}"
        assert (precious.read_bytes() != npy([42.0])) == changed, f"the answer was {answer!r}"
    precious.unlink()


@attack("replaces")
def typed_entries_too(s):
    s.path("work/precious.npy").write_bytes(npy([42.0]))
    assert s.run("eval", "save('precious.npy', ones(2))").returncode == 1
    assert s.run(text="save('precious.npy', ones(2))\n").returncode == 1
    s.path("work/precious.npy").unlink()


# ---------------------------------------------------------------- names


@attack("names")
def names_that_hide(s):
    for name in ("a\\u202eypn.npy", "a\\u2066.npy", "a\\x1b[2J.npy", "a\\x9b.npy", "a\\u200b.npy", "a\\n.npy", "a\\t.npy", "\\x7f.npy",
                 "a\\r.npy", ""):
        s.refused(f"save('{name}', ones(2))")
        s.refused(f"load('{name}')")


@attack("names")
def long_names(s):
    done = s.refused("save('a' * 300 + '.npy', ones(2))")
    done = s.refused("save('a' * 1000000 + '.npy', ones(2))")
    assert len(done.stderr) < 5000, "the name is printed whole"
    s.refused("save('a/' * 3000 + 'x.npy', ones(2))")
    s.refused("load('../' * 1000 + 'outside/precious.npy')")


@attack("names")
def other_scripts_and_case(s):
    s.allowed("save('µ中🙂.npy', ones(2))\nassert load('µ中🙂.npy')[0] == 1")
    s.path("kernels/µ中🙂.npy").unlink()
    s.refused("load('PRECIOUS.NPY')")
    s.refused("load('Precious.npy')")


# ---------------------------------------------------------------- what is read


def load_refused(name, code, kind="error: "):
    @attack("reads")
    def load(s):
        s.refused(code.replace("ROOT", str(s.root)), kind=kind)
    load.__name__ = name


load_refused("load_up", "load('../outside/precious.npy')", "none of the folders")
load_refused("load_absolute", "load('ROOT/outside/precious.npy')", "none of the folders")
load_refused("load_passwd", "load('/etc/passwd')")
load_refused("load_zero", "load('/dev/zero')")
load_refused("open_dump_passwd", "open_dump('/etc/passwd')", "none of the folders")
load_refused("open_dump_folder", "open_dump('/etc')", "none of the folders")
load_refused("open_dump_prefix", "open_dump('/etc/pass')", "none of the folders")
load_refused("open_dump_up", "open_dump('../outside')", "none of the folders")
load_refused("trace_up", "trace('ROOT/outside/secret.txt')", "none of the folders")
load_refused("explain_trace_up", "explain_trace('/proc/self/environ')", "none of the folders")
load_refused("compare_traces_up", "compare_traces('/etc/passwd', '/etc/group')", "none of the folders")
load_refused("run_up", "run('../outside/x.py')", "none of the folders")
load_refused("run_passwd", "run('/etc/passwd')", "only `.py`")


@attack("reads")
def folders_that_are_read(s):
    s.path("work/w.npy").write_bytes(ONES)
    s.allowed("load('precious.npy')\nload('w.npy')\nload('../kernels/precious.npy')")
    s.allowed("load('precious.npy')", "--read", s.path("outside"))
    s.allowed(f"load('{s.path('outside/precious.npy')}')", "--read", s.path("outside"))
    s.refused("save('../outside/x.npy', ones(2))", "--read", s.path("outside"))
    s.path("work/w.npy").unlink()


@attack("reads")
def pipes_and_devices(s):
    os.mkfifo(s.path("kernels/p.npy"))
    os.mkfifo(s.path("kernels/p.json"))
    began = time.monotonic()
    s.refused("load('p.npy')", kind="only files are read")
    s.refused("trace('p.json')", kind="only files are read")
    s.refused("open_dump('p.json')", kind="only files are read")
    assert time.monotonic() - began < 8, "it waits for a pipe"
    s.path("kernels/p.npy").unlink(), s.path("kernels/p.json").unlink()


# ---------------------------------------------------------------- no text of others


@attack("foreign-text")
def a_text_is_no_dump(s):
    s.refused("open_dump('notes.txt')", kind="is not a dump")
    s.refused("trace('notes.txt')", kind="is not a trace")


@attack("foreign-text")
def errors_end_the_snippet(s):
    for call in ("open_dump('notes.txt')", "trace('notes.txt')", "open_dump('../outside/secret.txt')", "load('notes.txt')",
                 "run('notes.txt')", "explain_trace('notes.txt')"):
        done = s.refused(f"{call}\nprint('READ')")
        assert "READ" not in done.stdout and "line two" not in done.stdout, done.stdout


@attack("foreign-text")
def half_a_dump(s):
    s.path("kernels/k.mlir").write_text(f"module {{\n  // mosaic_gpu.\n  {SECRET}\n}}\n")
    done = s.snippet("open_dump('k.mlir')\nprint('READ')")
    assert done.returncode == 1 and "READ" not in done.stdout and SECRET not in done.stdout, done.stdout


@attack("foreign-text")
def a_dump_of_links(s):
    s.path("kernels/dump").mkdir()
    for ending in ("before_layout_inference.txt", "after_layout_inference.txt", "ptx", "ptxas", "resources.txt", "constraint_system.txt", "sass"):
        s.path(f"kernels/dump/k_1.{ending}").symlink_to(s.path("outside/secret.txt"))
    done = s.refused("d = open_dump('dump')\nprint(d.page)\nprint(d.module)")
    s.refused("print(open_dump('dump/k_1').page)")
    assert SECRET not in done.stdout
    s.path("kernels/below").mkdir()
    s.path("kernels/below/far").symlink_to(s.path("outside"))
    s.refused("print(open_dump('below/far'))")


@attack("foreign-text")
def a_npy_that_is_none(s):
    s.path("kernels/n.npy").write_text(SECRET + "\n" * 40)
    s.path("kernels/z.npz").write_text(SECRET + "\n" * 40)
    s.refused("load('n.npy')")
    s.refused("load('z.npz')")


# ---------------------------------------------------------------- archives


def archive(members):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as file:
        for name, content in members:
            file.writestr(zipfile.ZipInfo(name), content)
    return out.getvalue()


@attack("archives")
def members_are_names_alone(s):
    names = ["../outside/precious.npy", "/etc/passwd.npy", "../../x.npy", "a/b.npy", "..\\x.npy", "C:\\x.npy"]
    s.path("kernels/z.npz").write_bytes(archive([(name, ONES) for name in names]))
    s.allowed("z = load('z.npz')\nassert len(z) == 6\nassert z['../outside/precious'][0] == 1")


@attack("archives")
def checksums_are_compared(s):
    data = bytearray(archive([("a.npy", ONES)]))
    at = data.index(b"\x93NUMPY") + len(ONES) - 1
    data[at] ^= 1
    s.path("kernels/z.npz").write_bytes(data)
    s.refused("load('z.npz')", kind="damaged")
    (s.path("kernels/z.npz")).write_bytes(archive([("a.npy", zlib.compress(ONES))]))
    s.refused("load('z.npz')")


@attack("archives")
def members_that_overlap(s):
    one = archive([("a.npy", npy([1.0] * 4096))])
    end = one.index(b"PK\x01\x02")
    entry, tail = one[end:-22], bytearray(one[-22:])
    count = 5000
    tail[8:12] = struct.pack("<HH", count, count)
    tail[12:16] = struct.pack("<I", len(entry) * count)
    s.path("kernels/z.npz").write_bytes(one[:end] + entry * count + bytes(tail))
    began = time.monotonic()
    s.refused("load('z.npz')")
    assert time.monotonic() - began < 10


# ---------------------------------------------------------------- no way to the host


def no_way(name, code):
    def code_with(mark):
        return code.replace("MARK", str(mark))

    @attack("host")
    def way(s):
        mark = s.path("outside/mark")
        entry = code_with(mark)
        if isinstance(ast.parse(entry).body[0], ast.Import):  # typed, because `run` would give a file with it to Python
            done = s.run(text=entry + "\n", cwd="kernels")
            assert "error: " in done.stderr + done.stdout, f"it ran: {done.stdout}"
        else:
            done = s.snippet(entry)
            assert done.returncode == 1, f"it ran: {done.stdout}"
        assert not mark.exists() and SECRET not in done.stdout + done.stderr
    way.__name__ = name


no_way("import_os", "import os\nos.system('touch MARK')")
no_way("import_subprocess", "import subprocess\nsubprocess.run(['touch', 'MARK'])")
no_way("import_socket", "import socket\nsocket.socket()")
no_way("import_ctypes", "import ctypes\nctypes.CDLL(None).system(b'touch MARK')")
no_way("import_by_name", "__import__('os').system('touch MARK')")
no_way("importlib_module", "import importlib\nimportlib.import_module('os').system('touch MARK')")
no_way("builtin_open", "open('MARK', 'w')")
no_way("builtin_open_read", "print(open('../outside/secret.txt').read())")
no_way("exec_text", "exec('import os')")
no_way("eval_text", "eval('1')")
no_way("compile_text", "compile('1', 'a', 'exec')")
no_way("classes_of_a_tuple", "().__class__.__bases__[0].__subclasses__()")
no_way("globals_of_a_function", "def f(): pass\nf.__globals__['__builtins__']")
no_way("globals_of_a_builtin", "print.__self__.__dict__")
no_way("getattr_class", "getattr((), '__class__').__base__.__subclasses__()")
no_way("format_attribute", "print('{0.__class__.__init__.__globals__}'.format(lambda: 1))")
no_way("sys_modules", "import sys\nsys.modules['os'].system('touch MARK')")
no_way("pathlib_write", "import pathlib\npathlib.Path('MARK').write_text('x')")
no_way("numpy_tofile", "import numpy as np\nnp.ones(2).tofile('MARK')")
no_way("numpy_save", "import numpy as np\nnp.save('MARK', np.ones(2))")
no_way("numpy_fromfile", "import numpy as np\nprint(np.fromfile('../outside/secret.txt'))")
no_way("numpy_load", "import numpy as np\nprint(np.load('../outside/precious.npy'))")
no_way("print_to_a_file", "print('x', file=open('MARK', 'w'))")
no_way("input_asks", "print(input())")
no_way("breakpoint_opens", "breakpoint()")


@attack("host")
def an_import_reads_no_file(s):
    s.path("kernels/helpers.py").write_text("print('it ' + 'ran')\n")
    for entry in ("import helpers", "from helpers import x", "from . import helpers", "from ..outside import helpers"):
        done = s.run(text=entry + "\n", cwd="kernels")
        assert "error: " in done.stdout + done.stderr and "it ran" not in done.stdout, done.stdout + done.stderr


# ---------------------------------------------------------------- looking writes nothing


@attack("looking")
def commands_that_look(s):
    s.path("kernels/a.py").write_text("""
@kernel()
def k(x: GMEM((128,), f32), out: Out((128,), f32)):
  out[...] = x[...] + 1.0
save('x.npy', ones(2))
assert load('x.npy')[0] == 1
save('precious.npy', k(ones((128,), f32)))
""")
    before = s.seen("home")
    for words in (("check",), ("compile", "--emit", "ptx"), ("compile", "--emit", "ast"), ("debug", "--commands", "/dev/null")):
        done = s.run(words[0], s.path("kernels/a.py"), *words[1:])
        assert done.returncode in (0, 1), done.stderr
        assert s.seen("home") == before, f"{words[0]} wrote a file"


@attack("looking")
def a_layout_is_no_program(s):
    s.path("kernels/x.layout").write_text("save('x.npy', ones(2))")
    before = s.seen("home")
    s.run("show", s.path("kernels/x.layout"))
    s.run("show", "save('x.npy', ones(2))")
    assert s.seen("home") == before


# ---------------------------------------------------------------- launches and dumps of others

PTX = """.version 8.0
.target sm_90a
.address_size 64
.visible .entry k(.param .u64 p) {
  .reg .b64 %rd<4>;
  .reg .f32 %f<2>;
  ld.param.u64 %rd1, [p];
  cvta.to.global.u64 %rd2, %rd1;
  mov.f32 %f1, 0f40000000;
  st.global.f32 [%rd2], %f1;
  ret;
}
"""


def launch(s, **buffer):
    s.path("kernels/k.ptx").write_text(PTX)
    s.path("kernels/launch.json").write_text(json.dumps({
        "entry": "k", "grid": [1, 1, 1], "cluster": [1, 1, 1], "block": [1, 1, 1], "dynamic_smem": 0,
        "params": [{"kind": "buffer", "dtype": "f32", "shape": [1], **buffer}]}))
    done = s.run("emulate", s.path("kernels/k.ptx"), "--launch", s.path("kernels/launch.json"))
    for name in ("k.ptx", "launch.json"):
        s.path("kernels/" + name).unlink()
    return done


@attack("launches")
def outputs_stay_in_the_folder(s):
    for out in ("../outside/precious.npy", str(s.path("outside/precious.npy")), "../outside/x.npy", "notes.txt", "a\0.npy",
                "k.ptx", "launch.json", "none/x.npy"):
        assert launch(s, out=out).returncode == 1, out
    done = launch(s, out="c.npy")
    assert done.returncode == 0 and s.path("kernels/c.npy").is_file(), done.stderr
    s.path("kernels/c.npy").unlink()


@attack("launches")
def outputs_follow_no_link(s):
    s.path("kernels/link.npy").symlink_to(s.path("outside/precious.npy"))
    s.path("kernels/sub").symlink_to(s.path("outside"))
    for out in ("link.npy", "sub/precious.npy", "sub/x.npy"):
        assert launch(s, out=out).returncode == 1, out


@attack("launches")
def inputs_tell_no_text(s):
    for data in ("../outside/secret.txt", "/etc/passwd", "notes.txt"):
        done = launch(s, data=data, out="c.npy")
        assert done.returncode == 1 and SECRET not in done.stdout + done.stderr


@attack("launches")
def kernels_name_no_paths(s):
    """A kernel's name, which a dump's author chooses, becomes a file name in `--dump` and packages."""
    golden = REPOSITORY / "tests/golden/jax_dumps"
    dump = next(iter(sorted(golden.rglob("*.before_layout_inference.txt"))))
    text = dump.read_text()
    name = re.search(r"sym_name = \"([^\"]*)\"|module @(\S+)", text)
    for evil in ("../../outside/evil", "/tmp/lanescope-evil", "a/b", "..", ".hidden"):
        changed = re.sub(r"(gpu\.launch|mosaic_gpu_init|func\.func @)(\w*)", lambda m: m[0], text)
        changed = re.sub(r'module @\S+', f'module @"{evil}"', changed)
        s.path("kernels/k.before_layout_inference.txt").write_text(changed)
        s.run("compile", s.path("kernels/k.before_layout_inference.txt"), "--emit", "package", "--no-arrays", "-o", s.path("work/packages"))
        s.run("compile", s.path("kernels/k.before_layout_inference.txt"), "--dump", s.path("work/stages"))
        assert not pathlib.Path("/tmp/lanescope-evil.lspkg").exists()
    assert name is None or name
    s.path("kernels/k.before_layout_inference.txt").unlink()
    import shutil
    for folder in ("work/packages", "work/stages"):
        shutil.rmtree(s.path(folder), ignore_errors=True)


# ---------------------------------------------------------------- caches


@attack("caches")
def cache_entries_that_are_no_files(s):
    code = """
@kernel()
def k(x: GMEM((128,), f32), out: Out((128,), f32)):
  out[...] = x[...] * 3.0
assert max_error(k(ones((128,), f32)), full((128,), 3.0, f32)) == 0
"""
    s.allowed(code)
    folder = s.path("home/.cache/lanescope/kernels")
    entries = list(folder.iterdir())
    assert len(entries) == 1, "the kernel was not kept"
    entry, content = entries[0], entries[0].read_bytes()
    entry.unlink()
    os.mkfifo(entry)
    s.allowed(code)  # must not wait for the pipe or write to it
    assert entry.is_fifo()
    entry.unlink(), entry.symlink_to(s.path("outside/secret.txt"))
    s.allowed(code)
    entry.unlink(), entry.symlink_to("/dev/zero")
    s.allowed(code)
    entry.unlink(), entry.write_bytes(content)
    s.allowed(code)


@attack("caches")
def an_entry_of_another_kernel(s):
    def code(factor):
        return f"""
@kernel()
def k(x: GMEM((128,), f32), out: Out((128,), f32)):
  out[...] = x[...] * {factor}.0
assert max_error(k(ones((128,), f32)), full((128,), {factor}.0, f32)) == 0
"""
    folder = s.path("home/.cache/lanescope/kernels")
    s.allowed(code(3))
    three = next(iter(folder.iterdir()))
    s.allowed(code(5))
    five = next(path for path in folder.iterdir() if path != three)
    five.write_bytes(three.read_bytes())  # a whole file with a valid checksum, under another's name
    s.allowed(code(5))


# ---------------------------------------------------------------- programs


PROGRAM = """import lanescope, os
print('the program ' + 'is running')
open(os.path.join(os.path.dirname(__file__), '..', 'outside', 'precious.npy'), 'wb').write(b'gone')
"""
SAID = "the program is running"


def window(s, script, *options):
    """The output of a window that does these steps. The program itself would change a file outside, which every attack
    checks."""
    s.path("work/steps.gui").write_text(script + f"\nexpect {SAID}\n")
    with display() as environment:
        done = s.run("gui", "--script", s.path("work/steps.gui"), *options, env={"DISPLAY": environment["DISPLAY"]})
    s.path("work/steps.gui").unlink()
    return done


def not_run(s, script, *options):
    done = window(s, script, *options)
    if done.returncode == 3:  # a machine without a display
        return
    assert done.returncode == 1 and SAID in done.stderr, f"the steps did not come to their last one: {done.stdout}{done.stderr}"


@attack("programs")
def looking_runs_no_program(s):
    path = s.path("kernels/a.py")
    path.write_text(PROGRAM)
    for words in (("compile",), ("compile", "--emit", "ast"), ("show",), ("open",), ("eval",), ("trace",), ("emulate",)):
        done = s.run(words[0], path, *words[1:])
        assert SAID not in done.stdout + done.stderr, words
    s.run(text=f"run('{path}')\nimport a\n", cwd="kernels")
    s.run("check", s.path("kernels"))  # the folder's programs were not named


@attack("programs")
def the_language_server_runs_no_program(s):
    def message(**content):
        text = json.dumps({"jsonrpc": "2.0", **content})
        return f"Content-Length: {len(text)}\r\n\r\n{text}"
    uri = s.path("kernels/a.py").as_uri()
    s.path("kernels/a.py").write_text(PROGRAM)
    steps = [message(id=1, method="initialize", params={"capabilities": {}}), message(method="initialized", params={}),
             message(method="textDocument/didOpen", params={"textDocument": {"uri": uri, "languageId": "python", "version": 1, "text": PROGRAM}}),
             message(id=2, method="textDocument/documentSymbol", params={"textDocument": {"uri": uri}}),
             message(id=3, method="shutdown"), message(method="exit")]
    s.run("lsp", "--device", "emulator", text="".join(steps))


@attack("programs")
def opened_in_the_window_it_does_not_run(s):
    path = s.path("kernels/a.py")
    path.write_text(PROGRAM)
    not_run(s, f"open {path}")
    not_run(s, f"open {path}\nkey Ctrl+R\npalette Run again\npalette Editor\nkey Ctrl+S\nkey Ctrl+Enter")
    not_run(s, f"open {path}\npalette Leave it\npalette Run in Python")
    not_run(s, f"open {path}\nworkspace {s.path('work/w.lanescope')}\nopen {s.path('work/w.lanescope')}")
    s.path("work/w.lanescope").unlink(missing_ok=True)


@attack("programs")
def trust_of_one_is_no_trust_of_another(s):
    harmless = "import lanescope\nprint('harmless')\n"
    for name in ("kernels/good.py", "work/good.py"):
        s.path(name).write_text(harmless)
    s.path("kernels/a.py").write_text(PROGRAM)
    s.path("kernels/below").mkdir()
    s.path("kernels/below/a.py").write_text(PROGRAM)
    s.path("work/link.py").symlink_to(s.path("kernels/a.py"))
    not_run(s, f"open {s.path('kernels/a.py')}", "--trust", s.path("kernels/good.py"))
    not_run(s, f"open {s.path('work/good.py')}\npalette Trust this folder\nopen {s.path('kernels/a.py')}")
    not_run(s, f"open {s.path('work/link.py')}")  # the link is in a folder that is trusted by now
    not_run(s, f"open {s.path('kernels/below/a.py')}")
    not_run(s, f"open {s.path('kernels/good.py')}\npalette Run it once\nopen {s.path('kernels/a.py')}")
    for name in ("kernels/good.py", "work/good.py", "work/link.py", "kernels/below/a.py"):
        s.path(name).unlink()
    s.path("kernels/below").rmdir()


@attack("programs")
def a_changed_text_asks_again(s):
    path = s.path("kernels/a.py")
    path.write_text("import lanescope\nprint('harmless')\n")
    not_run(s, f"open {path}\npalette Run it once\nexpect harmless\npalette Editor\nkey Ctrl+A\n"
               "type import lanescope; print('the program ' + 'is running')\nkey Ctrl+S\nwait\n"
               "expect It can do what Python can.")


@attack("programs")
def nothing_is_imported_from_where_the_window_stands(s):
    """Python does not find a folder's own `numpy.py` and `lanescope`, neither before a program is trusted nor instead
    of the real ones."""
    s.path("work/numpy.py").write_text(PROGRAM)
    s.path("work/lanescope").mkdir()
    s.path("work/lanescope/__init__.py").write_text(PROGRAM)
    s.path("kernels/good.py").write_text("import lanescope\nprint('harmless')\n")
    not_run(s, f"open {s.path('kernels/good.py')}\npalette Run it once\nexpect harmless\nkey Ctrl+R")
    s.run("check", s.path("kernels/good.py"))
    s.path("work/lanescope/__init__.py").unlink(), s.path("work/lanescope").rmdir()
    s.path("work/numpy.py").unlink(), s.path("kernels/good.py").unlink()


def main():
    lanescope, repository, *wanted = sys.argv[1:]
    global REPOSITORY
    REPOSITORY = pathlib.Path(repository).resolve()
    promised = set(re.findall(r"\[`([a-z-]+)`\]", (REPOSITORY / "docs/security.md").read_text()))
    tested = {promise for promise, _ in ATTACKS}
    problems = [f"docs/security.md promises `{name}`, and no attack is on it" for name in sorted(promised - tested)]
    problems += [f"attacks are on `{name}`, which docs/security.md does not promise" for name in sorted(tested - promised)]
    count = 0
    for promise, function in ATTACKS:
        if wanted and function.__name__ not in wanted and promise not in wanted:
            continue
        count += 1
        with tempfile.TemporaryDirectory(prefix="lanescope-attack-") as folder:
            scratch = Scratch(pathlib.Path(folder).resolve(), os.path.abspath(lanescope))
            before = scratch.seen(*OURS)
            try:
                function(scratch)
                after = scratch.seen(*OURS)
                changed = [name for name in before if after.get(name) != before[name]]
                allowed = [name for name in after if name not in before and name.startswith("outside")]
                assert not changed and not allowed, f"it changed {changed + allowed}"
            except (AssertionError, subprocess.TimeoutExpired, StopIteration, OSError, KeyError) as problem:
                problems.append(f"{promise}: {function.__name__}: {type(problem).__name__}: {problem}")
    print("\n".join(problems) or f"{count} attacks, none of which got through")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
