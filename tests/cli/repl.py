#!/usr/bin/env python3
"""Drives the REPL through a pseudo-terminal as a person would (prompt, entries of several lines, Tab, Ctrl-C, Ctrl-D,
history), and through a pipe. Usage: repl.py LANESCOPE"""
import os
import pathlib
import pty
import re
import select
import signal
import stat
import subprocess
import sys
import tempfile
import time

PATIENCE = 60  # seconds after which an answer counts as missing
ESCAPES = re.compile(rb"\x1b\[[0-9;?]*[A-Za-z]|\x1b[()=>][0-9A-Z]?|\r|\x07")


class Terminal:
    def __init__(self, program, home):
        environment = {"HOME": home, "PATH": os.environ["PATH"], "TERM": "xterm", "LC_ALL": "C.UTF-8"}
        self.pid, self.file = pty.fork()
        if self.pid == 0:
            os.execve(program, [program], environment)
        self.unread = b""

    def type(self, text):
        os.write(self.file, text.encode())

    def expect(self, words):
        """Reads until `words` come. Returns the text before them."""
        deadline = time.monotonic() + PATIENCE
        while True:
            seen = ESCAPES.sub(b"", self.unread).decode(errors="replace")
            if words in seen:
                before, after = seen.split(words, 1)
                self.unread = after.encode()
                return before
            left = deadline - time.monotonic()
            if left <= 0 or not select.select([self.file], [], [], left)[0]:
                raise AssertionError(f"{words!r} did not come; last seen: {seen[-600:]!r}")
            try:
                chunk = os.read(self.file, 65536)
            except OSError:
                chunk = b""
            if not chunk:
                raise AssertionError(f"the program ended before {words!r}; last seen: {seen[-600:]!r}")
            self.unread += chunk

    def status(self):
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline:
            done, status = os.waitpid(self.pid, os.WNOHANG)
            if done:
                return os.waitstatus_to_exitcode(status)
            if select.select([self.file], [], [], 0.05)[0]:
                try:
                    os.read(self.file, 65536)
                except OSError:
                    pass
        os.kill(self.pid, signal.SIGKILL)
        raise AssertionError("the program did not end")


def one_line(t):
    t.expect(">>> ")
    t.type("6 * 7\n")
    t.expect("42\n>>> ")


def several_lines(t):
    t.type("def twice(x):\n")
    t.expect("... ")
    t.type("  return 2 * x\n")
    t.expect("... ")
    t.type("\n")
    t.expect(">>> ")
    t.type("twice(\n")
    t.expect("... ")
    t.type("21)\n")
    t.expect("42\n>>> ")


def tab_completes(t):
    t.type("twi\t4)\n")
    t.expect("8\n>>> ")
    t.type("WGMMA.vector_l\t\n")
    t.expect("2\n>>> ")
    t.type("WGMMA.\t\t")
    t.expect("vector_length")
    t.expect(">>> WGMMA.")
    t.type("\x15")  # Ctrl-U deletes the line


def errors_go_on(t):
    t.type("twicee(1)\n")
    t.expect("error:")
    t.expect("twice`?")
    t.expect(">>> ")


def ctrl_c_stops_a_loop(t):
    t.type("while True: pass\n")
    t.expect("... ")
    t.type("\n")
    time.sleep(0.5)
    t.type("\x03")
    t.expect("interrupted")
    t.expect(">>> ")
    t.type("1 + 1\n")
    t.expect("2\n>>> ")


def ctrl_c_drops_a_line(t):
    t.type("broken (\n")
    t.expect("... ")
    t.type("more")
    t.expect("more")
    t.type("\x03")
    t.expect(">>> ")
    t.type("'fine'\n")
    t.expect("'fine'\n>>> ")


def history_comes_back(t):
    t.type("\x1b[A")
    t.expect("'fine'")
    t.type("\n")
    t.expect("'fine'\n>>> ")


def layouts_are_drawn(t):
    t.type("WGMMA\n")
    t.expect("TiledLayout(")
    t.expect("T4")
    t.expect(">>> ")


def the_debugger_asks(t):
    t.type("@kernel(grid=(1,), num_threads=1)\n")
    t.expect("... ")
    t.type("def add_one(x: GMEM((128, 128), f32), out: Out((128, 128), f32)):\n")
    t.expect("... ")
    t.type("  out[...] = x[...] + 1.0\n")
    t.expect("... ")
    t.type("\n")
    t.expect(">>> ")
    t.type("debug(add_one, zeros((128, 128), f32))\n")
    t.expect("(debug) ")
    t.type("step\n")
    t.expect("(debug) ")
    t.type("nonsense\n")
    t.expect("no command `nonsense`")
    t.expect("(debug) ")
    t.type("whe\t")  # Tab
    t.expect("where")
    t.type("\n")
    t.expect("of block 0")
    t.expect("(debug) ")
    t.type("\x03")  # drops the line
    t.expect("(debug) ")
    t.type("continue\n")
    t.expect("the run has ended")
    t.expect("(debug) ")
    t.type("quit\n")
    t.expect(">>> ")
    t.type("2 + 2\n")
    t.expect("4\n>>> ")


def ctrl_d_leaves(t):
    # An entry first. Its answer shows that the prompt is back.
    t.type("'still ' + 'here'\n")
    t.expect("'still here'\n>>> ")
    t.type("\x04")
    assert t.status() == 0


def exit_leaves(program, home):
    for word in ("exit", "quit()"):
        t = Terminal(program, home)
        t.expect(">>> ")
        t.type(word + "\n")
        assert t.status() == 0
        piped = subprocess.run([program], input=f"1 + 1\n{word}\nundefined_name\n", capture_output=True, text=True, timeout=60)
        assert (piped.returncode, piped.stdout) == (0, "2\n"), piped


STEPS = [one_line, several_lines, the_debugger_asks, tab_completes, errors_go_on, ctrl_c_stops_a_loop, ctrl_c_drops_a_line,
         history_comes_back, layouts_are_drawn, ctrl_d_leaves]


def next_session_remembers(program, home):
    path = pathlib.Path(home) / ".local/state/lanescope/history"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600, oct(path.stat().st_mode)
    assert "def twice(x):\\n  return 2 * x" in path.read_text()
    t = Terminal(program, home)
    t.expect(">>> ")
    t.type("\x1b[A\x1b[A\x1b[A")
    t.expect("'fine'")
    t.type("\n")
    t.expect("'fine'\n>>> ")
    t.type("\x04")
    assert t.status() == 0


def pipe(program):
    def run(text):
        result = subprocess.run([program], input=text, capture_output=True, text=True, timeout=PATIENCE)
        return result.returncode, result.stdout, result.stderr

    assert run("x = 2\nx * 3\ndef f(y):\n  return y\n\nf(x)\n") == (0, "6\n2\n", "")
    status, out, problems = run("1 + 1\n1 // 0\nprint('not reached')\n")
    assert (status, out) == (1, "2\n") and "<stdin>:2:" in problems, (status, out, problems)
    assert run("") == (0, "", "")


def main():
    program = os.path.abspath(sys.argv[1])
    passed, failed = 0, 0
    with tempfile.TemporaryDirectory() as home:
        terminal = Terminal(program, home)
        steps = [(step.__name__, lambda step=step: step(terminal)) for step in STEPS]
        steps.append(("next_session_remembers", lambda: next_session_remembers(program, home)))
        steps.append(("exit_leaves", lambda: exit_leaves(program, home)))
        steps.append(("pipe", lambda: pipe(program)))
        for name, step in steps:
            try:
                step()
                passed += 1
            except AssertionError as problem:
                failed += 1
                print(f"FAILED {name}: {problem}")
    print(f"repl: {passed} passed, {failed} failed")
    return 1 if failed else 0


sys.exit(main())
